/* SPDX-License-Identifier: MIT */
/* Sorts keys of 32 bits, each with a value of 32 bits: the number of the item. */
#include "ladder/ladder.h"

#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"
#include "ladder/sort.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t count = task->size.axis[0];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, count, 1};
    *buffer++ = (struct vks_ladder_buffer){"source_values", VKS_U32, count, 1};
    *buffer++ = (struct vks_ladder_buffer){"result", VKS_U32, count, 1};
    *buffer = (struct vks_ladder_buffer){"result_values", VKS_U32, count, 1};
}

/* Keys and values, read once and written once. */
static double bytes(const struct vks_ladder_task *task)
{
    return 16 * (double)task->size.axis[0];
}

/* --- the check ------------------------------------------------------------------------------- */

struct check {
    const struct vks_ladder_task *task;
    uint32_t *values;
    uint8_t *seen; /* a bit per item */
    uint32_t at, before;
};

static enum vks_result compare(void *user, const void *keys, size_t size)
{
    struct check *check = user;
    const uint32_t count = check->task->size.axis[0];
    for (size_t i = 0; i < size / 4 && check->at < count; i++, check->at++) {
        const uint32_t value = check->values[check->at];
        const uint8_t bit = (uint8_t)(1 << value % 8);
        uint32_t key;
        memcpy(&key, (const char *)keys + 4 * i, 4);
        if (value >= count || check->seen[value / 8] & bit) {
            return vks_fail(VKS_ERROR_STOPPED,
                            "the rung %s of sort is wrong: value %u of its result is %u, which "
                            "%s",
                            check->task->rung->name, check->at, value,
                            value >= count ? "is not an item" : "occurs twice");
        }
        check->seen[value / 8] |= bit;
        if (key != SORT_KEY(value, count, 0U)) {
            return vks_ladder_wrong(check->task, 0, check->at, key, SORT_KEY(value, count, 0U));
        }
        if (key < check->before) { /* not in order */
            return vks_ladder_wrong(check->task, 0, check->at, key, check->before);
        }
        check->before = key;
    }
    return VKS_OK;
}

/* Keys must be in order, each must be that of its value, and each value must occur once. */
static enum vks_result check_items(const struct vks_ladder_task *task, struct vks_graph *graph,
                                   uint32_t runs)
{
    const struct vks_ladder_buffer values = vks_ladder_buffer(task, "result_values");
    struct check check = {
        .task = task,
        .values = malloc((size_t)vks_ladder_pitch(&values) * sizeof(*check.values)),
        .seen = calloc(task->size.axis[0] / 8 + 1, 1),
    };
    enum vks_result result = check.values && check.seen ? VKS_OK : vks_fail_memory();
    (void)runs;
    if (result == VKS_OK) {
        result = vks_graph_download_to(graph, "result_values", check.values);
    }
    if (result == VKS_OK) {
        result = vks_graph_download(graph, "result", compare, &check);
    }
    free(check.values);
    free(check.seen);
    return result;
}

/* --- rungs ----------------------------------------------------------------------------------- */

static void declare_fill(const struct vks_ladder_task *task, struct vks_declaration *declaration)
{
    const struct sort_rung_params params = {.count = task->size.axis[0], .addend = task->spoiled};
    vks_rung_pass(task,
                  &(const struct vks_pass){.name = "fill",
                                           .shader = "ladder/sort_fill",
                                           .when = VKS_AT_START,
                                           VKS_PUSH(params),
                                           .items = {params.count}},
                  declaration);
}

/* A pass of the bitonic rung; the number of items is that of its lanes. */
static void declare_step(const struct vks_ladder_task *task, const char *shader,
                         const struct sort_rung_params *params, uint64_t lanes,
                         struct vks_declaration *declaration)
{
    vks_rung_pass(
        task,
        &(const struct vks_pass){
            .name = vks_declaration_name(declaration, "span %u by %u", params->span, params->apart),
            .shader = shader,
            .constants = params,
            .constants_size = sizeof(*params),
            .items = {lanes}},
        declaration);
}

static void declare_bitonic(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                            struct vks_declaration *declaration)
{
    const uint64_t count = task->size.axis[0];
    const uint64_t lanes = (count + SORT_TILE - 1) / SORT_TILE * 256;
    struct sort_rung_params params = {.count = task->size.axis[0], .span = SORT_TILE, .apart = 1};
    (void)gpu;
    declare_fill(task, declaration);
    declare_step(task, "ladder/sort_bitonic", &params, lanes, declaration);
    while (params.span < count) {
        params.span *= 2;
        /* Pairs in all sequences, with the padding of the last. */
        const uint64_t pairs = (count + params.span - 1) / params.span * (params.span / 2);
        params.apart = 0;
        declare_step(task, "ladder/sort_bitonic_step", &params, pairs, declaration);
        for (params.apart = params.span / 4; params.apart >= SORT_TILE; params.apart /= 2) {
            declare_step(task, "ladder/sort_bitonic_step", &params, pairs, declaration);
        }
        declare_step(task, "ladder/sort_bitonic_merge", &params, lanes, declaration);
    }
}

