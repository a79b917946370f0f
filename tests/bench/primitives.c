/* SPDX-License-Identifier: MIT */
/* Times of the primitives as a share of the copy bandwidth: scan, sum and range of 2^20 elements
 * and more. Arguments: [LARGEST power of two, 28 if not given] [WINDOW PATIENCE of the scan]. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/ceiling.h"
#include "core/scan.h"
#include "graph/graph.h"

enum { REPEATS = 50 };

/* As vks_declare_scan() declares it, with other constants. */
static void declare_scan(struct vks_declaration *declaration, uint64_t count, uint32_t window,
                         uint32_t patience)
{
    const uint64_t tiles = (count + SCAN_ITEMS - 1) / SCAN_ITEMS;
    const struct scan_params params = {.count = (uint32_t)count, .tiles = (uint32_t)tiles};
    VKS_FIELD(declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {count + 1});
    VKS_FIELD(declaration, .name = "states", .element = VKS_U32X2, .rank = 1, .shape = {tiles},
              .ping_pong = true);
    VKS_PASS(declaration, .name = "scan sums", .shader = "core/scan",
             .uses = VKS_USES({"values", VKS_READ, "scan_in"}, {"sums", VKS_WRITE, "scan_out"},
                              {"states", VKS_ATOMIC}, {"states", VKS_WRITE_NEXT}),
             .specializations = VKS_SPECIALIZATIONS({"window", window}, {"patience", patience}),
             VKS_PUSH(params), .items = {tiles * 256}, .bytes = 8 * (double)count);
}

static enum vks_result measure(struct vks_gpu *gpu, uint64_t count, char **scan, double copy)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    struct vks_pass_timing timing;
    VKS_FIELD(&declaration, .name = "values", .element = VKS_U32, .rank = 1, .shape = {count});
    VKS_FIELD(&declaration, .name = "floats", .element = VKS_F32, .rank = 1, .shape = {count});
    if (scan) {
        declare_scan(&declaration, count, (uint32_t)atoi(scan[0]), (uint32_t)atoi(scan[1]));
    } else {
        vks_declare_scan(&declaration, "values", "sums", VKS_EACH_STEP);
    }
    vks_declare_sum(&declaration, "floats", 20, "total", VKS_EACH_STEP);
    vks_declare_range(&declaration, "floats", "ends", VKS_EACH_STEP);
    enum vks_result result = vks_graph_create(gpu, &declaration, &graph);
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_run(graph, REPEATS);
    }
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    for (size_t i = 0; result == VKS_OK && vks_graph_timing(graph, i, &timing); i++) {
        if (timing.samples > 0 && timing.p50 > 0) {
            printf("%10llu elements: %-12s %9.2f us, %7.1f GB/s, %5.1f %% of copy\n",
                   (unsigned long long)count, timing.name, 1e6 * timing.p50,
                   1e-9 * timing.bytes / timing.p50, 100 * timing.bytes / timing.p50 / copy);
        }
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    return result;
}

int main(int argc, char **argv)
{
    struct vks_gpu gpu;
    double copy = 0;
    const int largest = argc > 1 ? atoi(argv[1]) : 28;
    if (vks_gpu_open(&gpu, &(struct vks_gpu_params){0}) != VKS_OK) {
        fprintf(stderr, "primitives: %s\n", vks_error_text());
        return 1;
    }
    enum vks_result result = vks_measure_copy(&gpu, &copy);
    printf("%s: copy %.1f GB/s\n", gpu.info.name, 1e-9 * copy);
    for (int power = 20; result == VKS_OK && power <= largest; power += 2) {
        result = measure(&gpu, UINT64_C(1) << power, argc > 3 ? argv + 2 : NULL, copy);
    }
    if (result != VKS_OK) {
        fprintf(stderr, "primitives: %s\n", vks_error_text());
    }
    vks_gpu_close(&gpu);
    return result != VKS_OK;
}
