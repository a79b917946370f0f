/* SPDX-License-Identifier: MIT */
/* Times of the core's primitives, compared with a copy of as many bytes: scans and sums of uint32
 * and float32, sorting items (a position, a heading and a number each) by tiles that they are
 * nearly in order of already, and solving Poisson's equation on a cube. Medians of the passes' GPU
 * times. Argument: the largest number of elements (default 2^28). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/memory.h"
#include "bench/ceilings.h"
#include "bench/kernel.h"
#include "graph/graph.h"

enum { STEPS = 40 };

/* The medians of all passes, in us; the names on `out` where there is one, with the rates of those
 * that declare their bytes. */
static double run(struct vks_gpu *gpu, struct vks_declaration *declaration, const char *upload,
                  const void *data, FILE *out)
{
    struct vks_graph *graph = NULL;
    struct vks_pass_timing timing;
    double total = 0;
    enum vks_result result = vks_graph_create(gpu, declaration, &graph);
    vks_declaration_free(declaration);
    if (result == VKS_OK) {
        result = vks_graph_start(graph, 0, true);
    }
    if (result == VKS_OK) {
        result = vks_graph_fill(graph, false, NULL);
    }
    if (result == VKS_OK && upload) {
        result = vks_graph_upload(graph, upload, data);
    }
    if (result == VKS_OK) {
        result = vks_graph_run(graph, STEPS);
    }
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    for (size_t i = 0; result == VKS_OK && vks_graph_timing(graph, i, &timing); i++) {
        if (timing.samples > 0) {
            total += timing.p50 * 1e6;
            if (out) {
                fprintf(out, "    %-28s %9.1f us %7.1f GB/s\n", timing.name, timing.p50 * 1e6,
                        timing.bytes / timing.p50 * 1e-9);
            }
        }
    }
    if (result != VKS_OK) {
        fprintf(stderr, "primitives: %s\n", vks_error_text());
    }
    vks_graph_destroy(graph);
    return total;
}

static double scan(struct vks_gpu *gpu, uint64_t count)
{
    struct vks_declaration declaration = {0};
    VKS_FIELD(&declaration, .name = "in", .element = VKS_U32, .rank = 1, .shape = {count});
    vks_declare_scan(&declaration, "in", "out", VKS_EACH_STEP);
    return run(gpu, &declaration, NULL, NULL, NULL);
}

static double sum(struct vks_gpu *gpu, uint64_t count)
{
    struct vks_declaration declaration = {0};
    VKS_FIELD(&declaration, .name = "in", .element = VKS_F32, .rank = 1, .shape = {count});
    vks_declare_sum(&declaration, "in", 20, "out", VKS_EACH_STEP);
    return run(gpu, &declaration, NULL, NULL, NULL);
}

/* Items that have moved a little since they were sorted: keys in order, but for a few tiles. */
static double sort(struct vks_gpu *gpu, uint64_t count, uint64_t bins)
{
    struct vks_declaration declaration = {0};
    uint32_t *keys = malloc(count * sizeof(*keys));
    uint32_t seed = 1;
    for (uint64_t i = 0; keys && i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        const uint64_t near = i * bins / count + (seed >> 30);
        keys[i] = (uint32_t)(near < bins ? near : bins - 1);
    }
    vks_declare_items(&declaration, "agents", count);
    VKS_FIELD(&declaration, .name = "position", .element = VKS_U32X2, .rank = 1, .shape = {count},
              .items = "agents");
    VKS_FIELD(&declaration, .name = "heading", .element = VKS_U32, .rank = 1, .shape = {count},
              .items = "agents");
    VKS_FIELD(&declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {count});
    vks_declare_sorting(&declaration,
                        &(struct vks_sorting){.items = "agents", .key = "tile", .bins = bins});
    const double us = keys ? run(gpu, &declaration, "tile", keys, stdout) : 0;
    free(keys);
    return us;
}

/* The potential of a cube of `side` cells. */
static double solve(struct vks_gpu *gpu, uint32_t side)
{
    struct vks_declaration declaration = {0};
    float squares[2048];
    for (uint32_t i = 0; i < side; i++) {
        const float wave = (float)(i > side / 2 ? side - i : i);
        squares[i] = wave * wave;
    }
    vks_declaration_grid(&declaration, side, side, side);
    VKS_FIELD(&declaration, .name = "density", .element = VKS_F32);
    VKS_FIELD(&declaration, .name = "potential", .element = VKS_F32);
    vks_declare_fft(&declaration, &(struct vks_fft){.name = "gravity",
                                                    .source = "density",
                                                    .target = "potential",
                                                    .factor = -1,
                                                    .symbol = {squares, squares, squares}});
    return run(gpu, &declaration, NULL, NULL, stdout);
}

int main(int argc, char **argv)
{
    const uint64_t max = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_C(1) << 28;
    struct vks_gpu gpu;
    double copy = 0;
    vks_bench_add_shaders();
    if (vks_gpu_open(&gpu, &(struct vks_gpu_params){0}) != VKS_OK ||
        vks_copy_bandwidth(&gpu, &copy) != VKS_OK) {
        fprintf(stderr, "primitives: %s\n", vks_error_text());
        return 1;
    }
    printf("copy: %.0f GB/s\n", copy * 1e-9);
    for (uint64_t count = UINT64_C(1) << 16; count <= max; count *= 4) {
        const double scanned = scan(&gpu, count), summed = sum(&gpu, count);
        printf("%10llu elements: scan %9.1f us, %5.1f %% of copy; sum %9.1f us, %5.1f %% of copy\n",
               (unsigned long long)count, scanned, 800e6 * (double)count / scanned / copy, summed,
               400e6 * (double)count / summed / copy);
    }
    const struct {
        uint64_t count, bins;
    } sorts[] = {{1000000, 16384}, {10000000, 262144}, {100000000, 4194304}};
    for (size_t i = 0; i < VKS_COUNT(sorts) && sorts[i].count <= max; i++) {
        printf("%llu items into %llu tiles:\n", (unsigned long long)sorts[i].count,
               (unsigned long long)sorts[i].bins);
        printf("  %.1f us in all\n", sort(&gpu, sorts[i].count, sorts[i].bins));
    }
    for (uint32_t side = 64; (uint64_t)side * side * side <= max && side <= 512; side *= 2) {
        const double cells = (double)side * side * side;
        printf("solution by FFT, %u^3:\n", side);
        const double us = solve(&gpu, side);
        printf("  %.1f us in all, %.1f GB/s, %.1f %% of copy\n", us, 72e-3 * cells / us,
               7200e6 * cells / us / copy);
    }
    vks_gpu_close(&gpu);
    return 0;
}
