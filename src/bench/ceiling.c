/* SPDX-License-Identifier: MIT */
#include "bench/ceiling.h"

#include <stdlib.h>

#include "base/error.h"
#include "bench/copy.h"
#include "graph/graph.h"

uint64_t vks_copy_bytes(const struct vks_gpu *gpu)
{
    uint64_t bytes = gpu->info.type == VKS_DEVICE_SOFTWARE ? UINT64_C(64) << 20 : UINT64_C(1) << 30;
    while (bytes > (UINT64_C(1) << 20) &&
           (bytes > gpu->info.largest_buffer || bytes > gpu->info.memory / 8)) {
        bytes /= 2;
    }
    return bytes;
}

/* Runs the pass of a graph that often. */
static enum vks_result run(struct vks_graph *graph, uint32_t repeats)
{
    enum vks_result result = vks_graph_start(graph, 0, true);
    if (result == VKS_OK) {
        result = vks_graph_run(graph, repeats);
    }
    return result == VKS_OK ? vks_graph_wait(graph) : result;
}

enum vks_result vks_measure_copy(struct vks_gpu *gpu, uint64_t bytes,
                                 struct vks_pass_timing *timing)
{
    const uint32_t repeats = gpu->info.type == VKS_DEVICE_SOFTWARE ? 5 : 20;
    const struct copy_params params = {.count = (uint32_t)(bytes / 8)};
    const char *const names[] = {"copy_from", "copy_to"};
    struct vks_declaration declaration = {.measures = true};
    struct vks_graph *graph = NULL;
    for (int i = 0; i < 2; i++) {
        VKS_FIELD(&declaration, .name = names[i], .element = VKS_U32X2, .rank = 1,
                  .shape = {params.count});
    }
    VKS_PASS(&declaration, .name = "copy", .shader = "bench/copy",
             .uses = VKS_USES({"copy_from", VKS_READ}, {"copy_to", VKS_WRITE}), VKS_PUSH(params),
             .items = {params.count / 4}, .bytes = 2 * (double)bytes);
    *timing = (struct vks_pass_timing){0};
    enum vks_result result = vks_graph_create(gpu, &declaration, &graph);
    if (result == VKS_OK) {
        result = run(graph, repeats);
    }
    if (result == VKS_OK) {
        (void)vks_graph_timing(graph, 0, timing);
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    return result;
}

enum vks_result vks_measure_bandwidth(struct vks_gpu *gpu, double *bandwidth)
{
    struct vks_pass_timing timing;
    const enum vks_result result = vks_measure_copy(gpu, vks_copy_bytes(gpu), &timing);
    *bandwidth = result == VKS_OK && timing.p50 > 0 ? timing.bytes / timing.p50 : 0;
    return result;
}
