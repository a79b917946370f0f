/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void add_sample(struct vks_pass_state *state, double seconds)
{
    state->latest[state->samples % VKS_MAX_SAMPLES] = (float)seconds;
    state->samples++;
    state->sum += seconds;
}

/* Reads the timestamps of a batch that the GPU has finished. */
void vks_collect(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    batch->uncollected = false;
    for (size_t i = 0; i < batch->schedule.count; i++) {
        graph->passes[batch->schedule.items[i].pass].calls++;
    }
    if (batch->query_count == 0) {
        if (graph->gpu->timestamp_period == 0 && batch->steps) {
            /* A device without timestamps: the processor's clock, which only sizes the batches. */
            double now = vks_seconds();
            double from =
                batch->submitted_at > graph->done_at ? batch->submitted_at : graph->done_at;
            graph->step_seconds = (now - from) / batch->steps;
            graph->done_at = now;
        }
        return;
    }
    uint64_t *ticks = calloc(batch->query_count, sizeof(*ticks));
    if (!ticks ||
        gpu->vk.vkGetQueryPoolResults(gpu->device, batch->queries, 0, batch->query_count,
                                      batch->query_count * sizeof(*ticks), ticks, sizeof(*ticks),
                                      VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        free(ticks);
        return;
    }
    const double period = gpu->timestamp_period;
    const uint64_t mask = gpu->timestamp_mask;
    for (uint32_t i = 1; i < batch->query_count; i++) {
        if (batch->timed[i] != UINT32_MAX) {
            add_sample(&graph->passes[batch->schedule.items[batch->timed[i]].pass],
                       (double)((ticks[i] - ticks[i - 1]) & mask) * period);
        }
    }
    if (batch->steps) {
        double whole = (double)((ticks[batch->query_count - 1] - ticks[0]) & mask) * period;
        graph->busy += whole;
        graph->busy_steps += batch->steps;
        graph->step_seconds = whole / batch->steps;
    }
    free(ticks);
}

void vks_collect_done(struct vks_graph *graph)
{
    for (size_t i = 0; i < graph->batch_count; i++) {
        struct vks_batch *batch = graph->batches[i];
        if (batch->uncollected && vks_gpu_reached(graph->gpu, batch->value)) {
            vks_collect(graph, batch);
        }
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

bool vks_graph_timing(struct vks_graph *graph, size_t index, struct vks_pass_timing *timing)
{
    if (index >= graph->declaration.pass_count) {
        return false;
    }
    vks_collect_done(graph);
    const struct vks_pass_state *state = &graph->passes[index];
    const struct vks_pass *pass = &graph->declaration.passes[index];
    *timing = (struct vks_pass_timing){.name = pass->name,
                                       .calls = state->calls,
                                       .samples = state->samples,
                                       .bytes = pass->bytes,
                                       .operations = pass->operations};
    if (state->samples == 0) {
        return true;
    }
    timing->mean = state->sum / (double)state->samples;
    timing->total = timing->mean * (double)state->calls;
    size_t count = state->samples < VKS_MAX_SAMPLES ? (size_t)state->samples : VKS_MAX_SAMPLES;
    float *sorted = malloc(count * sizeof(*sorted));
    if (sorted) {
        memcpy(sorted, state->latest, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_floats);
        timing->p50 = (double)sorted[(count - 1) / 2];
        timing->p95 = (double)sorted[(count - 1) * 95 / 100];
        free(sorted);
    }
    return true;
}

void vks_graph_busy(struct vks_graph *graph, double *seconds, uint64_t *steps)
{
    vks_collect_done(graph);
    *seconds = graph->busy;
    *steps = graph->busy_steps;
}
