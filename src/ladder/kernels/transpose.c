/* SPDX-License-Identifier: MIT */
/* Transposes a matrix of 32-bit words. */
#include "ladder/ladder.h"

#include <stdio.h>

/* Workgroups of 32 x 8, of which every device takes 65535 in each direction. */
enum { MAX_COLUMNS = 65535 * 32, MAX_ROWS = 65535 * 8 };

static const char *refuse(const struct vks_ladder_size *size, char text[128])
{
    snprintf(text, 128, "it takes at most %d columns and %d rows", MAX_COLUMNS, MAX_ROWS);
    return size->axis[0] > MAX_COLUMNS || size->axis[1] > MAX_ROWS ? text : NULL;
}

static void buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer)
{
    const uint32_t width = task->size.axis[0], height = task->size.axis[1];
    *buffer++ = (struct vks_ladder_buffer){"source", VKS_U32, width, height, .bits = 20};
    *buffer = (struct vks_ladder_buffer){"result", VKS_U32, height, width};
}

static double bytes(const struct vks_ladder_task *task)
{
    return 8 * (double)task->size.axis[0] * task->size.axis[1];
}

static struct vks_expected expected(void *user, uint64_t row, uint32_t column)
{
    return (struct vks_expected){.value = vks_ladder_at(user, column, (uint32_t)row)};
}

static enum vks_result check(const struct vks_ladder_task *task, struct vks_graph *graph,
                             uint32_t runs)
{
    struct vks_ladder_reader source = vks_ladder_read(task, "source");
    (void)runs;
    return vks_ladder_compare(task, graph, "result", expected, &source);
}

/* Workgroups of 256 lanes, each for 16 x 16 blocks of 4 x 4. */
static void declare_blocks(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    (void)gpu;
    vks_rung_pass(task,
                  &(struct vks_pass){VKS_PUSH(params), .items = {params.width, params.height},
                                     .group = {32, 8}, .per_group = {64, 64}},
                  declaration);
}

/* --- the tuned rung -------------------------------------------------------------------------- */

enum { COLUMNS, ROWS }; /* of the constants */

static const struct vks_tuned_constant tuned_constants[] = {
    {"columns", {16, 8, 32}},
    {"rows", {16, 8, 32}},
    {"order", {1, 2, 4, 8, 32}},
    {0},
};

/* Blocks of 4 x 4 words in a tile. */
static uint32_t blocks(const struct vks_ladder_task *task)
{
    return task->values[COLUMNS] * task->values[ROWS];
}

/* A lane per block. With more, the lane waits for one after the other, which was slower. */
static bool fits(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    return 64 * blocks(task) <= limits->shared_bytes && blocks(task) <= limits->invocations;
}

static const struct vks_rung_space space = {tuned_constants, fits};

static const struct vks_tuned_constant across[] = {{"across", {8, 4, 2, 16}}, {0}};
static const struct vks_rung_space register_space = {across, NULL};

static void declare_tuned(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                          struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const bool whole = params.width % (4 * task->values[COLUMNS]) == 0 &&
                       params.height % (4 * task->values[ROWS]) == 0;
    (void)gpu;
    vks_rung_pass(
        task,
        &(struct vks_pass){.specializations = VKS_SPECIALIZATIONS({"whole", whole}),
                           VKS_PUSH(params),
                           .items = {params.width, params.height},
                           .group = {16, blocks(task) / 16},
                           .per_group = {4 * task->values[COLUMNS], 4 * task->values[ROWS]},
                           .shared_bytes = 64 * blocks(task)},
        declaration);
}

static const struct vks_tuned_constant ahead_constants[] = {{"tiles", {2, 4, 8}}, {0}};
static const struct vks_rung_space ahead_space = {ahead_constants, NULL};

/* Workgroups of several tiles of 64 x 64 beside each other. */
static void declare_ahead(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                          struct vks_declaration *declaration)
{
    const uint32_t tiles = task->values[0];
    struct rung_params params = vks_rung_params(task);
    (void)gpu;
    vks_rung_pass(task,
                  &(struct vks_pass){VKS_PUSH(params), .items = {params.width, params.height},
                                     .group = {32, 8}, .per_group = {64 * tiles, 64}},
                  declaration);
}

static const struct vks_rung rungs[] = {
    {"rows", "ladder/transpose_rows", "one workgroup per row", VKS_RUNG_ROWS},
    {"coalesced", "ladder/transpose_coalesced", "coalesced reads, in blocks of 32 x 8",
     VKS_RUNG_BLOCKS},
    {"tile", "ladder/transpose_tile", "a tile in shared memory: coalesced writes, too",
     VKS_RUNG_TILES},
    {"padded", "ladder/transpose_padded", "a padded tile: no bank conflicts", VKS_RUNG_TILES},
    {"four", "ladder/transpose_four", "the padded tile with accesses of 16 bytes", VKS_RUNG_TILES},
    {"registers", "ladder/transpose_registers", "blocks of 4 x 4 in registers, no shared memory",
     .space = &register_space, .declare = declare_blocks},
    {"swizzled", "ladder/transpose_swizzled", "a tile of such blocks, swizzled instead of padded",
     .declare = declare_blocks},
    {"ahead", "ladder/transpose_ahead",
     "several such tiles; each is loaded before the previous one is stored", .space = &ahead_space,
     .declare = declare_ahead},
    {"tuned", "ladder/transpose_tuned", "swizzled; tile and order are tuned",
     .declare = declare_tuned, .space = &space},
    {0},
};

const struct vks_ladder_kernel vks_kernel_transpose = {
    .name = "transpose",
    .help = "transposes a matrix of 32-bit words: coalescing, shared memory and its banks",
    .axes = "WIDTHxHEIGHT",
    .sizes = "1024x1024,4096x4096,8192x8192,8191x8193",
    .software_sizes = "256x256,1021x1031",
    .awkward_sizes = "1x1,1x5003,100000x1,1x100000,31x33,32x32,64x8,127x131,509x257",
    .ceiling = "copy",
    .element = VKS_U32,
    .refuse = refuse,
    .buffers = buffers,
    .bytes = bytes,
    .check = check,
    .rungs = rungs,
};
