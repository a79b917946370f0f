/* SPDX-License-Identifier: MIT */
/* Pipelines are kept after their last user: options that change during a run often return to an
 * earlier value, and building a pipeline takes milliseconds. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/internal.h"

enum { MAX_UNUSED = 256 }; /* pipelines without a user */

/* A pipeline and what it was built from. */
struct vks_kept_pipeline {
    const struct vks_shader *shader;
    uint32_t *key;
    size_t words;
    VkPipeline pipeline;
    uint32_t users;
    uint64_t released; /* timeline value of the work that may use it, when its last user left */
};

VkPipeline vks_kept_find(struct vks_gpu *gpu, const struct vks_shader *shader, const uint32_t *key,
                         size_t words)
{
    for (size_t i = 0; i < gpu->kept_count; i++) {
        struct vks_kept_pipeline *kept = &gpu->kept[i];
        if (kept->shader == shader && kept->words == words &&
            memcmp(kept->key, key, words * sizeof(*key)) == 0) {
            kept->users++;
            return kept->pipeline;
        }
    }
    return VK_NULL_HANDLE;
}

enum vks_result vks_kept_add(struct vks_gpu *gpu, const struct vks_shader *shader,
                             const uint32_t *key, size_t words, VkPipeline pipeline)
{
    struct vks_kept_pipeline *grown =
        vks_grow(gpu->kept, sizeof(*grown), gpu->kept_count, &gpu->kept_capacity);
    uint32_t *copy = malloc(words * sizeof(*copy));
    gpu->kept = grown ? grown : gpu->kept;
    if (!grown || !copy) {
        free(copy);
        return vks_fail_memory();
    }
    memcpy(copy, key, words * sizeof(*copy));
    gpu->kept[gpu->kept_count++] = (struct vks_kept_pipeline){
        .shader = shader, .key = copy, .words = words, .pipeline = pipeline, .users = 1};
    return VKS_OK;
}

static void destroy(struct vks_gpu *gpu, size_t index)
{
    gpu->vk.vkDestroyPipeline(gpu->device, gpu->kept[index].pipeline, NULL);
    free(gpu->kept[index].key);
    gpu->kept[index] = gpu->kept[--gpu->kept_count];
}

/* Destroys the one that has been without a user for longest, if there are too many. */
static void evict(struct vks_gpu *gpu)
{
    size_t unused = 0, oldest = 0;
    for (size_t i = 0; i < gpu->kept_count; i++) {
        if (gpu->kept[i].users == 0) {
            oldest = unused == 0 || gpu->kept[i].released < gpu->kept[oldest].released ? i : oldest;
            unused++;
        }
    }
    if (unused > MAX_UNUSED &&
        (gpu->kept[oldest].released == 0 || vks_gpu_reached(gpu, gpu->kept[oldest].released))) {
        destroy(gpu, oldest);
    }
}

void vks_kept_release(struct vks_gpu *gpu, VkPipeline pipeline)
{
    for (size_t i = 0; i < gpu->kept_count; i++) {
        struct vks_kept_pipeline *kept = &gpu->kept[i];
        if (kept->pipeline == pipeline && --kept->users == 0) {
            kept->released = gpu->submitted;
        }
    }
    evict(gpu);
}

void vks_kept_free(struct vks_gpu *gpu)
{
    while (gpu->kept_count > 0) {
        destroy(gpu, gpu->kept_count - 1);
    }
    free(gpu->kept);
    gpu->kept = NULL;
    gpu->kept_capacity = 0;
}
