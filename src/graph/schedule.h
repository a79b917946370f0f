/* SPDX-License-Identifier: MIT */
/* From a declaration to an ordered list of dispatches and barriers: pure functions, no GPU. The
 * GPU back end (graph.c) records the list as commands, the null back end (vks_schedule_text) as
 * text. */
#ifndef VKS_GRAPH_SCHEDULE_H
#define VKS_GRAPH_SCHEDULE_H

#include "gpu/barrier.h"
#include "graph/model.h"

/* A buffer is a resource: 2 x field + parity, the clock after the last. The parity of a field with
 * two buffers says which of them is the field now. */
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
    uint32_t step;  /* in the batch: the first that it does */
    uint32_t round; /* passes that do the same steps of the batch have the same one */
    const struct vks_scheduled_use *uses; /* the schedule's, in the order of the pass's uses */
    size_t use_count, first_use;
    struct vks_barrier barrier; /* before the dispatch */
};

struct vks_schedule {
    struct vks_scheduled *items; /* heap */
    size_t count, capacity;
    struct vks_scheduled_use *uses; /* heap: of all items */
    size_t use_count, use_capacity;
    uint32_t rounds;
    unsigned char *parity; /* heap: of each field after the batch */
    struct vks_sync sync;  /* after the last item: to go on recording */
};

/* The passes of `when` (EACH_STEP: `steps` steps, the first of which is step `first`; otherwise
 * once) for fields of these parities, a byte per field (NULL: all 0). Within a step, passes that do
 * not depend on each other are grouped, so that a step has as few barriers as its longest chain of
 * dependences. The time it takes grows with the number of dispatches, not with its square. The
 * caller frees with vks_schedule_free(). VKS_ERROR_GPU only when memory ran out. */
enum vks_result vks_schedule(const struct vks_declaration *declaration, enum vks_when when,
                             const unsigned char *parity, uint64_t first, uint32_t steps,
                             struct vks_schedule *schedule);
void vks_schedule_free(struct vks_schedule *schedule);

/* Steps after which the pattern of passes repeats: the least common multiple of `every`; 0 if that
 * is 2^32 or more. */
uint32_t vks_schedule_period(const struct vks_declaration *declaration);
/* True if `steps` steps run the same passes whether the first of them is step `a` or step `b`. */
bool vks_schedule_is_same(const struct vks_declaration *declaration, uint32_t steps, uint64_t a,
                          uint64_t b);

/* One line per item, barriers on lines of their own: the null back end. A heap string, the
 * caller's; NULL when memory ran out. */
char *vks_schedule_text(const struct vks_declaration *declaration,
                        const struct vks_schedule *schedule);

#endif
