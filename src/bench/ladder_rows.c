/* SPDX-License-Identifier: MIT */
/* The kernels, their rungs and references. */
#include "bench/ladder.h"

#include <string.h>

/* --- references ------------------------------------------------------------------------------ */

/* What source 0 or 1 holds at (x, y). */
static uint32_t source(const struct vks_ladder_size *size, uint32_t number, uint32_t x, uint32_t y)
{
    return RUNG_WORD(y * vks_ladder_pitch(size->width) + x, vks_ladder_addend(number));
}

static uint32_t same(const struct vks_ladder_size *size, uint32_t x, uint32_t y)
{
    return source(size, 0, x, y);
}

static uint32_t sum_of_two(const struct vks_ladder_size *size, uint32_t x, uint32_t y)
{
    /* Below 2^21: exact in float32. */
    const float sum = (float)source(size, 0, x, y) + (float)source(size, 1, x, y);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    return bits;
}

static uint32_t sum_of_all(const struct vks_ladder_size *size, uint32_t x, uint32_t y)
{
    uint32_t sum = 0;
    (void)x;
    (void)y;
    for (uint32_t i = 0; i < size->width; i++) {
        sum += source(size, 0, i, 0);
    }
    return sum;
}

/* --- rungs ----------------------------------------------------------------------------------- */

static const struct vks_rung copy_rungs[] = {
    {"scalar", "bench/copy_scalar", "one word per lane", .layout = VKS_RUNG_LANES},
    {"four", "bench/copy_four", "accesses of 16 bytes", .layout = VKS_RUNG_FOURS},
    {"loop", "bench/copy_loop", "a loop over a grid that fills the device",
     .layout = VKS_RUNG_LOOP},
    {0},
};

static const struct vks_rung add_rungs[] = {
    {"scalar", "bench/add_scalar", "one element per lane", .layout = VKS_RUNG_LANES},
    {"four", "bench/add_four", "accesses of 16 bytes", .layout = VKS_RUNG_FOURS},
    {"loop", "bench/add_loop", "a loop over a grid that fills the device", .layout = VKS_RUNG_LOOP},
    {0},
};

static const struct vks_rung transpose_rungs[] = {
    {"rows", "bench/transpose_rows", "one workgroup per row", .layout = VKS_RUNG_ROWS},
    {"coalesced", "bench/transpose_coalesced", "coalesced reads, in blocks of 32 x 8",
     .layout = VKS_RUNG_BLOCKS},
    {"tile", "bench/transpose_tile", "a tile in shared memory: coalesced writes, too",
     .layout = VKS_RUNG_TILES},
    {"padded", "bench/transpose_padded", "a padded tile: no bank conflicts",
     .layout = VKS_RUNG_TILES},
    {"four", "bench/transpose_four", "the padded tile with accesses of 16 bytes",
     .layout = VKS_RUNG_TILES},
    {0},
};

static const struct vks_rung reduce_rungs[] = {
    {"atomic", "bench/reduce_atomic", "one atomic addition per lane", .layout = VKS_RUNG_LANES},
    {"tree", "bench/reduce_tree", "a tree in shared memory", .layout = VKS_RUNG_LANES},
    {"dense", "bench/reduce_dense", "the tree without divergence", .layout = VKS_RUNG_LANES},
    {"subgroup", "bench/reduce_subgroup", "subgroups add up through registers",
     .layout = VKS_RUNG_LANES, .feature = VKS_FEATURE_SUBGROUP_SUMS},
    {"several", "bench/reduce_several", "many words per lane", .layout = VKS_RUNG_LOOP,
     .feature = VKS_FEATURE_SUBGROUP_SUMS},
    {"last", "bench/reduce_last", "the last workgroup adds up the sums of all",
     .layout = VKS_RUNG_LOOP, .feature = VKS_FEATURE_SUBGROUP_SUMS, .partial = true},
    {0},
};

const struct vks_ladder_kernel vks_ladder[] = {
    {.name = "copy",
     .help = "copies a vector of 32-bit words: how to use all of the memory bandwidth",
     .sizes = "1048576,16777216,268435456",
     .software_sizes = "65536,1048576",
     .ceiling = "copy",
     .bytes = 8,
     .sources = 1,
     .reference = same,
     .rungs = copy_rungs},
    {.name = "add",
     .help = "adds two vectors of float32: arithmetic is free where memory sets the time",
     .sizes = "1048576,16777216,268435456",
     .software_sizes = "65536,1048576",
     .ceiling = "copy",
     .bytes = 12,
     .sources = 2,
     .real = true,
     .reference = sum_of_two,
     .rungs = add_rungs},
    {.name = "transpose",
     .help = "transposes a matrix of 32-bit words: coalescing, shared memory and its banks",
     .sizes = "1024x1024,4096x4096,8192x8192,8191x8193",
     .software_sizes = "256x256,1021x1031",
     .ceiling = "copy",
     .bytes = 8,
     .sources = 1,
     .matrix = true,
     .transposed = true,
     .reference = same,
     .rungs = transpose_rungs},
    {.name = "reduce",
     .help = "adds up a vector of uint32: trees, divergence, subgroups and work per lane",
     .sizes = "1048576,16777216,268435456",
     .software_sizes = "65536,1048576",
     .ceiling = "read",
     .bytes = 4,
     .sources = 1,
     .total = true,
     .reference = sum_of_all,
     .rungs = reduce_rungs},
    {0},
};
