/* SPDX-License-Identifier: MIT */
#include "runs/timed.h"

#include <math.h>

#include "base/error.h"
#include "graph/graph.h"

/* A time as the simulation counts it. */
static double rounded(double time)
{
    return round(time / VKS_TIME_UNIT) * VKS_TIME_UNIT;
}

static double time_of(double frame_time, uint64_t multiple)
{
    return rounded((double)multiple * frame_time);
}

/* The first multiple after a time. */
static uint64_t next_multiple(double frame_time, double time)
{
    uint64_t multiple = (uint64_t)(time / frame_time);
    while (multiple > 0 && time_of(frame_time, multiple) > time) {
        multiple--;
    }
    while (time_of(frame_time, multiple) <= time) {
        multiple++;
    }
    return multiple;
}

uint64_t vks_timed_frames(double frame_time, double begin, double end)
{
    const double last = rounded(end);
    uint64_t next = next_multiple(frame_time, last);
    while (next > 0 && time_of(frame_time, next - 1) >= last) {
        next--;
    }
    const uint64_t first = next_multiple(frame_time, begin);
    return 1 + (next > first ? next - first : 0) + (last > begin ? 1 : 0);
}

static const struct vks_model_time *model_of(const struct vks_timed *timed)
{
    return &vks_grid_settings(timed->grid, 0)->model->time;
}

/* The end of a cell; infinite without one. */
static double end_of(const struct vks_timed *timed, size_t cell)
{
    const double end = vks_settings_end(vks_grid_settings(timed->grid, cell));
    return end > 0 ? rounded(end) : INFINITY;
}

/* The next time at which a cell stops. */
static double aim_of(const struct vks_timed *timed, size_t cell)
{
    const double end = end_of(timed, cell);
    return timed->started ? fmin(end, time_of(timed->frame_time, timed->multiple)) : end;
}

/* Steps that a cell takes to its aim. The number depends on nothing but the state, so that equal
 * runs take equal steps. Its limit bounds the steps in vain if dt grows. */
static uint64_t steps_left(double aim, double time, double dt)
{
    enum { MAX_STEPS = 64 };
    const double steps = dt > 0 ? ceil((aim - time) / dt) : 1;
    return time >= aim ? 0 : steps < 1 ? 1 : steps > MAX_STEPS ? MAX_STEPS : (uint64_t)steps;
}

static enum vks_result look(void *user, uint64_t steps, struct vks_moment *moment)
{
    struct vks_timed *timed = user;
    const struct vks_model_time *model = model_of(timed);
    *moment = (struct vks_moment){.end = true};
    for (size_t i = 0; i < vks_grid_count(timed->grid); i++) {
        const struct vks_graph *graph = vks_simulation_graph(vks_grid_simulation(timed->grid, i));
        const bool is_loaded = timed->loaded && steps == timed->step;
        double time = is_loaded ? timed->time : timed->begin, dt = is_loaded ? timed->dt : 0;
        if (steps > 0 && !is_loaded &&
            (!vks_graph_latest(graph, model->scalar, &time) ||
             !vks_graph_latest(graph, model->dt_scalar, &dt))) {
            return vks_fail(VKS_ERROR_INTERNAL, "the simulation does not tell its time");
        }
        const uint64_t left = steps_left(aim_of(timed, i), time, dt);
        timed->now = i == 0 || time > timed->now ? time : timed->now;
        moment->left = left > moment->left ? left : moment->left;
        moment->end = moment->end && time >= end_of(timed, i);
    }
    timed->ended = moment->end;
    if (timed->frame_time > 0 && !timed->started) { /* the first frame shows this state */
        moment->left = 0;
    }
    return VKS_OK;
}

/* Moves the end of a cell on the device, and leaves its settings as they are: pictures that are
 * still being encoded depend on them. */
static enum vks_result move_end(const struct vks_timed *timed, size_t cell)
{
    const struct vks_model_time *model = model_of(timed);
    const uint64_t units = (uint64_t)(aim_of(timed, cell) / VKS_TIME_UNIT);
    const uint32_t words[2] = {(uint32_t)units, (uint32_t)(units >> 32)};
    return vks_graph_upload(vks_simulation_graph(vks_grid_simulation(timed->grid, cell)),
                            model->end_field, words);
}

enum vks_result vks_timed_continue(const struct vks_timed *timed)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; timed->started && i < vks_grid_count(timed->grid) && result == VKS_OK; i++) {
        if (vks_grid_is_owner(timed->grid, i)) {
            result = move_end(timed, i);
        }
    }
    return result;
}

bool vks_timed_latest(const struct vks_timed *timed, double *time, double *dt)
{
    const struct vks_graph *graph = vks_simulation_graph(vks_grid_simulation(timed->grid, 0));
    const struct vks_model_time *model = model_of(timed);
    return vks_graph_latest(graph, model->scalar, time) &&
           vks_graph_latest(graph, model->dt_scalar, dt);
}

static enum vks_result proceed(void *user)
{
    struct vks_timed *timed = user;
    timed->multiple =
        timed->started ? timed->multiple + 1 : next_multiple(timed->frame_time, timed->now);
    timed->started = true;
    return vks_timed_continue(timed);
}

struct vks_run_time vks_timed_run(struct vks_timed *timed)
{
    timed->now = timed->begin;
    return (struct vks_run_time){
        .user = timed, .frames = timed->frame_time > 0, .look = look, .proceed = proceed};
}

double vks_timed_share(const struct vks_timed *timed)
{
    double end = 0;
    for (size_t i = 0; i < vks_grid_count(timed->grid); i++) {
        end = fmax(end, end_of(timed, i));
    }
    return isinf(end)           ? -1
           : end > timed->begin ? (timed->now - timed->begin) / (end - timed->begin)
                                : 1;
}
