/* SPDX-License-Identifier: MIT */
/* Rungs that are steps of a simulation, as the tool runs it. */
#ifndef VKS_LADDER_MODEL_RUNG_H
#define VKS_LADDER_MODEL_RUNG_H

#include "ladder/ladder.h"

/* An option of a simulation; a list ends with a NULL name. */
struct vks_model_choice {
    const char *name, *text;
};

struct vks_model_rung {
    const char *model;
    const struct vks_model_choice *options; /* of all rungs of the kernel, for the task's size */
    const char *variant;                    /* of the simulation, or auto */
    const char *other; /* a variant whose state must be the same, byte by byte */
    uint32_t lead;     /* steps before the measurement; none on a processor */
    uint32_t period;   /* steps of a sample, at least */
};

/* Verifies and times the steps of a simulation, for vks_rung.measure. */
enum vks_result vks_model_rung_measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                       const struct vks_effort *effort, struct vks_spread *seconds,
                                       const struct vks_model_rung *rung);

#endif