/* How a rung sorts by digits. */
struct radix {
    uint32_t bits; /* of a digit */
    uint32_t tile; /* items of a workgroup */
    uint32_t lanes;
    const char *count, *move; /* shaders */
    uint32_t subgroup;        /* size, or 0 */
    const struct vks_specialization *specializations;
    uint32_t shared_bytes; /* of `move` */
};

/* Each pass counts a digit per tile, scans the counts and moves the items, from and to `source`,
 * `spare`, `result`, `spare`, ... `result`. */
static void declare_radix(const struct vks_ladder_task *task, const struct radix *radix,
                          struct vks_declaration *declaration)
{
    struct sort_rung_params params = {.count = task->size.axis[0]};
    params.tiles = (params.count - 1) / radix->tile + 1;
    const char *keys = "source", *values = "source_values";
    const uint64_t lanes = (uint64_t)params.tiles * radix->lanes;
    const uint64_t words = ((uint64_t)params.count + 3) / 4 * 4; /* which are read by fours */
    declare_fill(task, declaration);
    VKS_FIELD(declaration, .name = "spare", .element = VKS_U32, .rank = 1, .shape = {words});
    VKS_FIELD(declaration, .name = "spare_values", .element = VKS_U32, .rank = 1, .shape = {words});
    VKS_FIELD(declaration, .name = "counts", .element = VKS_U32, .rank = 1,
              .shape = {(uint64_t)params.tiles << radix->bits});
    for (params.shift = 0; params.shift < 32; params.shift += radix->bits) {
        const bool spare = params.shift / radix->bits % 2 == 0;
        const char *starts = vks_declaration_name(declaration, "starts %u", params.shift);
        const char *to = spare ? "spare" : "result";
        const char *to_values = spare ? "spare_values" : "result_values";
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

static void declare_radix4(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    const struct radix radix = {.bits = 4,
                                .tile = SORT_TILE,
                                .lanes = 256,
                                .count = "ladder/sort_radix4_count",
                                .move = "ladder/sort_radix4"};
    (void)gpu;
    declare_radix(task, &radix, declaration);
}

/* --- the rung `radix-8` ---------------------------------------------------------------------- */

enum { ITEMS, LANES };

static const struct vks_tuned_constant constants[] = {
    [ITEMS] = {"items", {20, 24, 16, 12, 8}},
    [LANES] = {"lanes", {128, 256, 512, 64}},
    {0},
};

/* The subgroup size to request, or 0 if it is not known. Where small subgroups exist, those of 32
 * lanes have few registers per lane. */
static uint32_t subgroup_of(const struct vks_limits *limits)
{
    const bool poor = limits->min_subgroup < 32;
    return poor && limits->subgroup > 16 ? 16 : limits->subgroup;
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
    return task->values[ITEMS] <= (limits->min_subgroup < 32 ? 8 : 24) &&
           task->values[LANES] <= limits->invocations && task->values[LANES] >= limits->subgroup &&
           shared_bytes(limits, task->values) <= limits->shared_bytes;
}

static const struct vks_rung_space space = {constants, fits};

static void declare_radix8(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    const struct vks_limits limits = vks_graph_limits(gpu);
    const uint32_t lanes = task->values[LANES];
    const struct radix radix = {
        .bits = 8,
        .tile = lanes * task->values[ITEMS],
        .lanes = lanes,
        .count = "ladder/sort_radix8_count",
        .move = "ladder/sort_radix8",
        .subgroup = subgroup_of(&limits),
        .specializations = VKS_SPECIALIZATIONS({"subgroups", subgroups_of(&limits, lanes)}),
        .shared_bytes = shared_bytes(&limits, task->values),
    };
    declare_radix(task, &radix, declaration);
}

static const struct vks_rung rungs[] = {
    {"bitonic", "ladder/sort_bitonic", "a sorting network, in shared memory where it fits",
     .declare = declare_bitonic},
    {"radix-4", "ladder/sort_radix4", "eight passes with digits of 4 bits, counters per lane",
     .declare = declare_radix4},
    {"radix-8", "ladder/sort_radix8", "four passes of 8 bits, ranks by subgroup votes; tuned",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .space = &space, .declare = declare_radix8},
    {0},
};

const struct vks_ladder_kernel vks_kernel_sort = {
    .name = "sort",
    .help = "sorts 32-bit keys with values: networks, digits, ranks and coalesced writes",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,100000000",
    .software_sizes = "4096,32768",
    .awkward_sizes = "1,2049,8191",
    .ceiling = "copy",
    .element = VKS_U32,
    .buffers = buffers,
    .bytes = bytes,
    .check = check_items,
    .rungs = rungs,
};
