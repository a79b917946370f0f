/* SPDX-License-Identifier: MIT */
/* From a declaration to an ordered list of dispatches and barriers: pure functions, no GPU. The
 * GPU back end (graph.c) records the list as commands, the null back end (vks_schedule_text) as
 * text. */
#ifndef VKS_GRAPH_SCHEDULE_H
#define VKS_GRAPH_SCHEDULE_H

#include "gpu/barrier.h"
#include "graph/model.h"

/* A buffer is a field's index times 2 plus its side; the clock comes after the last. */
enum { VKS_CLOCK_RESOURCE = 2 * VKS_MAX_FIELDS };

struct vks_scheduled_use {
    uint32_t resource; /* 2 x field + side */
    unsigned access;   /* enum vks_access without VKS_NEXT */
};

struct vks_scheduled {
    uint32_t pass;
    uint32_t step;  /* in the batch: the first that it does */
    uint32_t round; /* passes of the same stride through time have the same one */
    struct vks_scheduled_use uses[VKS_MAX_USES];
    size_t use_count;
    struct vks_barrier barrier; /* before the dispatch */
};

struct vks_schedule {
    struct vks_scheduled *items; /* heap */
    size_t count, capacity;
    uint32_t rounds;
    uint32_t sides;       /* bit f: field f stands in its side 1, after the batch */
    struct vks_sync sync; /* after the last item: to go on recording */
};

/* The passes of `when` (EACH_STEP: `steps` steps, the first of which is step `first`; otherwise
 * once) for fields that stand in `sides`. Within a step, passes that do not depend on each other
 * are brought together, so that a step has as few barriers as its longest chain of dependences.
 * The caller frees with vks_schedule_free(). VKS_ERROR_GPU only when memory ran out. */
enum vks_result vks_schedule(const struct vks_declaration *declaration, enum vks_when when,
                             uint32_t sides, uint64_t first, uint32_t steps,
                             struct vks_schedule *schedule);
void vks_schedule_free(struct vks_schedule *schedule);

/* The batch after which the pattern of passes repeats: the least common multiple of `every`. */
uint32_t vks_schedule_period(const struct vks_declaration *declaration);

/* One line an item, barriers on lines of their own: the null back end. A heap string, the
 * caller's; NULL when memory ran out. */
char *vks_schedule_text(const struct vks_declaration *declaration,
                        const struct vks_schedule *schedule);

#endif
