/* SPDX-License-Identifier: MIT */
#include "ladder/rmsnorm.h"

#include "ladder/kernels/bound.h"

#define RMSNORM_EPSILON 1e-5F /* of shaders/ladder/rmsnorm.glsl */

void vks_rmsnorm_buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t width = task->size.axis[0], height = task->size.axis[1];
    const uint32_t bits = task->element == VKS_F16 ? 11 : 20;
    /* From -8 to 8; weights from 0 to 2. */
    *buffer++ = (struct vks_ladder_buffer){"source",
                                           task->element,
                                           width,
                                           height,
                                           .bits = bits,
                                           .offset = (float)(1U << (bits - 1)),
                                           .scale = 16.0F / (float)(1U << bits)};
    *buffer++ = (struct vks_ladder_buffer){"weight",   task->element, width,           1,
                                           .bits = 10, .offset = -1,  .scale = 0x1p-9F};
    *buffer = (struct vks_ladder_buffer){"result", task->element, width, height};
}

double vks_rmsnorm_bytes(const struct vks_ladder_task *task)
{
    const double width = task->size.axis[0], height = task->size.axis[1];
    return vks_element_info(task->element)->bytes * width * (2 * height + 1);
}

double vks_rmsnorm_operations(const struct vks_ladder_task *task)
{
    return 4.0 * task->size.axis[0] * task->size.axis[1];
}

struct reference {
    struct vks_ladder_reader source, weight;
    double root;
    double relative; /* error */
};

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    struct reference *reference = user;
    if (column == 0) {
        const uint32_t width = reference->source.buffer.columns;
        double squares = 0;
        for (uint32_t i = 0; i < width; i++) {
            const double x = vks_ladder_at(&reference->source, row, i);
            squares += x * x;
        }
        reference->root = sqrt(squares / width + (double)RMSNORM_EPSILON);
    }
    const double value = vks_ladder_at(&reference->source, row, column) / reference->root *
                         vks_ladder_at(&reference->weight, 0, column);
    return vks_expected_rounded(value, reference->relative, reference->source.buffer.element);
}

/* A square, the chain of additions, the division by the count and the addition of epsilon are wrong
 * by chain + 4.5 units at most, and the root halves that. The reciprocal root adds two and the two
 * products one each. */
enum vks_result vks_rmsnorm_check(const struct vks_ladder_task *task, struct vks_graph *graph,
                                  uint32_t chain)
{
    struct reference reference = {.source = vks_ladder_read(task, "source"),
                                  .weight = vks_ladder_read(task, "weight"),
                                  .relative = (0.5 * (chain + 5.0) + 5) * VKS_ULP};
    return vks_ladder_compare(task, graph, "result", expected, &reference);
}
