// SPDX-License-Identifier: MIT
// Marks the blocks of cells that have a wall nearby: within one cell, for the field's passes, and
// within the reach of agents. An invocation computes a word of each table.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/constants.glsl"

VKS_FIELD(0, readonly, walls, uint, wall_words);
VKS_FIELD(1, writeonly, wall_blocks, uint, block_words);

layout(constant_id = 0) const uint reach = 1u; // cells; PHYSARUM_MAX_REACH or more: all are near

// Whether there is a wall in these columns of a row, `count` in number, which may wrap.
bool has_wall(uint row, uint column, uint count)
{
    uint line = row * ((constants.width + 31u) / 32u);
    for (uint done = 0u; done < count;) {
        uint from = column + done;
        from = from >= constants.width ? from - constants.width : from;
        uint part = min(min(32u - (from & 31u), constants.width - from), count - done);
        uint bits = VKS_AT(wall_words, line + (from >> 5)) >> (from & 31u);
        if ((bits & (0xffffffffu >> (32u - part))) != 0u) {
            return true;
        }
        done += part;
    }
    return false;
}

// Whether a wall is within that distance of a block.
bool is_near(uint block_row, uint block_column, uint distance)
{
    uint rows = min(PHYSARUM_BLOCK + 2u * distance, constants.side);
    uint columns = min(PHYSARUM_BLOCK + 2u * distance, constants.width);
    uint row = (constants.first + block_row * PHYSARUM_BLOCK + constants.side -
                min(distance, constants.side)) %
               constants.side; // of the whole field
    uint column = (block_column * PHYSARUM_BLOCK + constants.width -
                   min(distance, constants.width)) %
                  constants.width;
    bool found = false;
    for (uint i = 0u; i < rows && !found; i++) {
        found = has_wall((row + i) % constants.side, column, columns);
    }
    return found;
}

void main()
{
    uint columns = (constants.width + PHYSARUM_BLOCK - 1u) / PHYSARUM_BLOCK;
    uint rows = (constants.height + PHYSARUM_BLOCK - 1u) / PHYSARUM_BLOCK;
    uint words = (columns * rows + 31u) / 32u;
    uint word = vks_item();
    if (word >= words) {
        return;
    }
    uint beside = 0u, nearby = 0u;
    for (uint bit = 0u; bit < 32u; bit++) {
        uint block = 32u * word + bit;
        uint row = block / columns, column = block - row * columns;
        if (row < rows) {
            beside |= is_near(row, column, 1u) ? 1u << bit : 0u;
            nearby |= reach >= PHYSARUM_MAX_REACH || is_near(row, column, reach) ? 1u << bit : 0u;
        }
    }
    VKS_AT(block_words, word) = beside;
    VKS_AT(block_words, words + word) = nearby;
}
