/* SPDX-License-Identifier: MIT */
/* RMS norm of one vector: more than one workgroup must add up its squares. */
#include <string.h>

#include "ladder/rmsnorm.h"

/* The rung of one workgroup has 256 lanes; all others have 2^14 at least, or one per element, and
 * add the sums of up to 1024 workgroups up in four steps and a tree. */
static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    const uint32_t lanes = strcmp(task->rung->name, "group") == 0 ? 256 : 1 << 14;
    (void)runs;
    return vks_rmsnorm_check(task, graph, task->size.axis[0] / lanes + 32);
}

/* First the sum of squares, per workgroup, into the field "partial", then the results. `each`:
 * elements per lane. */
static void declare(const struct vks_gpu *gpu, const struct vks_ladder_task *task, uint32_t each,
                    const char *first, const char *second, bool loops,
                    struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const uint32_t lanes = (params.width + each - 1) / each;
    params.lanes = vks_rung_loop_lanes(gpu, (lanes + 255) / 256);
    VKS_FIELD(declaration, .name = "partial", .element = VKS_F32, .rank = 1,
              .shape = {2 + params.lanes / 256});
    vks_rung_pass(
        task,
        &(const struct vks_pass){
            .name = "sum of squares", .shader = first, VKS_PUSH(params), .items = {params.lanes}},
        declaration);
    vks_rung_pass(task,
                  &(const struct vks_pass){.name = "scale",
                                           .shader = second,
                                           VKS_PUSH(params),
                                           .items = {loops ? params.lanes : lanes}},
                  declaration);
}

static void declare_two(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                        struct vks_declaration *declaration)
{
    declare(gpu, task, 1, "ladder/rmsnorm_vector_sum", "ladder/rmsnorm_vector_scale", true,
            declaration);
}

static void declare_four(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    declare(gpu, task, 4, "ladder/rmsnorm_vector_sum_four", "ladder/rmsnorm_vector_scale_four",
            true, declaration);
}

static void declare_last(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    declare(gpu, task, 4, "ladder/rmsnorm_vector_last", "ladder/rmsnorm_vector_apply", false,
            declaration);
}

static void declare_backwards(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                              struct vks_declaration *declaration)
{
    declare(gpu, task, 4, "ladder/rmsnorm_vector_last", "ladder/rmsnorm_vector_backwards", false,
            declaration);
}

static const struct vks_rung rungs[] = {
    {"group", "ladder/rmsnorm_matrix_two", "one workgroup, two passes", VKS_RUNG_ROWS},
    {"two", .help = "two dispatches of many workgroups: sums of squares, results",
     .declare = declare_two},
    {"four", .help = "accesses of 16 bytes", .declare = declare_four},
    {"last", .help = "the last workgroup adds up the sums; the second dispatch reads one factor",
     .declare = declare_last},
    {"backwards", .help = "the second dispatch begins with what the cache still has",
     .declare = declare_backwards},
    {0},
};

const struct vks_ladder_kernel vks_kernel_rmsnorm_vector = {
    .name = "rmsnorm-vector",
    .help = "RMS norm of one vector: a sum that all workgroups need",
    .axes = "ELEMENTS",
    .sizes = "65536,1048576,67108864",
    .software_sizes = "65536,1048576",
    .awkward_sizes = "1,3,4,255,257,8191,100003",
    .ceiling = "copy",
    .elements = VKS_LADDER_ELEMENT(VKS_F32) | VKS_LADDER_ELEMENT(VKS_F16),
    .element = VKS_F32,
    .buffers = vks_rmsnorm_buffers,
    .bytes = vks_rmsnorm_bytes,
    .operations = vks_rmsnorm_operations,
    .check = check,
    .rungs = rungs,
};
