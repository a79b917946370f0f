/* SPDX-License-Identifier: MIT */
/* Moves the first column of a matrix of the host to the device. The host times it, from before it
 * packs or submits anything until it knows that the column has arrived. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/commands.h"
#include "gpu/pipeline.h"
#include "ladder/ladder.h"

/* Lanes of workgroups of 256, of which every device takes 65535. */
enum { MAX_ROWS = 65535 * 256 };

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    snprintf(text, 128, "it takes at most %d rows", MAX_ROWS);
    return size->axis[1] > MAX_ROWS ? text : NULL;
}

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t width = task->size.axis[0], height = task->size.axis[1];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, width, height, .bits = 20};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, height, 1};
}

/* Those that are wanted. */
static double bytes(const struct vks_ladder_task *task)
{
    return 4 * (double)task->size.axis[1];
}

/* --- a rung ---------------------------------------------------------------------------------- */

struct column {
    const struct vks_ladder_task *task;
    struct vks_gpu *gpu;
    struct rung_params params;
    struct vks_buffer matrix;            /* that the host has written */
    struct vks_buffer copy;              /* of the matrix, in the device's memory */
    struct vks_buffer packed;            /* the column, in the host's memory */
    struct vks_buffer result;            /* the column, in the device's memory */
    struct vks_buffer back;              /* the result, for the check */
    struct vks_commands send, read_back; /* read_back: of the result */
    struct vks_pipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
};

/* How a rung moves the column. */
struct method {
    enum vks_memory memory; /* of the matrix */
    /* Records `send` and creates what it needs. NULL: nothing is recorded. */
    enum vks_result (*prepare)(struct column *column);
    enum vks_result (*move)(struct column *column, double *seconds);
};

static enum vks_result run_recorded(struct column *column, double *seconds)
{
    return vks_commands_run(&column->send, seconds);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* A submission for each element, recorded when it is needed. */
static enum vks_result move_elements(struct column *column, double *seconds)
{
    struct vks_gpu *gpu = column->gpu;
    const double begin = vks_seconds();
    enum vks_result result = VKS_OK;
    for (uint32_t row = 0; row < column->params.height && result == VKS_OK; row++) {
        const VkBufferCopy region = {.srcOffset = 4 * (uint64_t)row * column->params.source_pitch,
                                     .dstOffset = 4 * (uint64_t)row,
                                     .size = 4};
        struct vks_commands one;
        result = vks_commands_begin(gpu, &one, "element");
        if (result == VKS_OK) {
            gpu->vk.vkCmdCopyBuffer(one.buffer, column->matrix.buffer, column->result.buffer, 1,
                                    &region);
            result = vks_commands_end(&one);
        }
        if (result == VKS_OK) {
            result = vks_commands_run(&one, seconds);
        }
        vks_commands_free(&one);
    }
    *seconds = vks_seconds() - begin;
    return result;
}

/* Records a copy of regions to the result. */
static enum vks_result record_copy(struct column *column, const struct vks_buffer *from,
                                   const VkBufferCopy *regions, uint32_t count)
{
    enum vks_result result = vks_commands_begin(column->gpu, &column->send, "column");
    if (result == VKS_OK) {
        column->gpu->vk.vkCmdCopyBuffer(column->send.buffer, from->buffer, column->result.buffer,
                                        count, regions);
        result = vks_commands_end(&column->send);
    }
    return result;
}

static enum vks_result prepare_regions(struct column *column)
{
    const uint32_t rows = column->params.height;
    VkBufferCopy *regions = calloc(rows, sizeof(*regions));
    if (!regions) {
        return vks_fail_memory();
    }
    for (uint32_t row = 0; row < rows; row++) {
        regions[row] = (VkBufferCopy){.srcOffset = 4 * (uint64_t)row * column->params.source_pitch,
                                      .dstOffset = 4 * (uint64_t)row,
                                      .size = 4};
    }
    const enum vks_result result = record_copy(column, &column->matrix, regions, rows);
    free(regions);
    return result;
}

static enum vks_result prepare_packed(struct column *column)
{
    const VkBufferCopy region = {.size = 4 * (uint64_t)column->params.height};
    const enum vks_result result = vks_buffer_create(column->gpu, &column->packed, region.size,
                                                     VKS_MEMORY_UPLOAD, "a packed column");
    return result == VKS_OK ? record_copy(column, &column->packed, &region, 1) : result;
}

static enum vks_result move_packed(struct column *column, double *seconds)
{
    const double begin = vks_seconds();
    const uint32_t *from = column->matrix.map;
    uint32_t *to = column->packed.map;
    double submission;
    for (uint32_t row = 0; row < column->params.height; row++) {
        to[row] = from[(size_t)row * column->params.source_pitch];
    }
    const enum vks_result result = vks_commands_run(&column->send, &submission);
    *seconds = vks_seconds() - begin;
    return result;
}

/* --- the shader ------------------------------------------------------------------------------ */

/* The set of the gathering shader, which reads `from`. */
static enum vks_result create_set(struct column *column, const struct vks_buffer *from)
{
    struct vks_gpu *gpu = column->gpu;
    const VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .descriptorCount = 2};
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkCreateDescriptorPool(gpu->device, &info, NULL, &column->pool),
                      "vkCreateDescriptorPool");
    if (result != VKS_OK) {
        return result;
    }
    const VkDescriptorSetAllocateInfo one = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = column->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &column->pipeline.set_layout,
    };
    result = vks_gpu_check(gpu, gpu->vk.vkAllocateDescriptorSets(gpu->device, &one, &column->set),
                           "vkAllocateDescriptorSets");
    const struct vks_buffer *bound[] = {from, &column->result};
    for (uint32_t i = 0; i < 2 && result == VKS_OK; i++) {
        const VkDescriptorBufferInfo buffer = {.buffer = bound[i]->buffer, .range = bound[i]->size};
        const VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = column->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffer,
        };
        gpu->vk.vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
    }
    return result;
}

