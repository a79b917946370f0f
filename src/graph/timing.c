/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/profile.h"
#include "gpu/clock.h"

static void add_sample(struct vks_pass_state *state, double seconds)
{
    if (state->latest_count < VKS_MAX_SAMPLES) {
        float *grown = vks_grow(state->latest, sizeof(*state->latest), state->latest_count,
                                &state->latest_capacity);
        if (grown) { /* otherwise only the mean includes the sample */
            state->latest = grown;
            state->latest[state->latest_count++] = (float)seconds;
        }
    } else {
        state->latest[state->samples % VKS_MAX_SAMPLES] = (float)seconds;
    }
    state->min = state->samples == 0 || seconds < state->min ? seconds : state->min;
    state->max = seconds > state->max ? seconds : state->max;
    state->samples++;
    state->sum += seconds;
}

/* Adds the slices of a traced batch and of its passes to the profile. */
static void trace_batch(const struct vks_graph *graph, const struct vks_batch *batch,
                        const uint64_t *ticks)
{
    char name[48] = "frame";
    if (batch->steps) {
        snprintf(name, sizeof(name), "%u step%s", batch->steps, batch->steps == 1 ? "" : "s");
    }
    struct vks_slice slice = {
        .kind = VKS_SLICE_BATCH,
        .name = name,
        .begin = ticks[0],
        .end = ticks[batch->query_count - 1],
        .step = batch->end,
        .frame = VKS_NO_NUMBER,
        .submission = batch->value,
        .seen = vks_seconds(),
    };
    vks_profile_slice(&slice);
    slice.kind = VKS_SLICE_PASS;
    for (uint32_t i = 1, begin = 0; i < batch->query_count; i++) {
        if (batch->timed[i] < VKS_MARK_SLICE) {
            const struct vks_scheduled *item = &batch->schedule.items[batch->timed[i]];
            slice.name = graph->declaration.passes[item->pass].name;
            slice.begin = ticks[begin];
            slice.end = ticks[i];
            slice.step = batch->end - batch->steps + item->step;
            vks_profile_slice(&slice);
        }
        /* A pass in slices begins with the first of them. */
        const bool goes_on =
            batch->timed[i] == VKS_MARK_SLICE ||
            (batch->timed[i] == VKS_MARK_PART && batch->timed[i - 1] == VKS_MARK_SLICE);
        begin = goes_on ? begin : i;
    }
}

/* Timestamps of a batch, to be freed; NULL if they cannot be read or could have wrapped around more
 * than once. */
static uint64_t *read_ticks(struct vks_graph *graph, const struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    const double elapsed = vks_seconds() - batch->submitted_at;
    uint64_t *ticks = calloc(batch->query_count, sizeof(*ticks));
    if (!ticks || elapsed >= vks_gpu_clock_range(gpu) ||
        !vks_gpu_read_ticks(gpu, batch->queries, 0, batch->query_count, ticks)) {
        free(ticks);
        return NULL;
    }
    return ticks;
}

/* The time of a batch without that between its parts. */
static double batch_time(const struct vks_gpu *gpu, const struct vks_batch *batch,
                         const uint64_t *ticks)
{
    double time = vks_gpu_seconds(gpu, ticks[0], ticks[batch->query_count - 1]);
    for (uint32_t i = 1; i < batch->query_count; i++) {
        if (batch->timed[i] == VKS_MARK_PART) {
            time -= vks_gpu_seconds(gpu, ticks[i - 1], ticks[i]);
        }
    }
    return time;
}

/* Reads the timestamps of a completed batch. */
static void collect_times(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    for (size_t i = 0; i < batch->schedule.count; i++) {
        graph->passes[batch->schedule.items[i].pass].calls++;
    }
    if (batch->query_count == 0) {
        if (graph->gpu->timestamp_period == 0 && batch->steps) {
            /* Without timestamps the host's clock is used, only to size batches. */
            double now = vks_seconds();
            double from =
                batch->submitted_at > graph->done_at ? batch->submitted_at : graph->done_at;
            graph->step_seconds = (now - from) / batch->steps;
            graph->done_at = now;
        }
        return;
    }
    uint64_t *ticks = read_ticks(graph, batch);
    double slices = 0; /* of the pass so far */
    for (uint32_t i = 1; i < batch->query_count; i++) {
        const double time = ticks ? vks_gpu_seconds(gpu, ticks[i - 1], ticks[i]) : 0;
        if (batch->timed[i] == VKS_MARK_SLICE) {
            slices += time;
        } else if (batch->timed[i] < VKS_MARK_SLICE && ticks) {
            add_sample(&graph->passes[batch->schedule.items[batch->timed[i]].pass], slices + time);
            slices = 0;
        } else if (batch->timed[i] < VKS_MARK_SLICE) {
            graph->dropped++;
        }
    }
    if (batch->steps && ticks) {
        const double whole = batch_time(gpu, batch, ticks);
        graph->busy += whole;
        graph->busy_steps += batch->steps;
        graph->step_seconds = whole / batch->steps;
        vks_profile_batch(batch->end, batch->steps, whole);
    }
    if (batch->traced && ticks) {
        trace_batch(graph, batch, ticks);
    }
    free(ticks);
}

void vks_collect_done(struct vks_graph *graph)
{
    vks_collect_retired(graph);
    while (!graph->retired) { /* else its own work is not done either, or must be read later */
        struct vks_batch *first = NULL;
        for (size_t i = 0; i < graph->batch_count; i++) {
            struct vks_batch *batch = graph->batches[i];
            if (batch->uncollected && (!first || batch->value < first->value)) {
                first = batch;
            }
        }
        if (!first || !vks_gpu_reached(graph->gpu, first->value)) {
            return;
        }
        first->uncollected = false;
        collect_times(graph, first);
        vks_watch_collect(graph, first);
    }
}

