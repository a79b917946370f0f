/* SPDX-License-Identifier: MIT */
#include "runs/run.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A run in progress. */
struct loop {
    const struct vks_runnable *runnable;
    const struct vks_run_params *params;
    const struct vks_presenter *presenter;
    struct vks_run_report *report;
    struct vks_control control;
    uint64_t presented;                   /* steps of the last presented state; UINT64_MAX: none */
    uint64_t next_frame;                  /* its number */
    size_t replayed;                      /* events of params->replay */
    uint64_t slice;                       /* steps to run at once */
    uint64_t look_at;                     /* with a time: steps at which it is read next */
    bool ended, arrived;                  /* at the end; at a frame */
    enum { BEFORE, INSIDE, AFTER } place; /* relative to the section */
};

/* --- the section ----------------------------------------------------------------------------- */

static enum vks_result wait_idle(const struct loop *loop)
{
    return loop->runnable->wait(loop->runnable->user);
}

static enum vks_result enter_section(struct loop *loop)
{
    const struct vks_section *section = &loop->params->section;
    if (loop->place != BEFORE || section->first == section->end ||
        loop->report->steps != section->first) {
        return VKS_OK;
    }
    enum vks_result result = wait_idle(loop);
    result = result == VKS_OK ? section->enter(section->user) : result;
    loop->place = result == VKS_OK ? INSIDE : BEFORE;
    return result;
}

static enum vks_result leave_section(struct loop *loop)
{
    const struct vks_section *section = &loop->params->section;
    if (loop->place != INSIDE) {
        return VKS_OK;
    }
    enum vks_result result = wait_idle(loop);
    if (result == VKS_OK) {
        loop->place = AFTER;
        result = section->leave(section->user, loop->report->steps);
    }
    return result;
}

/* The next step at which the section begins or ends. */
static uint64_t section_stop(const struct loop *loop)
{
    const struct vks_section *section = &loop->params->section;
    const bool ahead = loop->place == BEFORE && loop->report->steps < section->first;
    if (section->first == section->end) {
        return UINT64_MAX;
    }
    return loop->place == INSIDE ? section->end : ahead ? section->first : UINT64_MAX;
}

/* --- events -------------------------------------------------------------------------------- */

/* Applies a event and records it. One that is impossible is a warning. */
static enum vks_result apply(struct loop *loop, const struct vks_event *event)
{
    const struct vks_runnable *runnable = loop->runnable;
    struct vks_event done = *event;
    done.step = loop->report->steps;
    done.set = NULL;
    const enum vks_result result = runnable->apply(runnable->user, event, &done.set);
    if (result == VKS_ERROR_USAGE || result == VKS_ERROR_FILE) {
        vks_message(VKS_LOG_WARNING, "the event at step %" PRIu64 " is ignored: %s", done.step,
                    vks_error_text());
        return VKS_OK;
    }
    loop->control.redraw = true;
    if (result == VKS_OK && loop->params->record) {
        return vks_log_record(loop->params->record, &done);
    }
    json_decref(done.set);
    return result;
}

/* Applies the events of the log that are due, then those of the presenter. */
static enum vks_result apply_due(struct loop *loop)
{
    const struct vks_log *replay = loop->params->replay;
    struct vks_log *given = &loop->control.events;
    enum vks_result result = VKS_OK;
    while (result == VKS_OK && replay && loop->replayed < replay->count &&
           replay->events[loop->replayed].step <= loop->report->steps) {
        result = apply(loop, &replay->events[loop->replayed++]);
    }
    for (size_t i = 0; i < given->count && result == VKS_OK; i++) {
        result = apply(loop, &given->events[i]);
    }
    vks_log_cut(given, 0);
    return result;
}

/* The step of the next event of the log; UINT64_MAX: none. */
static uint64_t next_event(const struct loop *loop)
{
    const struct vks_log *replay = loop->params->replay;
    return replay && loop->replayed < replay->count ? replay->events[loop->replayed].step
                                                    : UINT64_MAX;
}

/* --- steps and frames ------------------------------------------------------------------------ */

/* Whether frames are at equal times. next_frame then counts those not presented, too. */
static bool is_by_time(const struct loop *loop)
{
    return loop->params->time && loop->params->time->frames;
}

/* The step of the next frame; the last one is of the last step. */
static uint64_t next_due(const struct loop *loop)
{
    const struct vks_run_params *params = loop->params;
    uint64_t due;
    if (is_by_time(loop)) {
        return loop->arrived ? loop->report->steps : UINT64_MAX;
    }
    return vks_multiply(loop->next_frame, params->steps_per_frame, &due) &&
                   due <= params->steps - params->warmup
               ? params->warmup + due
               : params->steps;
}

/* Reads the simulation's time before a frame, and where it has probably reached its aim. */
static enum vks_result look(struct loop *loop)
{
    const struct vks_run_time *time = loop->params->time;
    const uint64_t steps = loop->report->steps;
    struct vks_moment moment;
    if (!time || loop->ended || (steps != loop->look_at && steps != next_due(loop))) {
        return VKS_OK;
    }
    enum vks_result result = wait_idle(loop);
    if (result == VKS_OK && loop->arrived) {
        loop->arrived = false;
        result = time->proceed(time->user);
    }
    if (result == VKS_OK) {
        result = time->look(time->user, steps, &moment);
    }
    if (result == VKS_OK) {
        loop->ended = moment.end;
        loop->arrived = time->frames && moment.left == 0;
        loop->look_at = steps + moment.left;
    }
    return result;
}

