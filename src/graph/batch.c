/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

enum {
    MAX_BATCH_STEPS = 1024,
    TIMED_FIRST = 4,  /* steps and frames timed pass by pass in any case */
    TIMED_STEPS = 16, /* most of a batch */
    FRAME_SHARE = 16, /* one frame in that many is timed */
    LONG_BATCH = 16,  /* steps from which on both ends of a batch are timed */
};

/* What timing the passes of a step costs on a fast GPU, and the part of the run it may cost. */
static const double timed_step_cost = 25e-6;
static const double timed_part = 0.01;

static const double batch_seconds = 0.05;

/* The core's own shader, which moves the clock on by the steps of a batch. */
struct advance_constants {
    uint32_t step_in_batch;
    uint32_t steps;
};

void vks_size_batches(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    uint32_t dispatches = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        dispatches += pass->when == VKS_EACH_STEP && pass->steps == 1;
    }
    graph->max_batch_steps = MAX_BATCH_STEPS;
    while (graph->max_batch_steps > 1 &&
           (uint64_t)graph->max_batch_steps * dispatches > VKS_MAX_DISPATCHES) {
        graph->max_batch_steps /= 2;
    }
    /* Every pass of up to TIMED_STEPS steps, the marks before them, and both ends. */
    graph->max_queries = (TIMED_STEPS + 1) * ((uint32_t)declaration->pass_count + 1) + 2;
}

/* --- recording ------------------------------------------------------------------------------- */

static void timestamp(struct vks_graph *graph, struct vks_batch *batch, uint32_t item)
{
    if (!batch->queries) {
        return;
    }
    graph->gpu->vk.vkCmdWriteTimestamp2(batch->commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                        batch->queries, batch->query_count);
    batch->timed[batch->query_count++] = item;
}

static void record_barrier(struct vks_graph *graph, VkCommandBuffer commands,
                           const struct vks_barrier *barrier)
{
    if (!graph->broken_barriers) {
        vks_barrier_record(&graph->gpu->vk, commands, barrier);
    }
}

static enum vks_result record_item(struct vks_graph *graph, struct vks_batch *batch, uint32_t index)
{
    struct vks_gpu *gpu = graph->gpu;
    const struct vks_scheduled *item = &batch->schedule.items[index];
    const struct vks_pass_state *state = &graph->passes[item->pass];
    const struct vks_pass *pass = &graph->declaration.passes[item->pass];
    const struct vks_pipeline *pipeline = &state->pipeline;
    VkDescriptorSet set;
    enum vks_result result = vks_set_for(graph, item, &set);
    if (result != VKS_OK) {
        return result;
    }
    record_barrier(graph, batch->commands, &item->barrier);
    vks_gpu_label_begin(gpu, batch->commands, "%s, step %u", pass->name, item->step);
    gpu->vk.vkCmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
    gpu->vk.vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    pipeline->layout, 0, 1, &set, 0, NULL);
    if (pipeline->reflection.push_size) {
        unsigned char push[4 + VKS_MAX_CONSTANTS];
        memcpy(push, &item->step, 4);
        if (pass->constants_size) {
            memcpy(push + 4, pass->constants, pass->constants_size);
        }
        gpu->vk.vkCmdPushConstants(batch->commands, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT,
                                   0, pipeline->reflection.push_size, push);
    }
    gpu->vk.vkCmdDispatch(batch->commands, state->groups[0], state->groups[1], 1);
    vks_gpu_label_end(gpu, batch->commands);
    return VKS_OK;
}

/* Moves the clock on, after everything in the batch. */
static void record_advance(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    struct advance_constants push = {.steps = batch->steps};
    struct vks_resource_use use = {
        vks_clock_resource(&graph->declaration), VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
    struct vks_barrier barrier = vks_sync_next(&batch->schedule.sync, &use, 1);
    record_barrier(graph, batch->commands, &barrier);
    gpu->vk.vkCmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              graph->advance.pipeline);
    gpu->vk.vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    graph->advance.layout, 0, 1, &graph->advance_set, 0, NULL);
    gpu->vk.vkCmdPushConstants(batch->commands, graph->advance.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                               0, sizeof(push), &push);
    gpu->vk.vkCmdDispatch(batch->commands, 1, 1, 1);
}

