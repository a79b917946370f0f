/* SPDX-License-Identifier: MIT */
/* What the files of struct vks_graph share: graph.c makes it and moves data, agree.c holds it
 * against the shaders, batch.c records and submits, timing.c reads the clocks. */
#ifndef VKS_GRAPH_INTERNAL_H
#define VKS_GRAPH_INTERNAL_H

#include "gpu/pipeline.h"
#include "graph/graph.h"

enum {
    VKS_MAX_BATCHES = 48,   /* recorded command buffers kept */
    VKS_MAX_IN_FLIGHT = 3,  /* batches submitted ahead of the GPU */
    VKS_MAX_SAMPLES = 4096, /* latest samples kept of each pass, for the percentiles */
    VKS_SETS_PER_PASS = 16,
};

struct vks_pass_state {
    struct vks_pipeline pipeline;
    uint32_t groups[2];
    struct {
        uint32_t sides; /* bit i: side of use i */
        VkDescriptorSet set;
    } sets[VKS_SETS_PER_PASS];
    size_t set_count;
    uint64_t calls, samples;
    double sum;
    float latest[VKS_MAX_SAMPLES];
};

/* Commands recorded once. Free when the timeline has reached `value`. */
struct vks_batch {
    VkCommandBuffer commands;
    VkQueryPool queries;
    uint32_t steps, sides, phase; /* the key; steps 0: a frame, recorded anew each time */
    uint32_t timed_steps;         /* timed pass by pass; part of the key */
    uint32_t sides_after;
    uint64_t value;      /* of the last submission, 0 before */
    double submitted_at; /* vks_seconds() */
    bool uncollected;    /* its timestamps have not been read yet */
    uint64_t used;       /* for eviction */
    struct vks_schedule schedule;
    uint32_t *timed; /* schedule index of each timed pass, or UINT32_MAX for a start mark */
    uint32_t query_count;
};

struct vks_graph {
    struct vks_gpu *gpu;
    struct vks_declaration declaration;
    struct vks_pass_state passes[VKS_MAX_PASSES];
    struct vks_pipeline advance;
    VkDescriptorSet advance_set;
    VkDescriptorPool pool;
    struct vks_buffer buffers[VKS_CLOCK_RESOURCE + 1];
    struct vks_buffer staging_up, staging_down;
    uint32_t sides, period;
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