void vks_add_timings(struct vks_graph *graph, const struct vks_graph *old)
{
    for (size_t i = 0; i < graph->declaration.pass_count; i++) {
        const struct vks_pass *pass = &graph->declaration.passes[i];
        const int found = vks_find_pass(&old->declaration, pass->name);
        const struct vks_pass *was = found < 0 ? NULL : &old->declaration.passes[found];
        if (!was || was->bytes != pass->bytes || was->operations != pass->operations ||
            was->atomics != pass->atomics) {
            continue;
        }
        const struct vks_pass_state *from = &old->passes[found];
        struct vks_pass_state *to = &graph->passes[i];
        double kept = 0;
        for (size_t j = 0; j < from->latest_count; j++) {
            add_sample(to, (double)from->latest[j]);
            kept += (double)from->latest[j];
        }
        to->calls += from->calls;
        to->samples += from->samples - from->latest_count;
        to->sum += from->sum - kept;
        if (from->samples > 0) {
            to->min = from->min < to->min ? from->min : to->min;
            to->max = from->max > to->max ? from->max : to->max;
        }
    }
    graph->dropped += old->dropped;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Means over a pass's calls, percentiles over its samples. */
struct gathered {
    struct vks_pass_timing timing;
    double sum, bytes, operations, atomics; /* of all samples; of all calls */
    float *samples;                         /* NULL: none yet, or no memory */
    size_t sample_count;
};

static void gather(struct gathered *gathered, const struct vks_pass *pass,
                   const struct vks_pass_state *state)
{
    const size_t kept = state->latest_count;
    gathered->timing.name = pass->name;
    gathered->timing.calls += state->calls;
    if (state->samples > 0) {
        const bool first = gathered->timing.samples == 0;
        gathered->timing.min =
            first || state->min < gathered->timing.min ? state->min : gathered->timing.min;
        gathered->timing.max =
            state->max > gathered->timing.max ? state->max : gathered->timing.max;
    }
    gathered->timing.samples += state->samples;
    gathered->sum += state->sum;
    gathered->bytes += pass->bytes * (double)state->calls;
    gathered->operations += pass->operations * (double)state->calls;
    gathered->atomics += pass->atomics * (double)state->calls;
    /* As declared, before the first call. */
    gathered->timing.bytes = pass->bytes;
    gathered->timing.operations = pass->operations;
    gathered->timing.atomics = pass->atomics;
    float *grown =
        kept ? realloc(gathered->samples, (gathered->sample_count + kept) * sizeof(*grown)) : NULL;
    if (grown) {
        memcpy(grown + gathered->sample_count, state->latest, kept * sizeof(*grown));
        gathered->samples = grown;
        gathered->sample_count += kept;
    }
}

static void finish(struct gathered *gathered, struct vks_pass_timing *timing)
{
    *timing = gathered->timing;
    if (timing->calls > 0) {
        timing->bytes = gathered->bytes / (double)timing->calls;
        timing->operations = gathered->operations / (double)timing->calls;
        timing->atomics = gathered->atomics / (double)timing->calls;
    }
    if (timing->samples > 0) {
        timing->mean = gathered->sum / (double)timing->samples;
        timing->total = timing->mean * (double)timing->calls;
    }
    const size_t count = gathered->sample_count;
    if (gathered->samples) {
        qsort(gathered->samples, count, sizeof(*gathered->samples), compare_floats);
        timing->p50 = (double)gathered->samples[(count - 1) / 2];
        timing->p95 = (double)gathered->samples[(count - 1) * 95 / 100];
    }
    free(gathered->samples);
}

bool vks_graph_timing(struct vks_graph *graph, size_t index, struct vks_pass_timing *timing)
{
    if (index >= graph->declaration.pass_count) {
        return false;
    }
    struct gathered gathered = {.sum = 0};
    vks_collect_done(graph);
    gather(&gathered, &graph->declaration.passes[index], &graph->passes[index]);
    finish(&gathered, timing);
    return true;
}

/* Whether an earlier graph has a pass of that name. */
static bool is_repeated(struct vks_graph *const *graphs, size_t graph, const char *name)
{
    for (size_t i = 0; i < graph; i++) {
        if (vks_find_pass(&graphs[i]->declaration, name) >= 0) {
            return true;
        }
    }
    return false;
}

const struct vks_pass *vks_graphs_pass(struct vks_graph *const *graphs, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++) {
        const struct vks_declaration *declaration = &graphs[i]->declaration;
        for (size_t j = 0; j < declaration->pass_count; j++) {
            const struct vks_pass *pass = &declaration->passes[j];
            if (!is_repeated(graphs, i, pass->name) && index-- == 0) {
                return pass;
            }
        }
    }
    return NULL;
}

bool vks_graphs_timing(struct vks_graph *const *graphs, size_t count, size_t index,
                       struct vks_pass_timing *timing)
{
    const struct vks_pass *pass = vks_graphs_pass(graphs, count, index);
    struct gathered gathered = {.sum = 0};
    for (size_t i = 0; pass && i < count; i++) {
        vks_collect_done(graphs[i]);
        const int found = vks_find_pass(&graphs[i]->declaration, pass->name);
        if (found >= 0) {
            gather(&gathered, &graphs[i]->declaration.passes[found], &graphs[i]->passes[found]);
        }
    }
    finish(&gathered, timing);
    return pass != NULL;
}

uint64_t vks_graph_dropped(const struct vks_graph *graph)
{
    return graph->dropped;
}

void vks_graph_busy(struct vks_graph *graph, double *seconds, uint64_t *steps)
{
    vks_collect_done(graph);
    *seconds = graph->busy;
    *steps = graph->busy_steps;
}
