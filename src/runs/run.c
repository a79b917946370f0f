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
    uint64_t presented;    /* steps of the last presented state; UINT64_MAX: none */
    uint64_t next_frame;   /* its number */
    uint64_t due;          /* step of the next frame */
    bool seeks;            /* the state after `target` steps, without frames */
    uint64_t target, stop; /* the latter: where a moment is kept on the way, if it is less */
    uint64_t slice;        /* steps to run at once */
    uint64_t look_at;      /* with a time: steps at which it is read next */
    bool ended, arrived;   /* at the end; at a frame */
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

/* --- events ---------------------------------------------------------------------------------- */

/* Applies an event; *done is what it did. One that is impossible is a warning, and *applied is
 * false. */
static enum vks_result apply(struct loop *loop, const struct vks_event *event,
                             struct vks_event *done, bool *applied)
{
    const struct vks_runnable *runnable = loop->runnable;
    *done = *event;
    done->step = loop->report->steps;
    done->set = NULL;
    const enum vks_result result = runnable->apply(runnable->user, event, &done->set);
    *applied = result == VKS_OK;
    if (result == VKS_ERROR_USAGE || result == VKS_ERROR_FILE) {
        vks_message(VKS_LOG_WARNING, "the event at step %" PRIu64 " is ignored: %s", done->step,
                    vks_error_text());
        return VKS_OK;
    }
    loop->control.redraw = true;
    return result;
}

/* Applies the events of the log that are due. */
static enum vks_result repeat(struct loop *loop)
{
    struct vks_log *log = loop->params->log;
    struct vks_event *next, done;
    enum vks_result result = VKS_OK;
    bool applied;
    while (result == VKS_OK && (next = vks_log_next(log)) != NULL &&
           next->step <= loop->report->steps) {
        result = apply(loop, next, &done, &applied);
        if (applied) {
            json_decref(next->set);
            next->set = done.set;
            log->done++;
        } else {
            vks_log_drop(log);
        }
    }
    return result;
}

/* Applies the presenter's events. */
static enum vks_result apply_given(struct loop *loop)
{
    struct vks_log *given = &loop->control.events, *log = loop->params->log;
    struct vks_history *history = loop->params->history;
    struct vks_event done;
    enum vks_result result = VKS_OK;
    bool applied;
    for (size_t i = 0; i < given->count && result == VKS_OK; i++) {
        result = apply(loop, &given->events[i], &done, &applied);
        if (applied && log) {
            json_incref(done.paint);
            result = vks_log_record(log, &done);
        } else {
            json_decref(done.set);
        }
        if (applied && log && history && result == VKS_OK) {
            vks_history_branch(history, done.step, log->done - 1);
        }
    }
    vks_log_cut(given, 0);
    return result;
}

/* The step of the next event of the log; UINT64_MAX: none. */
static uint64_t next_event(const struct loop *loop)
{
    const struct vks_event *next = vks_log_next(loop->params->log);
    return next ? next->step : UINT64_MAX;
}

/* --- other moments --------------------------------------------------------------------------- */

/* Where a moment is kept on the way to the target, so that the next step back is near. */
static uint64_t stop_over(const struct loop *loop)
{
    enum { BEFORE_TARGET = 64 };
    const bool near = loop->target - loop->report->steps <= BEFORE_TARGET;
    return near ? UINT64_MAX : loop->target - BEFORE_TARGET;
}

/* Starts on the way to the step that the presenter asks for, from an earlier moment if it lies in
 * the past. A step that cannot be reached is a warning. */
static enum vks_result start_seeking(struct loop *loop)
{
    struct vks_history *history = loop->params->history;
    struct vks_control *control = &loop->control;
    struct vks_log *log = loop->params->log;
    struct vks_kept_moment moment;
    const size_t kept = control->forget ? control->kept : SIZE_MAX;
    const bool back = control->step < loop->report->steps || (log && kept < log->done);
    enum vks_result result = VKS_OK;
    control->seek = control->forget = false;
    if (back) {
        result = history ? vks_history_return(history, control->step, kept, &moment)
                         : vks_fail(VKS_ERROR_USAGE, "this run cannot go back");
    }
    if (result == VKS_ERROR_USAGE) {
        vks_message(VKS_LOG_WARNING, "step %" PRIu64 ": %s", control->step, vks_error_text());
        return VKS_OK;
    }
    if (result == VKS_OK && back) {
        loop->report->steps = control->now = moment.step;
        log->done = moment.events;
    }
    if (result == VKS_OK && log && kept < log->count) {
        vks_log_cut(log, kept);
        vks_history_cut(history, kept);
    }
    loop->seeks = true;
    loop->target = control->step;
    loop->stop = stop_over(loop);
    loop->presented = UINT64_MAX;
    return result;
}