/* Creates the shader's pipeline and set. */
static enum vks_result create_gather(struct column *column, const struct vks_buffer *from)
{
    const enum vks_result result =
        vks_pipeline_create(column->gpu, &column->pipeline,
                            &(const struct vks_pipeline_params){
                                .shader = "ladder/first_column_gather", .group = {256, 1}});
    return result == VKS_OK ? create_set(column, from) : result;
}

static void record_gather(const struct column *column)
{
    const struct VolkDeviceTable *vk = &column->gpu->vk;
    const VkCommandBuffer commands = column->send.buffer;
    const uint32_t unused = 0; /* the number of the step */
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, column->pipeline.pipeline);
    vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, column->pipeline.layout,
                                0, 1, &column->set, 0, NULL);
    vk->vkCmdPushConstants(commands, column->pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4,
                           &unused);
    vk->vkCmdPushConstants(commands, column->pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 4,
                           sizeof(column->params), &column->params);
    vk->vkCmdDispatch(commands, (column->params.height + 255) / 256, 1, 1);
}

static enum vks_result prepare_gather(struct column *column)
{
    enum vks_result result = create_gather(column, &column->matrix);
    if (result == VKS_OK) {
        result = vks_commands_begin(column->gpu, &column->send, "column");
    }
    if (result == VKS_OK) {
        record_gather(column);
        result = vks_commands_end(&column->send);
    }
    return result;
}

static enum vks_result prepare_whole(struct column *column)
{
    const VkBufferCopy all = {.size = column->matrix.size};
    enum vks_result result = vks_buffer_create(column->gpu, &column->copy, all.size,
                                               VKS_MEMORY_DEVICE, "a copy of a matrix");
    if (result == VKS_OK) {
        result = create_gather(column, &column->copy);
    }
    if (result == VKS_OK) {
        result = vks_commands_begin(column->gpu, &column->send, "matrix");
    }
    if (result == VKS_OK) {
        column->gpu->vk.vkCmdCopyBuffer(column->send.buffer, column->matrix.buffer,
                                        column->copy.buffer, 1, &all);
        vks_commands_barrier(&column->send);
        record_gather(column);
        result = vks_commands_end(&column->send);
    }
    return result;
}

/* --- verification and measurement ------------------------------------------------------------ */

static enum vks_result create(struct column *column, const struct method *method)
{
    struct vks_gpu *gpu = column->gpu;
    const uint64_t size = 4 * (uint64_t)column->params.height;
    enum vks_result result =
        vks_buffer_create(gpu, &column->matrix, size * column->params.source_pitch, method->memory,
                          "a matrix of the host");
    if (result == VKS_OK) {
        result = vks_buffer_create(gpu, &column->result, size, VKS_MEMORY_DEVICE, "a column");
    }
    if (result == VKS_OK) {
        result = vks_buffer_create(gpu, &column->back, size, VKS_MEMORY_READBACK, "a column");
    }
    if (result == VKS_OK) {
        result = vks_commands_begin(gpu, &column->read_back, "check");
    }
    if (result == VKS_OK) {
        const VkBufferCopy region = {.size = size};
        gpu->vk.vkCmdCopyBuffer(column->read_back.buffer, column->result.buffer,
                                column->back.buffer, 1, &region);
        result = vks_commands_end(&column->read_back);
    }
    return result == VKS_OK && method->prepare ? method->prepare(column) : result;
}

static void destroy(struct column *column)
{
    struct vks_gpu *gpu = column->gpu;
    vks_commands_free(&column->send);
    vks_commands_free(&column->read_back);
    if (column->pool) {
        gpu->vk.vkDestroyDescriptorPool(gpu->device, column->pool, NULL);
    }
    vks_pipeline_destroy(gpu, &column->pipeline);
    vks_buffer_destroy(gpu, &column->matrix);
    vks_buffer_destroy(gpu, &column->copy);
    vks_buffer_destroy(gpu, &column->packed);
    vks_buffer_destroy(gpu, &column->result);
    vks_buffer_destroy(gpu, &column->back);
}

