/* SPDX-License-Identifier: MIT */
#include "graph/declaration.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* --- storage ---------------------------------------------------------------------------------- */

enum { BLOCK_BYTES = 4096 };

/* A block of memory that is handed out piecewise and freed as a whole. */
struct vks_kept {
    struct vks_kept *next;
    size_t size, used; /* of `bytes` */
    alignas(max_align_t) unsigned char bytes[];
};

void vks_declaration_fail(struct vks_declaration *declaration, enum vks_result result)
{
    if (declaration->result == VKS_OK) {
        declaration->result = result;
    }
}

void vks_declaration_free(struct vks_declaration *declaration)
{
    while (declaration->blocks) {
        struct vks_kept *next = declaration->blocks->next;
        free(declaration->blocks);
        declaration->blocks = next;
    }
    free(declaration->fields);
    free(declaration->passes);
    free(declaration->items);
    *declaration = (struct vks_declaration){0};
}

void *vks_declaration_keep(struct vks_declaration *declaration, size_t size)
{
    const size_t align = alignof(max_align_t);
    const size_t rounded = (size + align - 1) / align * align;
    struct vks_kept *block = declaration->blocks;
    if (declaration->result != VKS_OK) {
        return NULL;
    }
    if (!block || block->size - block->used < rounded) {
        const size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        block = calloc(1, sizeof(*block) + room);
        if (!block) {
            vks_declaration_fail(declaration, vks_fail_memory());
            return NULL;
        }
        block->size = room;
        block->next = declaration->blocks;
        declaration->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += rounded;
    return piece;
}

void *vks_declaration_copy(struct vks_declaration *declaration, const void *data, size_t size)
{
    void *copy = vks_declaration_keep(declaration, size);
    return copy && size ? memcpy(copy, data, size) : copy;
}

const char *vks_declaration_keep_text(struct vks_declaration *declaration, const char *text)
{
    return text ? vks_declaration_copy(declaration, text, strlen(text) + 1) : NULL;
}

const char *vks_declaration_name(struct vks_declaration *declaration, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *name = length < 0 ? NULL : vks_declaration_keep(declaration, (size_t)length + 1);
    if (!name) {
        return "";
    }
    va_start(args, format);
    vsnprintf(name, (size_t)length + 1, format, args);
    va_end(args);
    return name;
}

/* --- contents --------------------------------------------------------------------------------- */

void vks_declaration_grid(struct vks_declaration *declaration, uint64_t depth, uint64_t height,
                          uint64_t width)
{
    memcpy(declaration->grid, (const uint64_t[]){depth, height, width}, sizeof(declaration->grid));
}

int vks_find_field(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->field_count; i++) {
        if (strcmp(declaration->fields[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

bool vks_has_pass(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (strcmp(declaration->passes[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

struct vks_items *vks_find_items(const struct vks_declaration *declaration, const char *name)
{
    for (size_t i = 0; i < declaration->items_count; i++) {
        if (strcmp(declaration->items[i].name, name) == 0) {
            return &declaration->items[i];
        }
    }
    return NULL;
}

/* --- pictures --------------------------------------------------------------------------------- */

bool vks_pass_uses(const struct vks_pass *pass, size_t field)
{
    for (size_t i = 0; i < pass->use_count; i++) {
        if (pass->uses[i].index == field) {
            return true;
        }
    }
    return false;
}

/* Adjusts the uses of a pass to the new indices of fields. */
static void renumber(struct vks_declaration *declaration, struct vks_pass *pass,
                     const uint32_t *places)
{
    struct vks_use *uses =
        vks_declaration_copy(declaration, pass->uses, (pass->use_count + 1) * sizeof(*uses));
    for (size_t i = 0; uses && i < pass->use_count; i++) {
        uses[i].index = places[uses[i].index];
    }
    pass->uses = uses ? uses : pass->uses;
}

void vks_declaration_strip_to_frames(struct vks_declaration *declaration)
{
    size_t passes = 0, fields = 0;
    uint32_t *places = calloc(declaration->field_count + 1, sizeof(*places));
    if (!places) {
        vks_declaration_fail(declaration, vks_fail_memory());
        return;
    }
    for (size_t i = 0; i < declaration->pass_count; i++) {
        if (declaration->passes[i].when == VKS_EACH_FRAME) {
            declaration->passes[passes++] = declaration->passes[i];
        }
    }
    declaration->pass_count = passes;
    for (size_t i = 0; i < declaration->field_count; i++) {
        bool used = false;
        for (size_t j = 0; j < passes; j++) {
            used = used || vks_pass_uses(&declaration->passes[j], i);
        }
        if (used) {
            places[i] = (uint32_t)fields;
            declaration->fields[fields++] = declaration->fields[i];
        }
    }
    declaration->field_count = fields;
    declaration->items_count = 0; /* pictures sort nothing */
    for (size_t i = 0; i < passes; i++) {
        renumber(declaration, &declaration->passes[i], places);
    }
    free(places);
}

bool vks_field_is_state(const struct vks_declaration *declaration, const struct vks_field *field)
{
    const int index = vks_find_field(declaration, field->name);
    bool used = field->persistent;
    for (size_t i = 0; i < declaration->pass_count && index >= 0; i++) {
        used = used || (declaration->passes[i].when != VKS_EACH_FRAME &&
                        vks_pass_uses(&declaration->passes[i], (size_t)index));
    }
    return used;
}
