/* SPDX-License-Identifier: MIT */
/* Proves by experiments that a simulation's bytes do not depend on how it runs: with workgroups of
 * other sizes and in another order, in batches of other lengths, with its fields in chunks, in
 * every variant, from a snapshot and from a file, and on every device. */
#ifndef VKS_CHECK_CHECK_H
#define VKS_CHECK_CHECK_H

#include "api/simulation.h"

enum { VKS_CHECK_NAME = 64, VKS_CHECK_WHY = 256 };

enum vks_check_outcome {
    VKS_CHECK_SAME,
    VKS_CHECK_DIFFERS,  /* `step` and `field` say where first */
    VKS_CHECK_LEFT_OUT, /* `why` says why it could not be made */
};

/* One experiment. */
struct vks_check_row {
    char name[VKS_CHECK_NAME];
    enum vks_check_outcome outcome;
    uint64_t step;
    char field[VKS_CHECK_NAME]; /* "picture": only the picture of the last step differs */
    char why[VKS_CHECK_WHY];    /* of a difference: what else is known of it; may be "" */
};

/* Digests of the fields of the state after each step of a run, and of the picture after the last.
 */
struct vks_check_history {
    uint64_t steps;
    size_t fields;
    char (*names)[VKS_CHECK_NAME]; /* of the fields */
    char (*digests)[33];           /* `fields` of them after each of the steps, from step 0 on */
    char picture[33];
    char state[33]; /* vks_simulation_digest() after the last step */
};

struct vks_check {
    struct vks_check_history history; /* of the base: one step per batch */
    struct vks_check_row *rows;
    size_t row_count, row_capacity;
};

/* Makes all experiments with finished settings on the device of the context. `other`: the history
 * of the same run on another device, called `other_name`, to compare with; NULL: none. Free either
 * way with vks_check_free(). It fails if the simulation does not run at all, or ends by itself. A
 * task (base/task.h), which advances by 1 per experiment of vks_check_count(). */
enum vks_result vks_check_run(vks_context *context, const struct vks_settings *settings,
                              uint64_t steps, const struct vks_check_history *other,
                              const char *other_name, struct vks_check *check);
void vks_check_free(struct vks_check *check); /* a zeroed structure is fine */

/* The number of experiments of a model. */
size_t vks_check_count(const struct vks_model *model);

/* Makes an ordinary run, with a snapshot, in a context whose validation layers look for hazards,
 * too; the row is same if they are silent. `history` is the run's. */
enum vks_result vks_check_validate(const char *device, const struct vks_settings *settings,
                                   const struct vks_check_history *history,
                                   struct vks_check_row *row);

#endif
