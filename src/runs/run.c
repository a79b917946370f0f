/* SPDX-License-Identifier: MIT */
#include "runs/run.h"

#include <signal.h>

#include "base/clock.h"

static volatile sig_atomic_t interrupted;

void vks_run_interrupt(void)
{
    interrupted = 1;
}

bool vks_run_interrupted(void)
{
    return interrupted != 0;
}

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Steps to the next frame, or to the end if there is none. Single steps while paused do not run
 * past a frame either. */
static uint64_t steps_now(const struct vks_run_params *params, const struct vks_control *control,
                          const struct vks_presenter *presenter,
                          const struct vks_run_report *report, uint64_t next_frame)
{
    uint64_t steps = params->steps - report->steps;
    if (presenter->present && next_frame < params->frames) {
        steps = min(steps, next_frame * params->steps_per_frame - report->steps);
    }
    return control->paused ? min(steps, control->single) : steps;
}

/* Steps to run at once, few enough that events and interrupts are noticed in time. The last `steps`
 * took `seconds`. */
static uint64_t next_slice(uint64_t slice, uint64_t steps, double seconds)
{
    if (seconds > 0.1) {
        return slice > 1 ? slice / 2 : 1;
    }
    return seconds < 0.05 && steps == slice && slice < UINT64_C(1) << 16 ? slice * 2 : slice;
}

enum vks_result vks_run(const struct vks_runnable *runnable, const struct vks_run_params *params,
                        const struct vks_presenter *presenter, struct vks_run_report *report)
{
    struct vks_control control = {0};
    enum vks_result result = VKS_OK;
    const double start = vks_seconds();
    uint64_t presented = UINT64_MAX; /* steps of the last presented state */
    uint64_t next_frame = params->first_frame;
    uint64_t slice = 16;
    *report = (struct vks_run_report){0};
    for (;;) {
        if (presenter->poll) {
            control.idle = control.paused && control.single == 0 && presented == report->steps;
            result = presenter->poll(presenter->user, &control);
        }
        if (result == VKS_OK && control.restart) {
            result = runnable->restart(runnable->user, control.seed);
            report->frames = 0;
            report->steps = 0;
            next_frame = params->first_frame;
            presented = UINT64_MAX;
            control.restart = false;
            control.single = 0;
        }
        const bool due =
            next_frame < params->frames && report->steps == next_frame * params->steps_per_frame;
        const bool changed = control.paused && presented != report->steps;
        if (result == VKS_OK && presenter->present && (due || changed)) {
            result = presenter->present(presenter->user);
            presented = report->steps;
            next_frame += due ? 1 : 0;
            report->frames += due && result == VKS_OK ? 1 : 0;
        }
        if (result == VKS_OK && presenter->progress) {
            presenter->progress(presenter->user, report->frames, report->steps);
        }
        report->interrupted = interrupted != 0;
        if (result != VKS_OK || control.quit || interrupted ||
            (report->steps >= params->steps &&
             (next_frame >= params->frames || !presenter->present))) {
            break;
        }
        const double now = vks_seconds();
        const uint64_t steps =
            min(slice, steps_now(params, &control, presenter, report, next_frame));
        control.single = control.paused ? control.single - min(control.single, steps) : 0;
        result = runnable->run(runnable->user, steps);
        report->steps += steps;
        slice = next_slice(slice, steps, vks_seconds() - now);
        if (result != VKS_OK) {
            break;
        }
    }
    if (result == VKS_OK) {
        result = runnable->wait(runnable->user);
    }
    report->seconds = vks_seconds() - start;
    return result;
}
