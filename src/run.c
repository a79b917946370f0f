/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <signal.h>

#include "base/clock.h"

static volatile sig_atomic_t interrupted;

void vks_run_interrupt(void)
{
    interrupted = 1;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Steps from this frame to the next: whole frames while there is one to come, then the rest. */
static uint64_t steps_now(const struct vks_run_params *params, const struct vks_control *control,
                          const struct vks_presenter *presenter, uint64_t frames, uint64_t steps)
{
    uint64_t left = params->steps - steps;
    if (control->paused) {
        return smaller(control->single, left);
    }
    /* Nobody looks, but somebody may interrupt: go in large strides. */
    uint64_t stride = presenter->present && frames < params->frames ? params->steps_per_frame
                                                                    : UINT64_C(1) << 16;
    return smaller(stride, left);
}

enum vks_result vks_run(vks_simulation *simulation, const struct vks_run_params *params,
                        const struct vks_presenter *presenter, struct vks_run_report *report)
{
    struct vks_control control = {0};
    enum vks_result result = VKS_OK;
    const double begin = vks_seconds();
    *report = (struct vks_run_report){0};
    for (;;) {
        if (presenter->poll) {
            result = presenter->poll(presenter->user, &control);
        }
        if (result == VKS_OK && control.restart) {
            result = vks_simulation_restart(simulation, control.seed);
            report->frames = 0;
            report->steps = 0;
            control.restart = false;
        }
        if (result == VKS_OK && presenter->present && report->frames < params->frames) {
            result = presenter->present(presenter->user);
            report->frames += control.paused ? 0 : 1;
        }
        if (presenter->progress) {
            presenter->progress(presenter->user, report->frames, report->steps);
        }
        report->interrupted = interrupted != 0;
        if (result != VKS_OK || control.quit || interrupted ||
            (report->steps >= params->steps &&
             (report->frames >= params->frames || !presenter->present))) {
            break;
        }
        uint64_t steps = steps_now(params, &control, presenter, report->frames, report->steps);
        control.single = 0;
        result = vks_simulation_run(simulation, steps);
        report->steps += steps;
        if (result != VKS_OK) {
            break;
        }
    }
    if (result == VKS_OK) {
        result = vks_simulation_wait(simulation);
    }
    report->seconds = vks_seconds() - begin;
    return result;
}
