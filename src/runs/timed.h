/* SPDX-License-Identifier: MIT */
/* Runs in the time of the simulation: they end at a time, or their frames are at equal times. */
#ifndef VKS_RUNS_TIMED_H
#define VKS_RUNS_TIMED_H

#include "runs/grid.h"

/* Such a run of a grid whose model has a time. */
struct vks_timed {
    struct vks_grid *grid;
    double frame_time; /* frames are at its multiples; 0: they are counted in steps */
    double begin;      /* time of the state that the run starts from */
    double now;        /* when the run last looked */
    uint64_t multiple; /* of frame_time that is next */
    bool started;      /* the first frame has been drawn */
    bool ended;        /* further steps change nothing */
    /* The state after that step was loaded, and had this time and time step. */
    bool loaded;
    uint64_t step;
    double time, dt;
};

/* The callbacks for vks_run(). The structure must outlive the run. */
struct vks_run_time vks_timed_run(struct vks_timed *timed);

/* The latest time and time step, after all steps are done. False before the first step. */
bool vks_timed_latest(const struct vks_timed *timed, double *time, double *dt);
/* Before a run that continues with `multiple` and `started` of an earlier process: moves the end of
 * time to where it was. */
enum vks_result vks_timed_continue(const struct vks_timed *timed);

/* The part of the way to the end that is done; below 0 without an end. */
double vks_timed_share(const struct vks_timed *timed);

/* Frames at `begin`, at the multiples of `frame_time` between, and at `end`. */
uint64_t vks_timed_frames(double frame_time, double begin, double end);

#endif
