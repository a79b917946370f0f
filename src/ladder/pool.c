/* SPDX-License-Identifier: MIT */
#include "ladder/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ladder/kernels/bound.h"
#include "ladder/pool_params.h"

enum { WINDOW = 2, STRIDE = 3 }; /* of size.axis */
enum { MAX_WINDOW = 16, MAX_STRIDE = 16 };
enum { MAX_COLUMNS = 65535 * 32, MAX_ROWS = 65535 * 8 }; /* workgroups of 32 x 8 */

static bool is_mean(const struct vks_ladder_task *task)
{
    return strcmp(task->kernel->name, "pool-mean") == 0;
}

/* Side of the result: of windows that are whole. */
static uint32_t windows(const struct vks_ladder_size *size, size_t axis)
{
    return (size->axis[axis] - size->axis[WINDOW]) / size->axis[STRIDE] + 1;
}

const char *vks_pool_refuse(const struct vks_ladder_size *size, char text[128])
{
    const uint32_t *axis = size->axis;
    if (axis[WINDOW] > MAX_WINDOW || axis[STRIDE] > MAX_STRIDE) {
        snprintf(text, 128, "window and stride are at most %d and %d", MAX_WINDOW, MAX_STRIDE);
        return text;
    }
    if (axis[WINDOW] > axis[0] || axis[WINDOW] > axis[1]) {
        snprintf(text, 128, "its window of %u x %u is larger than the matrix", axis[WINDOW],
                 axis[WINDOW]);
        return text;
    }
    snprintf(text, 128, "it takes at most %d columns and %d rows", MAX_COLUMNS, MAX_ROWS);
    return axis[0] > MAX_COLUMNS || axis[1] > MAX_ROWS ? text : NULL;
}

/* The sum of a window is an integer below 2^11 * 2^8: exact. */
void vks_pool_buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const struct vks_ladder_size *size = &task->size;
    *buffer++ = (struct vks_ladder_buffer){"source",      VKS_F32,    size->axis[0],
                                           size->axis[1], .bits = 12, .offset = 2048};
    *buffer = (struct vks_ladder_buffer){"result", VKS_F32, windows(size, 0), windows(size, 1)};
}

/* Elements of the source along an axis that are in some window. */
static double used(const struct vks_ladder_size *size, size_t axis)
{
    const double window = size->axis[WINDOW], stride = size->axis[STRIDE];
    const double count = windows(size, axis);
    return stride < window ? (count - 1) * stride + window : count * window;
}

double vks_pool_bytes(const struct vks_ladder_task *task)
{
    const struct vks_ladder_size *size = &task->size;
    return 4 * (used(size, 0) * used(size, 1) + (double)windows(size, 0) * windows(size, 1));
}

double vks_pool_operations(const struct vks_ladder_task *task)
{
    const struct vks_ladder_size *size = &task->size;
    return (double)size->axis[WINDOW] * size->axis[WINDOW] * windows(size, 0) * windows(size, 1);
}

/* --- the reference ---------------------------------------------------------------------------- */

struct reference {
    struct vks_ladder_reader source;
    uint32_t window, stride, width; /* of the result */
    bool mean;
    double *line;      /* a row of the source */
    double *rows;      /* joined across: the last `window` */
    uint64_t next_row; /* of the source, to be joined */
};

static double join(const struct reference *reference, double a, double b)
{
    return reference->mean ? a + b : fmax(a, b);
}

static void join_row(struct reference *reference)
{
    double *row = reference->rows + reference->next_row % reference->window * reference->width;
    for (uint32_t x = 0; x < reference->source.buffer.columns; x++) {
        reference->line[x] = vks_ladder_at(&reference->source, reference->next_row, x);
    }
    for (uint32_t x = 0; x < reference->width; x++) {
        const double *at = reference->line + (size_t)x * reference->stride;
        row[x] = at[0];
        for (uint32_t i = 1; i < reference->window; i++) {
            row[x] = join(reference, row[x], at[i]);
        }
    }
    reference->next_row++;
}

