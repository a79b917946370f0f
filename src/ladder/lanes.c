/* SPDX-License-Identifier: MIT */
#include "ladder/kernels/lanes.h"

enum { MAX_FOURS = 16, MAX_TUNED_FOURS = 8 }; /* 64 registers, or twice 32 */
enum { LANES, ROWS, EACH };                   /* of task->values */

uint32_t vks_lanes_fours(uint32_t width, uint32_t lanes)
{
    const uint32_t fours = ((width + 3) / 4 + lanes - 1) / lanes;
    return fours < MAX_FOURS ? fours : MAX_FOURS;
}

static void declare(const struct vks_ladder_task *task, const struct vks_specialization *constants,
                    uint32_t lanes, uint32_t rows, uint32_t subgroup,
                    struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const uint32_t each = task->values[EACH] ? task->values[EACH] : 1;
    const uint64_t groups = (params.height + (uint64_t)rows * each - 1) / (rows * each);
    vks_rung_pass(task,
                  &(const struct vks_pass){.specializations = constants,
                                           VKS_PUSH(params),
                                           .items = {groups * lanes * rows},
                                           .group = {lanes * rows},
                                           .subgroup = subgroup},
                  declaration);
}

void vks_lanes_declare_row(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    (void)gpu;
    declare(task, VKS_SPECIALIZATIONS({"FOURS", vks_lanes_fours(task->size.axis[0], 256)}), 256, 1,
            0, declaration);
}

void vks_lanes_declare_subgroup(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                struct vks_declaration *declaration)
{
    (void)gpu;
    declare(
        task,
        VKS_SPECIALIZATIONS({"LANES", 256}, {"FOURS", vks_lanes_fours(task->size.axis[0], 256)}),
        256, 1, 0, declaration);
}

void vks_lanes_declare_tuned(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                             struct vks_declaration *declaration)
{
    const uint32_t lanes = task->values[LANES];
    /* Subgroups must not be larger than a row's lanes. */
    const uint32_t subgroup = lanes < 128 ? vks_graph_limits(gpu).subgroup : 0;
    const uint32_t fours = vks_lanes_fours(task->size.axis[0], lanes);
    const uint32_t kept = fours < MAX_TUNED_FOURS ? fours : MAX_TUNED_FOURS;
    declare(task, VKS_SPECIALIZATIONS({"FOURS", kept}), lanes, task->values[ROWS], subgroup,
            declaration);
}

/* A row should fit the registers, but not leave half of the lanes without data, and workgroups
 * should have 64 to 512 lanes. Where subgroups may be small, those of 32 have few registers. Enough
 * workgroups should remain for a large device. */
static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const uint32_t lanes = task->values[LANES], group = lanes * task->values[ROWS];
    const uint32_t fours = (task->size.axis[0] + 3) / 4;
    const uint32_t max_lanes = limits->software.driver ? 256 : limits->invocations;
    const uint32_t min_lanes = limits->subgroup > 32 ? limits->subgroup : 32;
    const uint32_t rows = task->values[ROWS] * task->values[EACH];
    if (limits->subgroup == 0) { /* of unknown size */
        return lanes == 256 && group == 256;
    }
    if (lanes < 128 && limits->min_subgroup < 32 && lanes * 4 < fours && !limits->software.driver) {
        return false;
    }
    return lanes >= min_lanes && group <= max_lanes && group >= 64 &&
           (group <= 512 || group == lanes) &&
           (lanes * MAX_TUNED_FOURS >= fours || 2 * lanes > max_lanes || lanes == 1024) &&
           (lanes == min_lanes || lanes / 2 < fours) &&
           (task->values[EACH] == 1 || rows * UINT64_C(512) <= task->size.axis[1]);
}

const struct vks_rung_space vks_lanes_space = {
    .constants =
        (const struct vks_tuned_constant[]){
            [LANES] = {"LANES", {256, 128, 64, 32, 512, 1024}},
            [ROWS] = {"ROWS", {1, 2, 4}},
            [EACH] = {"EACH", {1, 2, 4, 8}},
            {0},
        },
    .fits = fits,
};
