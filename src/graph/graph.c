/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "gpu/pipeline.h"

enum {
    MAX_BATCHES = 48,      /* recorded command buffers kept */
    MAX_IN_FLIGHT = 3,     /* batches submitted ahead of the GPU */
    MAX_BATCH_STEPS = 1024,
    TIMED_STEPS = 8,       /* steps of a batch whose passes are timed one by one */
    MAX_SAMPLES = 4096,    /* latest samples kept of each pass, for the percentiles */
    SETS_PER_PASS = 16,
    MAX_SETS = VKS_MAX_PASSES * SETS_PER_PASS,
    CHUNK = 32 << 20,      /* bytes a piece when fields are copied in and out */
};

static const double batch_seconds = 0.05;

/* The core's own shader, which moves the clock on by the steps of a batch. */
struct advance_constants {
    uint32_t step_in_batch;
    uint32_t steps;
};

struct pass_state {
    struct vks_pipeline pipeline;
    uint32_t groups[2];
    struct {
        uint32_t sides; /* bit i: side of use i */
        VkDescriptorSet set;
    } sets[SETS_PER_PASS];
    size_t set_count;
    uint64_t calls, samples;
    double sum;
    float latest[MAX_SAMPLES];
};

/* Commands recorded once. Free when the timeline has reached `value`. */
struct batch {
    VkCommandBuffer commands;
    VkQueryPool queries;
    uint32_t steps, sides, phase; /* the key; steps 0: a frame, recorded anew each time */
    uint32_t sides_after;
    uint64_t value;    /* of the last submission, 0 before */
    bool uncollected;  /* its timestamps have not been read yet */
    uint64_t used;     /* for eviction */
    struct vks_schedule schedule;
    uint32_t *timed; /* schedule index of each timed pass, or UINT32_MAX for a start mark */
    uint32_t query_count;
};

struct vks_graph {
    struct vks_gpu *gpu;
    struct vks_declaration declaration;
    struct pass_state passes[VKS_MAX_PASSES];
    struct vks_pipeline advance;
    VkDescriptorSet advance_set;
    VkDescriptorPool pool;
    struct vks_buffer buffers[VKS_CLOCK_RESOURCE + 1];
    struct vks_buffer staging_up, staging_down;
    uint32_t sides, period;
    uint64_t steps;
    struct batch *batches[MAX_BATCHES];
    size_t batch_count;
    uint64_t uses;
    uint64_t in_flight[MAX_IN_FLIGHT]; /* timeline values, a ring */
    size_t in_flight_at;
    uint32_t batch_limit;
    double step_seconds; /* of the latest batch, 0 before the first is done */
    double busy;
    uint64_t busy_steps;
    bool broken_barriers;
};

/* --- sizes ---------------------------------------------------------------------------------------- */

uint32_t vks_element_bytes(enum vks_element element)
{
    return element == VKS_U32X2 ? 8 : 4;
}

uint64_t vks_field_bytes(const struct vks_field *field)
{
    uint64_t bytes = 0;
    if (!vks_multiply(field->extent[0], field->rank == 2 ? field->extent[1] : 1, &bytes) ||
        !vks_multiply(bytes, vks_element_bytes(field->element), &bytes)) {
        return UINT64_MAX;
    }
    return bytes;
}

static enum vks_result check_sizes(const struct vks_gpu *gpu,
                                   const struct vks_declaration *declaration)
{
    uint64_t total = 0;
    char needs[32], has[32];
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        uint64_t bytes = vks_field_bytes(field);
        if (bytes > gpu->info.largest_buffer) {
            return vks_fail(VKS_ERROR_USAGE,
                            "the field '%s' needs %s, more than the %s that a buffer can have on "
                            "%s; choose a smaller --size or fewer items",
                            field->name, vks_format_bytes(bytes, needs),
                            vks_format_bytes(gpu->info.largest_buffer, has), gpu->info.name);
        }
        total += bytes * (field->ping_pong ? 2 : 1); /* each below 2^40: no overflow */
    }
    if (total > gpu->info.memory) {
        return vks_fail(VKS_ERROR_USAGE,
                        "the fields need %s in all, more than the %s of %s; choose a smaller "
                        "--size or fewer items",
                        vks_format_bytes(total, needs), vks_format_bytes(gpu->info.memory, has),
                        gpu->info.name);
    }
    return VKS_OK;
}