static enum vks_result begin(struct vks_graph *graph, VkCommandBuffer commands)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return vks_gpu_check(graph->gpu, graph->gpu->vk.vkBeginCommandBuffer(commands, &info),
                         "vkBeginCommandBuffer");
}

static enum vks_result create_commands(struct vks_graph *graph, VkCommandBuffer *commands)
{
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = graph->gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    return vks_gpu_check(
        graph->gpu, graph->gpu->vk.vkAllocateCommandBuffers(graph->gpu->device, &info, commands),
        "vkAllocateCommandBuffers");
}

/* Room for the timestamps of a batch. */
static enum vks_result create_queries(struct vks_graph *graph, struct vks_batch *batch)
{
    /* Both ends of a long batch are worth their cost in any case. */
    if (graph->gpu->timestamp_period == 0 ||
        (batch->timed_steps == 0 && batch->steps < LONG_BATCH)) {
        return VKS_OK;
    }
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = graph->max_queries,
    };
    batch->timed = calloc(graph->max_queries, sizeof(*batch->timed));
    if (!batch->timed) {
        return vks_fail_memory();
    }
    return vks_gpu_check(
        graph->gpu,
        graph->gpu->vk.vkCreateQueryPool(graph->gpu->device, &info, NULL, &batch->queries),
        "vkCreateQueryPool");
}

static void name_batch(const struct vks_graph *graph, const struct vks_batch *batch)
{
    char name[32] = "frame";
    if (batch->steps) {
        snprintf(name, sizeof(name), "batch of %u steps", batch->steps);
    }
    vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)batch->commands,
                 "%s", name);
    vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)batch->queries, "%s, times",
                 name);
}

/* One step in this many is timed pass by pass: a power of two, so that it settles. */
static uint32_t timed_share(const struct vks_graph *graph)
{
    uint32_t share = 1;
    while (share < 512 && share * graph->step_seconds < timed_step_cost / timed_part) {
        share *= 2;
    }
    return graph->step_seconds > 0 ? share : 1;
}

/* Timestamps are not free, so not every batch has them for its passes. Returns how many steps of
 * this one (or 1 for a frame) are to be timed: the first few, then one in timed_share(). */
static uint32_t choose_timed(struct vks_graph *graph, uint32_t steps)
{
    const uint32_t share = steps ? timed_share(graph) : FRAME_SHARE;
    uint64_t *seen = steps ? &graph->steps_seen : &graph->frames_seen;
    uint64_t *timed = steps ? &graph->steps_timed : &graph->frames_timed;
    uint32_t count = steps / share < 1 ? 1 : steps / share;
    count = count < TIMED_STEPS ? count : TIMED_STEPS;
    if (graph->gpu->timestamp_period == 0 || *timed >= TIMED_FIRST + *seen / share) {
        count = 0;
    }
    *seen += steps ? steps : 1;
    *timed += count;
    return count;
}

/* Is this one of the rounds whose passes are timed one by one? Evenly spread, not the first. */
static bool is_timed(const struct vks_batch *batch, uint32_t round)
{
    if (batch->timed_steps == 0) {
        return false;
    }
    uint32_t rounds = batch->schedule.rounds;
    uint32_t apart = (rounds + batch->timed_steps - 1) / batch->timed_steps;
    return round % apart == apart / 2;
}

