/* SPDX-License-Identifier: MIT */
/* Schedules as command buffers: dispatches, barriers, the clock, and which passes are timed. */
#include "graph/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/profile.h"
#include "ranks/transport.h"

enum {
    MAX_BATCH_STEPS = 1024,
    TIMED_FIRST = 4,  /* first steps and frames, always timed pass by pass */
    TIMED_STEPS = 16, /* max timed steps of a batch */
    FRAME_SHARE = 16, /* one frame in this many is timed */
    LONG_BATCH = 16,  /* batches of this many steps or more have timestamps at both ends */
};

/* Seconds to time the passes of a step on a fast GPU, and the share of the run it may take. */
static const double timed_step_cost = 25e-6;
static const double timed_part = 0.01;

/* Constants of core/advance, which advances the clock by the steps of a batch. */
struct advance_constants {
    uint32_t step_in_batch;
    uint32_t steps;
};

static bool meets_in_steps(const struct vks_declaration *declaration)
{
    bool meets = false;
    for (size_t i = 0; i < declaration->meeting_count; i++) {
        meets = meets || declaration->meetings[i].when == VKS_EACH_STEP;
    }
    return meets;
}

void vks_size_batches(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    uint32_t dispatches = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        dispatches += pass->when == VKS_EACH_STEP && pass->steps_per_dispatch == 1;
    }
    graph->max_batch_steps = meets_in_steps(declaration) ? 1 : MAX_BATCH_STEPS;
    while (graph->max_batch_steps > 1 &&
           (uint64_t)graph->max_batch_steps * dispatches > VKS_MAX_DISPATCHES) {
        graph->max_batch_steps /= 2;
    }
    /* The passes of the timed steps, a start mark per step, both ends, and those of parts. */
    const uint32_t timed = vks_profile_will_trace() ? VKS_TRACED_STEPS : TIMED_STEPS;
    graph->max_queries =
        (timed + 1) * ((uint32_t)declaration->pass_count + 1) + 2 + 2 * VKS_MAX_EARLIER;
}

static void timestamp(struct vks_graph *graph, struct vks_batch *batch, uint32_t item)
{
    if (!batch->queries) {
        return;
    }
    graph->gpu->vk.vkCmdWriteTimestamp2(batch->commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                        batch->queries, batch->query_count);
    batch->timed[batch->query_count++] = item;
}

void vks_record_barrier(struct vks_graph *graph, VkCommandBuffer commands,
                        const struct vks_barrier *barrier)
{
    struct vks_barrier with_texels = *barrier;
    if (graph->gpu->info.type == VKS_DEVICE_SOFTWARE &&
        (barrier->dst_access & VK_ACCESS_2_SHADER_STORAGE_READ_BIT)) {
        with_texels.dst_access |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    }
    if (!graph->broken_barriers) {
        vks_barrier_record(&graph->gpu->vk, commands, &with_texels);
    }
}

/* Whether a pass can run its workgroups one by one or in slices: gl_NumWorkGroups is then smaller,
 * which must only number them along axes that have one. */
static bool is_orderly(const struct vks_pass_state *state)
{
    const struct vks_reflection *reflection = &state->pipeline.reflection;
    bool orderly = !reflection->counts_groups;
    for (uint32_t axis = 0; axis < 3; axis++) {
        orderly = orderly && (!(reflection->numbered_axes >> axis & 1) || state->groups[axis] == 1);
    }
    return orderly;
}

/* Some of the workgroups of a pass: slice `index` of `count` along an axis. */
struct slice {
    uint32_t axis, index, count; /* a count of 1: all */
};

/* The axis along which a pass has the most workgroups, and how many slices it can have there. */
static uint32_t find_axis(const struct vks_pass_state *state, uint32_t *most)
{
    uint32_t best = 0;
    for (uint32_t axis = 1; axis < 3; axis++) {
        best = state->groups[axis] > state->groups[best] ? axis : best;
    }
    *most = is_orderly(state) ? state->groups[best] : 1;
    return best;
}

static void dispatch_slice(struct vks_graph *graph, VkCommandBuffer commands,
                           const struct vks_pass_state *state, const struct slice *slice)
{
    uint32_t base[3] = {0}, count[3];
    memcpy(count, state->groups, sizeof(count));
    const uint64_t all = count[slice->axis];
    base[slice->axis] = (uint32_t)(all * slice->index / slice->count);
    count[slice->axis] = (uint32_t)(all * (slice->index + 1) / slice->count) - base[slice->axis];
    graph->gpu->vk.vkCmdDispatchBase(commands, base[0], base[1], base[2], count[0], count[1],
                                     count[2]);
}

