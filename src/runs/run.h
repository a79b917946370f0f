/* SPDX-License-Identifier: MIT */
/* The one loop of the tool: steps and frames, whoever looks at them. */
#ifndef VKS_RUNS_RUN_H
#define VKS_RUNS_RUN_H

#include "api/simulation.h"

struct vks_run_params {
    uint64_t steps;           /* to run in all; UINT64_MAX: until told to stop */
    uint64_t steps_per_frame; /* a frame is shown before the first step and after every so many */
    uint64_t frames;          /* ends before the frame of this number; UINT64_MAX: no limit */
    uint64_t first_frame;     /* frames before the one of this number are not shown */
};

/* What the one who looks asks of the loop; poll() changes it. */
struct vks_control {
    bool quit;
    bool paused;
    bool restart; /* start again with `seed`; the loop clears it */
    uint32_t seed;
    uint64_t single; /* while paused: steps to take now; the loop counts it down */
    bool idle;       /* set by the loop: paused and all shown, so poll() may wait for events (at
                      * most about 0.1 s, or an interrupt goes unseen) */
};

/* The one who looks: a file's ring of frames, a window, or nobody. Frame 0 shows the start, frame i
 * the state after i x steps_per_frame steps. */
struct vks_presenter {
    void *user;
    /* Called before every frame, and about every 0.1 s between slow ones; may be NULL. */
    enum vks_result (*poll)(void *user, struct vks_control *control);
    /* Shows the state as it is: every frame, and while paused whatever differs from what was shown
     * last (which counts as no frame unless it is one); may be NULL. */
    enum vks_result (*present)(void *user);
    /* Called after every poll with what has been done; may be NULL. */
    void (*progress)(void *user, uint64_t frames, uint64_t steps);
};

struct vks_run_report {
    uint64_t frames, steps; /* shown and done here */
    double seconds;         /* until the GPU was done with the last step */
    bool interrupted;
};

/* What is run: one simulation, or several that keep pace. */
struct vks_runnable {
    void *user;
    enum vks_result (*run)(void *user, uint64_t steps);
    enum vks_result (*wait)(void *user);
    enum vks_result (*restart)(void *user, uint32_t seed);
};

/* Runs until all steps and frames are done, the presenter quits, or vks_run_interrupt(). */
enum vks_result vks_run(const struct vks_runnable *runnable, const struct vks_run_params *params,
                        const struct vks_presenter *presenter, struct vks_run_report *report);

/* Asks the running loop to end after the frame it is at; safe in a signal handler. */
void vks_run_interrupt(void);
bool vks_run_interrupted(void);

#endif