static enum vks_result record_schedule(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    batch->query_count = 0;
    if (batch->queries) {
        gpu->vk.vkCmdResetQueryPool(batch->commands, batch->queries, 0, graph->max_queries);
    }
    timestamp(graph, batch, UINT32_MAX);
    uint32_t marked = 0; /* a mark stands before this round: the last timestamp is its start */
    for (uint32_t i = 0; i < batch->schedule.count; i++) {
        uint32_t round = batch->schedule.items[i].round;
        bool timed = is_timed(batch, round);
        if (timed && marked != round) {
            timestamp(graph, batch, UINT32_MAX);
            marked = round;
        }
        enum vks_result result = record_item(graph, batch, i);
        if (result != VKS_OK) {
            return result;
        }
        if (timed) {
            timestamp(graph, batch, i);
            marked = i + 1 < batch->schedule.count ? batch->schedule.items[i + 1].round : round;
        }
    }
    return VKS_OK;
}

static enum vks_result record_batch(struct vks_graph *graph, struct vks_batch *batch)
{
    enum vks_result result = begin(graph, batch->commands);
    if (result == VKS_OK) {
        result = record_schedule(graph, batch);
    }
    if (result == VKS_OK) {
        record_advance(graph, batch);
        timestamp(graph, batch, UINT32_MAX);
        vks_watch_record(graph, batch);
        result = vks_gpu_check(graph->gpu, graph->gpu->vk.vkEndCommandBuffer(batch->commands),
                               "vkEndCommandBuffer");
    }
    return result;
}

/* A slot for watched words that no batch uses. */
static uint32_t free_slot(const struct vks_graph *graph)
{
    bool taken[VKS_MAX_BATCHES] = {false};
    for (size_t i = 0; i < graph->batch_count; i++) {
        taken[graph->batches[i]->slot] = true;
    }
    uint32_t slot = 0;
    while (taken[slot]) {
        slot++;
    }
    return slot;
}

/* Stale batches, recorded before a change, are freed once the GPU is done with them. */
static void drop_stale(struct vks_graph *graph)
{
    for (size_t i = graph->batch_count; i-- > 0;) {
        struct vks_batch *batch = graph->batches[i];
        if (batch->stale && vks_gpu_reached(graph->gpu, batch->value) && !batch->uncollected) {
            vks_destroy_batch(graph, batch);
            graph->batches[i] = graph->batches[--graph->batch_count];
        }
    }
}

/* A batch that is not in flight: one recorded for the key, else a new one, in place of the least
 * recently used when there are too many. */
static enum vks_result find_batch(struct vks_graph *graph, uint32_t steps, struct vks_batch **out)
{
    const uint32_t timed_steps = choose_timed(graph, steps);
    const size_t fields = graph->declaration.field_count;
    uint32_t phase = (uint32_t)(graph->steps % graph->period);
    struct vks_batch *oldest = NULL;
    size_t oldest_at = 0;
    for (size_t i = 0; i < graph->batch_count; i++) {
        struct vks_batch *batch = graph->batches[i];
        if (!vks_gpu_reached(graph->gpu, batch->value)) {
            continue;
        }
        if (batch->steps == steps && batch->timed_steps == timed_steps && !batch->stale &&
            (steps == 0 || (vks_schedule_is_same(&graph->declaration, steps, batch->phase, phase) &&
                            memcmp(batch->parity, graph->parity, fields) == 0))) {
            batch->used = ++graph->uses;
            *out = batch;
            return VKS_OK;
        }
        if (!oldest || batch->used < oldest->used) {
            oldest = batch;
            oldest_at = i;
        }
    }
    if (graph->batch_count == VKS_MAX_BATCHES) {
        if (!oldest) {
            return vks_fail(VKS_ERROR_GPU, "too many batches are in flight");
        }
        vks_collect_done(graph);
        vks_destroy_batch(graph, oldest);
        graph->batches[oldest_at] = graph->batches[--graph->batch_count];
    }
    struct vks_batch *batch = calloc(1, sizeof(*batch));
    if (!batch) {
        return vks_fail_memory();
    }
    batch->slot = free_slot(graph);
    batch->steps = steps;
    batch->timed_steps = timed_steps;
    batch->phase = phase;
    batch->used = ++graph->uses;
    batch->watched = true;
    batch->parity = malloc(fields + 1);
    enum vks_result result =
        batch->parity ? create_commands(graph, &batch->commands) : vks_fail_memory();
    if (result == VKS_OK) {
        result = create_queries(graph, batch);
    }
    if (result == VKS_OK) {
        memcpy(batch->parity, graph->parity, fields);
        name_batch(graph, batch);
    }
    if (result == VKS_OK && steps) {
        result = vks_schedule(&graph->declaration, VKS_EACH_STEP, batch->parity, phase, steps,
                              &batch->schedule);
        if (result == VKS_OK) {
            result = record_batch(graph, batch);
        }
    }
    if (result != VKS_OK) {
        vks_destroy_batch(graph, batch);
        return result;
    }
    graph->batches[graph->batch_count++] = batch;
    *out = batch;
    return VKS_OK;
}