static void dispatch(struct vks_graph *graph, VkCommandBuffer commands,
                     const struct vks_pass_state *state)
{
    static const struct vks_barrier between = {
        .needed = true,
        .src_stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        .dst_stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        .src_access = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
        .dst_access = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
    };
    const struct VolkDeviceTable *vk = &graph->gpu->vk;
    const uint32_t *groups = state->groups;
    if (!graph->gpu->probe.reversed || !is_orderly(state)) {
        vk->vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
        return;
    }
    for (uint64_t i = (uint64_t)groups[0] * groups[1] * groups[2]; i-- > 0;) {
        vk->vkCmdDispatchBase(commands, (uint32_t)(i % groups[0]),
                              (uint32_t)(i / groups[0] % groups[1]),
                              (uint32_t)(i / groups[0] / groups[1]), 1, 1, 1);
        if (i > 0) {
            vks_record_barrier(graph, commands, &between);
        }
    }
}

static enum vks_result record_item(struct vks_graph *graph, struct vks_batch *batch, uint32_t index,
                                   const struct slice *slice)
{
    struct vks_gpu *gpu = graph->gpu;
    const struct vks_scheduled *item = &batch->schedule.items[index];
    const struct vks_pass_state *state = &graph->passes[item->pass];
    const struct vks_pass *pass = &graph->declaration.passes[item->pass];
    const struct vks_pipeline *pipeline = slice->count > 1 ? &state->sliced : &state->pipeline;
    VkDescriptorSet set;
    enum vks_result result = vks_set_for(graph, item, &set);
    if (result != VKS_OK) {
        return result;
    }
    if (slice->index == 0) {
        vks_record_barrier(graph, batch->commands, &item->barrier);
    }
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
    if (slice->count > 1) {
        dispatch_slice(graph, batch->commands, state, slice);
    } else {
        dispatch(graph, batch->commands, state);
    }
    vks_gpu_label_end(gpu, batch->commands);
    return VKS_OK;
}

/* Advances the clock, after everything else in the batch. */
static void record_advance(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    struct advance_constants push = {.steps = batch->steps};
    struct vks_resource_use use = {
        vks_clock_resource(&graph->declaration), VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
    struct vks_barrier barrier = vks_sync_next(&batch->schedule.sync, &use, 1);
    vks_record_barrier(graph, batch->commands, &barrier);
    gpu->vk.vkCmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              graph->advance.pipeline);
    gpu->vk.vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    graph->advance.layout, 0, 1, &graph->advance_set, 0, NULL);
    gpu->vk.vkCmdPushConstants(batch->commands, graph->advance.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                               0, sizeof(push), &push);
    gpu->vk.vkCmdDispatch(batch->commands, 1, 1, 1);
}

enum vks_result vks_begin(struct vks_graph *graph, VkCommandBuffer commands,
                          VkCommandBufferUsageFlags usage)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = usage};
    return vks_gpu_check(graph->gpu, graph->gpu->vk.vkBeginCommandBuffer(commands, &info),
                         "vkBeginCommandBuffer");
}

enum vks_result vks_create_commands(struct vks_graph *graph, VkCommandBuffer *commands)
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

/* Ends a part, with that mark and before that meeting, if it is not 0, and begins the next. */
static enum vks_result begin_part(struct vks_graph *graph, struct vks_batch *batch, uint32_t mark,
                                  uint32_t meeting)
{
    timestamp(graph, batch, mark);
    enum vks_result result = vks_gpu_check(
        graph->gpu, graph->gpu->vk.vkEndCommandBuffer(batch->commands), "vkEndCommandBuffer");
    if (result != VKS_OK) {
        return result;
    }
    batch->met[batch->earlier_count] = meeting;
    batch->earlier[batch->earlier_count++] = batch->commands;
    batch->commands = VK_NULL_HANDLE;
    result = vks_create_commands(graph, &batch->commands);
    if (result == VKS_OK) {
        vks_name_batch(graph, batch);
        result = vks_begin(graph, batch->commands, 0);
    }
    if (result == VKS_OK) {
        timestamp(graph, batch, VKS_MARK_PART);
    }
    return result;
}

