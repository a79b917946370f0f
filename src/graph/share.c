/* SPDX-License-Identifier: MIT */
#include "graph/share.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "gpu/external.h"
#include "graph/internal.h"

#include "core/check.h"

/* Copies between a buffer of the field and the memory, recorded once. */
struct way {
    struct vks_share *share;
    struct vks_copies copies;
    VkCommandBuffer commands;
};

/* Who checks values that come back. */
enum check { BY_NOBODY, BY_GPU, BY_HOST };

struct vks_share {
    struct vks_graph *steps; /* with the field */
    int field;
    enum check check;
    struct vks_graph *own; /* with the memory as its first field, and the check */
    VkSemaphore semaphore; /* VK_NULL_HANDLE: the host waits */
    uint64_t value;        /* that was signalled or waited for last */
    struct vks_pipeline copy;
    struct way out[2], in[2];         /* per parity of the field */
    VkCommandBuffer acquire, release; /* of the memory, from and to the other API */
};

/* The memory's buffer. */
static const struct vks_buffer *memory_of(const struct vks_share *share)
{
    return share->own->pieces[0].buffers;
}

uint64_t vks_share_bytes(const struct vks_share *share)
{
    const struct vks_arena *arena = &share->own->arena;
    size_t i = 0;
    while (arena->blocks[i].memory != memory_of(share)->memory) {
        i++;
    }
    return arena->blocks[i].size;
}

/* --- creation -------------------------------------------------------------------------------- */

static enum vks_result check_pieces(const struct vks_graph *graph, const struct vks_field *field,
                                    const struct vks_pieces *pieces)
{
    return pieces->count == 1 && vks_field_bytes(field) <= graph->gpu->info.largest_buffer
               ? VKS_OK
               : vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_SIZE,
                               "the field '%s' is too large for one buffer, so it cannot be shared",
                               field->name);
}

static enum check check_of(const struct vks_field *field)
{
    const bool floats = vks_element_info(field->element)->kind == 'f';
    if (floats && (vks_field_has_range(field) || !field->fill)) {
        return BY_GPU;
    }
    return floats || field->check ? BY_HOST : BY_NOBODY;
}

