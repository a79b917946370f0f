/* SPDX-License-Identifier: MIT */
/* What the host waits for: submissions, and copies between its memory and the device's. */
#include "bench/kernel.h"

#include <string.h>

#include "base/error.h"
#include "bench/commands.h"

static enum vks_result record_copy(struct vks_gpu *gpu, struct vks_commands *copy,
                                   const struct vks_buffer *from, const struct vks_buffer *to,
                                   const char *name)
{
    const VkBufferCopy region = {.size = from->size};
    enum vks_result result = vks_commands_begin(gpu, copy, name);
    if (result == VKS_OK) {
        gpu->vk.vkCmdCopyBuffer(copy->buffer, from->buffer, to->buffer, 1, &region);
        result = vks_commands_end(copy);
    }
    return result;
}

enum vks_result vks_submit_measure(struct vks_gpu *gpu, const struct vks_effort *effort,
                                   struct vks_spread *seconds)
{
    enum { SUBMITS = 32 }; /* of a sample */
    struct vks_buffer from = {0}, to = {0};
    struct vks_commands copy = {.gpu = NULL};
    double samples[VKS_MAX_REPEATS];
    uint32_t number = 0;
    enum vks_result result = vks_buffer_create(gpu, &from, 4, VKS_MEMORY_UPLOAD, "a submission");
    if (result == VKS_OK) {
        result = vks_buffer_create(gpu, &to, 4, VKS_MEMORY_READBACK, "a submission");
    }
    if (result == VKS_OK) {
        result = record_copy(gpu, &copy, &from, &to, "submission");
    }
    for (uint32_t i = 0; i < effort->repeats && result == VKS_OK; i++) {
        samples[i] = 0;
        for (uint32_t k = 0; k < SUBMITS && result == VKS_OK; k++) {
            double one;
            uint32_t found;
            number++;
            const uint32_t sent = number + effort->spoiled;
            memcpy(from.map, &sent, 4);
            result = vks_commands_run(&copy, &one);
            if (result == VKS_OK) {
                result = vks_buffer_invalidate(gpu, &to);
            }
            memcpy(&found, to.map, 4);
            if (result == VKS_OK && found != number) {
                result = vks_fail(VKS_ERROR_GPU,
                                  "a submission copied %u instead of %u: its time means nothing",
                                  found, number);
            }
            samples[i] += one / (double)SUBMITS;
        }
    }
    if (result == VKS_OK) {
        *seconds = vks_spread_of(samples, effort->repeats);
    }
    vks_commands_free(&copy);
    vks_buffer_destroy(gpu, &from);
    vks_buffer_destroy(gpu, &to);
    return result;
}

/* Word i of the host's memory. */
static uint32_t pattern(uint64_t i)
{
    return (uint32_t)i * 2654435769u + 1;
}

/* The copies of a transfer: up to the device and down again. */
struct transfer {
    struct vks_buffer up, device, down;
    struct vks_commands to_device, to_host;
};

static enum vks_result create_transfer(struct vks_gpu *gpu, struct transfer *transfer,
                                       uint64_t bytes)
{
    enum vks_result result =
        vks_buffer_create(gpu, &transfer->up, bytes, VKS_MEMORY_UPLOAD, "an upload");
    if (result == VKS_OK) {
        result = vks_buffer_create(gpu, &transfer->device, bytes, VKS_MEMORY_DEVICE,
                                   "an upload's target");
    }
    if (result == VKS_OK) {
        result = vks_buffer_create(gpu, &transfer->down, bytes, VKS_MEMORY_READBACK, "a download");
    }
    if (result == VKS_OK) {
        result = record_copy(gpu, &transfer->to_device, &transfer->up, &transfer->device, "upload");
    }
    if (result == VKS_OK) {
        result =
            record_copy(gpu, &transfer->to_host, &transfer->device, &transfer->down, "download");
    }
    return result;
}

static void free_transfer(struct vks_gpu *gpu, struct transfer *transfer)
{
    vks_commands_free(&transfer->to_device);
    vks_commands_free(&transfer->to_host);
    vks_buffer_destroy(gpu, &transfer->up);
    vks_buffer_destroy(gpu, &transfer->device);
    vks_buffer_destroy(gpu, &transfer->down);
}

static enum vks_result check_transfer(const struct transfer *transfer)
{
    const uint32_t *words = transfer->down.map;
    for (uint64_t i = 0; i < transfer->down.size / 4; i++) {
        if (words[i] != pattern(i)) {
            return vks_fail(VKS_ERROR_GPU,
                            "word %llu is %u instead of %u after an upload and a download: their "
                            "times mean nothing",
                            (unsigned long long)i, words[i], pattern(i));
        }
    }
    return VKS_OK;
}

enum vks_result vks_transfer_measure(struct vks_gpu *gpu, bool download,
                                     const struct vks_effort *effort, struct vks_spread *rate,
                                     uint64_t *bytes)
{
    struct transfer transfer = {.up = {0}};
    double rates[VKS_MAX_REPEATS], seconds = 0;
    *bytes = gpu->info.type == VKS_DEVICE_SOFTWARE ? UINT64_C(16) << 20 : UINT64_C(128) << 20;
    enum vks_result result = create_transfer(gpu, &transfer, *bytes);
    if (result == VKS_OK) {
        uint32_t *words = transfer.up.map;
        for (uint64_t i = 0; i < *bytes / 4; i++) {
            words[i] = pattern(i) + effort->spoiled;
        }
    }
    /* The first run of each is not counted: pages are touched. */
    if (result == VKS_OK) {
        result = vks_commands_run(&transfer.to_device, &seconds);
    }
    if (result == VKS_OK) {
        result = vks_commands_run(&transfer.to_host, &seconds);
    }
    for (uint32_t i = 0; i < effort->repeats && result == VKS_OK; i++) {
        result = vks_commands_run(download ? &transfer.to_host : &transfer.to_device, &seconds);
        rates[i] = (double)*bytes / seconds;
    }
    if (result == VKS_OK) {
        result = vks_commands_run(&transfer.to_host, &seconds);
    }
    if (result == VKS_OK) {
        result = vks_buffer_invalidate(gpu, &transfer.down);
    }
    if (result == VKS_OK) {
        result = check_transfer(&transfer);
    }
    if (result == VKS_OK) {
        *rate = vks_spread_of(rates, effort->repeats);
    }
    free_transfer(gpu, &transfer);
    return result;
}
