/* SPDX-License-Identifier: MIT */
/* Softmax over the rows of a matrix, exp(x - max) / sum of exp(x - max). */
#include <stdlib.h>

#include "base/error.h"
#include "ladder/kernels/bound.h"
#include "ladder/kernels/lanes.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t width = task->size.axis[0], height = task->size.axis[1];
    const uint32_t bits = task->element == VKS_F16 ? 10 : 20;
    /* From -8 to 8: the largest elements of long rows are normal numbers of float16. */
    *buffer++ = (struct vks_ladder_buffer){"source",
                                           task->element,
                                           width,
                                           height,
                                           .bits = bits,
                                           .offset = (float)(1U << (bits - 1)),
                                           .scale = 16.0F / (float)(1U << bits)};
    *buffer = (struct vks_ladder_buffer){"result", task->element, width, height};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 2.0 * vks_element_info(task->element)->bytes * task->size.axis[0] * task->size.axis[1];
}

static double operations(const struct vks_ladder_task *task)
{
    return 5.0 * task->size.axis[0] * task->size.axis[1];
}

struct reference {
    struct vks_ladder_reader source;
    double *row; /* x - max */
    double sum;
    double units; /* of the sum's error */
};

/* An exponential is wrong by 3 + 2 |x - max| units, and its argument by one unit of |x - max|,
 * wherever on the way from x to the maximum it is scaled: the steps add up to x - max. The sum of a
 * row is a chain of at most width / 32 + 16 steps, of five units each where a step scales. */
static void reduce_row(struct reference *reference, uint64_t row)
{
    const uint32_t width = reference->source.buffer.columns;
    double top = -INFINITY, error = 0;
    reference->sum = 0;
    for (uint32_t i = 0; i < width; i++) {
        reference->row[i] = vks_ladder_at(&reference->source, row, i);
        top = fmax(top, reference->row[i]);
    }
    for (uint32_t i = 0; i < width; i++) {
        reference->row[i] -= top;
        const double e = exp(reference->row[i]);
        reference->sum += e;
        error += e > 0 ? e * -3 * reference->row[i] : 0;
    }
    reference->units = error / reference->sum + 5.0 * (width / 32 + 16);
}

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    struct reference *reference = user;
    if (column == 0) {
        reduce_row(reference, row);
    }
    const double x = reference->row[column], value = exp(x) / reference->sum;
    const double units = reference->units + 10 + (value > 0 ? -3 * x : 0);
    return vks_expected_rounded(value, units * VKS_ULP, reference->source.buffer.element);
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    struct reference reference = {.source = vks_ladder_read(task, "source")};
    (void)runs;
    reference.row = malloc(sizeof(double) * task->size.axis[0]);
    const enum vks_result result =
        reference.row ? vks_ladder_compare(task, graph, "result", expected, &reference)
                      : vks_fail_memory();
    free(reference.row);
    return result;
}

static const struct vks_rung rungs[] = {
    {"three", "ladder/softmax_three", "three passes over a row: maximum, sum, quotients",
     VKS_RUNG_ROWS},
    {"online", "ladder/softmax_online", "maximum and sum in one pass: two passes", VKS_RUNG_ROWS},
    {"row", "ladder/softmax_row", "the row in registers, accesses of 16 bytes: one pass",
     .declare = vks_lanes_declare_row},
    {"subgroup", "ladder/softmax_subgroup", "subgroups merge through registers",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = vks_lanes_declare_subgroup},
    {"tuned", "ladder/softmax_tuned", "the next row is loaded ahead; lanes and rows are tuned",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = vks_lanes_declare_tuned,
     .space = &vks_lanes_space},
    {0},
};

const struct vks_ladder_kernel vks_kernel_softmax = {
    .name = "softmax",
    .help = "softmax over rows: how often a row is read, and where it is kept",
    .axes = "WIDTHxHEIGHT",
    .sizes = "1024x65536,8192x8192,32768x2048",
    .software_sizes = "256x256,509x515",
    .awkward_sizes = "1x1,1x1003,20011x2,3x257,127x131,1030x9,509x65",
    .ceiling = "copy",
    .elements = VKS_LADDER_ELEMENT(VKS_F32) | VKS_LADDER_ELEMENT(VKS_F16),
    .element = VKS_F32,
    .specials = true,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
