/* SPDX-License-Identifier: MIT */
/* Batches and frames: which commands are recorded, kept and submitted, and when. */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/profile.h"
#include "ranks/transport.h"

/* An unused slot for watched words. */
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

static void remove_batch(struct vks_graph *graph, size_t index)
{
    vks_destroy_batch(graph, graph->batches[index]);
    graph->batches[index] = graph->batches[--graph->batch_count];
}

/* Frees the batches recorded before a change that have completed. */
static void drop_stale(struct vks_graph *graph)
{
    for (size_t i = graph->batch_count; i-- > 0;) {
        const struct vks_batch *batch = graph->batches[i];
        if (batch->stale && vks_gpu_reached(graph->gpu, batch->value) && !batch->uncollected) {
            remove_batch(graph, i);
        }
    }
}

/* Makes room for a batch: evicts the least recently used one, once it has completed. */
static enum vks_result make_room(struct vks_graph *graph)
{
    size_t oldest = 0;
    if (graph->batch_count < VKS_MAX_BATCHES) {
        return VKS_OK;
    }
    for (size_t i = 1; i < graph->batch_count; i++) {
        oldest = graph->batches[i]->used < graph->batches[oldest]->used ? i : oldest;
    }
    const enum vks_result result = vks_gpu_wait(graph->gpu, graph->batches[oldest]->value);
    if (result == VKS_OK) {
        vks_collect_done(graph);
        remove_batch(graph, oldest);
    }
    return result;
}

/* A batch that is not in flight: one recorded with this key, else a new one. */
static enum vks_result find_batch(struct vks_graph *graph, uint32_t steps, struct vks_batch **out)
{
    const uint32_t timed_steps = vks_choose_timed(graph, steps);
    const bool divided =
        steps == 1 && graph->division.between && graph->step_seconds > graph->division.seconds;
    const size_t fields = graph->declaration.field_count;
    uint32_t phase = (uint32_t)(graph->steps % graph->period);
    for (size_t i = 0; i < graph->batch_count; i++) {
        struct vks_batch *batch = graph->batches[i];
        if (vks_gpu_reached(graph->gpu, batch->value) && batch->steps == steps &&
            batch->timed_steps == timed_steps && !batch->stale &&
            (steps == 0 || (batch->divided == divided && batch->turn == graph->turn &&
                            vks_schedule_is_same(&graph->declaration, steps, batch->phase, phase) &&
                            memcmp(batch->parity, graph->parity, fields) == 0))) {
            batch->used = ++graph->uses;
            *out = batch;
            return VKS_OK;
        }
    }
    enum vks_result result = make_room(graph);
    if (result != VKS_OK) {
        return result;
    }
    struct vks_batch *batch = calloc(1, sizeof(*batch));
    if (!batch) {
        return vks_fail_memory();
    }
    batch->slot = free_slot(graph);
    batch->steps = steps;
    batch->timed_steps = timed_steps;
    batch->divided = divided;
    batch->turn = graph->turn;
    batch->phase = phase;
    batch->used = ++graph->uses;
    batch->watched = true;
    batch->parity = malloc(fields + 1);
    result = batch->parity ? vks_create_commands(graph, &batch->commands) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_create_queries(graph, batch);
    }
    if (result == VKS_OK) {
        memcpy(batch->parity, graph->parity, fields);
        vks_name_batch(graph, batch);
    }
    if (result == VKS_OK && steps) {
        result = vks_schedule(&graph->declaration, VKS_EACH_STEP, batch->parity, phase, steps,
                              &batch->schedule);
        if (result == VKS_OK) {
            result = vks_record_batch(graph, batch);
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

static void free_earlier(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    if (batch->earlier_count > 0) {
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, batch->earlier_count, batch->earlier);
    }
    batch->earlier_count = 0;
}

void vks_destroy_batch(struct vks_graph *graph, struct vks_batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    if (batch->commands) {
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &batch->commands);
    }
    free_earlier(graph, batch);
    if (batch->queries) {
        gpu->vk.vkDestroyQueryPool(gpu->device, batch->queries, NULL);
    }
    vks_schedule_free(&batch->schedule);
    free(batch->parity);
    free(batch->timed);
    free(batch);
}

/* --- running --------------------------------------------------------------------------------- */

/* Adapts the steps per submission, one until the first time is known. */
static void adapt(struct vks_graph *graph)
{
    const uint32_t asked = graph->gpu->probe.batch_steps;
    if (asked > 0) {
        graph->batch_limit = asked < graph->max_batch_steps ? asked : graph->max_batch_steps;
        return;
    }
    if (graph->step_seconds <= 0) {
        return;
    }
    const double most = graph->division.between ? graph->division.seconds : graph->gpu->batch;
    double fit = most / graph->step_seconds;
    double limit = graph->batch_limit;
    if (fit < limit || fit > 4 * limit) { /* hysteresis */
        uint32_t steps = 1;
        while (steps < graph->max_batch_steps && 2.0 * steps <= fit) {
            steps *= 2;
        }
        graph->batch_limit = steps;
    }
}

