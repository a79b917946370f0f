/* SPDX-License-Identifier: MIT */
/* Earlier moments of a run, to which it can return: dense in the near past and sparse in the far
 * one, within a limit of memory. */
#ifndef VKS_RUNS_HISTORY_H
#define VKS_RUNS_HISTORY_H

#include <vksim/vksim.h>

/* Takes and restores complete states of what runs. */
struct vks_keeper {
    void *user;
    /* Takes the state after the steps so far, without waiting. */
    enum vks_result (*keep)(void *user, void **moment, uint64_t *bytes);
    enum vks_result (*restore)(void *user, const void *moment);
    void (*forget)(void *user, void *moment);
};

struct vks_kept_moment {
    uint64_t step, bytes;
    size_t events; /* of the log that had been applied */
    void *moment;
};

struct vks_history {
    struct vks_keeper keeper;
    uint64_t max_bytes;              /* of all moments */
    double interval;                 /* seconds between two moments */
    double last;                     /* time of the last; 0: none */
    struct vks_kept_moment *moments; /* in order of steps */
    size_t count, capacity;
    uint64_t bytes;
};

/* Keeps the present moment if the last one is `interval` ago, or `at_once`. Without memory for
 * another it keeps those that it has. */
enum vks_result vks_history_keep(struct vks_history *history, uint64_t step, size_t events,
                                 bool at_once);
/* Returns to the last moment at or before the step that had at most so many events (SIZE_MAX: any
 * number); *found is where it is. VKS_ERROR_USAGE if there is none. */
enum vks_result vks_history_return(struct vks_history *history, uint64_t step, size_t events,
                                   struct vks_kept_moment *found);
/* Forgets the moments that had more events. */
void vks_history_cut(struct vks_history *history, size_t events);
/* An event at this step, number `event` of the log, has changed the future: forgets later moments,
 * and that of this step precedes the event. */
void vks_history_branch(struct vks_history *history, uint64_t step, size_t event);
void vks_history_free(struct vks_history *history); /* a zeroed history is fine */

#endif
