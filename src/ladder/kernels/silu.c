/* SPDX-License-Identifier: MIT */
/* SiLU of a vector, x / (1 + exp(-x)). */
#include "ladder/kernels/bound.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t count = task->size.axis[0], bits = task->element == VKS_F16 ? 11 : 20;
    /* From -16 to 16. */
    *buffer++ = (struct vks_ladder_buffer){"source",
                                           task->element,
                                           count,
                                           1,
                                           .bits = bits,
                                           .offset = (float)(1U << (bits - 1)),
                                           .scale = 32.0F / (float)(1U << bits)};
    *buffer = (struct vks_ladder_buffer){"result", task->element, count, 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 2.0 * vks_element_info(task->element)->bytes * task->size.axis[0];
}

static double operations(const struct vks_ladder_task *task)
{
    return 4.0 * task->size.axis[0];
}

/* exp(-x) is wrong by 3 + 2 |x| units; it is the share e / (1 + e) of the divisor, whose addition
 * adds one. The division adds two and a half. */
static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    const struct vks_ladder_reader *source = user;
    const double x = vks_ladder_at(source, row, column), e = exp(-x);
    const double units = 3.5 + (e > 1 ? 1 : e) * (3 + 2 * fabs(x));
    return vks_expected_rounded(x / (1 + e), units * VKS_ULP, source->buffer.element);
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    struct vks_ladder_reader source = vks_ladder_read(task, "source");
    (void)runs;
    return vks_ladder_compare(task, graph, "result", expected, &source);
}

enum { FOURS };

static const struct vks_rung_space space = {
    .constants = (const struct vks_tuned_constant[]){[FOURS] = {"FOURS", {2, 1, 4, 8}}, {0}},
};

static void declare_several(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                            struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const uint32_t per_group = 256 * 4 * task->values[FOURS];
    (void)gpu;
    params.lanes = (params.width + per_group - 1) / per_group * 256;
    vks_rung_pass(task, &(const struct vks_pass){VKS_PUSH(params), .items = {params.lanes}},
                  declaration);
}

static const struct vks_rung rungs[] = {
    {"scalar", "ladder/silu_scalar", "one element per lane", VKS_RUNG_LANES},
    {"four", "ladder/silu_four", "four elements per lane and access", VKS_RUNG_FOURS},
    {"loop", "ladder/silu_loop", "a loop over a grid that fills the device", VKS_RUNG_LOOP},
    {"several", "ladder/silu_several", "several accesses in flight per lane; their number is tuned",
     .declare = declare_several, .space = &space},
    {0},
};

const struct vks_ladder_kernel vks_kernel_silu = {
    .name = "silu",
    .help = "SiLU of a vector, x / (1 + exp(-x)): arithmetic hidden behind memory accesses",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,67108864",
    .software_sizes = "65536,1048576",
    .awkward_sizes = "1,3,4,255,257,8191,100003",
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
