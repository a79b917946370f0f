/* SPDX-License-Identifier: MIT */
#include "runs/pace.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/task.h"
#include "runs/grid.h"

/* Seconds of a repeat: several batches, and long against the host's part of a submission. */
#define REPEAT_SECONDS 0.05
/* One step in at most 512 is timed: after that many in short batches, one has been. A long batch is
 * always timed, but a timestamp may fail to be read. */
enum { MAX_UNTIMED = 1024, MIN_TRIES = 3 };
/* Seconds of the warm-up, in which the clocks of the GPU rise. */
#define WARM_SECONDS 0.15

/* The times of some steps. */
struct sample {
    double seconds; /* of the host */
    double busy;    /* of the GPU */
    uint64_t timed; /* steps that `busy` is of: short batches are not always timed */
};

/* Runs steps and waits, at most `slice` of them between looks for an interrupt. */
static enum vks_result run(struct vks_grid *grid, uint64_t steps, uint64_t slice,
                           struct sample *sample)
{
    const struct vks_runnable runnable = vks_grid_runnable(grid);
    double before, after;
    uint64_t timed_before, timed_after;
    enum vks_result result = VKS_OK;
    vks_grid_busy(grid, &before, &timed_before);
    const double begin = vks_seconds();
    for (uint64_t done = 0; done < steps && result == VKS_OK; done += slice) {
        uint64_t now = steps - done < slice ? steps - done : slice;
        result = vks_interrupted() ? VKS_INTERRUPTED : runnable.run(runnable.user, &now);
    }
    if (result == VKS_OK) {
        result = runnable.wait(runnable.user);
    }
    sample->seconds = vks_seconds() - begin;
    vks_grid_busy(grid, &after, &timed_after);
    sample->busy = after - before;
    sample->timed = timed_after - timed_before;
    return result;
}

/* Runs until the pipelines, the caches and the clocks are as in a long run. *slice: steps that take
 * about REPEAT_SECONDS; *steps is set to the same unless it is given. */
static enum vks_result warm_up(struct vks_grid *grid, uint64_t *steps, uint64_t *slice)
{
    enum { MAX_STEPS = 1 << 20 };
    const double begin = vks_seconds();
    uint64_t count = 1;
    struct sample sample;
    enum vks_result result = run(grid, 1, 1, &sample); /* pipelines may be built lazily */
    for (bool more = true; more && result == VKS_OK;) {
        result = run(grid, count, count, &sample);
        more = sample.seconds < REPEAT_SECONDS && count < MAX_STEPS;
        count *= more ? 2 : 1;
    }
    const double wanted = (double)count * REPEAT_SECONDS / sample.seconds;
    *slice = wanted < 1 ? 1 : wanted < (double)count ? (uint64_t)wanted : count;
    *steps = *steps ? *steps : *slice;
    /* Also records the batches of the repeats. */
    const uint64_t last = *steps < *slice ? *steps : *slice;
    do {
        result = result == VKS_OK ? run(grid, last, last, &sample) : result;
    } while (result == VKS_OK && vks_seconds() - begin < WARM_SECONDS);
    return result;
}

/* Bytes that the passes of steps have moved so far, at least. */
static double count_bytes(const struct vks_grid *grid)
{
    struct vks_graph *graph = vks_simulation_graph(vks_grid_simulation(grid, 0));
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    struct vks_pass_timing timing;
    double bytes = 0;
    for (size_t i = 0; vks_graph_timing(graph, i, &timing); i++) {
        if (declaration->passes[i].when == VKS_EACH_STEP) {
            bytes += timing.bytes * (double)timing.calls;
        }
    }
    return bytes;
}

static enum vks_result repeat(struct vks_grid *grid, uint32_t repeats, uint64_t slice,
                              struct vks_pace *pace)
{
    double gpu[VKS_MAX_REPEATS], host[VKS_MAX_REPEATS];
    const double before = count_bytes(grid);
    uint64_t steps = 0;
    enum vks_result result = VKS_OK;
    for (uint32_t i = 0; i < repeats && result == VKS_OK; i++) {
        struct sample sample = {.timed = 0};
        uint64_t untimed = 0;
        for (int tries = 0;
             (tries < MIN_TRIES || untimed < MAX_UNTIMED) && sample.timed == 0 && result == VKS_OK;
             tries++) {
            result = run(grid, pace->steps, slice, &sample);
            steps += pace->steps;
            untimed += pace->steps;
        }
        if (result == VKS_OK && !(sample.busy > 0)) {
            result = vks_fail(VKS_ERROR_DEVICE, "the device's timestamps have not advanced");
        }
        gpu[i] = sample.busy / (double)sample.timed;
        host[i] = sample.seconds / (double)pace->steps;
    }
    if (result != VKS_OK) {
        return result;
    }
    pace->bytes = (count_bytes(grid) - before) / (double)steps;
    pace->gpu = vks_spread_of(gpu, repeats);
    pace->host = vks_spread_of(host, repeats);
    return VKS_OK;
}

enum vks_result vks_pace_measure(vks_context *context, const struct vks_settings *settings,
                                 uint32_t repeats, uint64_t steps, struct vks_pace *pace)
{
    const struct vks_vary one = {.count = 0};
    struct vks_grid *grid = NULL;
    uint64_t slice = 1;
    *pace = (struct vks_pace){.steps = steps};
    enum vks_result result = vks_grid_create(settings, &one, &grid);
    if (result != VKS_OK) {
        return result;
    }
    const double begin = vks_seconds();
    result = vks_grid_fits(grid, context, true);
    if (result == VKS_OK) {
        result = vks_grid_open(grid, context, NULL, VKS_VIEW_BANDS);
    }
    pace->startup = vks_seconds() - begin;
    if (result == VKS_OK) {
        result = warm_up(grid, &pace->steps, &slice);
    }
    if (result == VKS_OK) {
        result = repeat(grid, repeats, slice, pace);
    }
    struct vks_error why;
    vks_error_keep(result, &why);
    vks_grid_destroy(grid);
    return vks_fail_again(&why);
}