double vks_pass_mean(const struct vks_pass_state *state)
{
    return state->samples > 0 ? state->sum / (double)state->samples : 0;
}

static double time_of(const struct vks_graph *graph, const struct vks_batch *batch, uint32_t index)
{
    return vks_pass_mean(&graph->passes[batch->schedule.items[index].pass]);
}

/* Begins a part before a pass that would make the present one too long; *spent is its time. */
static enum vks_result divide(struct vks_graph *graph, struct vks_batch *batch, uint32_t index,
                              double *spent)
{
    const double time = time_of(graph, batch, index);
    const bool full = batch->divided && index > 0 && *spent + time > graph->division.seconds &&
                      batch->earlier_count < VKS_MAX_EARLIER;
    *spent = full ? time : *spent + time;
    return full ? begin_part(graph, batch, VKS_MARK_START, 0) : VKS_OK;
}

/* Begins a part after a meeting, whose copies are at the end of one and the start of the next. */
static enum vks_result meet(struct vks_graph *graph, struct vks_batch *batch, uint32_t meeting)
{
    const uint32_t turn = (batch->turn + batch->meetings++) % VKS_TURNS;
    if (batch->earlier_count == VKS_MAX_EARLIER) {
        return vks_fail(VKS_ERROR_INTERNAL, "ranks meet too often in a step");
    }
    vks_record_transfer_barrier(graph, batch->commands);
    vks_meeting_record(graph, meeting - 1, turn, false, batch->commands);
    vks_record_transfer_barrier(graph, batch->commands);
    const enum vks_result result = begin_part(graph, batch, VKS_MARK_START, meeting);
    if (result == VKS_OK) {
        vks_record_transfer_barrier(graph, batch->commands);
        vks_meeting_record(graph, meeting - 1, turn, true, batch->commands);
        vks_record_transfer_barrier(graph, batch->commands);
    }
    return result;
}

/* The slices of a pass that is too long for one part, if it can be cut. */
static struct slice choose_slices(const struct vks_graph *graph, const struct vks_batch *batch,
                                  uint32_t index)
{
    const struct vks_pass_state *state = &graph->passes[batch->schedule.items[index].pass];
    struct slice slice = {.count = 1};
    uint32_t groups;
    if (batch->divided) {
        slice.axis = find_axis(state, &groups);
        const double wanted = ceil(time_of(graph, batch, index) / graph->division.seconds);
        const uint32_t most = VKS_MAX_EARLIER - batch->earlier_count + 1;
        const uint32_t limit = groups < most ? groups : most;
        slice.count = wanted <= 1 ? 1 : wanted < limit ? (uint32_t)wanted : limit;
    }
    return slice;
}

enum vks_result vks_build_pipeline(struct vks_graph *graph, size_t number, bool sliced)
{
    const struct vks_pass *pass = &graph->declaration.passes[number];
    struct vks_pass_state *state = &graph->passes[number];
    struct vks_pipeline built, *pipeline = sliced ? &state->sliced : &state->pipeline;
    if (pipeline->pipeline) {
        return VKS_OK;
    }
    const enum vks_result result =
        vks_create_pass_pipeline(graph->gpu, &graph->declaration, pass, state->range,
                                 sliced ? VKS_BUILD_SLICED : VKS_BUILD_WHOLE, &built);
    if (result == VKS_OK) {
        *pipeline = built;
    }
    return result;
}

/* Records a pass, in parts if it is long; *spent is the time of the last one. */
static enum vks_result record_slices(struct vks_graph *graph, struct vks_batch *batch,
                                     uint32_t index, double *spent)
{
    struct slice slice = choose_slices(graph, batch, index);
    enum vks_result result =
        vks_build_pipeline(graph, batch->schedule.items[index].pass, slice.count > 1);
    for (; result == VKS_OK && slice.index < slice.count; slice.index++) {
        if (slice.index > 0) {
            result = begin_part(graph, batch, VKS_MARK_SLICE, 0);
            *spent = time_of(graph, batch, index) / slice.count;
        }
        if (result == VKS_OK) {
            result = record_item(graph, batch, index, &slice);
        }
    }
    return result;
}