/* --- pipelines -------------------------------------------------------------------------------------- */

/* Index in pass->uses of a shader's block ("trail", or "trail_next" for what VKS_NEXT writes), or
 * -1. */
static int use_of_block(const struct vks_pass *pass, const char *block)
{
    for (int i = 0; i < VKS_MAX_USES && pass->uses[i].field; i++) {
        const struct vks_use *use = &pass->uses[i];
        char name[96];
        snprintf(name, sizeof(name), "%s%s", use->as ? use->as : use->field,
                 use->access & VKS_NEXT ? "_next" : "");
        if (strcmp(name, block) == 0) {
            return i;
        }
    }
    return -1;
}

/* A declaration that disagrees with its shader is an error at start-up. */
static enum vks_result check_agreement(const struct vks_declaration *declaration,
                                       const struct vks_pass *pass,
                                       const struct vks_reflection *reflection)
{
    size_t named = 0, uses = 0;
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        const struct vks_reflected_buffer *buffer = &reflection->buffers[i];
        if (strcmp(buffer->name, "clock") == 0) {
            continue;
        }
        int use = use_of_block(pass, buffer->name);
        if (use < 0) {
            return vks_fail(VKS_ERROR_GPU, "pass '%s' does not declare buffer '%s' of shader %s",
                            pass->name, buffer->name, pass->shader);
        }
        named++;
        const struct vks_field *field =
            &declaration->fields[vks_find_field(declaration, pass->uses[use].field)];
        bool reads_only = pass->uses[use].access == VKS_READ;
        if (reads_only != buffer->read_only) {
            return vks_fail(VKS_ERROR_GPU,
                            "pass '%s' %s '%s', but shader %s has it %s", pass->name,
                            reads_only ? "only reads" : "writes", buffer->name, pass->shader,
                            buffer->read_only ? "readonly" : "writable");
        }
        /* A shader may take several elements at a time. */
        if (buffer->stride % vks_element_bytes(field->element) != 0) {
            return vks_fail(VKS_ERROR_GPU, "shader %s has elements of %u bytes in '%s', the "
                                           "field has %u",
                            pass->shader, buffer->stride, buffer->name,
                            vks_element_bytes(field->element));
        }
    }
    while (uses < VKS_MAX_USES && pass->uses[uses].field) {
        uses++;
    }
    if (uses != named) {
        return vks_fail(VKS_ERROR_GPU, "pass '%s' declares a field that shader %s does not have",
                        pass->name, pass->shader);
    }
    if (reflection->push_size && reflection->push_size != 4 + pass->constants_size) {
        return vks_fail(VKS_ERROR_GPU, "pass '%s' has %zu bytes of constants, shader %s %u",
                        pass->name, pass->constants_size, pass->shader, reflection->push_size - 4);
    }
    return VKS_OK;
}

static enum vks_result create_pipeline(struct vks_gpu *gpu,
                                       const struct vks_declaration *declaration,
                                       const struct vks_pass *pass, struct vks_pipeline *pipeline)
{
    struct vks_constant constants[VKS_MAX_SPECIALIZATIONS];
    size_t count = 0;
    while (count < VKS_MAX_SPECIALIZATIONS && pass->specializations[count].name) {
        constants[count] = (struct vks_constant){pass->specializations[count].name,
                                                 pass->specializations[count].value};
        count++;
    }
    enum vks_result result =
        vks_pipeline_create(gpu, pipeline, pass->shader, pass->group, constants, count);
    return result == VKS_OK ? check_agreement(declaration, pass, &pipeline->reflection) : result;
}

enum vks_result vks_graph_compile(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                  void (*each)(void *user, const struct vks_pass *pass,
                                               VkPipeline pipeline),
                                  void *user)
{
    enum vks_result result = declaration->result;
    for (size_t i = 0; result == VKS_OK && i < declaration->pass_count; i++) {
        struct vks_pipeline pipeline = {0};
        result = create_pipeline(gpu, declaration, &declaration->passes[i], &pipeline);
        if (result == VKS_OK) {
            each(user, &declaration->passes[i], pipeline.pipeline);
        }
        vks_pipeline_destroy(gpu, &pipeline);
    }
    return result;
}

