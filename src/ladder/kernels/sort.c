/* SPDX-License-Identifier: MIT */
/* Sorts keys of 32 bits, each with a value of 32 bits: the number of the item. */
#include "ladder/radix.h"

#include <stdlib.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"

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
    vks_radix_fill(task, false, declaration);
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

static void declare_radix4(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    const struct vks_radix radix = {.bits = 4,
                                    .tile = SORT_TILE,
                                    .lanes = 256,
                                    .count = "ladder/sort_radix4_count",
                                    .move = "ladder/sort_radix4"};
    (void)gpu;
    vks_radix_declare(task, &radix, declaration);
}

static void declare_radix8(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    vks_radix8_declare(gpu, task, false, declaration);
}

static const struct vks_rung rungs[] = {
    {"bitonic", "ladder/sort_bitonic", "a sorting network, in shared memory where it fits",
     .declare = declare_bitonic},
    {"radix-4", "ladder/sort_radix4", "eight passes with digits of 4 bits, counters per lane",
     .declare = declare_radix4},
    {"radix-8", "ladder/sort_radix8", "four passes of 8 bits, ranks by subgroup votes; tuned",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .space = &vks_radix8_space, .declare = declare_radix8},
    {0},
};

const struct vks_ladder_kernel vks_kernel_sort = {
    .name = "sort",
    .help = "sorts 32-bit keys with values: networks, digits, ranks and coalesced writes",
    .axes = "ELEMENTS",
    .sizes = VKS_SORT_SIZES,
    .software_sizes = VKS_SORT_SOFTWARE_SIZES,
    .awkward_sizes = VKS_SORT_AWKWARD_SIZES,
    .ceiling = "copy",
    .element = VKS_U32,
    .buffers = buffers,
    .bytes = bytes,
    .check = check_items,
    .rungs = rungs,
};
