/* SPDX-License-Identifier: MIT */
/* Tunes the constants of a rung by the tuner of the core (graph/tuner.h). */
#ifndef VKS_LADDER_TUNE_H
#define VKS_LADDER_TUNE_H

#include "ladder/ladder.h"
#include "graph/tuner.h"

struct vks_rung_tuning {
    bool again;         /* ignores what is kept */
    double seconds;     /* that the search may take; 0: VKS_RUNG_TUNING_SECONDS */
    bool (*stop)(void); /* true interrupts the search; NULL: never */
};

enum { VKS_RUNG_TUNING_SECONDS = 60 };

/* True if the rung has constants to tune and the task does not say their values. */
bool vks_rung_is_untuned(const struct vks_ladder_task *task);

/* Sets task->values to the first combination that fits the device: VKS_ERROR_DEVICE if none does.
 */
enum vks_result vks_rung_first(const struct vks_gpu *gpu, struct vks_ladder_task *task);

/* Sets task->values to the best combination for the device: the one that is kept for the kernel,
 * the rung, the data type and the size, rounded up to powers of two, or the fastest found. A
 * combination is verified at a small size before it is timed at the task's own; the caller verifies
 * the values at that size (vks_rung_measure() does). On a software driver, where building
 * pipelines takes long, it is the first one that fits, unless tuning->again is set.
 *
 * *tries gets what was tried, for vks_tuning_print(); free it by vks_tuning_free() in any case.
 * If none could be timed, the first failure: VKS_ERROR_STOPPED if its result was wrong. */
enum vks_result vks_rung_tune(struct vks_gpu *gpu, struct vks_ladder_task *task,
                              const struct vks_rung_tuning *tuning, struct vks_tuning *tries);

/* "depth=8 buffers=2": the values of the task's tuned constants; "" if it has none, or none were
 * chosen. */
const char *vks_rung_values(const struct vks_ladder_task *task, char text[VKS_TUNER_NAME]);

#endif
