/* SPDX-License-Identifier: MIT */
/* Convolution of a matrix with a square filter, zero beyond its edges. The filter is the outer
 * product of a row and a column of small integers, so that all sums are exact. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "ladder/ladder.h"

enum { MIN_SIDE = 3, MAX_SIDE = 11 };
enum { MAX_COLUMNS = 65535 * 32, MAX_ROWS = 65535 * 8 }; /* workgroups of 32 x 8 */

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    const uint32_t side = size->axis[2];
    if (side % 2 == 0 || side < MIN_SIDE || side > MAX_SIDE) {
        snprintf(text, 128, "the side of its filter is %u instead of an odd number from %d to %d",
                 side, MIN_SIDE, MAX_SIDE);
        return text;
    }
    snprintf(text, 128, "it takes at most %d columns and %d rows", MAX_COLUMNS, MAX_ROWS);
    return size->axis[0] > MAX_COLUMNS || size->axis[1] > MAX_ROWS ? text : NULL;
}

/* Magnitudes are at most 128 * 7 * 7 * 11 * 11, which is below 2^24. */
static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t width = task->size.axis[0], height = task->size.axis[1];
    const struct vks_ladder_buffer odd = {
        .element = VKS_F32, .rows = 1, .bits = 3, .offset = 3.5F, .scale = 2}; /* -7 to 7 */
    *buffer++ =
        (struct vks_ladder_buffer){"source", VKS_F32, width, height, .bits = 8, .offset = 128};
    buffer[0] = buffer[1] = odd;
    buffer[0].name = "across";
    buffer[1].name = "down";
    buffer[0].columns = buffer[1].columns = task->size.axis[2];
    buffer[2] = (struct vks_ladder_buffer){"result", VKS_F32, width, height};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 8.0 * task->size.axis[0] * task->size.axis[1];
}

static double operations(const struct vks_ladder_task *task)
{
    return 2.0 * task->size.axis[2] * task->size.axis[2] * task->size.axis[0] * task->size.axis[1];
}

/* --- the reference ---------------------------------------------------------------------------- */

struct reference {
    struct vks_ladder_reader source;
    uint32_t side;
    int across[MAX_SIDE], down[MAX_SIDE];
    int *line;         /* a row of the source, with a margin of half a side */
    int *rows;         /* filtered across: the last `side` */
    uint64_t next_row; /* to be filtered */
};

static void filter_row(struct reference *reference)
{
    const uint32_t width = reference->source.buffer.columns, half = reference->side / 2;
    int *row = reference->rows + reference->next_row % reference->side * width;
    for (uint32_t x = 0; x < width; x++) {
        reference->line[x + half] = (int)vks_ladder_at(&reference->source, reference->next_row, x);
    }
    for (uint32_t x = 0; x < width; x++) {
        row[x] = 0;
        for (uint32_t i = 0; i < reference->side; i++) {
            row[x] += reference->across[i] * reference->line[x + i];
        }
    }
    reference->next_row++;
}

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    struct reference *reference = user;
    const uint64_t height = reference->source.buffer.rows;
    const uint32_t width = reference->source.buffer.columns, half = reference->side / 2;
    int sum = 0;
    while (reference->next_row < height && reference->next_row <= row + half) {
        filter_row(reference);
    }
    for (uint32_t j = 0; j < reference->side; j++) {
        const uint64_t y = row + j - half; /* below 0 it wraps */
        if (y < height) {
            sum += reference->down[j] * reference->rows[y % reference->side * width + column];
        }
    }
    return (struct vks_expected){.value = sum};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    const size_t width = task->size.axis[0];
    struct reference reference = {.source = vks_ladder_read(task, "source"),
                                  .side = task->size.axis[2]};
    enum vks_result result = VKS_OK;
    (void)runs;
    for (uint32_t i = 0; i < reference.side; i++) {
        reference.across[i] = (int)vks_ladder_input(task, "across", 0, i);
        reference.down[i] = (int)vks_ladder_input(task, "down", 0, i);
    }
    reference.line = calloc(width + MAX_SIDE, sizeof(int));
    reference.rows = calloc(width * reference.side, sizeof(int));
    result = reference.line && reference.rows
                 ? vks_ladder_compare(task, graph, "result", expected, &reference)
                 : vks_fail_memory();
    free(reference.line);
    free(reference.rows);
    return result;
}

/* --- the rungs -------------------------------------------------------------------------------- */

/* Of the input `name`, in words of eight: each plus 7, in four bits. */
static uint32_t pack(const struct vks_ladder_task *task, const char *name, uint32_t first)
{
    uint32_t word = 0;
    for (uint32_t i = first; i < first + 8 && i < task->size.axis[2]; i++) {
        word |= (uint32_t)(vks_ladder_input(task, name, 0, i) + 7) << (i - first) * 4;
    }
    return word;
}

/* A pass of workgroups of 32 x 8, of `across` x `down` elements per lane; with the filter in its
 * constants, or only its side. */