/* Steps of the next batch, of at most `steps`: traced ones are in batches of their own. */
static uint32_t choose_steps(const struct vks_graph *graph, uint64_t steps)
{
    uint64_t left;
    const bool traced = vks_profile_enter_step(graph->steps, &left);
    uint64_t count = steps < graph->batch_limit ? steps : graph->batch_limit;
    count = count < left ? count : left;
    return (uint32_t)(traced && count > VKS_TRACED_STEPS ? VKS_TRACED_STEPS : count);
}

/* Between two parts: a meeting, or the division's function, whose result is *answer. */
static enum vks_result between(struct vks_graph *graph, const struct vks_batch *batch,
                               uint32_t part, uint64_t before, uint32_t *turn,
                               enum vks_result *answer)
{
    const uint32_t meeting = batch->met[part];
    const struct vks_division *division = &graph->division;
    enum vks_result result = vks_gpu_wait(graph->gpu, meeting > 0 ? graph->gpu->submitted : before);
    if (result == VKS_OK && meeting > 0) {
        result = vks_meeting_hold(graph, meeting - 1, *turn);
        *turn = (*turn + 1) % VKS_TURNS;
    } else if (result == VKS_OK && *answer == VKS_OK) {
        *answer = division->between(division->user);
    }
    return result;
}

/* Submits all parts. *answer: what the division's function says. */
static enum vks_result submit_parts(struct vks_graph *graph, const struct vks_batch *batch,
                                    VkSemaphore wait, VkSemaphore signal, enum vks_result *answer)
{
    struct vks_gpu *gpu = graph->gpu;
    enum vks_result result = VKS_OK;
    uint32_t turn = batch->turn;
    for (uint32_t i = 0; i < batch->earlier_count && result == VKS_OK; i++) {
        const uint64_t before = gpu->submitted;
        result =
            vks_gpu_submit(gpu, batch->earlier[i], i == 0 ? wait : VK_NULL_HANDLE, VK_NULL_HANDLE);
        if (result == VKS_OK) {
            result = between(graph, batch, i, before, &turn, answer);
        }
    }
    graph->turn = turn;
    return result == VKS_OK
               ? vks_gpu_submit(gpu, batch->commands,
                                batch->earlier_count == 0 ? wait : VK_NULL_HANDLE, signal)
               : result;
}

static enum vks_result run_batches(struct vks_graph *graph, uint64_t steps)
{
    enum vks_result answer = VKS_OK;
    while (steps > 0) {
        const uint64_t earlier = graph->in_flight[graph->in_flight_at];
        if (earlier) {
            enum vks_result result = vks_gpu_wait(graph->gpu, earlier);
            if (result != VKS_OK) {
                return result;
            }
        }
        vks_collect_done(graph);
        drop_stale(graph);
        enum vks_result result = vks_graph_check(graph);
        if (result != VKS_OK) {
            return result;
        }
        adapt(graph);
        uint64_t most = steps;
        result = vks_meetings_open(graph);
        if (result == VKS_OK) {
            result = vks_exchange_due(graph, &most);
        }
        if (result != VKS_OK) {
            return result;
        }
        const uint32_t count = choose_steps(graph, most);
        struct vks_batch *batch;
        result = find_batch(graph, count, &batch);
        if (result != VKS_OK) {
            return result;
        }
        if (batch->uncollected) {
            vks_collect_done(graph);
        }
        const double begun = vks_seconds();
        result = submit_parts(graph, batch, VK_NULL_HANDLE, VK_NULL_HANDLE, &answer);
        if (result != VKS_OK) {
            return result;
        }
        batch->value = graph->last = graph->gpu->submitted;
        batch->submitted_at = begun;
        batch->uncollected = true;
        batch->traced = vks_profile_traces();
        graph->in_flight[graph->in_flight_at] = batch->value;
        graph->in_flight_at = (graph->in_flight_at + 1) % VKS_MAX_IN_FLIGHT;
        memcpy(graph->parity, batch->schedule.parity, graph->declaration.field_count);
        graph->steps += count;
        batch->end = graph->steps;
        steps -= count;
        vks_exchange_passed(graph, count);
    }
    return answer;
}

void vks_graph_divide(struct vks_graph *graph, const struct vks_division *division)
{
    graph->division = division ? *division : (struct vks_division){0};
}

