/* SPDX-License-Identifier: MIT */
#include "runs/pace.h"

#include "base/clock.h"
#include "base/error.h"
#include "runs/grid.h"

/* Seconds of a repeat: several batches, and long against the host's part of a submission. */
#define REPEAT_SECONDS 0.05
/* Seconds of the warm-up, in which the clocks of the GPU rise. */
#define WARM_SECONDS 0.15

/* Runs steps and waits. *seconds: the host's time; *busy: the GPU's. */
static enum vks_result run(struct vks_grid *grid, uint64_t steps, double *seconds, double *busy)
{
    const struct vks_runnable runnable = vks_grid_runnable(grid);
    double before, after;
    uint64_t timed;
    vks_grid_busy(grid, &before, &timed);
    const double begin = vks_seconds();
    enum vks_result result = vks_run_interrupted() ? VKS_INTERRUPTED : VKS_OK;
    if (result == VKS_OK) {
        result = runnable.run(runnable.user, steps);
    }
    if (result == VKS_OK) {
        result = runnable.wait(runnable.user);
    }
    *seconds = vks_seconds() - begin;
    vks_grid_busy(grid, &after, &timed);
    *busy = after - before;
    return result;
}

/* Runs until the pipelines, the caches and the clocks are as in a long run; *steps takes about
 * REPEAT_SECONDS unless it is given. */
static enum vks_result warm_up(struct vks_grid *grid, uint64_t *steps)
{
    enum { MAX_STEPS = 1 << 20 };
    const double begin = vks_seconds();
    uint64_t count = 1;
    double seconds, busy;
    enum vks_result result = run(grid, 1, &seconds, &busy); /* pipelines may be built lazily */
    for (bool more = true; more && result == VKS_OK;) {
        result = run(grid, count, &seconds, &busy);
        more = seconds < REPEAT_SECONDS && count < MAX_STEPS;
        count *= more ? 2 : 1;
    }
    const double wanted = (double)count * REPEAT_SECONDS / seconds;
    *steps = *steps ? *steps : wanted < 1 ? 1 : wanted < (double)count ? (uint64_t)wanted : count;
    /* Also records the batches of the repeats. */
    do {
        result = result == VKS_OK ? run(grid, *steps, &seconds, &busy) : result;
    } while (result == VKS_OK && vks_seconds() - begin < WARM_SECONDS);
    return result;
}

/* Bytes and operations that the passes of steps have had so far. */
static void count_work(const struct vks_grid *grid, double *bytes, double *operations)
{
    struct vks_graph *graph = vks_simulation_graph(vks_grid_simulation(grid, 0));
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    struct vks_pass_timing timing;
    *bytes = *operations = 0;
    for (size_t i = 0; vks_graph_timing(graph, i, &timing); i++) {
        if (declaration->passes[i].when == VKS_EACH_STEP) {
            *bytes += timing.bytes * (double)timing.calls;
            *operations += timing.operations * (double)timing.calls;
        }
    }
}

static enum vks_result repeat(struct vks_grid *grid, uint32_t repeats, struct vks_pace *pace)
{
    double gpu[VKS_MAX_REPEATS], host[VKS_MAX_REPEATS];
    double bytes, operations, seconds, busy;
    enum vks_result result = VKS_OK;
    count_work(grid, &bytes, &operations);
    for (uint32_t i = 0; i < repeats && result == VKS_OK; i++) {
        result = run(grid, pace->steps, &seconds, &busy);
        gpu[i] = busy / (double)pace->steps;
        host[i] = seconds / (double)pace->steps;
    }
    if (result != VKS_OK) {
        return result;
    }
    count_work(grid, &pace->bytes, &pace->operations);
    pace->bytes = (pace->bytes - bytes) / ((double)pace->steps * repeats);
    pace->operations = (pace->operations - operations) / ((double)pace->steps * repeats);
    pace->gpu = vks_spread_of(gpu, repeats);
    pace->host = vks_spread_of(host, repeats);
    return VKS_OK;
}

enum vks_result vks_pace_measure(vks_context *context, const struct vks_settings *settings,
                                 uint32_t repeats, uint64_t steps, struct vks_pace *pace)
{
    const struct vks_vary one = {.count = 0};
    struct vks_grid *grid = NULL;
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
        result = warm_up(grid, &pace->steps);
    }
    if (result == VKS_OK) {
        result = repeat(grid, repeats, pace);
    }
    if (result == VKS_OK && pace->gpu.median <= 0) {
        result = vks_fail(VKS_ERROR_DEVICE, "the timestamps of %s have not advanced",
                          context->gpu.info.name);
    }
    struct vks_error why;
    vks_error_keep(&why);
    vks_grid_destroy(grid);
    return result == VKS_OK ? VKS_OK : vks_fail_again(result, &why);
}