/* --- descriptor sets ---------------------------------------------------------------------------- */

static enum vks_result allocate_set(struct vks_graph *graph, VkDescriptorSetLayout layout,
                                    VkDescriptorSet *set)
{
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = graph->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    return vks_gpu_check(graph->gpu,
                         graph->gpu->vk.vkAllocateDescriptorSets(graph->gpu->device, &info, set),
                         "vkAllocateDescriptorSets");
}

static void write_set(struct vks_graph *graph, VkDescriptorSet set, uint32_t binding,
                      const struct vks_buffer *buffer)
{
    VkDescriptorBufferInfo info = {.buffer = buffer->buffer, .range = buffer->size};
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &info,
    };
    graph->gpu->vk.vkUpdateDescriptorSets(graph->gpu->device, 1, &write, 0, NULL);
}

/* The set that binds an item's buffers; made when first asked for. */
static enum vks_result set_for(struct vks_graph *graph, const struct vks_scheduled *item,
                               VkDescriptorSet *set)
{
    struct pass_state *state = &graph->passes[item->pass];
    const struct vks_pass *pass = &graph->declaration.passes[item->pass];
    uint32_t sides = 0;
    for (size_t i = 0; i < item->use_count; i++) {
        sides |= (item->uses[i].resource & 1) << i;
    }
    for (size_t i = 0; i < state->set_count; i++) {
        if (state->sets[i].sides == sides) {
            *set = state->sets[i].set;
            return VKS_OK;
        }
    }
    if (state->set_count == SETS_PER_PASS) {
        return vks_fail(VKS_ERROR_GPU, "pass '%s' uses its fields in more than %d ways",
                        pass->name, SETS_PER_PASS);
    }
    enum vks_result result = allocate_set(graph, state->pipeline.set_layout, set);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_reflection *reflection = &state->pipeline.reflection;
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        const struct vks_reflected_buffer *buffer = &reflection->buffers[i];
        uint32_t resource = VKS_CLOCK_RESOURCE;
        if (strcmp(buffer->name, "clock") != 0) {
            resource =
                item->uses[use_of_block(pass, buffer->name)].resource;
        }
        write_set(graph, *set, buffer->binding, &graph->buffers[resource]);
    }
    state->sets[state->set_count].sides = sides;
    state->sets[state->set_count++].set = *set;
    return VKS_OK;
}

/* --- creation -------------------------------------------------------------------------------------- */

static enum vks_result create_buffers(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        for (size_t side = 0; result == VKS_OK && side < (field->ping_pong ? 2u : 1u); side++) {
            char what[96];
            snprintf(what, sizeof(what), "the field '%s'", field->name);
            result = vks_buffer_create(graph->gpu, &graph->buffers[2 * i + side],
                                       vks_field_bytes(field), VKS_MEMORY_DEVICE, what);
        }
    }
    if (result == VKS_OK) {
        result = vks_buffer_create(graph->gpu, &graph->buffers[VKS_CLOCK_RESOURCE], 4,
                                   VKS_MEMORY_DEVICE, "the clock");
    }
    return result;
}

static enum vks_result create_pool(struct vks_graph *graph)
{
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = MAX_SETS * (VKS_MAX_USES + 1)};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = MAX_SETS + 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    return vks_gpu_check(
        graph->gpu,
        graph->gpu->vk.vkCreateDescriptorPool(graph->gpu->device, &info, NULL, &graph->pool),
        "vkCreateDescriptorPool");
}

/* Workgroup counts within the device's limits: what does not fit in x goes on in y (the shader
 * library's vks_item() puts it together again). */
static enum vks_result size_dispatch(struct vks_graph *graph, const struct vks_pass *pass,
                                     uint32_t groups[2])
{
    const uint32_t *most = graph->gpu->properties.limits.maxComputeWorkGroupCount;
    uint64_t x = (pass->items[0] + pass->per_group[0] - 1) / pass->per_group[0];
    uint64_t y = (pass->items[1] + pass->per_group[1] - 1) / pass->per_group[1];
    if (pass->items[1] == 1 && x > most[0]) {
        y = (x + most[0] - 1) / most[0];
        x = (x + y - 1) / y;
    }
    if (x > most[0] || y > most[1]) {
        return vks_fail(VKS_ERROR_USAGE, "pass '%s' needs more workgroups than %s takes; choose a "
                                         "smaller --size",
                        pass->name, graph->gpu->info.name);
    }
    groups[0] = (uint32_t)x;
    groups[1] = (uint32_t)y;
    return VKS_OK;
}

