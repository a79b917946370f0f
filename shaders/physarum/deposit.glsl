// SPDX-License-Identifier: MIT
// Counts of agents per cell: words, or bytes, four to a word, with a spill for what does not fit.
// docs/sims/physarum-kernels.md, "Small counters", says why the counts are exact. Rows are those of
// all planes.
#ifndef VKS_PHYSARUM_DEPOSIT_GLSL
#define VKS_PHYSARUM_DEPOSIT_GLSL
#include "physarum/step.glsl"

#ifndef PHYSARUM_PLANES // species
#define PHYSARUM_PLANES 1u
#endif

layout(constant_id = 7) const bool bytes = true; // counts are bytes, not words

VKS_FIELD(4, , deposits, uint, counts); // bytes: rows of ceil(width / 4) words
VKS_FIELD(5, , spill, uint, spills);    // bytes: a word per cell, whose count is byte + spill
VKS_FIELD(6, , spill_marks, uint, marks);

// Marks the block of that cell of a plane as spilled in this step.
void mark_block(uint plane, uint row, uint column)
{
    uint step = current_step();
    atomicExchange(VKS_AT(marks, 2u * block_of(plane, row, column) + (step & 1u)), step);
}

bool differ(uint a, uint b, uint bits)
{
    return (a ^ b) >> bits != 0u;
}

// Marks the block of these four cells in that row, and those of their neighbours in it.
void mark_row(uint plane, uint row, uint word)
{
    uint column = 4u * word;
    uint left = word == 0u ? constants.width - 1u : column - 1u;
    uint right = column + 4u >= constants.width ? 0u : column + 4u;
    mark_block(plane, row, column);
    if (differ(left, column, constants.block_columns_bits)) {
        mark_block(plane, row, left);
    }
    if (differ(right, column, constants.block_columns_bits)) {
        mark_block(plane, row, right);
    }
}

// Marks the blocks of all cells whose pass of the field reads these four cells.
void mark(uint row, uint word)
{
    uint plane = PHYSARUM_PLANES > 1u ? row / constants.height : 0u;
    row -= plane * constants.height;
    uint above = row == 0u ? constants.height - 1u : row - 1u;
    uint below = row + 1u == constants.height ? 0u : row + 1u;
    mark_row(plane, row, word);
    if (differ(above, row, constants.block_rows_bits)) {
        mark_row(plane, above, word);
    }
    if (differ(below, row, constants.block_rows_bits)) {
        mark_row(plane, below, word);
    }
}

// Adds the difference between a count and its byte: to the spill, or to the count if it is a word.
void add_difference(uint row, uint column, uint difference)
{
    uint at = row * constants.width + column;
    if (bytes) {
        atomicAdd(VKS_AT(spills, at), difference);
    } else {
        atomicAdd(VKS_AT(counts, at), difference);
    }
}

// Notes the carries out of the bytes of a word as differences between counts and bytes: a byte
// with a carry lost 256, and the next one got 1.
void spill_carries(uint row, uint word, uint carries)
{
    uint got = 0u;
    for (uint column = 4u * word; column < min(4u * word + 4u, constants.width); column++) {
        uint lost = (carries >> 7) & 1u;
        if ((lost | got) != 0u) {
            add_difference(row, column, 256u * lost - got);
        }
        carries >>= 8;
        got = lost;
    }
    if (bytes) {
        mark(row, word);
    }
}

// The carries out of the bytes of `a` and `b` when these words are added: the highest bit of each.
uint carries_of(uint a, uint b)
{
    return ((a & b) | ((a | b) & ~(a + b))) & 0x80808080u;
}
#endif
