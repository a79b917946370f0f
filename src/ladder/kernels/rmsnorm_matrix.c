/* SPDX-License-Identifier: MIT */
/* RMS norm over each row of a matrix. */
#include "ladder/kernels/lanes.h"
#include "ladder/rmsnorm.h"

/* At least 32 lanes share a row and add their sums up in a tree. */
static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    (void)runs;
    return vks_rmsnorm_check(task, graph, task->size.axis[0] / 32 + 16);
}

static void declare_one(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                        struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const uint32_t items = 4 * vks_lanes_fours(params.width, 256);
    (void)gpu;
    vks_rung_pass(task,
                  &(const struct vks_pass){
                      .specializations = VKS_SPECIALIZATIONS({"ITEMS", items < 32 ? items : 32}),
                      VKS_PUSH(params),
                      .items = {UINT64_C(256) * params.height},
                  },
                  declaration);
}

static const struct vks_rung rungs[] = {
    {"two", "ladder/rmsnorm_matrix_two", "two passes over a row: sum of squares, results",
     VKS_RUNG_ROWS},
    {"one", "ladder/rmsnorm_matrix_one", "the row in registers: one pass", .declare = declare_one},
    {"four", "ladder/rmsnorm_matrix_four", "accesses of 16 bytes",
     .declare = vks_lanes_declare_row},
    {"subgroup", "ladder/rmsnorm_matrix_subgroup", "subgroups add up through registers",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = vks_lanes_declare_subgroup},
    {"tuned", "ladder/rmsnorm_matrix_tuned", "weights in registers; lanes and rows are tuned",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .declare = vks_lanes_declare_tuned,
     .space = &vks_lanes_space},
    {0},
};

const struct vks_ladder_kernel vks_kernel_rmsnorm_matrix = {
    .name = "rmsnorm-matrix",
    .help = "RMS norm over rows: registers instead of a second pass",
    .axes = "WIDTHxHEIGHT",
    .sizes = "1024x65536,8192x8192,32768x2048",
    .software_sizes = "256x256,509x515",
    .awkward_sizes = "1x1,1x1003,20011x2,3x257,127x131,1030x9,509x65",
    .ceiling = "copy",
    .elements = VKS_LADDER_ELEMENT(VKS_F32) | VKS_LADDER_ELEMENT(VKS_F16),
    .element = VKS_F32,
    .buffers = vks_rmsnorm_buffers,
    .bytes = vks_rmsnorm_bytes,
    .operations = vks_rmsnorm_operations,
    .check = check,
    .rungs = rungs,
};