enum vks_result vks_graph_create(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                 struct vks_graph **out)
{
    enum vks_result result = declaration->result;
    if (result != VKS_OK) {
        return result;
    }
    result = check_sizes(gpu, declaration);
    if (result != VKS_OK) {
        return result;
    }
    struct vks_graph *graph = calloc(1, sizeof(*graph));
    if (!graph) {
        return vks_fail_memory();
    }
    graph->gpu = gpu;
    graph->declaration = *declaration;
    graph->period = vks_schedule_period(declaration);
    graph->batch_limit = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        graph->declaration.passes[i].constants = graph->declaration.constants[i];
    }
    for (size_t i = 0; result == VKS_OK && i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &graph->declaration.passes[i];
        result = create_pipeline(gpu, &graph->declaration, pass, &graph->passes[i].pipeline);
        if (result == VKS_OK) {
            result = size_dispatch(graph, pass, graph->passes[i].groups);
        }
    }
    if (result == VKS_OK) {
        result = vks_pipeline_create(gpu, &graph->advance, "core/advance", (const uint32_t[]){1, 1},
                                     NULL, 0);
    }
    if (result == VKS_OK) {
        result = create_buffers(graph);
    }
    if (result == VKS_OK) {
        result = create_pool(graph);
    }
    if (result == VKS_OK) {
        result = allocate_set(graph, graph->advance.set_layout, &graph->advance_set);
    }
    if (result != VKS_OK) {
        vks_graph_destroy(graph);
        return result;
    }
    write_set(graph, graph->advance_set, graph->advance.reflection.buffers[0].binding,
              &graph->buffers[VKS_CLOCK_RESOURCE]);
    *out = graph;
    return VKS_OK;
}

static void destroy_batch(struct vks_graph *graph, struct batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    if (batch->commands) {
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &batch->commands);
    }
    if (batch->queries) {
        gpu->vk.vkDestroyQueryPool(gpu->device, batch->queries, NULL);
    }
    vks_schedule_free(&batch->schedule);
    free(batch->timed);
    free(batch);
}

void vks_graph_destroy(struct vks_graph *graph)
{
    if (!graph) {
        return;
    }
    struct vks_gpu *gpu = graph->gpu;
    gpu->vk.vkDeviceWaitIdle(gpu->device);
    for (size_t i = 0; i < graph->batch_count; i++) {
        destroy_batch(graph, graph->batches[i]);
    }
    vks_buffer_destroy(gpu, &graph->staging_up);
    vks_buffer_destroy(gpu, &graph->staging_down);
    for (size_t i = 0; i <= VKS_CLOCK_RESOURCE; i++) {
        vks_buffer_destroy(gpu, &graph->buffers[i]);
    }
    if (graph->pool) {
        gpu->vk.vkDestroyDescriptorPool(gpu->device, graph->pool, NULL);
    }
    vks_pipeline_destroy(gpu, &graph->advance);
    for (size_t i = 0; i < VKS_MAX_PASSES; i++) {
        vks_pipeline_destroy(gpu, &graph->passes[i].pipeline);
    }
    free(graph);
}

/* --- timings ----------------------------------------------------------------------------------------- */

static void add_sample(struct pass_state *state, double seconds)
{
    state->latest[state->samples % MAX_SAMPLES] = (float)seconds;
    state->samples++;
    state->sum += seconds;
}

