// SPDX-License-Identifier: MIT
// The field's part of a step with few agents, whose counts are words: docs/architecture.md, "Few
// agents".
#ifndef VKS_PHYSARUM_WORDS_GLSL
#define VKS_PHYSARUM_WORDS_GLSL
#include "physarum/row.glsl"

VKS_FIELD(0, readonly, trail, float, trails);
VKS_FIELD(4, readonly, deposits, uint, counts);

float deposited(uint line, uint column, bool spilled)
{
    uint index = line * constants.width + column;
    return with_deposits(VKS_AT(trails, index), VKS_AT(counts, index));
}

// The trail of a cell after this step's deposits, diffusion and decay.
float next_trail(uint y, uint x)
{
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 1u == constants.width ? 0u : x + 1u;
    row here = read_row(int(y), left, x, right, false);
    precise float sum = here.sum;
    if (constants.radius > 0u) {
        sum = read_row(int(y) - 1, left, x, right, false).sum + here.sum;
        sum = sum + read_row(int(y) + 1, left, x, right, false).sum;
    }
    return diffused(here.centre, sum);
}
#endif
