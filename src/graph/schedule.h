/* SPDX-License-Identifier: MIT */
/* From a declaration to an ordered list of dispatches and barriers: pure functions, no GPU. The
 * GPU back end (graph.c) records the list as commands, the null back end (vks_schedule_text) as
 * text. */
#ifndef VKS_GRAPH_SCHEDULE_H
#define VKS_GRAPH_SCHEDULE_H

#include "gpu/barrier.h"
#include "graph/declare.h"

/* Every buffer is a resource: 2 x field + parity; the clock is the last. The parity of a field says
 * which of its two buffers is the current one. */
static inline uint32_t vks_clock_resource(const struct vks_declaration *declaration)
{
    return 2 * (uint32_t)declaration->field_count;
}

struct vks_scheduled_use {
    uint32_t resource;
    unsigned access; /* enum vks_access without VKS_NEXT */
};

struct vks_scheduled {
    uint32_t pass;
    uint32_t step;                        /* its first step in the batch */
    uint32_t round;                       /* equal for passes that compute the same steps */
    const struct vks_scheduled_use *uses; /* belongs to the schedule; in order of the pass's uses */
    size_t use_count, first_use;
    struct vks_barrier barrier; /* before the dispatch */
    uint32_t meeting;           /* before it: an index from 1; 0: none */
};

struct vks_schedule {
    struct vks_scheduled *items; /* heap */
    size_t count, capacity;
    struct vks_scheduled_use *uses; /* heap: of all items */
    size_t use_count, use_capacity;
    uint32_t rounds;
    uint32_t meeting;      /* after the last item; 0: none */
    unsigned char *parity; /* heap: per field, after the batch */
    struct vks_sync sync;  /* after the last item, to continue recording */
};

/* Schedules the passes of `when` (EACH_STEP: `steps` steps from step `first` on; otherwise once)
 * for fields of these parities, one byte per field (NULL: all 0). Independent passes within a step
 * are grouped by dependency depth, so the barriers of a step are as many as its longest chain is
 * long. Takes linear time in the number of dispatches. Free with vks_schedule_free().
 * VKS_ERROR_GPU: out of memory. */
enum vks_result vks_schedule(const struct vks_declaration *declaration, enum vks_when when,
                             const unsigned char *parity, uint64_t first, uint32_t steps,
                             struct vks_schedule *schedule);
void vks_schedule_free(struct vks_schedule *schedule);

/* Steps after which the pattern of passes repeats: the least common multiple of `every`; 0 if 2^32
 * or more. */
uint32_t vks_schedule_period(const struct vks_declaration *declaration);
/* True if `steps` steps run the same passes from step `a` as from step `b`. */
bool vks_schedule_is_same(const struct vks_declaration *declaration, uint32_t steps, uint64_t a,
                          uint64_t b);

/* The null back end: one line per item, barriers on separate lines. A string to be freed; NULL if
 * memory ran out. */
char *vks_schedule_text(const struct vks_declaration *declaration,
                        const struct vks_schedule *schedule);

#endif
