/* SPDX-License-Identifier: MIT */
/* Long tasks outside the main loop: they end early once the user asks to stop, and report their
 * progress. In programs that only use the library they never end early and report nothing. */
#ifndef VKS_BASE_TASK_H
#define VKS_BASE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

/* Asks the process to stop; may be called from a signal handler. */
void vks_interrupt(void);
bool vks_interrupted(void);
/* From now on vks_interrupt() only says what this process wants. It is interrupted once all ranks
 * have agreed, so that they stop at the same step. */
void vks_interrupt_together(void);
bool vks_interrupt_wanted(void);
void vks_interrupt_agreed(void);

/* Between begin and end, the calling thread works on something that vks_interrupt() may end. Tasks
 * nest. */
struct vks_task {
    const char *what; /* "loading 'half.npz'"; NULL: not reported */
    uint64_t done, total;
    double begin, reported; /* vks_seconds() */
    struct vks_task *outer;
};

/* `what` and `task` must stay valid until vks_task_end(). The total may have any unit. */
void vks_task_begin(struct vks_task *task, const char *what, uint64_t total);
void vks_task_end(struct vks_task *task);

/* Adds to the innermost task of the calling thread. Call it at least every 50 ms; 0 only checks.
 * VKS_INTERRUPTED within a task after vks_interrupt(), else VKS_OK. */
enum vks_result vks_task_advance(uint64_t amount);

/* Sets the function that gets the progress of a task, ten times a second once the task has taken
 * longer than a second; NULL: none. Call it before threads start. */
void vks_task_report_to(void (*report)(const char *what, double fraction));

#endif
