/* SPDX-License-Identifier: MIT */
/* Fields larger than a buffer's range: which are split, where their bytes are, and the address
 * tables that wide shaders use (shaders/lib/field.glsl). */
#include "graph/internal.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/agree.h"

enum {
    MIN_CHUNK_BITS = 4,    /* an element of 16 bytes */
    MAX_CHUNK_BITS = 30,   /* so that indices within a chunk fit a signed integer */
    UPDATE_BYTES = 65536,  /* the limit of vkCmdUpdateBuffer */
    ADDRESS_BYTES = 2 * 4, /* a pair of uint32, the low word first */
};

uint32_t vks_chunk_bits(uint64_t range)
{
    uint32_t bits = MIN_CHUNK_BITS;
    while (bits < MAX_CHUNK_BITS && UINT64_C(2) << bits <= range) {
        bits++;
    }
    return bits;
}

/* True if the pass's shader has a wide version in which all uses of the field are by chunks. */
static bool reaches_chunks(const struct vks_gpu *gpu, const struct vks_pass *pass, uint32_t field)
{
    const struct vks_shader *shader = vks_pass_shader(gpu, pass);
    if (!shader || !shader->wide) {
        return false;
    }
    const struct vks_reflection *wide = &shader->wide->reflection;
    for (size_t i = 0; i < wide->buffer_count; i++) {
        const int use = vks_use_of_block(pass, wide->buffers[i].name);
        if (use >= 0 && pass->uses[use].index == field && !wide->buffers[i].chunked) {
            return false;
        }
    }
    return true;
}

bool vks_field_splits(const struct vks_gpu *gpu, const struct vks_declaration *declaration,
                      uint32_t field)
{
    bool used = false;
    if (vks_field_bytes(&declaration->fields[field]) <= gpu->field_range ||
        declaration->fields[field].watched) {
        return false;
    }
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        if (vks_pass_uses(pass, field)) {
            used = true;
            if (!reaches_chunks(gpu, pass, field)) {
                return false;
            }
        }
    }
    return used;
}

bool vks_declaration_splits(const struct vks_gpu *gpu, const struct vks_declaration *declaration)
{
    bool splits = false;
    for (uint32_t i = 0; i < declaration->field_count && !splits; i++) {
        splits = vks_field_splits(gpu, declaration, i);
    }
    return splits;
}

uint64_t vks_pass_range(const struct vks_gpu *gpu, const struct vks_declaration *declaration,
                        const struct vks_pass *pass)
{
    for (size_t i = 0; i < pass->use_count; i++) {
        if (vks_field_splits(gpu, declaration, pass->uses[i].index)) {
            return gpu->field_range;
        }
    }
    return 0;
}

struct vks_piece vks_piece_at(const struct vks_pieces *pieces, uint64_t at)
{
    const uint64_t whole = pieces->buffers[0].size; /* of every piece but the last */
    const struct vks_buffer *buffer = &pieces->buffers[at / whole];
    return (struct vks_piece){buffer->buffer, at % whole, buffer->size - at % whole};
}

/* --- tables of addresses --------------------------------------------------------------------- */

static uint64_t chunks_of(const struct vks_field *field, uint32_t bits)
{
    return ((vks_field_bytes(field) - 1) >> bits) + 1;
}

/* Lists the addresses of a field's chunks. A chunk is a piece, or part of a field in one piece. */
static void list_chunks(const struct vks_pieces *pieces, uint64_t count, uint32_t bits,
                        uint32_t *words)
{
    const uint64_t whole = pieces->buffers[0].size;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i << bits;
        const uint64_t address = pieces->buffers[at / whole].address + at % whole;
        words[2 * i] = (uint32_t)address;
        words[2 * i + 1] = (uint32_t)(address >> 32);
    }
}

struct updating {
    struct vks_graph *graph;
    const uint32_t *words;
};

static void record_update(void *user, VkCommandBuffer commands)
{
    const struct updating *updating = user;
    const struct vks_buffer *buffer = &updating->graph->tables.buffer;
    for (uint64_t at = 0; at < buffer->size; at += UPDATE_BYTES) {
        const uint64_t left = buffer->size - at;
        updating->graph->gpu->vk.vkCmdUpdateBuffer(commands, buffer->buffer, at,
                                                   left < UPDATE_BYTES ? left : UPDATE_BYTES,
                                                   (const char *)updating->words + at);
    }
}

enum vks_result vks_tables_create(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    struct vks_tables *tables = &graph->tables;
    const uint32_t bits = vks_chunk_bits(graph->gpu->field_range);
    const uint64_t alignment = graph->gpu->properties.limits.minStorageBufferOffsetAlignment;
    const uint32_t resources = vks_clock_resource(declaration);
    uint64_t size = 0;
    tables->places = calloc(resources + 1, sizeof(*tables->places));
    if (!tables->places) {
        return vks_fail_memory();
    }
    for (uint32_t i = 0; i < resources; i++) {
        if (graph->pieces[i].count > 0) {
            tables->places[i].offset = size;
            tables->places[i].range = ADDRESS_BYTES * chunks_of(&declaration->fields[i / 2], bits);
            size += (tables->places[i].range + alignment - 1) / alignment * alignment;
        }
    }
    uint32_t *words = calloc(1, size);
    enum vks_result result = words ? VKS_OK : vks_fail_memory();
    for (uint32_t i = 0; words && i < resources; i++) {
        if (graph->pieces[i].count > 0) {
            list_chunks(&graph->pieces[i], tables->places[i].range / ADDRESS_BYTES, bits,
                        words + tables->places[i].offset / 4);
        }
    }
    if (result == VKS_OK) {
        result = vks_buffer_create(graph->gpu, &tables->buffer, size, VKS_MEMORY_DEVICE,
                                   "addresses of chunks");
    }
    if (result == VKS_OK) {
        struct updating updating = {graph, words};
        result = vks_start_transfer(graph, record_update, &updating, NULL);
    }
    free(words);
    return result;
}

void vks_tables_destroy(struct vks_graph *graph)
{
    vks_buffer_destroy(graph->gpu, &graph->tables.buffer);
    free(graph->tables.places);
}
