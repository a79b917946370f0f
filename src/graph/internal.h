/* SPDX-License-Identifier: MIT */
/* What the files of struct vks_graph share: graph.c makes it and moves data, agree.c holds it
 * against the shaders, batch.c records and submits, timing.c reads the clocks. */
#ifndef VKS_GRAPH_INTERNAL_H
#define VKS_GRAPH_INTERNAL_H

#include "gpu/pipeline.h"
#include "graph/graph.h"

enum {
    VKS_MAX_BATCHES = 48,      /* recorded command buffers kept */
    VKS_MAX_IN_FLIGHT = 3,     /* batches submitted ahead of the GPU */
    VKS_MAX_SAMPLES = 4096,    /* latest samples kept of each pass, for the percentiles */
    VKS_MAX_DISPATCHES = 8192, /* of a batch */
};

/* Use of a pass that a shader's buffer is bound to; VKS_CLOCK_USE: the clock. */
#define VKS_CLOCK_USE UINT32_MAX

struct vks_pass_state {
    struct vks_pipeline pipeline;
    uint32_t groups[2];
    uint32_t *bindings; /* per reflected buffer: the use it is bound to, or VKS_CLOCK_USE */
    /* The descriptor sets: one for each combination of parities of its uses that has occurred. */
    VkDescriptorSet *sets;
    size_t set_count, set_capacity;
    unsigned char *set_parities; /* use_count bytes per set */
    size_t set_parities_capacity;
    uint64_t calls, samples;
    double sum;
    float *latest; /* the latest VKS_MAX_SAMPLES, as a ring; NULL before the first */
    size_t latest_count, latest_capacity;
};

/* Commands recorded once. Free when the timeline has reached `value`. */
struct vks_batch {
    VkCommandBuffer commands;
    VkQueryPool queries;
    uint32_t steps, phase; /* part of the key; steps 0: a frame, recorded again each time */
    uint32_t timed_steps;  /* timed pass by pass; part of the key */
    unsigned char *parity; /* of each field before it; part of the key */
    uint64_t value;        /* of the last submission, 0 before */
    double submitted_at;   /* vks_seconds() */
    bool uncollected;      /* its timestamps have not been read yet */
    uint64_t used;         /* for eviction */
    struct vks_schedule schedule;
    uint32_t *timed; /* schedule index of each timed pass, or UINT32_MAX for a start mark */
    uint32_t query_count;
};

struct vks_graph {
    struct vks_gpu *gpu;
    struct vks_declaration declaration;
    struct vks_pass_state *passes;
    struct vks_pipeline advance;
    VkDescriptorSet advance_set;
    VkDescriptorPool *pools; /* the last has room for so many more sets and descriptors */
    size_t pool_count, pool_capacity;
    uint32_t sets_left, descriptors_left;
    struct vks_buffer *buffers; /* per resource */
    struct vks_buffer staging_up, staging_down;
    unsigned char *parity; /* of each field now */
    uint32_t period;
    uint32_t max_batch_steps; /* a power of two: by time and by the number of dispatches */
    uint32_t max_queries;     /* timestamps of a batch */
    uint64_t steps;
    struct vks_batch *batches[VKS_MAX_BATCHES];
    size_t batch_count;
    uint64_t uses;
    uint64_t in_flight[VKS_MAX_IN_FLIGHT]; /* timeline values, a ring */
    size_t in_flight_at;
    uint32_t batch_limit;
    double step_seconds; /* of the latest batch, 0 before the first is done */
    double done_at;      /* vks_seconds() when the latest batch was seen to be done */
    uint64_t steps_seen, steps_timed, frames_seen, frames_timed;
    double busy;
    uint64_t busy_steps;
    bool broken_barriers;
};

/* agree.c: index in pass->uses of a shader's block, or -1. */
int vks_use_of_block(const struct vks_pass *pass, const char *block);
/* agree.c: the pipeline of a pass; an error if shader and declaration disagree. */
enum vks_result vks_create_pass_pipeline(struct vks_gpu *gpu,
                                         const struct vks_declaration *declaration,
                                         const struct vks_pass *pass,
                                         struct vks_pipeline *pipeline);

/* batch.c: sizes the batches and their timestamps for the declaration. */
void vks_size_batches(struct vks_graph *graph);

/* graph.c: the set that binds an item's buffers; made when first asked for. */
enum vks_result vks_set_for(struct vks_graph *graph, const struct vks_scheduled *item,
                            VkDescriptorSet *set);

/* batch.c: a schedule of `when` for one use. */
enum vks_result vks_run_once(struct vks_graph *graph, enum vks_when when,
                             void (*record)(void *user, VkCommandBuffer commands), void *user,
                             VkSemaphore wait, VkSemaphore signal);
/* batch.c: a command buffer of only transfers, waited for. */
enum vks_result vks_transfer(struct vks_graph *graph,
                             void (*record)(void *user, VkCommandBuffer commands), void *user);
void vks_destroy_batch(struct vks_graph *graph, struct vks_batch *batch);

/* timing.c: reads the timestamps of a batch that the GPU has finished, or of all such. */
void vks_collect(struct vks_graph *graph, struct vks_batch *batch);
void vks_collect_done(struct vks_graph *graph);

#endif
