/* SPDX-License-Identifier: MIT */
/* Reads a snapshot on any thread while the GPU works, through a command pool and a staging buffer
 * of its own; one half of the buffer is filled while the other is read. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "graph/internal.h"

enum { STAGING = 32 << 20, HALVES = 2 }; /* bytes of a half */

/* A copy from the snapshot. */
struct half {
    struct vks_buffer staging;
    VkCommandBuffer commands;
    VkFence fence;
    bool submitted;
};

struct reading {
    const struct vks_graph_snapshot *snapshot;
    struct vks_gpu *gpu;
    VkCommandPool pool;
    struct half halves[HALVES];
    int numbers;           /* index of the field of numbers that has been read; -1: none */
    uint32_t *slots;       /* its values */
    unsigned char *sorted; /* a field in order of number; NULL: none is being sorted */
    uint64_t element, at;  /* bytes of an element; elements sorted so far */
};

/* --- copies ---------------------------------------------------------------------------------- */

static enum vks_result create_half(struct reading *reading, struct half *half)
{
    struct vks_gpu *gpu = reading->gpu;
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = reading->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const uint64_t bytes = reading->snapshot->bytes;
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkAllocateCommandBuffers(gpu->device, &commands, &half->commands),
        "vkAllocateCommandBuffers");
    if (result == VKS_OK) {
        result = vks_gpu_check(gpu, gpu->vk.vkCreateFence(gpu->device, &fence, NULL, &half->fence),
                               "vkCreateFence");
    }
    return result == VKS_OK
               ? vks_buffer_create(gpu, &half->staging, bytes < STAGING ? bytes : STAGING,
                                   VKS_MEMORY_READBACK, "reading a snapshot")
               : result;
}

/* For a snapshot in device memory. */
static enum vks_result create_halves(struct reading *reading)
{
    struct vks_gpu *gpu = reading->gpu;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = gpu->family,
    };
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkCreateCommandPool(gpu->device, &pool, NULL, &reading->pool),
                      "vkCreateCommandPool");
    for (size_t i = 0; result == VKS_OK && i < HALVES; i++) {
        result = create_half(reading, &reading->halves[i]);
    }
    return result;
}

/* Waits for a half's copy. */
static enum vks_result wait_half(struct reading *reading, struct half *half)
{
    struct vks_gpu *gpu = reading->gpu;
    if (!half->submitted) {
        return VKS_OK;
    }
    enum vks_result result = vks_gpu_wait_fence(gpu, half->fence);
    if (result == VKS_OK) {
        half->submitted = false;
        result = vks_gpu_check(gpu, gpu->vk.vkResetFences(gpu->device, 1, &half->fence),
                               "vkResetFences");
    }
    return result == VKS_OK ? vks_buffer_invalidate(gpu, &half->staging) : result;
}

static void destroy_halves(struct reading *reading)
{
    struct vks_gpu *gpu = reading->gpu;
    for (size_t i = 0; i < HALVES; i++) {
        struct half *half = &reading->halves[i];
        (void)wait_half(reading, half);
        if (half->fence) {
            gpu->vk.vkDestroyFence(gpu->device, half->fence, NULL);
        }
        vks_buffer_destroy(gpu, &half->staging);
    }
    if (reading->pool) {
        gpu->vk.vkDestroyCommandPool(gpu->device, reading->pool, NULL);
    }
}

static void record_copy(const struct vks_gpu *gpu, const struct half *half,
                        const struct vks_piece *piece)
{
    const VkBufferCopy region = {.srcOffset = piece->offset, .size = piece->size};
    const struct vks_barrier before = {
        .needed = true,
        .src_stage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .src_access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .dst_stage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .dst_access = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
    };
    const struct vks_barrier after = {
        .needed = true,
        .src_stage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .src_access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .dst_stage = VK_PIPELINE_STAGE_2_HOST_BIT,
        .dst_access = VK_ACCESS_2_HOST_READ_BIT,
    };
    vks_barrier_record(&gpu->vk, half->commands, &before);
    gpu->vk.vkCmdCopyBuffer(half->commands, piece->buffer, half->staging.buffer, 1, &region);
    vks_barrier_record(&gpu->vk, half->commands, &after);
}