/* Room for the timestamps of a batch. */
enum vks_result vks_create_queries(struct vks_graph *graph, struct vks_batch *batch)
{
    /* Long batches always have timestamps at both ends, and so do all batches of a measurement. */
    const uint32_t long_batch = graph->declaration.measures ? 1 : LONG_BATCH;
    if (graph->gpu->timestamp_period == 0 ||
        (batch->timed_steps == 0 && batch->steps < long_batch)) {
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

void vks_name_batch(const struct vks_graph *graph, const struct vks_batch *batch)
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

/* One step in this many is timed pass by pass: a power of two, so that batches are reused. */
static uint32_t timed_share(const struct vks_graph *graph)
{
    uint32_t share = 1;
    while (share < 512 && share * graph->step_seconds < timed_step_cost / timed_part) {
        share *= 2;
    }
    return graph->step_seconds > 0 ? share : 1;
}

/* Timestamps are not free: the first few steps are timed, then one in timed_share(). */
uint32_t vks_choose_timed(struct vks_graph *graph, uint32_t steps)
{
    if (graph->declaration.measures) { /* single steps; batches only as a whole */
        return steps == 1 && graph->gpu->timestamp_period > 0;
    }
    if (graph->gpu->timestamp_period > 0 && vks_profile_traces()) {
        return steps ? steps : 1; /* all */
    }
    const uint32_t share = steps ? timed_share(graph) : FRAME_SHARE;
    uint64_t *seen = steps ? &graph->steps_seen : &graph->frames_seen;
    uint64_t *timed = steps ? &graph->steps_timed : &graph->frames_timed;
    uint32_t count = steps / share < 1 ? 1 : steps / share;
    count = count < TIMED_STEPS ? count : TIMED_STEPS;
    const uint64_t due = TIMED_FIRST + *seen / share;
    if (graph->gpu->timestamp_period == 0 || *timed >= due) {
        count = 0;
        *timed = due; /* many timed while steps were slow must not stop timing once they are fast */
    }
    *seen += steps ? steps : 1;
    *timed += count;
    return count;
}

/* True if the passes of this round are timed. Timed rounds are spread evenly and exclude the
 * first. */
static bool is_timed(const struct vks_batch *batch, uint32_t round)
{
    if (batch->timed_steps == 0) {
        return false;
    }
    uint32_t rounds = batch->schedule.rounds;
    uint32_t apart = (rounds + batch->timed_steps - 1) / batch->timed_steps;
    return round % apart == apart / 2;
}

enum vks_result vks_record_schedule(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    batch->query_count = 0;
    batch->meetings = 0;
    if (batch->queries) {
        gpu->vk.vkCmdResetQueryPool(batch->commands, batch->queries, 0, graph->max_queries);
    }
    timestamp(graph, batch, VKS_MARK_START);
    uint32_t marked = 0; /* the last timestamp is the start of this round */
    double spent = 0;
    for (uint32_t i = 0; i < batch->schedule.count; i++) {
        uint32_t round = batch->schedule.items[i].round;
        bool timed = is_timed(batch, round);
        const uint32_t meeting = batch->schedule.items[i].meeting;
        enum vks_result result = divide(graph, batch, i, &spent);
        if (result == VKS_OK && meeting > 0) {
            result = meet(graph, batch, meeting);
        }
        if (result != VKS_OK) {
            return result;
        }
        if (timed && marked != round) {
            timestamp(graph, batch, VKS_MARK_START);
            marked = round;
        }
        result = record_slices(graph, batch, i, &spent);
        if (result != VKS_OK) {
            return result;
        }
        if (timed) {
            timestamp(graph, batch, i);
            marked = i + 1 < batch->schedule.count ? batch->schedule.items[i + 1].round : round;
        }
    }
    return batch->schedule.meeting > 0 ? meet(graph, batch, batch->schedule.meeting) : VKS_OK;
}

enum vks_result vks_record_batch(struct vks_graph *graph, struct vks_batch *batch)
{
    enum vks_result result = vks_begin(graph, batch->commands, 0);
    if (result == VKS_OK) {
        result = vks_record_schedule(graph, batch);
    }
    if (result == VKS_OK) {
        record_advance(graph, batch);
        timestamp(graph, batch, VKS_MARK_START);
        vks_watch_record(graph, batch);
        result = vks_gpu_check(graph->gpu, graph->gpu->vk.vkEndCommandBuffer(batch->commands),
                               "vkEndCommandBuffer");
    }
    return result;
}
