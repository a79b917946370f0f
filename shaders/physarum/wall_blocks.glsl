// SPDX-License-Identifier: MIT
// Blocks of cells that are near walls, so that most invocations need not look for any.
#ifndef VKS_PHYSARUM_WALL_BLOCKS_GLSL
#define VKS_PHYSARUM_WALL_BLOCKS_GLSL
#include "physarum/constants.glsl"

VKS_FIELD(21, readonly, wall_blocks, uint, block_words);

// Whether the block of that cell has walls, of the table PHYSARUM_BESIDE or PHYSARUM_NEARBY.
bool has_walls(uint table, uint row, uint column)
{
    uint columns = (constants.width + PHYSARUM_BLOCK - 1u) / PHYSARUM_BLOCK;
    uint rows = (constants.height + PHYSARUM_BLOCK - 1u) / PHYSARUM_BLOCK;
    uint block = row / PHYSARUM_BLOCK * columns + column / PHYSARUM_BLOCK;
    uint word = VKS_AT(block_words, table * ((columns * rows + 31u) / 32u) + block / 32u);
    return ((word >> (block % 32u)) & 1u) == 1u;
}
#endif