enum vks_result vks_graph_run(struct vks_graph *graph, uint64_t steps)
{
    vks_phase_begin(graph->ran ? VKS_PHASE_SIMULATE : VKS_PHASE_FIRST_STEP);
    vks_phase_step(graph->steps);
    const enum vks_result result = vks_meetings_end(graph, run_batches(graph, steps));
    graph->ran = graph->ran || steps > 0;
    vks_phase_end();
    return result;
}

uint64_t vks_graph_steps(const struct vks_graph *graph)
{
    return graph->from ? graph->from->steps : graph->steps;
}

enum vks_result vks_graph_wait(struct vks_graph *graph)
{
    enum vks_result result = vks_gpu_wait(graph->gpu, graph->gpu->submitted);
    vks_collect_done(graph);
    return result == VKS_OK ? vks_graph_check(graph) : result;
}

void vks_record_transfer_barrier(struct vks_graph *graph, VkCommandBuffer commands)
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
    vks_record_barrier(graph, commands, &barrier);
}

static size_t find_index(const struct vks_graph *graph, const struct vks_batch *batch)
{
    size_t i = 0;
    while (graph->batches[i] != batch) {
        i++;
    }
    return i;
}

/* Whether the passes of a frame are known to be too long for one part. */
static bool is_long_frame(const struct vks_graph *graph)
{
    double seconds = 0;
    for (size_t i = 0; graph->division.between && i < graph->declaration.pass_count; i++) {
        seconds += graph->declaration.passes[i].when == VKS_EACH_FRAME
                       ? vks_pass_mean(&graph->passes[i])
                       : 0;
    }
    return seconds > graph->division.seconds;
}

/* Schedules and records the passes of `when` for one submission, or a long frame in parts. */
static enum vks_result record_once(struct vks_graph *graph, enum vks_when when,
                                   struct vks_batch *batch)
{
    vks_schedule_free(&batch->schedule);
    free_earlier(graph, batch);
    batch->when = when;
    batch->divided = when == VKS_EACH_FRAME && is_long_frame(graph);
    batch->turn = graph->turn;
    memcpy(batch->parity, graph->parity, graph->declaration.field_count);
    enum vks_result result =
        vks_schedule(&graph->declaration, when, batch->parity, 0, 1, &batch->schedule);
    if (result == VKS_OK) {
        result = vks_begin(graph, batch->commands, 0);
    }
    if (result == VKS_OK) {
        result = vks_record_schedule(graph, batch);
    }
    return result;
}

void vks_follow(struct vks_graph *graph)
{
    for (size_t i = 0; graph->from && i < graph->declaration.field_count; i++) {
        if (graph->sources[i] != VKS_OWN_FIELD) {
            const struct vks_graph *owner = vks_owner_of(graph, &graph->declaration.fields[i]);
            graph->parity[i] = owner->parity[graph->sources[i]];
        }
    }
    graph->steps = vks_graph_steps(graph);
}

/* Fails once a status word other than 0 has arrived, of the steps or of this graph. */
static enum vks_result check_status(struct vks_graph *graph)
{
    if (graph->from) {
        vks_collect_done(graph->from);
    }
    enum vks_result result = graph->from ? vks_graph_check(graph->from) : VKS_OK;
    if (graph->twin && result == VKS_OK) {
        vks_collect_done(graph->twin);
        result = vks_graph_check(graph->twin);
    }
    return result == VKS_OK ? vks_graph_check(graph) : result;
}

/* The schedule of `when`, then `record`; in one submission, or a long frame in parts. */
enum vks_result vks_run_once(struct vks_graph *graph, enum vks_when when,
                             void (*record)(void *user, VkCommandBuffer commands), void *user,
                             VkSemaphore wait, VkSemaphore signal)
{
    const size_t fields = graph->declaration.field_count;
    struct vks_batch *batch;
    enum vks_result answer = VKS_OK;
    vks_collect_done(graph);
    drop_stale(graph);
    vks_follow(graph);
    /* After a status word has ended the run, the state can still be read, changed and restarted. */
    enum vks_result result = when == VKS_EACH_FRAME ? check_status(graph) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_meetings_open(graph);
    }
    if (result == VKS_OK) {
        result = find_batch(graph, 0, &batch);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (batch->uncollected) {
        vks_collect_done(graph);
    }
    result = record_once(graph, when, batch);
    if (result != VKS_OK) {
        remove_batch(graph, find_index(graph, batch));
        return result;
    }
    memcpy(graph->parity, batch->schedule.parity, fields); /* as of `record` */
    batch->watched = !graph->declaration.continues || when != VKS_EACH_FRAME;
    if (batch->watched) {
        vks_watch_record(graph, batch);
    }
    if (record) {
        vks_record_transfer_barrier(graph, batch->commands);
        record(user, batch->commands);
        vks_record_transfer_barrier(graph, batch->commands);
    }
    result = vks_gpu_check(graph->gpu, graph->gpu->vk.vkEndCommandBuffer(batch->commands),
                           "vkEndCommandBuffer");
    const double begun = vks_seconds();
    if (result == VKS_OK) {
        result = submit_parts(graph, batch, wait, signal, &answer);
    }
    if (result == VKS_OK) {
        batch->value = graph->last = graph->gpu->submitted;
        batch->submitted_at = begun;
        batch->end = graph->steps;
        batch->uncollected = true;
        batch->traced = when == VKS_EACH_FRAME && vks_profile_traces();
    } else {
        memcpy(graph->parity, batch->parity, fields);
    }
    return vks_meetings_end(graph, result == VKS_OK ? answer : result);
}

