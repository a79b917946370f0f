/* SPDX-License-Identifier: MIT */
/* How fast snapshots are taken and restored, compared with the device's copy bandwidth. They are
 * taken one after another without waiting, into two in turn, so that the device is never idle.
 * Argument: the factor by which every side is divided (default 1: some GiB each). */
#include <stdio.h>
#include <stdlib.h>

#include "api/simulation.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bench/ceilings.h"
#include "bench/kernel.h"
#include "graph/snapshot.h"

enum { TIMES = 20, RUNS = 5 };

/* Seconds per snapshot, the shortest of a few measurements. */
static enum vks_result time_taking(struct vks_graph *graph, struct vks_graph_snapshot **snapshots,
                                   double *seconds)
{
    enum vks_result result = VKS_OK;
    *seconds = 1e9;
    for (int run = 0; result == VKS_OK && run < RUNS; run++) {
        result = vks_graph_wait(graph);
        const double begin = vks_seconds();
        for (int i = 0; result == VKS_OK && i < TIMES; i++) {
            result = vks_graph_snapshot_take(graph, snapshots[i % 2]);
        }
        if (result == VKS_OK) {
            result = vks_graph_wait(graph);
        }
        const double each = (vks_seconds() - begin) / TIMES;
        *seconds = each < *seconds ? each : *seconds;
    }
    return result;
}

/* Seconds per restore, waiting included. */
static enum vks_result time_restoring(struct vks_graph *graph,
                                      const struct vks_graph_snapshot *snapshot, double *seconds)
{
    enum vks_result result = VKS_OK;
    *seconds = 1e9;
    for (int i = 0; result == VKS_OK && i < TIMES; i++) {
        const double begin = vks_seconds();
        result = vks_graph_restore(graph, snapshot);
        const double each = vks_seconds() - begin;
        *seconds = each < *seconds ? each : *seconds;
    }
    return result;
}

static enum vks_result measure(vks_simulation *simulation, const char *name, bool in_host,
                               double copy)
{
    struct vks_graph *graph = vks_simulation_graph(simulation);
    struct vks_graph_snapshot *snapshots[2] = {NULL, NULL};
    double taking = 0, restoring = 0;
    enum vks_result result = vks_graph_snapshot_create(graph, in_host, &snapshots[0]);
    if (result == VKS_OK) {
        result = vks_graph_snapshot_create(graph, in_host, &snapshots[1]);
    }
    if (result == VKS_OK) {
        result = time_taking(graph, snapshots, &taking);
    }
    if (result == VKS_OK) {
        result = time_restoring(graph, snapshots[0], &restoring);
    }
    if (result == VKS_OK) {
        const double bytes = (double)vks_graph_snapshot_bytes(snapshots[0]);
        printf("%-32s %-6s %8.1f MiB  taken in %8.3f ms, %7.1f GB/s read and written, %5.1f %% of "
               "copy; restored in %8.3f ms\n",
               name, vks_graph_snapshot_in_host(snapshots[0]) ? "host" : "device",
               bytes / (1 << 20), taking * 1e3, 2e-9 * bytes / taking,
               copy > 0 ? 200 * bytes / taking / copy : 0, restoring * 1e3);
    }
    vks_graph_snapshot_destroy(snapshots[0]);
    vks_graph_snapshot_destroy(snapshots[1]);
    return result;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *model, *option;
        uint32_t width, height, depth;
        uint64_t items; /* of the option; fewer by the square of the factor */
    } cases[] = {
        {"gray-scott", NULL, 16384, 16384, 1, 0},
        {"physarum", "agents", 16384, 16384, 1, 100000000},
        {"gas", "particles", 256, 256, 256, 16777216},
    };
    const uint64_t factor = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    if (factor == 0 || factor > 64) {
        fprintf(stderr, "snapshot: the factor is 1 to 64\n");
        return 1;
    }
    vks_context *context = NULL;
    double copy = 0;
    vks_bench_add_shaders();
    enum vks_result result = vks_context_create(&VKS_CONTEXT_PARAMS(), &context);
    if (result == VKS_OK) {
        result = vks_copy_bandwidth(&context->gpu, &copy);
        printf("copy: %.1f GB/s read and written\n", copy * 1e-9);
    }
    for (size_t i = 0; result == VKS_OK && i < VKS_COUNT(cases); i++) {
        vks_simulation *simulation = NULL;
        char option[64], name[64];
        const char *const options[] = {option, NULL};
        snprintf(option, sizeof(option), "%s=%llu", cases[i].option ? cases[i].option : "",
                 (unsigned long long)(cases[i].items / factor / factor));
        const uint32_t width = (uint32_t)(cases[i].width / factor);
        const uint32_t height = (uint32_t)(cases[i].height / factor);
        const uint32_t depth = cases[i].depth > 1 ? (uint32_t)(cases[i].depth / factor) : 1;
        snprintf(name, sizeof(name), "%s %ux%ux%u", cases[i].model, width, height, depth);
        result = vks_simulation_create(
            context,
            &VKS_SIMULATION_PARAMS(.model = cases[i].model, .preset = "plain", .width = width,
                                   .height = height, .depth = depth,
                                   .options = cases[i].option ? options : NULL),
            &simulation);
        if (result == VKS_OK) {
            result = vks_simulation_run(simulation, 8);
        }
        for (int in_host = 0; result == VKS_OK && in_host < 2; in_host++) {
            result = measure(simulation, name, in_host == 1, copy);
        }
        vks_simulation_destroy(simulation);
    }
    if (result != VKS_OK) {
        fprintf(stderr, "snapshot: %s\n", vks_error_text());
    }
    vks_context_destroy(context);
    return result != VKS_OK;
}