/* The bits of the float nearest to a number that lies between the number and `inner`. */
static uint32_t inner_bits(double number, float inner)
{
    float value = (float)number;
    uint32_t bits;
    if (inner > 0 ? value < number : value > number) {
        value = nextafterf(value, inner);
    }
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The graph of the memory. */
static enum vks_result create_own(struct vks_share *share, const struct vks_field *field)
{
    struct vks_declaration declaration = {.exported = true};
    const uint64_t words = vks_field_bytes(field) / 4;
    const bool has_range = vks_field_has_range(field);
    const struct check_params range = {
        inner_bits(has_range ? field->range[0] : -FLT_MAX, INFINITY),
        inner_bits(has_range ? field->range[1] : FLT_MAX, -INFINITY)};
    VKS_FIELD(&declaration, .name = "values", .element = VKS_U32, .rank = 1, .shape = {words});
    VKS_FIELD(&declaration, .name = "bad", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_PASS(&declaration, .name = "check", .shader = "core/check", .when = VKS_WHEN_READY,
             .uses = VKS_USES({"values", VKS_READ_WRITE}, {"bad", VKS_ATOMIC}),
             .specializations = VKS_SPECIALIZATIONS({"halves", field->element == VKS_F16}),
             VKS_PUSH(range), .items = {words});
    enum vks_result result = vks_graph_create(share->steps->gpu, &declaration, &share->own);
    if (result == VKS_OK) {
        result = vks_graph_start(share->own, 0, false);
    }
    if (result == VKS_OK) { /* before the other API writes */
        result = vks_graph_wait(share->own);
    }
    vks_declaration_free(&declaration);
    return result;
}

static void record_acquiring(void *user, VkCommandBuffer commands)
{
    const struct vks_share *share = user;
    vks_external_hand_over(share->own->gpu, memory_of(share)->buffer, false, commands);
}

static void record_releasing(void *user, VkCommandBuffer commands)
{
    const struct vks_share *share = user;
    vks_external_hand_over(share->own->gpu, memory_of(share)->buffer, true, commands);
}

static void record_way(void *user, VkCommandBuffer commands)
{
    const struct way *way = user;
    vks_copies_record(&way->copies, commands);
    record_releasing(way->share, commands);
}

/* A command buffer that is submitted any number of times. */
static enum vks_result record(struct vks_share *share, VkCommandBuffer *commands,
                              void (*recorder)(void *user, VkCommandBuffer commands), void *user)
{
    const enum vks_result result = vks_create_commands(share->own, commands);
    return result == VKS_OK
               ? vks_record_transfer(share->own, *commands,
                                     VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, recorder, user)
               : result;
}

static enum vks_result create_way(struct vks_share *share, struct way *way, uint32_t parity,
                                  bool back)
{
    const struct vks_pieces *field = &share->steps->pieces[2 * share->field + (int)parity];
    const struct vks_pieces *memory = &share->own->pieces[0];
    *way = (struct way){.share = share,
                        .copies = {.gpu = share->steps->gpu, .pipeline = &share->copy}};
    if (field->count == 0) {
        return VKS_OK; /* the field has one buffer */
    }
    enum vks_result result =
        vks_copies_add(&way->copies, (struct vks_pieces_at){back ? memory : field},
                       (struct vks_pieces_at){back ? field : memory}, memory->buffers->size);
    if (result == VKS_OK) {
        result = vks_copies_bind(&way->copies);
    }
    return result == VKS_OK ? record(share, &way->commands, record_way, way) : result;
}

static enum vks_result create_ways(struct vks_share *share)
{
    enum vks_result result = share->steps->gpu->copies_by_shader
                                 ? vks_copy_pipeline(share->steps->gpu, &share->copy)
                                 : VKS_OK;
    for (uint32_t parity = 0; result == VKS_OK && parity < 2; parity++) {
        result = create_way(share, &share->out[parity], parity, false);
        if (result == VKS_OK) {
            result = create_way(share, &share->in[parity], parity, true);
        }
    }
    if (result == VKS_OK) {
        result = record(share, &share->acquire, record_acquiring, share);
    }
    return result == VKS_OK ? record(share, &share->release, record_releasing, share) : result;
}

enum vks_result vks_share_create(struct vks_graph *graph, const char *name, struct vks_share **out,
                                 int *memory, int *semaphore)
{
    const int index = vks_find_field(&graph->declaration, name);
    const struct vks_field *field = &graph->declaration.fields[index];
    struct vks_share *share = calloc(1, sizeof(*share));
    if (!share) {
        return vks_fail_memory();
    }
    share->steps = graph;
    share->field = index;
    share->check = check_of(field);
    enum vks_result result = check_pieces(graph, field, &graph->pieces[2 * index]);
    if (result == VKS_OK) {
        result = vks_external_need(graph->gpu);
    }
    if (result == VKS_OK) {
        result = create_own(share, field);
    }
    if (result == VKS_OK) {
        result = create_ways(share);
    }
    if (result == VKS_OK) {
        result = vks_external_memory(graph->gpu, memory_of(share), memory);
    }
    if (result == VKS_OK) {
        result = vks_external_semaphore(graph->gpu, &share->semaphore, semaphore);
        if (result != VKS_OK) {
            close(*memory);
        }
    }
    if (result != VKS_OK) {
        vks_share_destroy(share);
        return result;
    }
    *out = share;
    return VKS_OK;
}

static void destroy_way(struct vks_share *share, struct way *way)
{
    struct vks_gpu *gpu = share->steps->gpu;
    if (way->commands) {
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &way->commands);
    }
    if (way->share) {
        vks_copies_clear(&way->copies);
    }
}

void vks_share_destroy(struct vks_share *share)
{
    if (!share) {
        return;
    }
    struct vks_gpu *gpu = share->steps->gpu;
    (void)vks_gpu_wait_idle(gpu);
    for (uint32_t parity = 0; parity < 2; parity++) {
        destroy_way(share, &share->out[parity]);
        destroy_way(share, &share->in[parity]);
    }
    for (int i = 0; i < 2; i++) {
        const VkCommandBuffer commands = i == 0 ? share->acquire : share->release;
        if (commands) {
            gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
        }
    }
    if (share->semaphore) {
        gpu->vk.vkDestroySemaphore(gpu->device, share->semaphore, NULL);
    }
    vks_pipeline_destroy(gpu, &share->copy);
    vks_graph_destroy(share->own);
    free(share);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* Submits commands that wait for the value `after` of the semaphore, if it is not 0, and signal the
 * next one, if `value` is not NULL. Without a semaphore the host waits. */
static enum vks_result submit(struct vks_share *share, VkCommandBuffer commands, uint64_t after,
                              uint64_t *value)
{
    struct vks_gpu *gpu = share->steps->gpu;
    if (after > 0 && !share->semaphore) {
        return vks_fail(VKS_ERROR_USAGE, "%s shares no semaphore that could reach %llu",
                        gpu->info.name, (unsigned long long)after);
    }
    share->value = after > share->value ? after : share->value;
    const VkSemaphoreSubmitInfo wait = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
        .semaphore = share->semaphore,
        .value = after,
        .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    };
    VkSemaphoreSubmitInfo signal = wait;
    signal.value = share->value + 1;
    enum vks_result result =
        vks_gpu_submit_with(gpu, commands, share->semaphore && after > 0 ? &wait : NULL,
                            share->semaphore && value ? &signal : NULL);
    if (result == VKS_OK && value && share->semaphore) {
        *value = share->value = signal.value;
    } else if (result == VKS_OK && value) {
        *value = 0;
        result = vks_gpu_wait(gpu, gpu->submitted);
    }
    share->own->last = share->steps->last = gpu->submitted;
    return result;
}

/* Where the field is in order of number: with `keep` from now on. */
static enum vks_result order_items(struct vks_share *share, bool keep, unsigned char *parity)
{
    *parity = share->steps->parity[share->field];
    return vks_is_sorted(share->steps, share->field)
               ? vks_restore_order(share->steps, share->field, keep, parity)
               : VKS_OK;
}

enum vks_result vks_share_update(struct vks_share *share, uint64_t after, uint64_t *value)
{
    unsigned char parity;
    const enum vks_result result = order_items(share, false, &parity);
    return result == VKS_OK ? submit(share, share->out[parity].commands, after, value) : result;
}

/* Runs the check pass and waits for it. */
static enum vks_result find_bad(struct vks_share *share, bool *bad)
{
    const uint32_t none = 0;
    uint32_t found = 0;
    enum vks_result result = vks_graph_ready(share->own);
    if (result == VKS_OK) {
        result = vks_graph_download_to(share->own, "bad", &found);
    }
    *bad = found != 0;
    return result == VKS_OK && *bad ? vks_graph_upload(share->own, "bad", &none) : result;
}

/* Gives the memory to `take`, and copies what the field has then. */
static enum vks_result store_by_host(struct vks_share *share,
                                     enum vks_result (*take)(void *user, const void *data),
                                     void *user, uint64_t *value)
{
    void *data = malloc(memory_of(share)->size);
    enum vks_result result =
        data ? vks_graph_download_to(share->own, "values", data) : vks_fail_memory();
    if (result == VKS_OK) {
        result = take(user, data);
    }
    free(data);
    return result == VKS_OK ? vks_share_update(share, 0, value) : result;
}

/* The memory's values, to the field. */
static enum vks_result store(struct vks_share *share, enum vks_result (*take)(void *, const void *),
                             void *user, uint64_t *value)
{
    unsigned char parity;
    bool by_host = share->check == BY_HOST;
    enum vks_result result = share->check == BY_GPU ? find_bad(share, &by_host) : VKS_OK;
    if (result == VKS_OK && by_host) {
        return store_by_host(share, take, user, value);
    }
    if (result == VKS_OK) {
        result = order_items(share, true, &parity);
    }
    return result == VKS_OK ? submit(share, share->in[parity].commands, 0, value) : result;
}

enum vks_result vks_share_store(struct vks_share *share, uint64_t after,
                                enum vks_result (*take)(void *user, const void *data), void *user,
                                uint64_t *value)
{
    vks_exchange_needed(share->steps);
    enum vks_result result = submit(share, share->acquire, after, NULL);
    if (result == VKS_OK) {
        result = store(share, take, user, value);
    }
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        (void)submit(share, share->release, 0, NULL);
        result = vks_fail_again(&why);
    }
    return result;
}