static void declare_pass(const struct vks_ladder_task *task, const char *name, const char *shader,
                         bool has_filter, const uint32_t per_lane[2],
                         struct vks_declaration *declaration)
{
    const struct rung_params params = vks_rung_params(task);
    const struct vks_specialization constants[] = {
        {"SIDE", task->size.axis[2]},
        {has_filter ? "ACROSS_LOW" : NULL, pack(task, "across", 0)},
        {"ACROSS_HIGH", pack(task, "across", 8)},
        {"DOWN_LOW", pack(task, "down", 0)},
        {"DOWN_HIGH", pack(task, "down", 8)},
        {0},
    };
    vks_rung_pass(task,
                  &(const struct vks_pass){
                      .name = name,
                      .shader = shader,
                      .specializations = constants,
                      VKS_PUSH(params),
                      .items = {(params.width + per_lane[0] - 1) / per_lane[0],
                                (params.height + per_lane[1] - 1) / per_lane[1]},
                      .group = {32, 8},
                  },
                  declaration);
}

static const uint32_t one[] = {1, 1};

/* The filter as a matrix in memory, the field "weight". */
static void declare_direct(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    const uint32_t side = task->size.axis[2];
    const struct rung_params params = vks_rung_params(task);
    (void)gpu;
    VKS_FIELD(declaration, .name = "weight", .element = VKS_F32, .rank = 1,
              .shape = {(uint64_t)side * side});
    vks_rung_pass(task,
                  &(const struct vks_pass){.name = "filter",
                                           .shader = "ladder/conv2d_filter",
                                           .when = VKS_AT_START,
                                           .specializations = VKS_SPECIALIZATIONS({"SIDE", side}),
                                           VKS_PUSH(params),
                                           .items = {(uint64_t)side * side}},
                  declaration);
    declare_pass(task, task->rung->name, task->rung->shader, false, one, declaration);
}

static void declare_one(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                        struct vks_declaration *declaration)
{
    (void)gpu;
    declare_pass(task, task->rung->name, task->rung->shader, true, one, declaration);
}

static void declare_registers(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                              struct vks_declaration *declaration)
{
    static const uint32_t eight[] = {1, 8};
    (void)gpu;
    declare_pass(task, task->rung->name, task->rung->shader, true, eight, declaration);
}

static void declare_separable(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                              struct vks_declaration *declaration)
{
    const struct vks_ladder_buffer result = vks_ladder_buffer(task, "result");
    (void)gpu;
    VKS_FIELD(declaration, .name = "middle", .element = VKS_F32, .rank = 1,
              .shape = {vks_ladder_pitch(&result) * result.rows});
    declare_pass(task, "rows", "ladder/conv2d_rows", true, one, declaration);
    declare_pass(task, "columns", "ladder/conv2d_columns", true, one, declaration);
}

enum { ROWS, AHEAD }; /* of task->values */

static void declare_strips(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    const uint32_t strip[] = {4, task->values[ROWS]};
    (void)gpu;
    declare_pass(task, task->rung->name, task->rung->shader, true, strip, declaration);
}

/* At most 96 registers for the rows ahead and the sums; where subgroups may be small, whose lanes
 * have few registers, one row. */
static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const uint32_t side = task->size.axis[2], vectors = 2 * ((side / 2 + 3) / 4) + 1;
    const uint32_t ahead = task->values[AHEAD];
    return ahead == 1 || (limits->min_subgroup >= 32 && 4 * (ahead * vectors + side) <= 96);
}

static const struct vks_rung_space space = {
    .constants =
        (const struct vks_tuned_constant[]){
            [ROWS] = {"ROWS", {32, 16, 64, 128}},
            [AHEAD] = {"AHEAD", {2, 1, 4}},
            {0},
        },
    .fits = fits,
};

static const struct vks_rung rungs[] = {
    {"direct", "ladder/conv2d_direct", "filter and neighbourhood from memory",
     .declare = declare_direct},
    {"constants", "ladder/conv2d_constants", "the filter in constants, loops unrolled",
     .declare = declare_one},
    {"tile", "ladder/conv2d_tile", "a tile with its margin in shared memory",
     .declare = declare_one},
    {"registers", "ladder/conv2d_registers", "eight elements per lane share its loads",
     .declare = declare_registers},
    {"separable", .help = "rows, then columns: two dispatches, far fewer operations",
     .declare = declare_separable},
    {"strips", "ladder/conv2d_strips", "both in registers, in one dispatch; strips are tuned",
     .declare = declare_strips, .space = &space},
    {0},
};

const struct vks_ladder_kernel vks_kernel_conv2d = {
    .name = "conv2d",
    .help = "convolution with a square filter: reuse in shared memory and registers",
    .axes = "WIDTHxHEIGHTxFILTER",
    .sizes = "8192x8192x3,8192x8192x5,8192x8192x11",
    .software_sizes = "256x256x5,509x515x3",
    .awkward_sizes = "1x1x3,1x301x5,2003x2x11,31x33x3,64x8x7,131x67x9",
    .ceiling = "copy",
    .element = VKS_F32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