/* Writes the matrix; what it holds is different in each run. */
static void fill(const struct column *column, uint32_t run)
{
    const struct vks_ladder_reader source = vks_ladder_read(column->task, "source");
    uint32_t *words = column->matrix.map;
    for (uint32_t row = 0; row < column->params.height; row++) {
        uint32_t *to = words + (size_t)row * column->params.source_pitch;
        for (uint32_t x = 0; x < column->params.width; x++) {
            to[x] = (uint32_t)vks_ladder_at(&source, row, x) + run + column->task->spoiled;
        }
    }
}

static enum vks_result verify(struct column *column, const struct method *method)
{
    const struct vks_ladder_reader source = vks_ladder_read(column->task, "source");
    const uint32_t *found = column->back.map;
    enum vks_result result = VKS_OK;
    for (uint32_t run = 0; run < 2 && result == VKS_OK; run++) {
        double seconds;
        fill(column, run);
        result = method->move(column, &seconds);
        if (result == VKS_OK) {
            result = vks_commands_run(&column->read_back, &seconds);
        }
        if (result == VKS_OK) {
            result = vks_buffer_invalidate(column->gpu, &column->back);
        }
        for (uint32_t row = 0; row < column->params.height && result == VKS_OK; row++) {
            const uint32_t expected = (uint32_t)vks_ladder_at(&source, row, 0) + run;
            if (found[row] != expected) {
                result = vks_ladder_wrong(column->task, 0, row, found[row], expected);
            }
        }
    }
    return result;
}

static enum vks_result measure(struct vks_gpu *gpu, const struct vks_ladder_task *task,
                               const struct vks_effort *effort, struct vks_spread *seconds,
                               const struct method *method)
{
    enum { MAX_MOVES = 1024 }; /* of a sample */
    struct column column = {.task = task, .gpu = gpu, .params = vks_rung_params(task)};
    double samples[VKS_MAX_REPEATS];
    enum vks_result result = create(&column, method);
    if (result == VKS_OK) {
        result = verify(&column, method);
    }
    for (uint32_t i = 0; i < effort->repeats && result == VKS_OK; i++) {
        double total = 0, one = 0;
        uint32_t moves = 0;
        while (result == VKS_OK && moves < MAX_MOVES && total < effort->seconds) {
            result = method->move(&column, &one);
            total += one;
            moves++;
        }
        samples[i] = total / moves;
    }
    if (result == VKS_OK && effort->repeats > 0) {
        *seconds = vks_spread_of(samples, effort->repeats);
    }
    destroy(&column);
    return result;
}

/* --- rungs ----------------------------------------------------------------------------------- */

#define MEASURE(name, ...)                                                                         \
    static enum vks_result measure_##name(struct vks_gpu *gpu, const struct vks_ladder_task *task, \
                                          const struct vks_effort *effort,                         \
                                          struct vks_spread *seconds)                              \
    {                                                                                              \
        return measure(gpu, task, effort, seconds, &(const struct method){__VA_ARGS__});           \
    }

MEASURE(elements, VKS_MEMORY_HOST, NULL, move_elements)
MEASURE(regions, VKS_MEMORY_HOST, prepare_regions, run_recorded)
MEASURE(packed, VKS_MEMORY_HOST, prepare_packed, move_packed)
MEASURE(whole, VKS_MEMORY_HOST, prepare_whole, run_recorded)
MEASURE(host, VKS_MEMORY_HOST, prepare_gather, run_recorded)
MEASURE(mapped, VKS_MEMORY_MAPPED, prepare_gather, run_recorded)

static const struct vks_rung rungs[] = {
    {"elements", .help = "one submission per element", .measure = measure_elements},
    {"regions", .help = "one copy command with one region per row", .measure = measure_regions},
    {"whole", .help = "the whole matrix is copied; a shader gathers the column",
     .measure = measure_whole},
    {"packed", .help = "the host packs the column, one copy sends it", .measure = measure_packed},
    {"host", .help = "a shader reads the column from the host's memory", .measure = measure_host},
    {"mapped", .help = "the matrix is in device memory that the host has mapped",
     .feature = VKS_FEATURE_MAPPED_MEMORY, .measure = measure_mapped},
    {0},
};

const struct vks_ladder_kernel vks_kernel_first_column = {
    .name = "first-column",
    .help = "sends a matrix column to the device: the cost of submissions, regions and bytes",
    .axes = "WIDTHxHEIGHT",
    .sizes = "1024x1024,8192x8192",
    .software_sizes = "256x256,1024x1024",
    .awkward_sizes = "1x1,1000x1,37x531,1x1000",
    .ceiling = "upload",
    .element = VKS_U32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .rungs = rungs,
};