/* Whether it has arrived: then a frame is due. */
static void end_seeking(struct loop *loop)
{
    if (loop->seeks && loop->report->steps >= loop->target) {
        loop->seeks = false;
        loop->due = loop->report->steps;
        loop->control.redraw = true;
    }
}

static enum vks_result keep_moment(struct loop *loop)
{
    const struct vks_log *log = loop->params->log;
    const uint64_t steps = loop->report->steps;
    const bool stopped = loop->seeks && loop->stop == steps;
    if (!loop->params->history || (loop->seeks && !stopped)) {
        return VKS_OK;
    }
    return vks_history_keep(loop->params->history, steps, log->done, stopped);
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
    if (is_by_time(loop)) {
        return loop->arrived ? loop->report->steps : UINT64_MAX;
    }
    return min(loop->due, loop->params->steps);
}

/* The step of the frame that follows `count` frames after that of step `from`. */
static uint64_t frames_after(const struct loop *loop, uint64_t from, uint64_t count)
{
    const uint64_t own = loop->control.steps_per_frame;
    uint64_t steps;
    return vks_multiply(count, own ? own : loop->params->steps_per_frame, &steps) &&
                   steps <= UINT64_MAX - from
               ? from + steps
               : UINT64_MAX;
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
    const bool due = !loop->seeks && is_due(loop);
    const bool early = loop->next_frame < loop->params->first_frame;
    const bool changed =
        loop->control.paused && (loop->presented != loop->report->steps || loop->control.redraw);
    const uint64_t number = loop->next_frame, step = loop->due;
    enum vks_result result = VKS_OK;
    if (due && (is_by_time(loop) || loop->presenter->present)) {
        loop->next_frame++;
        loop->due = frames_after(loop, loop->due, 1);
    }
    if (loop->seeks) {
        return VKS_OK;
    }
    loop->control.redraw = false;
    if (!loop->presenter->present || (!due && !changed) || (early && !loop->ended)) {
        return VKS_OK;
    }
    result = loop->presenter->present(loop->presenter->user);
    if (result != VKS_OK) { /* a later run presents it */
        loop->next_frame = number;
        loop->due = step;
        return result;
    }
    loop->presented = loop->report->steps;
    loop->report->frames += due ? 1 : 0;
    return VKS_OK;
}

/* Skips the frames before this place, which a run without a presenter does not count. */
static void skip_frames(const struct loop *loop, struct vks_run_place *place)
{
    const uint64_t interval = loop->params->steps_per_frame;
    if (!is_by_time(loop) && place->due < place->steps) {
        const uint64_t count = (place->steps - place->due + interval - 1) / interval;
        place->frames += count;
        place->due = frames_after(loop, place->due, count);
    }
}