/* The division of a mean is wrong by two and a half units in the last place. */
static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    struct reference *reference = user;
    const uint64_t first = row * reference->stride, end = first + reference->window;
    reference->next_row = reference->next_row < first ? first : reference->next_row;
    while (reference->next_row < end) {
        join_row(reference);
    }
    double value = reference->rows[column + first % reference->window * reference->width];
    for (uint64_t y = first + 1; y < end; y++) {
        value = join(reference, value,
                     reference->rows[column + y % reference->window * reference->width]);
    }
    value /= reference->mean ? (double)reference->window * reference->window : 1;
    return (struct vks_expected){.value = value,
                                 .bound = reference->mean ? fabs(value) * 2.5 * VKS_ULP : 0};
}

enum vks_result vks_pool_check(const struct vks_ladder_task *task, struct vks_graph *graph,
                               uint32_t runs)
{
    struct reference reference = {.source = vks_ladder_read(task, "source"),
                                  .window = task->size.axis[WINDOW],
                                  .stride = task->size.axis[STRIDE],
                                  .width = windows(&task->size, 0),
                                  .mean = is_mean(task)};
    (void)runs;
    reference.line = calloc(task->size.axis[0], sizeof(double));
    reference.rows = calloc((size_t)reference.window * reference.width, sizeof(double));
    const enum vks_result result =
        reference.line && reference.rows
            ? vks_ladder_compare(task, graph, "result", expected, &reference)
            : vks_fail_memory();
    free(reference.line);
    free(reference.rows);
    return result;
}

/* --- the rungs -------------------------------------------------------------------------------- */

/* `across` x `down` elements of the result per lane. */
static void declare(const struct vks_ladder_task *task, uint32_t across, uint32_t down,
                    struct vks_declaration *declaration)
{
    const struct rung_params sides = vks_rung_params(task);
    const struct pool_params params = {.width = windows(&task->size, 0),
                                       .height = windows(&task->size, 1),
                                       .source_pitch = sides.source_pitch,
                                       .result_pitch = sides.result_pitch,
                                       .source_height = sides.height};
    vks_rung_pass(
        task,
        &(const struct vks_pass){
            .specializations = VKS_SPECIALIZATIONS({"WINDOW", task->size.axis[WINDOW]},
                                                   {"STRIDE", task->size.axis[STRIDE]},
                                                   {"IS_MEAN", is_mean(task)}),
            VKS_PUSH(params),
            .items = {(params.width + across - 1) / across, (params.height + down - 1) / down},
            .group = {32, 8},
        },
        declaration);
}

static void declare_direct(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    (void)gpu;
    declare(task, 1, 1, declaration);
}

static void declare_four(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    (void)gpu;
    declare(task, 4, 1, declaration);
}

enum { ROWS, AHEAD }; /* of task->values */

static void declare_strips(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    (void)gpu;
    declare(task, 4, task->values[ROWS], declaration);
}

/* At most 64 registers for the rows ahead. */
static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const uint32_t vectors = (3 * task->size.axis[STRIDE] + task->size.axis[WINDOW] + 3) / 4;
    (void)limits;
    return task->values[AHEAD] == 1 || 4 * task->values[AHEAD] * vectors <= 64;
}

static const struct vks_rung_space space = {
    .constants =
        (const struct vks_tuned_constant[]){
            [ROWS] = {"ROWS", {8, 4, 16, 32}},
            [AHEAD] = {"AHEAD", {2, 1, 4}},
            {0},
        },
    .fits = fits,
};

const struct vks_rung vks_pool_rungs[] = {
    {"direct", "ladder/pool_direct", "one element of the result per lane",
     .declare = declare_direct},
    {"four", "ladder/pool_four", "four elements per lane, accesses of 16 bytes",
     .declare = declare_four},
    {"strips", "ladder/pool_strips", "a row of the source is loaded once; strips are tuned",
     .declare = declare_strips, .space = &space},
    {0},
};