enum vks_result vks_graph_frame(struct vks_graph *graph,
                                void (*record)(void *user, VkCommandBuffer commands), void *user,
                                VkSemaphore wait, VkSemaphore signal, uint64_t *value)
{
    vks_phase_begin(VKS_PHASE_DRAW);
    vks_phase_step(graph->steps);
    enum vks_result result = vks_run_once(graph, VKS_EACH_FRAME, record, user, wait, signal);
    vks_phase_end();
    *value = graph->gpu->submitted;
    return result;
}

void vks_drop_transfers(struct vks_graph *graph)
{
    for (size_t i = graph->transfer_count; i-- > 0;) {
        struct vks_transfer *transfer = &graph->transfers[i];
        if (vks_gpu_reached(graph->gpu, transfer->value)) {
            graph->gpu->vk.vkFreeCommandBuffers(graph->gpu->device, graph->gpu->pool, 1,
                                                &transfer->commands);
            vks_buffer_destroy(graph->gpu, &transfer->staging);
            *transfer = graph->transfers[--graph->transfer_count];
        }
    }
}

enum vks_result vks_record_transfer(struct vks_graph *graph, VkCommandBuffer commands,
                                    VkCommandBufferUsageFlags usage,
                                    void (*record)(void *user, VkCommandBuffer commands),
                                    void *user)
{
    enum vks_result result = vks_begin(graph, commands, usage);
    if (result == VKS_OK) {
        vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)commands,
                     "transfer");
        vks_record_transfer_barrier(graph, commands);
        record(user, commands);
        vks_record_transfer_barrier(graph, commands);
        result = vks_gpu_check(graph->gpu, graph->gpu->vk.vkEndCommandBuffer(commands),
                               "vkEndCommandBuffer");
    }
    return result;
}

enum vks_result vks_submit_transfer(struct vks_graph *graph, VkCommandBuffer commands,
                                    void (*record)(void *user, VkCommandBuffer commands),
                                    void *user)
{
    enum vks_result result = vks_record_transfer(graph, commands, 0, record, user);
    if (result == VKS_OK) {
        result = vks_gpu_submit(graph->gpu, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    graph->last = result == VKS_OK ? graph->gpu->submitted : graph->last;
    return result;
}

enum vks_result vks_start_transfer(struct vks_graph *graph,
                                   void (*record)(void *user, VkCommandBuffer commands), void *user,
                                   struct vks_buffer *staging)
{
    struct vks_transfer transfer = {.staging = staging ? *staging : (struct vks_buffer){0}};
    vks_drop_transfers(graph);
    struct vks_transfer *grown = vks_grow(graph->transfers, sizeof(*grown), graph->transfer_count,
                                          &graph->transfer_capacity);
    graph->transfers = grown ? grown : graph->transfers;
    enum vks_result result =
        grown ? vks_create_commands(graph, &transfer.commands) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_submit_transfer(graph, transfer.commands, record, user);
    }
    if (result == VKS_OK) {
        transfer.value = graph->last;
        graph->transfers[graph->transfer_count++] = transfer;
        return VKS_OK;
    }
    if (transfer.commands) {
        graph->gpu->vk.vkFreeCommandBuffers(graph->gpu->device, graph->gpu->pool, 1,
                                            &transfer.commands);
    }
    vks_buffer_destroy(graph->gpu, &transfer.staging);
    return result;
}

enum vks_result vks_transfer(struct vks_graph *graph,
                             void (*record)(void *user, VkCommandBuffer commands), void *user)
{
    enum vks_result result = vks_start_transfer(graph, record, user, NULL);
    if (result == VKS_OK) {
        result = vks_gpu_wait(graph->gpu, graph->last);
    }
    vks_drop_transfers(graph);
    return result;
}

void vks_graph_break_barriers(struct vks_graph *graph)
{
    graph->broken_barriers = true;
}
