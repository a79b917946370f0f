/* SPDX-License-Identifier: MIT */
/* The main loop of the tool: steps and frames, for any consumer. */
#ifndef VKS_RUNS_RUN_H
#define VKS_RUNS_RUN_H

#include "api/simulation.h"
#include "runs/history.h"
#include "runs/log.h"

/* Steps that run between two calls, both of which find the GPU idle. They include the frames drawn
 * after each of these steps. */
struct vks_section {
    uint64_t first, end; /* steps from `first` to `end` - 1 of the run, the first of which is 0;
                          * equal: none */
    void *user;
    enum vks_result (*enter)(void *user);
    /* `end`: less than above if the run ended within the section. Not called if it failed. */
    enum vks_result (*leave)(void *user, uint64_t end);
};

/* What a look at the simulation's time finds. */
struct vks_moment {
    uint64_t left; /* steps to the next frame or the end, as far as is known; 0: it is there */
    bool end;      /* further steps change nothing */
};

/* The time of the simulation, for runs that end by it or have frames at equal times. Both functions
 * find the GPU idle. */
struct vks_run_time {
    void *user;
    bool frames; /* are at equal times: `steps_per_frame` does not count */
    /* After `steps` steps of the run. */
    enum vks_result (*look)(void *user, uint64_t steps, struct vks_moment *moment);
    /* From one of these frames to the next. */
    enum vks_result (*proceed)(void *user);
};

/* Where a run is, so that a later one can continue there. */
struct vks_run_place {
    uint64_t steps;
    uint64_t frames;    /* number of the next */
    uint64_t due;       /* step of that one */
    uint64_t presented; /* step of the last one; UINT64_MAX: none */
    uint64_t look_at;   /* step of the next look at the time */
    bool arrived;       /* at a frame by time, after which the time has not proceeded */
};

enum vks_run_stage { VKS_RUN_GOES_ON, VKS_RUN_STOPPED, VKS_RUN_COMPLETE };

/* What keeps the places of a run. */
struct vks_run_keeper {
    void *user;
    /* Called between two steps, before the events and the frame of that place, and at the end of a
     * run that did not fail. `applied`: events of the log up to there. */
    enum vks_result (*keep)(void *user, const struct vks_run_place *place, size_t applied,
                            enum vks_run_stage stage);
    /* Makes the value the highest of those of all ranks, whose places are the same then. NULL:
     * there is one rank. */
    enum vks_result (*agree)(void *user, uint64_t *value);
};

struct vks_control;

struct vks_run_params {
    uint64_t steps;                    /* total to run; UINT64_MAX: until stopped */
    uint64_t begin;                    /* of them, already run by an earlier part of this run */
    const struct vks_run_place *place; /* where an earlier process left it, instead of `begin`;
                                        * NULL: at its start */
    struct vks_run_keeper keeper;      /* without `keep`: none */
    uint64_t warmup;                   /* steps before the first frame; at most `steps` */
    uint64_t steps_per_frame;          /* between frames */
    uint64_t frames;      /* ends before the frame of this number; UINT64_MAX: no limit */
    uint64_t first_frame; /* frames before the one of this number are not presented */
    struct vks_section section;
    const struct vks_run_time *time; /* NULL: steps and frames alone say when the run ends. A run
                                      * with one cannot restart */
    struct vks_log *log;             /* its future is repeated, unless the presenter's events take
                                      * its place; at the end it has what was applied. NULL: none */
    struct vks_history *history;     /* where control.seek leads back to; NULL: nowhere */
    double slice;                    /* seconds of steps between two polls; 0: 0.1 */
    /* Called before each poll of the presenter, between two steps, with its own `user`; NULL: not.
     */
    enum vks_result (*between)(void *user, struct vks_control *control);
    void *user;
};

/* What the presenter requests from the loop; poll() changes it. */
struct vks_control {
    bool quit;
    bool paused;
    struct vks_log events; /* to apply now, or where a seek ends, whatever their steps; the loop
                            * clears it */
    /* Go back, or forward through the future of the log, to the state after `step` steps; the loop
     * clears it on the way. Frames between are not presented. */
    bool seek;
    uint64_t step;
    bool forget; /* with `seek`: only the first `kept` events of the log remain */
    size_t kept;
    uint64_t now;             /* set by the loop: steps so far */
    uint64_t steps_per_frame; /* from the next frame on; 0: as in the parameters */
    bool redraw;              /* while paused: present the state again; the loop clears it */
    uint64_t single;          /* while paused: steps to run now; the loop counts it down */
    bool idle; /* set by the loop: paused and up to date, so poll() may wait for events (up
                * to about 0.1 s, so that an interrupt is noticed) */
};

/* A consumer of frames: files, a window, or none. Frame i shows the state after warmup + i x
 * steps_per_frame steps, or after the last step if that comes first; with `time` the last frame
 * shows the end, and with its `frames` frame 0 the state after `warmup` steps. */
struct vks_presenter {
    void *user;
    /* Called before every frame, and about every 0.1 s between slow ones; may be NULL. */
    enum vks_result (*poll)(void *user, struct vks_control *control);
    /* Presents the current state: every frame, and while paused every change (counted as a frame
     * only if it is one); may be NULL. */
    enum vks_result (*present)(void *user);
    /* Called after every poll with the totals so far; may be NULL. */
    void (*progress)(void *user, uint64_t frames, uint64_t steps);
};

struct vks_run_report {
    uint64_t frames, steps; /* presented and completed in this run */
    double seconds;         /* until the GPU had completed the last step */
    bool interrupted;
};

/* What is run: one simulation, or several in step. */
struct vks_runnable {
    void *user;
    /* *steps: those to run; afterwards those that were, which are fewer where VKS_INTERRUPTED says
     * so. */
    enum vks_result (*run)(void *user, uint64_t *steps);
    enum vks_result (*wait)(void *user);
    /* Applies a event after the steps so far, without waiting for them. *values: those that the
     * options have now that it set, as a new reference. VKS_ERROR_USAGE or VKS_ERROR_FILE, with
     * nothing changed, if it is impossible; the run goes on. */
    enum vks_result (*apply)(void *user, const struct vks_event *event, json_t **values);
};

/* Runs until all steps and frames are completed, which restarts do not begin again, the presenter
 * quits, or vks_interrupt() is called, after the current frame. */
enum vks_result vks_run(const struct vks_runnable *runnable, const struct vks_run_params *params,
                        const struct vks_presenter *presenter, struct vks_run_report *report);

#endif