/* Reads the timestamps of a batch that the GPU has finished. */
static void collect(struct vks_graph *graph, struct batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    batch->uncollected = false;
    for (size_t i = 0; i < batch->schedule.count; i++) {
        graph->passes[batch->schedule.items[i].pass].calls++;
    }
    if (batch->query_count == 0) {
        return;
    }
    uint64_t *ticks = calloc(batch->query_count, sizeof(*ticks));
    if (!ticks || gpu->vk.vkGetQueryPoolResults(gpu->device, batch->queries, 0, batch->query_count,
                                                batch->query_count * sizeof(*ticks), ticks,
                                                sizeof(*ticks),
                                                VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        free(ticks);
        return;
    }
    const double period = gpu->timestamp_period;
    const uint64_t mask = gpu->timestamp_mask;
    for (uint32_t i = 1; i < batch->query_count; i++) {
        if (batch->timed[i] != UINT32_MAX) {
            add_sample(&graph->passes[batch->schedule.items[batch->timed[i]].pass],
                       (double)((ticks[i] - ticks[i - 1]) & mask) * period);
        }
    }
    if (batch->steps) {
        double whole = (double)((ticks[batch->query_count - 1] - ticks[0]) & mask) * period;
        graph->busy += whole;
        graph->busy_steps += batch->steps;
        graph->step_seconds = whole / batch->steps;
    }
    free(ticks);
}

static void collect_done(struct vks_graph *graph)
{
    for (size_t i = 0; i < graph->batch_count; i++) {
        struct batch *batch = graph->batches[i];
        if (batch->uncollected && vks_gpu_reached(graph->gpu, batch->value)) {
            collect(graph, batch);
        }
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

bool vks_graph_timing(struct vks_graph *graph, size_t index, struct vks_pass_timing *timing)
{
    if (index >= graph->declaration.pass_count) {
        return false;
    }
    collect_done(graph);
    const struct pass_state *state = &graph->passes[index];
    const struct vks_pass *pass = &graph->declaration.passes[index];
    *timing = (struct vks_pass_timing){.name = pass->name,
                                       .calls = state->calls,
                                       .samples = state->samples,
                                       .bytes = pass->bytes,
                                       .operations = pass->operations};
    if (state->samples == 0) {
        return true;
    }
    timing->mean = state->sum / (double)state->samples;
    timing->total = timing->mean * (double)state->calls;
    size_t count = state->samples < MAX_SAMPLES ? (size_t)state->samples : MAX_SAMPLES;
    float *sorted = malloc(count * sizeof(*sorted));
    if (sorted) {
        memcpy(sorted, state->latest, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_floats);
        timing->p50 = (double)sorted[(count - 1) / 2];
        timing->p95 = (double)sorted[(count - 1) * 95 / 100];
        free(sorted);
    }
    return true;
}

void vks_graph_busy(struct vks_graph *graph, double *seconds, uint64_t *steps)
{
    collect_done(graph);
    *seconds = graph->busy;
    *steps = graph->busy_steps;
}

/* --- recording --------------------------------------------------------------------------------------- */

static void timestamp(struct vks_graph *graph, struct batch *batch, uint32_t item)
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

static enum vks_result record_item(struct vks_graph *graph, struct batch *batch, uint32_t index)
{
    struct vks_gpu *gpu = graph->gpu;
    const struct vks_scheduled *item = &batch->schedule.items[index];
    const struct pass_state *state = &graph->passes[item->pass];
    const struct vks_pass *pass = &graph->declaration.passes[item->pass];
    const struct vks_pipeline *pipeline = &state->pipeline;
    VkDescriptorSet set;
    enum vks_result result = set_for(graph, item, &set);
    if (result != VKS_OK) {
        return result;
    }
    record_barrier(graph, batch->commands, &item->barrier);
    gpu->vk.vkCmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
    gpu->vk.vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    pipeline->layout, 0, 1, &set, 0, NULL);
    if (pipeline->reflection.push_size) {
        unsigned char push[4 + VKS_MAX_CONSTANTS];
        memcpy(push, &item->step, 4);
        memcpy(push + 4, pass->constants, pass->constants_size);
        gpu->vk.vkCmdPushConstants(batch->commands, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT,
                                   0, pipeline->reflection.push_size, push);
    }
    gpu->vk.vkCmdDispatch(batch->commands, state->groups[0], state->groups[1], 1);
    return VKS_OK;
}

/* Moves the clock on, after everything in the batch. */
static void record_advance(struct vks_graph *graph, struct batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    struct advance_constants push = {.steps = batch->steps};
    struct vks_resource_use use = {
        VKS_CLOCK_RESOURCE, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
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

/* Room for the timestamps of a batch: every pass of up to TIMED_STEPS steps, the marks before
 * them, and both ends. */
static enum vks_result create_queries(struct vks_graph *graph, struct batch *batch)
{
    if (graph->gpu->timestamp_period == 0) {
        return VKS_OK;
    }
    uint32_t most = (TIMED_STEPS + 1) * (VKS_MAX_PASSES + 1) + 2;
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = most,
    };
    batch->timed = calloc(most, sizeof(*batch->timed));
    if (!batch->timed) {
        return vks_fail_memory();
    }
    return vks_gpu_check(
        graph->gpu,
        graph->gpu->vk.vkCreateQueryPool(graph->gpu->device, &info, NULL, &batch->queries),
        "vkCreateQueryPool");
}

/* Is this one of the steps whose passes are timed one by one? Evenly spread, not the first. */
static bool is_timed(uint32_t step, uint32_t steps)
{
    uint32_t stride = (steps + TIMED_STEPS - 1) / TIMED_STEPS;
    return step % stride == stride / 2;
}

static enum vks_result record_schedule(struct vks_graph *graph, struct batch *batch)
{
    struct vks_gpu *gpu = graph->gpu;
    batch->query_count = 0;
    if (batch->queries) {
        gpu->vk.vkCmdResetQueryPool(batch->commands, batch->queries, 0,
                                    (TIMED_STEPS + 1) * (VKS_MAX_PASSES + 1) + 2);
    }
    timestamp(graph, batch, UINT32_MAX);
    uint32_t steps = batch->steps ? batch->steps : 1;
    uint32_t marked = 0; /* a mark stands before this step: the last timestamp is its start */
    for (uint32_t i = 0; i < batch->schedule.count; i++) {
        uint32_t step = batch->schedule.items[i].step;
        bool timed = is_timed(step, steps);
        if (timed && marked != step) {
            timestamp(graph, batch, UINT32_MAX);
            marked = step;
        }
        enum vks_result result = record_item(graph, batch, i);
        if (result != VKS_OK) {
            return result;
        }
        if (timed) {
            timestamp(graph, batch, i);
            marked = i + 1 < batch->schedule.count ? batch->schedule.items[i + 1].step : step;
        }
    }
    return VKS_OK;
}

static enum vks_result record_batch(struct vks_graph *graph, struct batch *batch)
{
    enum vks_result result = begin(graph, batch->commands);
    if (result == VKS_OK) {
        result = record_schedule(graph, batch);
    }
    if (result == VKS_OK) {
        record_advance(graph, batch);
        timestamp(graph, batch, UINT32_MAX);
        result = vks_gpu_check(graph->gpu,
                               graph->gpu->vk.vkEndCommandBuffer(batch->commands),
                               "vkEndCommandBuffer");
    }
    return result;
}

/* A batch that is not in flight: one recorded for the key, else a new one, in place of the least
 * recently used when there are too many. */
static enum vks_result find_batch(struct vks_graph *graph, uint32_t steps, struct batch **out)
{
    uint32_t phase = (uint32_t)(graph->steps % graph->period);
    struct batch *oldest = NULL;
    size_t oldest_at = 0;
    for (size_t i = 0; i < graph->batch_count; i++) {
        struct batch *batch = graph->batches[i];
        if (!vks_gpu_reached(graph->gpu, batch->value)) {
            continue;
        }
        if (batch->steps == steps &&
            (steps == 0 || (batch->sides == graph->sides && batch->phase == phase))) {
            batch->used = ++graph->uses;
            *out = batch;
            return VKS_OK;
        }
        if (!oldest || batch->used < oldest->used) {
            oldest = batch;
            oldest_at = i;
        }
    }
    if (graph->batch_count == MAX_BATCHES) {
        if (!oldest) {
            return vks_fail(VKS_ERROR_GPU, "too many batches are in flight");
        }
        if (oldest->uncollected) {
            collect(graph, oldest);
        }
        destroy_batch(graph, oldest);
        graph->batches[oldest_at] = graph->batches[--graph->batch_count];
    }
    struct batch *batch = calloc(1, sizeof(*batch));
    if (!batch) {
        return vks_fail_memory();
    }
    batch->steps = steps;
    batch->sides = graph->sides;
    batch->phase = phase;
    batch->used = ++graph->uses;
    enum vks_result result = create_commands(graph, &batch->commands);
    if (result == VKS_OK) {
        result = create_queries(graph, batch);
    }
    if (result == VKS_OK && steps) {
        result = vks_schedule(&graph->declaration, VKS_EACH_STEP, batch->sides, phase, steps,
                              &batch->schedule);
        if (result == VKS_OK) {
            batch->sides_after = batch->schedule.sides;
            result = record_batch(graph, batch);
        }
    }
    if (result != VKS_OK) {
        destroy_batch(graph, batch);
        return result;
    }
    graph->batches[graph->batch_count++] = batch;
    *out = batch;
    return VKS_OK;
}

/* --- running ------------------------------------------------------------------------------------------- */

/* How many steps a submission may hold. Doubles until the first times are known. */
static void adapt(struct vks_graph *graph)
{
    if (graph->step_seconds <= 0) {
        graph->batch_limit = graph->batch_limit < 64 ? graph->batch_limit * 2 : 64;
        return;
    }
    double fit = batch_seconds / graph->step_seconds;
    double limit = graph->batch_limit;
    if (fit < limit || fit > 4 * limit) { /* some slack, so that it settles */
        uint32_t steps = 1;
        while (steps < MAX_BATCH_STEPS && 2.0 * steps <= fit) {
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
        collect_done(graph);
        uint32_t count =
            steps < graph->batch_limit ? (uint32_t)steps : graph->batch_limit;
        struct batch *batch;
        enum vks_result result = find_batch(graph, count, &batch);
        if (result != VKS_OK) {
            return result;
        }
        if (batch->uncollected) {
            collect(graph, batch);
        }
        result = vks_gpu_submit(graph->gpu, batch->commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        if (result != VKS_OK) {
            return result;
        }
        batch->value = graph->gpu->submitted;
        batch->uncollected = true;
        *slot = batch->value;
        graph->in_flight_at = (graph->in_flight_at + 1) % MAX_IN_FLIGHT;
        graph->sides = batch->sides_after;
        graph->steps += count;
        steps -= count;
        adapt(graph);
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
    collect_done(graph);
    return result;
}

/* Everything before becomes readable by transfers, everything that transfers write by all. */
static void transfer_barrier(struct vks_graph *graph, VkCommandBuffer commands)
{
    const struct vks_barrier barrier = {
        .needed = true,
        .src_stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .src_access = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .dst_stage = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
                     VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
        .dst_access = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                      VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT |
                      VK_ACCESS_2_HOST_READ_BIT,
    };
    record_barrier(graph, commands, &barrier);
}

/* A command buffer for one use: schedule `when`, then `record`, then submission. */
static enum vks_result run_once(struct vks_graph *graph, enum vks_when when,
                                void (*record)(void *user, VkCommandBuffer commands), void *user,
                                VkSemaphore wait, VkSemaphore signal)
{
    struct batch *batch;
    enum vks_result result = find_batch(graph, 0, &batch);
    if (result != VKS_OK) {
        return result;
    }
    if (batch->uncollected) {
        collect(graph, batch);
    }
    vks_schedule_free(&batch->schedule);
    result = vks_schedule(&graph->declaration, when, graph->sides, 0, 1, &batch->schedule);
    if (result == VKS_OK) {
        result = begin(graph, batch->commands);
    }
    if (result == VKS_OK) {
        result = record_schedule(graph, batch);
    }
    if (result != VKS_OK) {
        return result;
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
        graph->sides = batch->schedule.sides;
        batch->value = graph->gpu->submitted;
        batch->uncollected = true;
    }
    return result;
}

enum vks_result vks_graph_frame(struct vks_graph *graph,
                                void (*record)(void *user, VkCommandBuffer commands), void *user,
                                VkSemaphore wait, VkSemaphore signal, uint64_t *value)
{
    enum vks_result result = run_once(graph, VKS_EACH_FRAME, record, user, wait, signal);
    *value = graph->gpu->submitted;
    return result;
}

/* --- start, upload, download ---------------------------------------------------------------------- */

struct clearing {
    struct vks_graph *graph;
    uint32_t first_step;
};

static void record_clear(void *user, VkCommandBuffer commands)
{
    const struct clearing *clearing = user;
    struct vks_graph *graph = clearing->graph;
    for (size_t i = 0; i < VKS_CLOCK_RESOURCE; i++) {
        if (graph->buffers[i].buffer) {
            graph->gpu->vk.vkCmdFillBuffer(commands, graph->buffers[i].buffer, 0, VK_WHOLE_SIZE, 0);
        }
    }
    graph->gpu->vk.vkCmdFillBuffer(commands, graph->buffers[VKS_CLOCK_RESOURCE].buffer, 0, 4,
                                   clearing->first_step);
}

/* A command buffer of only transfers. */
static enum vks_result transfer(struct vks_graph *graph,
                                void (*record)(void *user, VkCommandBuffer commands), void *user)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    enum vks_result result = create_commands(graph, &commands);
    if (result == VKS_OK) {
        result = begin(graph, commands);
    }
    if (result == VKS_OK) {
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

enum vks_result vks_graph_start(struct vks_graph *graph, uint64_t first_step, bool run_passes)
{
    struct clearing clearing = {graph, (uint32_t)first_step};
    graph->sides = 0;
    graph->steps = first_step;
    enum vks_result result = transfer(graph, record_clear, &clearing);
    if (result == VKS_OK && run_passes) {
        result = run_once(graph, VKS_AT_START, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    return result;
}

VkBuffer vks_graph_buffer(const struct vks_graph *graph, const char *field)
{
    int index = vks_find_field(&graph->declaration, field);
    return index < 0 ? VK_NULL_HANDLE
                     : graph->buffers[2 * index + (int)((graph->sides >> index) & 1)].buffer;
}

const struct vks_declaration *vks_graph_declaration(const struct vks_graph *graph)
{
    return &graph->declaration;
}

struct copying {
    struct vks_graph *graph;
    VkBuffer from, to;
    VkBufferCopy region;
};

static void record_copy(void *user, VkCommandBuffer commands)
{
    const struct copying *copying = user;
    copying->graph->gpu->vk.vkCmdCopyBuffer(commands, copying->from, copying->to, 1,
                                            &copying->region);
}

/* Staging for a field of `bytes`: at most CHUNK, grown when a larger field comes. */
static enum vks_result need_staging(struct vks_graph *graph, struct vks_buffer *staging,
                                    enum vks_memory kind, uint64_t bytes)
{
    bytes = bytes < CHUNK ? bytes : CHUNK;
    if (staging->size >= bytes) {
        return VKS_OK;
    }
    vks_buffer_destroy(graph->gpu, staging);
    return vks_buffer_create(graph->gpu, staging, bytes, kind, "copying fields in and out");
}

enum vks_result vks_graph_upload(struct vks_graph *graph, const char *field, const void *data)
{
    int index = vks_find_field(&graph->declaration, field);
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    enum vks_result result = need_staging(graph, &graph->staging_up, VKS_MEMORY_UPLOAD, size);
    for (uint64_t at = 0; result == VKS_OK && at < size; at += CHUNK) {
        uint64_t piece = size - at < CHUNK ? size - at : CHUNK;
        memcpy(graph->staging_up.map, (const char *)data + at, piece);
        struct copying copying = {graph, graph->staging_up.buffer, vks_graph_buffer(graph, field),
                                  {.dstOffset = at, .size = piece}};
        result = transfer(graph, record_copy, &copying);
    }
    return result;
}

enum vks_result vks_graph_download(struct vks_graph *graph, const char *field,
                                   void (*sink)(void *user, const void *bytes, size_t size),
                                   void *user)
{
    int index = vks_find_field(&graph->declaration, field);
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    enum vks_result result = need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, size);
    for (uint64_t at = 0; result == VKS_OK && at < size; at += CHUNK) {
        uint64_t piece = size - at < CHUNK ? size - at : CHUNK;
        struct copying copying = {graph, vks_graph_buffer(graph, field),
                                  graph->staging_down.buffer, {.srcOffset = at, .size = piece}};
        result = transfer(graph, record_copy, &copying);
        if (result == VKS_OK) {
            result = vks_buffer_invalidate(graph->gpu, &graph->staging_down);
        }
        if (result == VKS_OK) {
            sink(user, graph->staging_down.map, (size_t)piece);
        }
    }
    return result;
}

void vks_graph_break_barriers(struct vks_graph *graph)
{
    graph->broken_barriers = true;
}
