/* SPDX-License-Identifier: MIT */
#include "ladder/radix.h"

#include <vksim/model.h>

void vks_radix_fill(const struct vks_ladder_task *task, bool keys,
                    struct vks_declaration *declaration)
{
    const struct sort_rung_params params = {.count = task->size.axis[0], .addend = task->spoiled};
    /* Without values, their numbers are written where the result follows. */
    static const struct vks_use alone[] = {{"result", VKS_WRITE, "source_values"}, {0}};
    vks_rung_pass(task,
                  &(const struct vks_pass){.name = "fill",
                                           .shader = "ladder/sort_fill",
                                           .when = VKS_AT_START,
                                           .uses = keys ? alone : NULL,
                                           VKS_PUSH(params),
                                           .items = {params.count}},
                  declaration);
}

void vks_radix_declare(const struct vks_ladder_task *task, const struct vks_radix *radix,
                       struct vks_declaration *declaration)
{
    struct sort_rung_params params = {.count = task->size.axis[0]};
    params.tiles = (params.count - 1) / radix->tile + 1;
    const char *keys = "source", *values = radix->keys ? "source" : "source_values";
    const uint64_t lanes = (uint64_t)params.tiles * radix->lanes;
    const uint64_t words = ((uint64_t)params.count + 3) / 4 * 4; /* which are read by fours */
    vks_radix_fill(task, radix->keys, declaration);
    VKS_FIELD(declaration, .name = "spare", .element = VKS_U32, .rank = 1, .shape = {words});
    if (!radix->keys) {
        VKS_FIELD(declaration, .name = "spare_values", .element = VKS_U32, .rank = 1,
                  .shape = {words});
    }
    VKS_FIELD(declaration, .name = "counts", .element = VKS_U32, .rank = 1,
              .shape = {(uint64_t)params.tiles << radix->bits});
    for (params.shift = 0; params.shift < 32; params.shift += radix->bits) {
        const bool spare = params.shift / radix->bits % 2 == 0;
        const char *starts = vks_declaration_name(declaration, "starts %u", params.shift);
        const char *to = spare ? "spare" : "result";
        const char *to_values = radix->keys ? to : spare ? "spare_values" : "result_values";
        vks_rung_pass(task,
                      &(const struct vks_pass){
                          .name = vks_declaration_name(declaration, "count %u", params.shift),
                          .shader = radix->count,
                          .uses = VKS_USES({keys, VKS_READ, "keys"}),
                          VKS_PUSH(params),
                          .items = {lanes},
                          .group = {radix->lanes}},
                      declaration);
        vks_declare_scan(declaration, "counts", starts, VKS_EACH_STEP);
        vks_rung_pass(
            task,
            &(const struct vks_pass){
                .name = vks_declaration_name(declaration, "move %u", params.shift),
                .shader = radix->move,
                .uses = VKS_USES({keys, VKS_READ, "keys"}, {values, VKS_READ, "values"},
                                 {starts, VKS_READ, "starts"}, {to, VKS_WRITE, "moved_keys"},
                                 {to_values, VKS_WRITE, "moved_values"}),
                .specializations = radix->specializations,
                .shared_bytes = radix->shared_bytes,
                .subgroup = radix->subgroup,
                VKS_PUSH(params),
                .items = {lanes},
                .group = {radix->lanes}},
            declaration);
        keys = to;
        values = to_values;
    }
}

/* --- the rung `radix-8` ---------------------------------------------------------------------- */

enum { ITEMS, LANES };

static const struct vks_tuned_constant constants[] = {
    [ITEMS] = {"items", {20, 24, 16, 12, 8, 4}},
    [LANES] = {"lanes", {128, 256, 512, 64}},
    {0},
};

/* Where small subgroups exist, larger ones have few registers per lane. */
static bool is_poor(const struct vks_limits *limits)
{
    return limits->min_subgroup < 32 && limits->subgroup > 16;
}

/* The subgroup size to request, or 0 if it is not known. */
static uint32_t subgroup_of(const struct vks_limits *limits)
{
    return is_poor(limits) ? 16 : limits->subgroup;
}

/* Of a workgroup; if their size is not known, there may be many. */
static uint32_t subgroups_of(const struct vks_limits *limits, uint32_t lanes)
{
    const uint32_t size = subgroup_of(limits);
    return lanes / (size ? size : 4);
}

/* A rank per digit and subgroup, a sum per subgroup, a base per digit, and the items. */
static uint32_t shared_bytes(const struct vks_limits *limits, const uint32_t *values)
{
    const uint32_t subgroups = subgroups_of(limits, values[LANES]);
    const uint32_t ranks = 256 * subgroups, items = values[LANES] * values[ITEMS];
    return 4 * ((ranks > items ? ranks : items) + subgroups + 256);
}

static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    const uint32_t most = is_poor(limits) ? 4 : limits->min_subgroup < 32 ? 8 : 24;
    return task->values[ITEMS] <= most && task->values[LANES] <= limits->invocations &&
           task->values[LANES] >= limits->subgroup &&
           shared_bytes(limits, task->values) <= limits->shared_bytes;
}

const struct vks_rung_space vks_radix8_space = {constants, fits};

void vks_radix8_declare(const struct vks_gpu *gpu, const struct vks_ladder_task *task, bool keys,
                        struct vks_declaration *declaration)
{
    const struct vks_limits limits = vks_graph_limits(gpu);
    const uint32_t lanes = task->values[LANES];
    const struct vks_radix radix = {
        .bits = 8,
        .tile = lanes * task->values[ITEMS],
        .lanes = lanes,
        .count = "ladder/sort_radix8_count",
        .move = "ladder/sort_radix8",
        .subgroup = subgroup_of(&limits),
        .specializations =
            VKS_SPECIALIZATIONS({"subgroups", subgroups_of(&limits, lanes)}, {"paired", !keys}),
        .shared_bytes = shared_bytes(&limits, task->values),
        .keys = keys,
    };
    vks_radix_declare(task, &radix, declaration);
}