/* Submits the copy of the piece at byte `at`; *size gets its bytes. */
static enum vks_result copy_to_half(struct reading *reading, struct half *half,
                                    const struct vks_pieces *pieces, uint64_t at, uint64_t *size)
{
    struct vks_gpu *gpu = reading->gpu;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    struct vks_piece piece = vks_piece_at(pieces, at);
    piece.size = piece.size < half->staging.size ? piece.size : half->staging.size;
    *size = piece.size;
    enum vks_result result = vks_gpu_check(gpu, gpu->vk.vkBeginCommandBuffer(half->commands, &info),
                                           "vkBeginCommandBuffer");
    if (result == VKS_OK) {
        record_copy(gpu, half, &piece);
        result =
            vks_gpu_check(gpu, gpu->vk.vkEndCommandBuffer(half->commands), "vkEndCommandBuffer");
    }
    if (result == VKS_OK) {
        result = vks_gpu_submit_fenced(gpu, half->commands, half->fence);
        half->submitted = result == VKS_OK;
    }
    return result;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Passes the bytes of a field to the sink, as they are in memory. */
static enum vks_result read_device(struct reading *reading, const struct vks_held_field *field,
                                   const struct vks_state_sink *sink)
{
    uint64_t sizes[HALVES] = {0}, next = 0, at = 0;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && at < field->bytes; i++) {
        /* At first both halves are filled, then the one that has been read. */
        for (size_t k = i == 0 ? 0 : 1; result == VKS_OK && k < HALVES && next < field->bytes;
             k++) {
            const size_t which = (i + k) % HALVES;
            result = copy_to_half(reading, &reading->halves[which], &field->copies[0], next,
                                  &sizes[which]);
            next += sizes[which];
        }
        struct half *half = &reading->halves[i % HALVES];
        if (result == VKS_OK) {
            result = wait_half(reading, half);
        }
        if (result == VKS_OK) {
            result = sink->bytes(sink->user, half->staging.map, sizes[i % HALVES]);
        }
        at += sizes[i % HALVES];
    }
    return result;
}

static enum vks_result read_host(struct reading *reading, const struct vks_held_field *field,
                                 const struct vks_state_sink *sink)
{
    const struct vks_pieces *pieces = &field->copies[0];
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < pieces->count; i++) {
        result = vks_buffer_invalidate(reading->gpu, &pieces->buffers[i]);
        if (result == VKS_OK) {
            result = sink->bytes(sink->user, pieces->buffers[i].map, pieces->buffers[i].size);
        }
    }
    return result;
}

static enum vks_result read_field(struct reading *reading, const struct vks_held_field *field,
                                  const struct vks_state_sink *sink)
{
    return reading->snapshot->in_host ? read_host(reading, field, sink)
                                      : read_device(reading, field, sink);
}

/* --- order of number ------------------------------------------------------------------------- */

static enum vks_result append_numbers(void *user, const void *bytes, size_t size)
{
    struct reading *reading = user;
    memcpy((unsigned char *)reading->slots + reading->at, bytes, size);
    reading->at += size;
    return VKS_OK;
}

static enum vks_result sort_bytes(void *user, const void *bytes, size_t size)
{
    struct reading *reading = user;
    const uint64_t element = reading->element;
    for (uint64_t at = 0; at < size; at += element) {
        memcpy(reading->sorted + reading->slots[reading->at++] * element,
               (const unsigned char *)bytes + at, element);
    }
    return VKS_OK;
}

/* Reads the numbers of the items, unless they are those of the last field. */
static enum vks_result read_numbers(struct reading *reading, int index)
{
    const struct vks_held_field *numbers = &reading->snapshot->fields[index];
    if (reading->numbers == index) {
        return VKS_OK;
    }
    free(reading->slots);
    reading->numbers = -1;
    reading->at = 0;
    reading->slots = malloc(numbers->bytes);
    const enum vks_result result =
        reading->slots
            ? read_field(reading, numbers, &(struct vks_state_sink){reading, NULL, append_numbers})
            : vks_fail_memory();
    reading->numbers = result == VKS_OK ? index : -1;
    return result;
}

static enum vks_result read_sorted(struct reading *reading, const struct vks_held_field *field,
                                   const struct vks_state_sink *sink)
{
    enum vks_result result = read_numbers(reading, field->numbers);
    if (result != VKS_OK) {
        return result;
    }
    reading->element = vks_element_bytes(field->field.element);
    reading->at = 0;
    reading->sorted = malloc(field->bytes);
    result = reading->sorted
                 ? read_field(reading, field, &(struct vks_state_sink){reading, NULL, sort_bytes})
                 : vks_fail_memory();
    if (result == VKS_OK) {
        result = sink->bytes(sink->user, reading->sorted, field->bytes);
    }
    free(reading->sorted);
    return result;
}

enum vks_result vks_graph_snapshot_read_state(const struct vks_graph_snapshot *snapshot,
                                              const struct vks_state_sink *sink)
{
    struct reading reading = {.snapshot = snapshot, .gpu = snapshot->gpu, .numbers = -1};
    enum vks_result result =
        snapshot->in_host ? vks_gpu_wait(snapshot->gpu, snapshot->value) : create_halves(&reading);
    for (size_t i = 0; result == VKS_OK && i < snapshot->count; i++) {
        const struct vks_held_field *field = &snapshot->fields[i];
        if (!field->field.persistent) {
            continue;
        }
        result = sink->begin ? sink->begin(sink->user, &field->field) : VKS_OK;
        if (result == VKS_OK) {
            result = field->numbers < 0 ? read_field(&reading, field, sink)
                                        : read_sorted(&reading, field, sink);
        }
    }
    destroy_halves(&reading);
    free(reading.slots);
    return result;
}
