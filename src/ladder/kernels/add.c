/* SPDX-License-Identifier: MIT */
/* Adds two vectors of float32. */
#include "ladder/ladder.h"

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t count = task->size.axis[0];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_F32, count, 1, .bits = 20};
    *buffer++ = (struct vks_ladder_buffer){"second", VKS_F32, count, 1, .bits = 20};
    *buffer = (struct vks_ladder_buffer){"result", VKS_F32, count, 1};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 12 * (double)task->size.axis[0];
}

static double operations(const struct vks_ladder_task *task)
{
    return task->size.axis[0];
}

/* Sums of two integers below 2^20: exact in float32. */
static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    const struct vks_ladder_reader *readers = user;
    return (struct vks_expected){.value = vks_ladder_at(&readers[0], row, column) +
                                          vks_ladder_at(&readers[1], row, column)};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    struct vks_ladder_reader readers[] = {vks_ladder_read(task, "source"),
                                          vks_ladder_read(task, "second")};
    (void)runs;
    return vks_ladder_compare(task, graph, "result", expected, readers);
}

static const struct vks_rung rungs[] = {
    {"scalar", "ladder/add_scalar", "one element per lane", VKS_RUNG_LANES},
    {"four", "ladder/add_four", "accesses of 16 bytes", VKS_RUNG_FOURS},
    {"loop", "ladder/add_loop", "a loop over a grid that fills the device", VKS_RUNG_LOOP},
    {0},
};

const struct vks_ladder_kernel vks_kernel_add = {
    .name = "add",
    .help = "adds two vectors of float32: arithmetic is free where memory is the limit",
    .axes = "ELEMENTS",
    .sizes = "1048576,16777216,268435456",
    .software_sizes = "65536,1048576",
    .awkward_sizes = "1,3,4,255,257,8191,100003,300007",
    .ceiling = "copy",
    .element = VKS_F32,
    .buffers = buffers,
    .bytes = bytes,
    .operations = operations,
    .check = check,
    .rungs = rungs,
};