void vks_destroy_batch(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    if (batch->commands) {
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &batch->commands);
    }
    if (batch->queries) {
        gpu->vk.vkDestroyQueryPool(gpu->device, batch->queries, NULL);
    }
    vks_schedule_free(&batch->schedule);
    free(batch->parity);
    free(batch->timed);
    free(batch);
}

/* --- running --------------------------------------------------------------------------------- */

/* How many steps a submission may hold: one until the first time is known. */
static void adapt(struct vks_graph *graph)
{
    if (graph->step_seconds <= 0) {
        return;
    }
    double fit = batch_seconds / graph->step_seconds;
    double limit = graph->batch_limit;
    if (fit < limit || fit > 4 * limit) { /* some slack, so that it settles */
        uint32_t steps = 1;
        while (steps < graph->max_batch_steps && 2.0 * steps <= fit) {
            steps *= 2;
        }
        graph->batch_limit = steps;
    }
}

enum vks_result vks_graph_run(struct vks_graph *graph, uint64_t steps)
{
    while (steps > 0) {
        uint64_t *slot = &graph->in_flight[graph->in_flight_at];
        if (*slot) {
            enum vks_result result = vks_gpu_wait(graph->gpu, *slot);
            if (result != VKS_OK) {
                return result;
            }
        }
        vks_collect_done(graph);
        drop_stale(graph);
        enum vks_result result = vks_watch_check(graph);
        if (result != VKS_OK) {
            return result;
        }
        adapt(graph);
        uint32_t count = steps < graph->batch_limit ? (uint32_t)steps : graph->batch_limit;
        struct vks_batch *batch;
        result = find_batch(graph, count, &batch);
        if (result != VKS_OK) {
            return result;
        }
        if (batch->uncollected) {
            vks_collect_done(graph);
        }
        result = vks_gpu_submit(graph->gpu, batch->commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        if (result != VKS_OK) {
            return result;
        }
        batch->value = graph->gpu->submitted;
        batch->submitted_at = vks_seconds();
        batch->uncollected = true;
        *slot = batch->value;
        graph->in_flight_at = (graph->in_flight_at + 1) % VKS_MAX_IN_FLIGHT;
        memcpy(graph->parity, batch->schedule.parity, graph->declaration.field_count);
        graph->steps += count;
        batch->end = graph->steps;
        steps -= count;
    }
    return VKS_OK;
}

uint64_t vks_graph_steps(const struct vks_graph *graph)
{
    return graph->steps;
}

enum vks_result vks_graph_wait(struct vks_graph *graph)
{
    enum vks_result result = vks_gpu_wait(graph->gpu, graph->gpu->submitted);
    vks_collect_done(graph);
    return result == VKS_OK ? vks_watch_check(graph) : result;
}

/* Everything before becomes readable by transfers, everything that transfers write by all. */
static void transfer_barrier(struct vks_graph *graph, VkCommandBuffer commands)
{
    const struct vks_barrier barrier = {
        .needed = true,
        .src_stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .src_access = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .dst_stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
                     VK_PIPELINE_STAGE_2_HOST_BIT,
        .dst_access = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                      VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT |
                      VK_ACCESS_2_HOST_READ_BIT,
    };
    record_barrier(graph, commands, &barrier);
}

static size_t find_index(const struct vks_graph *graph, const struct vks_batch *batch)
{
    size_t i = 0;
    while (graph->batches[i] != batch) {
        i++;
    }
    return i;
}

/* A command buffer for one use: schedule `when`, then `record`, then submission. */
enum vks_result vks_run_once(struct vks_graph *graph, enum vks_when when,
                             void (*record)(void *user, VkCommandBuffer commands), void *user,
                             VkSemaphore wait, VkSemaphore signal)
{
    const size_t fields = graph->declaration.field_count;
    struct vks_batch *batch;
    vks_collect_done(graph);
    drop_stale(graph);
    enum vks_result result = vks_watch_check(graph);
    if (result == VKS_OK) {
        result = find_batch(graph, 0, &batch);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (batch->uncollected) {
        vks_collect_done(graph);
    }
    vks_schedule_free(&batch->schedule);
    batch->when = when;
    memcpy(batch->parity, graph->parity, fields);
    result = vks_schedule(&graph->declaration, when, batch->parity, 0, 1, &batch->schedule);
    if (result == VKS_OK) {
        result = begin(graph, batch->commands);
    }
    if (result == VKS_OK) {
        result = record_schedule(graph, batch);
    }
    if (result != VKS_OK) { /* half recorded: of no more use */
        graph->batches[find_index(graph, batch)] = graph->batches[--graph->batch_count];
        vks_destroy_batch(graph, batch);
        return result;
    }
    memcpy(graph->parity, batch->schedule.parity, fields); /* what `record` sees */
    batch->watched = !graph->declaration.goes_on || when != VKS_EACH_FRAME;
    if (batch->watched) {
        vks_watch_record(graph, batch);
    }
    if (record) {
        transfer_barrier(graph, batch->commands);
        record(user, batch->commands);
        transfer_barrier(graph, batch->commands);
    }
    result = vks_gpu_check(graph->gpu, graph->gpu->vk.vkEndCommandBuffer(batch->commands),
                           "vkEndCommandBuffer");
    if (result == VKS_OK) {
        result = vks_gpu_submit(graph->gpu, batch->commands, wait, signal);
    }
    if (result == VKS_OK) {
        batch->value = graph->gpu->submitted;
        batch->end = graph->steps;
        batch->uncollected = true;
    } else {
        memcpy(graph->parity, batch->parity, fields);
    }
    return result;
}

enum vks_result vks_graph_frame(struct vks_graph *graph,
                                void (*record)(void *user, VkCommandBuffer commands), void *user,
                                VkSemaphore wait, VkSemaphore signal, uint64_t *value)
{
    enum vks_result result = vks_run_once(graph, VKS_EACH_FRAME, record, user, wait, signal);
    *value = graph->gpu->submitted;
    return result;
}

/* A command buffer of only transfers. */
enum vks_result vks_transfer(struct vks_graph *graph,
                             void (*record)(void *user, VkCommandBuffer commands), void *user)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    enum vks_result result = create_commands(graph, &commands);
    if (result == VKS_OK) {
        result = begin(graph, commands);
    }
    if (result == VKS_OK) {
        vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)commands,
                     "transfer");
        transfer_barrier(graph, commands);
        record(user, commands);
        transfer_barrier(graph, commands);
        result = vks_gpu_check(graph->gpu, graph->gpu->vk.vkEndCommandBuffer(commands),
                               "vkEndCommandBuffer");
    }
    if (result == VKS_OK) {
        result = vks_gpu_submit(graph->gpu, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    if (result == VKS_OK) {
        result = vks_gpu_wait(graph->gpu, graph->gpu->submitted);
    }
    if (commands) {
        graph->gpu->vk.vkFreeCommandBuffers(graph->gpu->device, graph->gpu->pool, 1, &commands);
    }
    return result;
}

void vks_graph_break_barriers(struct vks_graph *graph)
{
    graph->broken_barriers = true;
}
