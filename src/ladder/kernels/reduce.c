/* SPDX-License-Identifier: MIT */
/* Adds up a vector of uint32, modulo 2^32. Each run adds to the result. */
#include "ladder/ladder.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, task->size.axis[0], 1, .bits = 20};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, 1, 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 4 * (double)task->size.axis[0];
}

static double operations(const struct vks_ladder_task *task)
{
    return task->size.axis[0];
}

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    const uint32_t *sum = user;
    (void)row;
    (void)column;
    return (struct vks_expected){.value = *sum};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    const struct vks_ladder_reader source = vks_ladder_read(task, "source");
    uint32_t sum = 0;
    for (uint32_t i = 0; i < task->size.axis[0]; i++) {
        sum += (uint32_t)vks_ladder_at(&source, 0, i);
    }
    sum *= runs;
    return vks_ladder_compare(task, graph, "result", expected, &sum);
}

/* A count of workgroups that have finished, and a sum per workgroup. */
static void declare_last(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    params.lanes = vks_rung_loop_lanes(gpu, (params.width + 1023) / 1024);
    VKS_FIELD(declaration, .name = "partial", .element = VKS_U32, .rank = 1,
              .shape = {1 + params.lanes / 256});
    vks_rung_pass(task, &(const struct vks_pass){VKS_PUSH(params), .items = {params.lanes}},
                  declaration);
}

static const struct vks_rung rungs[] = {
    {"atomic", "ladder/reduce_atomic", "one atomic addition per lane", VKS_RUNG_LANES},
    {"tree", "ladder/reduce_tree", "a tree in shared memory", VKS_RUNG_LANES},
    {"dense", "ladder/reduce_dense", "the tree without divergence", VKS_RUNG_LANES},
    {"subgroup", "ladder/reduce_subgroup", "subgroups add up through registers", VKS_RUNG_LANES,
     .feature = VKS_FEATURE_SUBGROUP_SUMS},
    {"several", "ladder/reduce_several", "many words per lane", VKS_RUNG_LOOP,
     .feature = VKS_FEATURE_SUBGROUP_SUMS},
    {"last", "ladder/reduce_last", "the last workgroup adds up the sums of all",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = declare_last},
    {0},
};

const struct vks_ladder_kernel vks_kernel_reduce = {
    .name = "reduce",
    .help = "adds up a vector of uint32: trees, divergence, subgroups and work per lane",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,268435456",
    .software_sizes = "65536,1048576",
    .awkward_sizes = "1,3,4,255,257,8191,100003,300007",
    .ceiling = "read",
    .element = VKS_U32,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
