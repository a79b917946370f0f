/* SPDX-License-Identifier: MIT */
/* Minimum and maximum of a vector of float32 as two words: see shaders/ladder/order.glsl. */
#include "ladder/ladder.h"

#include <math.h>
#include <string.h>

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    *buffer++ = (struct vks_ladder_buffer){"source",   VKS_F32,          task->size.axis[0], 1,
                                           .bits = 20, .offset = 524288, .scale = 0.125F};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, 2, 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 4 * (double)task->size.axis[0];
}

static double operations(const struct vks_ladder_task *task)
{
    return 2 * (double)task->size.axis[0];
}

/* An integer that is larger where the float is larger. */
static uint32_t ordered(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits >> 31 ? bits ^ UINT32_C(0x7fffffff) : bits;
}

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    const uint32_t *words = user;
    (void)row;
    return (struct vks_expected){.value = words[column]};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    const struct vks_ladder_reader source = vks_ladder_read(task, "source");
    float low = NAN, high = NAN; /* fmin() and fmax() leave out NaN */
    (void)runs;
    for (uint32_t i = 0; i < task->size.axis[0]; i++) {
        const float number = (float)vks_ladder_at(&source, 0, i);
        low = fminf(low, number);
        high = fmaxf(high, number);
    }
    uint32_t words[2] = {UINT32_C(0x807ffffe) - ordered(low), UINT32_C(0x807fffff) + ordered(high)};
    return vks_ladder_compare(task, graph, "result", expected, words);
}

/* A count of workgroups that have finished, and the extremes of each. */
static void declare_last(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    params.lanes = vks_rung_loop_lanes(gpu, (params.width + 1023) / 1024);
    VKS_FIELD(declaration, .name = "partial", .element = VKS_U32, .rank = 1,
              .shape = {2 + params.lanes / 256 * 2});
    vks_rung_pass(task, &(const struct vks_pass){VKS_PUSH(params), .items = {params.lanes}},
                  declaration);
}

static const struct vks_rung rungs[] = {
    {"atomic", "ladder/reduce_minmax_atomic", "two atomic operations per lane", VKS_RUNG_LANES},
    {"checked", "ladder/reduce_minmax_checked", "atomic operations only if they change the result",
     VKS_RUNG_LANES},
    {"tree", "ladder/reduce_minmax_tree", "a tree in shared memory", VKS_RUNG_LANES},
    {"subgroup", "ladder/reduce_minmax_subgroup", "subgroups combine through registers",
     VKS_RUNG_LANES, .feature = VKS_FEATURE_SUBGROUP_SUMS},
    {"several", "ladder/reduce_minmax_several", "many floats per lane", VKS_RUNG_LOOP,
     .feature = VKS_FEATURE_SUBGROUP_SUMS},
    {"last", "ladder/reduce_minmax_last", "the last workgroup combines the extremes of all",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = declare_last},
    {0},
};

const struct vks_ladder_kernel vks_kernel_reduce_minmax = {
    .name = "reduce-minmax",
    .help = "minimum and maximum of float32: floats as ordered integers, and work left out",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,268435456",
    .software_sizes = "65536,1048576",
    .awkward_sizes = "1,3,4,255,257,8191,100003",
    .ceiling = "read",
    .element = VKS_F32,
    .specials = true,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
