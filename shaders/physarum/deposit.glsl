// SPDX-License-Identifier: MIT
// Counts of agents per cell: a byte each, four to a word, and what does not fit a byte.
// docs/architecture.md, "Small counters", says why the counts are exact.
#ifndef VKS_PHYSARUM_DEPOSIT_GLSL
#define VKS_PHYSARUM_DEPOSIT_GLSL

VKS_FIELD(4, , deposits, uint, counts); // rows of ceil(width / 4) words
VKS_FIELD(5, , spill, uint, spills);    // a word per cell: its count is byte + spill
VKS_FIELD(6, , spill_marks, uint, marks);

// `at` + `ahead` - 1, wrapped.
uint neighbour(uint at, uint ahead, uint side)
{
    uint next = at + ahead;
    return next == 0u ? side - 1u : next > side ? 0u : next - 1u;
}

// Marks the blocks of cells whose pass of the field reads this cell as spilled in this step. Bounds
// that are not constants keep compilers from unrolling these loops, which hardly ever run.
void mark(uint row, uint column)
{
    uint step = first_step + step_in_batch;
    for (uint j = 0u; j < min(constants.height + 2u, 3u); j++) {
        uint y = neighbour(row, j, constants.height) / constants.block_height;
        for (uint i = 0u; i < min(constants.width + 2u, 3u); i++) {
            uint x = neighbour(column, i, constants.width) / constants.block_width;
            uint block = y * constants.blocks + x;
            atomicExchange(VKS_AT(marks, 2u * block + (step & 1u)), step);
        }
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
            mark(row, column);
        }
        carries >>= 8;
        got = lost;
    }
}

// The carries out of the bytes of `a` and `b` when these words are added: the highest bit of each.
uint carries_of(uint a, uint b)
{
    return ((a & b) | ((a | b) & ~(a + b))) & 0x80808080u;
}

// Adds a word of four counts.
void deposit(uint row, uint word, uint amounts)
{
    uint at = row * ((constants.width + 3u) / 4u) + word;
    uint before = atomicAdd(VKS_AT(counts, at), amounts);
    uint carries = carries_of(before, amounts);
    if (carries != 0u) {
        spill_carries(row, word, carries);
    }
}

#endif
