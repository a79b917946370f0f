/* SPDX-License-Identifier: MIT */
#include "graph/settle.h"

#include "base/clock.h"
#include "graph/internal.h"

/* Long enough for a single step not to matter. */
static const double sample_seconds = 0.004;
/* Work between two readings of the gauge. */
static const double burst_seconds = 0.05;
/* Rates that differ by a smaller factor count as equal. */
static const double tolerance = 1.03;

enum vks_result vks_graph_time(struct vks_graph *graph, uint64_t steps, double *seconds)
{
    double before, after;
    uint64_t steps_before, steps_after;
    vks_graph_busy(graph, &before, &steps_before);
    const double begin = vks_seconds();
    enum vks_result result = vks_graph_run(graph, steps);
    if (result == VKS_OK) {
        result = vks_graph_wait(graph);
    }
    *seconds = (vks_seconds() - begin) / (double)steps;
    vks_graph_busy(graph, &after, &steps_after);
    if (steps_after > steps_before) {
        *seconds = (after - before) / (double)(steps_after - steps_before);
    }
    return result;
}

uint64_t vks_sample_steps(uint64_t period, double step)
{
    const double wanted = 8192 * step < sample_seconds ? 8192 : sample_seconds / step;
    return wanted < (double)period ? period : (uint64_t)wanted / period * period;
}

/* --- the gauge ------------------------------------------------------------------------------- */

static bool has_gauge(const struct vks_gpu *gpu)
{
    return gpu->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU && gpu->timestamp_period > 0;
}

static enum vks_result create_gauge(struct vks_gpu *gpu, struct vks_graph **gauge)
{
    static const struct {
        uint32_t rounds, factor;
    } constants = {10000, 747796405};
    struct vks_declaration declaration = {.measures = true};
    VKS_FIELD(&declaration, .name = "word", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_PASS(&declaration, .name = "gauge", .shader = "core/gauge",
             .uses = VKS_USES({"word", VKS_READ_WRITE}), VKS_PUSH(constants), .items = {1},
             .group = {32, 1});
    enum vks_result result = vks_graph_create(gpu, &declaration, gauge);
    if (result == VKS_OK) {
        result = vks_graph_start(*gauge, 0, true);
    }
    vks_declaration_free(&declaration);
    return result;
}

/* The shortest of three times, the one least disturbed by other programs. */
static enum vks_result read_gauge(struct vks_graph *gauge, double *seconds)
{
    enum vks_result result = VKS_OK;
    *seconds = 1e9;
    for (int i = 0; i < 3 && result == VKS_OK; i++) {
        double own = 0;
        result = vks_graph_time(gauge, 1, &own);
        *seconds = own < *seconds ? own : *seconds;
    }
    return result;
}

static enum vks_result raise_clock(struct vks_graph *graph, uint64_t period,
                                   struct vks_graph *gauge)
{
    static const double quiet = 0.8, max = 3;
    const double begin = vks_seconds();
    double last = begin, shortest = 1e9, found = 0, step = 0;
    uint64_t count = period;
    enum vks_result result = read_gauge(gauge, &found);
    while (result == VKS_OK && found > tolerance * graph->gpu->gauge_seconds &&
           vks_seconds() - last < quiet && vks_seconds() - begin < max) {
        const double burst = vks_seconds();
        while (result == VKS_OK && vks_seconds() - burst < burst_seconds) {
            result = vks_graph_time(graph, count, &step);
            count = vks_sample_steps(period, step);
        }
        if (result == VKS_OK) {
            result = read_gauge(gauge, &found);
        }
        if (found < shortest / tolerance) {
            last = vks_seconds();
        }
        shortest = found < shortest ? found : shortest;
    }
    if (result == VKS_OK &&
        (found > tolerance * graph->gpu->gauge_seconds || found < graph->gpu->gauge_seconds)) {
        graph->gpu->gauge_seconds = found;
    }
    return result;
}

enum vks_result vks_graph_settle(struct vks_graph *graph, uint64_t period)
{
    struct vks_graph *gauge = NULL;
    if (!has_gauge(graph->gpu)) {
        return VKS_OK;
    }
    enum vks_result result = create_gauge(graph->gpu, &gauge);
    if (result == VKS_OK) {
        result = raise_clock(graph, period, gauge);
    }
    vks_graph_destroy(gauge);
    return result;
}

enum vks_result vks_graph_is_slower(const struct vks_graph *graph, bool *slower)
{
    struct vks_gpu *gpu = graph->gpu;
    struct vks_graph *gauge = NULL;
    double found = 0;
    *slower = false;
    if (!has_gauge(gpu)) {
        return VKS_OK;
    }
    enum vks_result result = create_gauge(gpu, &gauge);
    if (result == VKS_OK) {
        result = read_gauge(gauge, &found);
    }
    *slower = found > tolerance * gpu->gauge_seconds;
    vks_graph_destroy(gauge);
    return result;
}
