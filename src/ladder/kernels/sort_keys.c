/* SPDX-License-Identifier: MIT */
/* Sorts keys of 32 bits without values. */
#include "ladder/radix.h"

#include <inttypes.h>
#include <string.h>
#include <vksim/model.h>

#include "base/error.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t count = task->size.axis[0];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, count, 1};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, count, 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 8 * (double)task->size.axis[0];
}

/* The keys that have come, in order: of that many, with these sums. */
struct keys {
    const struct vks_ladder_task *task;
    uint64_t sum, mixed_sum; /* of keys and of SORT_MIX() of keys */
    uint32_t at, before;
};

static void add_key(struct keys *keys, uint32_t key)
{
    keys->sum += key;
    keys->mixed_sum += SORT_MIX(key);
    keys->before = key;
    keys->at++;
}

static enum vks_result add_sorted(void *user, const void *data, size_t size)
{
    struct keys *keys = user;
    for (size_t i = 0; i < size / 4 && keys->at < keys->task->size.axis[0]; i++) {
        uint32_t key;
        memcpy(&key, (const char *)data + 4 * i, 4);
        if (key < keys->before) {
            return vks_ladder_wrong(keys->task, 0, keys->at, key, keys->before);
        }
        add_key(keys, key);
    }
    return VKS_OK;
}

/* Keys must be in order, and have the sums of the source's keys. */
static enum vks_result check_keys(const struct vks_ladder_task *task, struct vks_graph *graph,
                                  uint32_t runs)
{
    const uint32_t count = task->size.axis[0];
    struct keys source = {0}, found = {.task = task};
    (void)runs;
    for (uint32_t i = 0; i < count; i++) {
        add_key(&source, SORT_KEY(i, count, 0U));
    }
    const enum vks_result result = vks_graph_download(graph, "result", add_sorted, &found);
    if (result == VKS_OK && (found.sum != source.sum || found.mixed_sum != source.mixed_sum)) {
        return vks_fail(VKS_ERROR_STOPPED,
                        "the rung %s of sort-keys is wrong: the sums of its keys are %" PRIu64
                        " and %" PRIu64 " instead of %" PRIu64 " and %" PRIu64,
                        task->rung->name, found.sum, found.mixed_sum, source.sum, source.mixed_sum);
    }
    return result;
}

static void declare_radix8(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    vks_radix8_declare(gpu, task, true, declaration);
}

static const struct vks_rung rungs[] = {
    {"radix-8", "ladder/sort_radix8", "four passes of 8 bits, ranks by subgroup votes; tuned",
     .feature = VKS_FEATURE_SUBGROUP_SUMS, .space = &vks_radix8_space, .declare = declare_radix8},
    {0},
};

const struct vks_ladder_kernel vks_kernel_sort_keys = {
    .name = "sort-keys",
    .help = "sorts 32-bit keys without values",
    .axes = "ELEMENTS",
    .sizes = VKS_SORT_SIZES,
    .software_sizes = VKS_SORT_SOFTWARE_SIZES,
    .awkward_sizes = VKS_SORT_AWKWARD_SIZES,
    .ceiling = "copy",
    .element = VKS_U32,
    .buffers = buffers,
    .bytes = bytes,
    .check = check_keys,
    .rungs = rungs,
};
