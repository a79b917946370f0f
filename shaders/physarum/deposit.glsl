// SPDX-License-Identifier: MIT
// Counts of agents per cell as bytes, four to a word, with a spill for what does not fit.
// docs/architecture.md, "Small counters", says why the counts are exact.
#ifndef VKS_PHYSARUM_DEPOSIT_GLSL
#define VKS_PHYSARUM_DEPOSIT_GLSL
#include "physarum/step.glsl"

VKS_FIELD(4, , deposits, uint, counts); // rows of ceil(width / 4) words
VKS_FIELD(5, , spill, uint, spills);    // a word per cell: its count is byte + spill
VKS_FIELD(6, , spill_marks, uint, marks);

// Marks the block of that cell.
void mark_block(uint row, uint column)
{
    uint step = current_step();
    uint block = (row >> constants.block_rows_bits) * constants.blocks +
                 (column >> constants.block_columns_bits);
    atomicExchange(VKS_AT(marks, 2u * block + (step & 1u)), step);
}

// Marks the blocks of cells whose pass of the field reads these four cells as spilled in this step:
// nearly always one.
void mark(uint row, uint word)
{
    uint above = row == 0u ? constants.height - 1u : row - 1u;
    uint below = row + 1u == constants.height ? 0u : row + 1u;
    uint left = word == 0u ? constants.width - 1u : 4u * word - 1u;
    uint right = 4u * word + 4u >= constants.width ? 0u : 4u * word + 4u;
    uint column = 4u * word;
    uint rows = (above ^ row) | (below ^ row);
    uint columns = (left ^ column) | (right ^ column);
    mark_block(row, column);
    if ((rows >> constants.block_rows_bits | columns >> constants.block_columns_bits) != 0u) {
        mark_block(row, left);
        mark_block(row, right);
        mark_block(above, column);
        mark_block(above, left);
        mark_block(above, right);
        mark_block(below, column);
        mark_block(below, left);
        mark_block(below, right);
    }
}

// Notes the carries out of the bytes of a word as the difference between counts and bytes: a byte
// with a carry lost 256, and the next one got 1.
void spill_carries(uint row, uint word, uint carries)
{
    uint got = 0u;
    for (uint column = 4u * word; column < min(4u * word + 4u, constants.width); column++) {
        uint lost = (carries >> 7) & 1u;
        if ((lost | got) != 0u) {
            atomicAdd(VKS_AT(spills, row * constants.width + column), 256u * lost - got);
        }
        carries >>= 8;
        got = lost;
    }
    mark(row, word);
}

// The carries out of the bytes of `a` and `b` when these words are added: the highest bit of each.
uint carries_of(uint a, uint b)
{
    return ((a & b) | ((a | b) & ~(a + b))) & 0x80808080u;
}
#endif