static enum vks_result keep_place(const struct loop *loop, enum vks_run_stage stage)
{
    const struct vks_run_keeper *keeper = &loop->params->keeper;
    const size_t applied = loop->params->log ? loop->params->log->done : 0;
    if (!keeper->keep || loop->seeks) {
        return VKS_OK;
    }
    struct vks_run_place place = {.steps = loop->report->steps,
                                  .frames = loop->next_frame,
                                  .due = loop->due,
                                  .presented = loop->presented,
                                  .look_at = loop->look_at,
                                  .arrived = loop->arrived};
    skip_frames(loop, &place);
    return keeper->keep(keeper->user, &place, applied, stage);
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
    control->now = loop->report->steps;
    result = keep_place(loop, VKS_RUN_GOES_ON);
    if (loop->params->between && result == VKS_OK) {
        result = loop->params->between(loop->params->user, control);
    }
    if (presenter->poll && result == VKS_OK) {
        control->idle = control->paused && control->single == 0 && !loop->seeks &&
                        loop->presented == loop->report->steps;
        result = presenter->poll(presenter->user, control);
    }
    if (result == VKS_OK && control->seek) {
        result = start_seeking(loop);
    }
    if (result == VKS_OK) {
        result = repeat(loop);
    }
    end_seeking(loop);
    if (result == VKS_OK) {
        result = keep_moment(loop); /* before what may be undone */
    }
    if (result == VKS_OK && !loop->seeks) {
        result = apply_given(loop);
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
    if (loop->seeks) {
        const bool ahead = loop->stop > loop->report->steps && loop->stop < loop->target;
        const uint64_t aim = ahead ? loop->stop : loop->target;
        return min(min(params->steps, next_event(loop)), aim) - loop->report->steps;
    }
    return loop->control.paused ? min(steps, loop->control.single) : steps;
}

/* Adapts the number of steps per slice, so that events and interrupts are noticed in time: the last
 * `steps` took `seconds`, and at most `most` should pass. */
static uint64_t next_slice(uint64_t slice, uint64_t steps, double seconds, double most)
{
    if (seconds > most) {
        return slice > 1 ? slice / 2 : 1;
    }
    return seconds < most / 2 && steps == slice && slice < UINT64_C(1) << 16 ? slice * 2 : slice;
}

/* On ranks that keep places, slices take as long as on the slowest: by its own clock each would
 * keep others. */
static enum vks_result agree_on_time(const struct loop *loop, double *seconds)
{
    const struct vks_run_keeper *keeper = &loop->params->keeper;
    uint64_t nanos = (uint64_t)(1e9 * *seconds);
    if (!keeper->agree) {
        return VKS_OK;
    }
    const enum vks_result result = keeper->agree(keeper->user, &nanos);
    *seconds = 1e-9 * (double)nanos;
    return result;
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
    result = loop->runnable->run(loop->runnable->user, &steps);
    loop->report->steps += steps;
    double seconds = vks_seconds() - start;
    if (result == VKS_OK) {
        result = agree_on_time(loop, &seconds);
    }
    loop->slice = next_slice(loop->slice, steps, seconds,
                             loop->params->slice > 0 ? loop->params->slice : 0.1);
    return result;
}

/* Continues at the place of an earlier process. Frames before the first that is wanted are left
 * out. */
static void continue_at(struct loop *loop, const struct vks_run_place *from)
{
    struct vks_run_place place = *from;
    skip_frames(loop, &place); /* a damaged place ends, too */
    if (place.frames >= loop->next_frame) {
        loop->next_frame = place.frames;
        loop->due = place.due;
    }
    loop->report->steps = place.steps;
    loop->presented = place.presented;
    loop->look_at = place.look_at > place.steps ? place.look_at : place.steps;
    loop->arrived = place.arrived;
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
    const uint64_t first = frames_after(&loop, params->warmup, loop.next_frame);
    loop.due = first > params->begin ? first : params->begin;
    if (is_by_time(&loop)) {
        loop.next_frame = 0;
        loop.look_at = params->warmup;
    }
    *report = (struct vks_run_report){.steps = params->begin};
    if (params->place) {
        continue_at(&loop, params->place);
    }
    while (result == VKS_OK) {
        result = update(&loop);
        report->interrupted = vks_interrupted() && !is_complete(&loop);
        if (result != VKS_OK || loop.control.quit || report->interrupted || is_complete(&loop)) {
            break;
        }
        result = run_slice(&loop);
    }
    if (result == VKS_OK || result == VKS_INTERRUPTED) {
        const enum vks_result left = leave_section(&loop);
        result = result == VKS_OK ? left : result;
    }
    if (result == VKS_OK || result == VKS_INTERRUPTED) {
        const enum vks_result kept =
            keep_place(&loop, is_complete(&loop) ? VKS_RUN_COMPLETE : VKS_RUN_STOPPED);
        result = kept == VKS_OK ? result : kept;
    }
    if (result == VKS_OK) {
        result = wait_idle(&loop);
    }
    vks_log_free(&loop.control.events);
    if (params->log) {
        vks_log_cut(params->log, params->log->done);
    }
    report->seconds = vks_seconds() - start;
    return result;
}