/* Whether the state is a frame. The last one is that of the end. */
static bool is_due(const struct loop *loop)
{
    const uint64_t steps = loop->report->steps;
    return loop->next_frame < loop->params->frames &&
           (loop->ended ? loop->presented != steps : steps == next_due(loop));
}

/* Presents the state if it is a frame, or if it has changed while paused. */
static enum vks_result present(struct loop *loop)
{
    const bool due = is_due(loop), early = loop->next_frame < loop->params->first_frame;
    const bool changed =
        loop->control.paused && (loop->presented != loop->report->steps || loop->control.redraw);
    enum vks_result result = VKS_OK;
    loop->next_frame += due && (is_by_time(loop) || loop->presenter->present) ? 1 : 0;
    loop->control.redraw = false;
    if (!loop->presenter->present || (!due && !changed) || (early && !loop->ended)) {
        return VKS_OK;
    }
    result = loop->presenter->present(loop->presenter->user);
    loop->presented = loop->report->steps;
    loop->report->frames += due && result == VKS_OK ? 1 : 0;
    return result;
}

static bool is_complete(const struct loop *loop)
{
    const bool drawn = loop->next_frame >= loop->params->frames || !loop->presenter->present;
    return loop->ended || (is_by_time(loop) ? loop->next_frame >= loop->params->frames
                                            : drawn && loop->report->steps >= loop->params->steps);
}

/* What happens between two slices of steps: events, a frame, progress. */
static enum vks_result update(struct loop *loop)
{
    const struct vks_presenter *presenter = loop->presenter;
    struct vks_control *control = &loop->control;
    enum vks_result result = VKS_OK;
    if (presenter->poll) {
        control->idle =
            control->paused && control->single == 0 && loop->presented == loop->report->steps;
        result = presenter->poll(presenter->user, control);
    }
    if (result == VKS_OK) {
        result = apply_due(loop);
    }
    if (result == VKS_OK) {
        result = look(loop);
    }
    if (result == VKS_OK) {
        result = present(loop);
    }
    if (result == VKS_OK && loop->arrived && !is_complete(loop)) {
        result = look(loop); /* at the way to the next frame */
    }
    if (result == VKS_OK && loop->report->steps >= loop->params->section.end) {
        result = leave_section(loop);
    }
    if (result == VKS_OK && presenter->progress) {
        presenter->progress(presenter->user, loop->report->frames, loop->report->steps);
    }
    return result;
}

/* Steps to the next frame, or to the end if there is none, but not past the next event, nor the
 * beginning or the end of the section. Single steps while paused do not run past a frame either. */
static uint64_t steps_now(const struct loop *loop)
{
    const struct vks_run_params *params = loop->params;
    uint64_t steps =
        min(min(params->steps, section_stop(loop)), next_event(loop)) - loop->report->steps;
    if (loop->presenter->present && loop->next_frame < params->frames) {
        steps = min(steps, next_due(loop) - loop->report->steps);
    }
    if (params->time) {
        steps = min(steps, loop->look_at - loop->report->steps);
    }
    return loop->control.paused ? min(steps, loop->control.single) : steps;
}

/* Adapts the number of steps per slice, so that events and interrupts are noticed in time: the last
 * `steps` took `seconds`. */
static uint64_t next_slice(uint64_t slice, uint64_t steps, double seconds)
{
    if (seconds > 0.1) {
        return slice > 1 ? slice / 2 : 1;
    }
    return seconds < 0.05 && steps == slice && slice < UINT64_C(1) << 16 ? slice * 2 : slice;
}

static enum vks_result run_slice(struct loop *loop)
{
    struct vks_control *control = &loop->control;
    const double start = vks_seconds();
    uint64_t steps = min(loop->slice, steps_now(loop));
    enum vks_result result = VKS_OK;
    if (steps > 0) {
        result = enter_section(loop);
        steps = min(steps, steps_now(loop)); /* the section may be shorter */
    }
    if (result != VKS_OK) {
        return result;
    }
    control->single = control->paused ? control->single - min(control->single, steps) : 0;
    result = loop->runnable->run(loop->runnable->user, steps);
    loop->report->steps += steps;
    loop->slice = next_slice(loop->slice, steps, vks_seconds() - start);
    return result;
}

enum vks_result vks_run(const struct vks_runnable *runnable, const struct vks_run_params *params,
                        const struct vks_presenter *presenter, struct vks_run_report *report)
{
    struct loop loop = {
        .runnable = runnable,
        .params = params,
        .presenter = presenter,
        .report = report,
        .presented = UINT64_MAX,
        .next_frame = params->first_frame,
        .slice = 16,
    };
    enum vks_result result = VKS_OK;
    const double start = vks_seconds();
    if (is_by_time(&loop)) {
        loop.next_frame = 0;
        loop.look_at = params->warmup;
    }
    *report = (struct vks_run_report){0};
    while (result == VKS_OK) {
        result = update(&loop);
        report->interrupted = vks_interrupted();
        if (result != VKS_OK || loop.control.quit || report->interrupted || is_complete(&loop)) {
            break;
        }
        result = run_slice(&loop);
    }
    if (result == VKS_OK || result == VKS_INTERRUPTED) {
        const enum vks_result left = leave_section(&loop);
        result = result == VKS_OK ? left : result;
    }
    if (result == VKS_OK) {
        result = wait_idle(&loop);
    }
    vks_log_free(&loop.control.events);
    report->seconds = vks_seconds() - start;
    return result;
}
