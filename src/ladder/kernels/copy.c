/* SPDX-License-Identifier: MIT */
/* Copies a vector of 32-bit words. */
#include "ladder/ladder.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t count = task->size.axis[0];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, count, 1, .bits = 20};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, count, 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 8 * (double)task->size.axis[0];
}

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    return (struct vks_expected){.value = vks_ladder_at(user, row, column)};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    struct vks_ladder_reader source = vks_ladder_read(task, "source");
    (void)runs;
    return vks_ladder_compare(task, graph, "result", expected, &source);
}

static const struct vks_rung rungs[] = {
    {"scalar", "ladder/copy_scalar", "one word per lane", VKS_RUNG_LANES},
    {"four", "ladder/copy_four", "accesses of 16 bytes", VKS_RUNG_FOURS},
    {"loop", "ladder/copy_loop", "a loop over a grid that fills the device", VKS_RUNG_LOOP},
    {0},
};

const struct vks_ladder_kernel vks_kernel_copy = {
    .name = "copy",
    .help = "copies a vector of 32-bit words: how to use the full memory bandwidth",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,268435456",
    .software_sizes = "65536,1048576",
    .awkward_sizes = "1,3,4,255,257,8191,100003,300007",
    .ceiling = "copy",
    .element = VKS_U32,
    .buffers = buffers,
    .bytes = bytes,
    .check = check,
    .rungs = rungs,
};
