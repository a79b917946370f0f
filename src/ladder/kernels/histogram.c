/* SPDX-License-Identifier: MIT */
/* Counts keys below a power of two. Each run adds to the counts. */
#include "ladder/ladder.h"

#include <stdio.h>

#include "base/memory.h"

enum { MAX_BINS = 256 };

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    const uint32_t bins = size->axis[1];
    snprintf(text, 128, "it takes a power of two of bins, from 2 to %d", MAX_BINS);
    return bins < 2 || bins > MAX_BINS || (bins & (bins - 1)) != 0 ? text : NULL;
}

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t keys = task->size.axis[0], bins = task->size.axis[1];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, keys, 1, .bits = vks_exponent(bins)};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, bins, 1};
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
    const uint32_t *counts = user;
    (void)row;
    return (struct vks_expected){.value = counts[column]};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    const struct vks_ladder_reader source = vks_ladder_read(task, "source");
    uint32_t counts[MAX_BINS] = {0};
    for (uint32_t i = 0; i < task->size.axis[0]; i++) {
        counts[(uint32_t)vks_ladder_at(&source, 0, i)] += runs;
    }
    return vks_ladder_compare(task, graph, "result", expected, counts);
}

/* --- the rung `copies` ----------------------------------------------------------------------- */

enum { COPIES, LOADS, LANES };

static const struct vks_tuned_constant constants[] = {
    [COPIES] = {"copies", {8, 32}},
    [LOADS] = {"loads", {2, 4, 1}},
    [LANES] = {"lanes", {512, 1024, 256}},
    {0},
};

static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    return task->values[LANES] <= limits->invocations &&
           4 * MAX_BINS * task->values[COPIES] <= limits->shared_bytes;
}

static const struct vks_rung_space space = {constants, fits};

static void declare_copies(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const uint32_t group = task->values[LANES];
    const uint32_t lanes = vks_rung_loop_lanes(gpu, (params.width + 1023) / 1024);
    params.lanes = (lanes + group - 1) / group * group;
    vks_rung_pass(task,
                  &(const struct vks_pass){VKS_PUSH(params), .items = {params.lanes},
                                           .group = {group},
                                           .shared_bytes = 4 * MAX_BINS * task->values[COPIES]},
                  declaration);
}

static const struct vks_rung rungs[] = {
    {"atomic", "ladder/histogram_atomic", "one global atomic addition per key", VKS_RUNG_LANES},
    {"shared", "ladder/histogram_shared", "counters in shared memory, many keys per workgroup",
     VKS_RUNG_LOOP},
    {"four", "ladder/histogram_four", "accesses of 16 bytes", VKS_RUNG_LOOP},
    {"copies", "ladder/histogram_copies", "several copies of the counters; tuned", .space = &space,
     .declare = declare_copies},
    {0},
};

const struct vks_ladder_kernel vks_kernel_histogram = {
    .name = "histogram",
    .help = "counts keys: contention of atomic operations, in memory and in shared memory",
    .axes = "KEYSxBINS",
    .sizes = "16777216x256,268435456x256,268435456x16,268435456x2",
    .software_sizes = "1048576x256,1048576x2",
    .awkward_sizes = "1x2,3x256,255x16,1025x4,8191x256,100003x256,300007x2",
    .ceiling = "read",
    .element = VKS_U32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
