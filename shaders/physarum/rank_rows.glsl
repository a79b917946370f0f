// SPDX-License-Identifier: MIT
// Rows of positions. PHYSARUM_RANKS: the fields have some rows of the whole field, and the first
// agents_alive[0] of the agents in memory are there.
#ifndef VKS_PHYSARUM_RANK_ROWS_GLSL
#define VKS_PHYSARUM_RANK_ROWS_GLSL
#include "physarum/constants.glsl"

#ifdef PHYSARUM_RANKS
VKS_FIELD(23, readonly, agents_alive, uint, alive);

#define PLACE_ROWS constants.side
#define AGENTS min(VKS_AT(alive, 0u), constants.agents)

// The row in the fields of a row of the whole field; for one that they lack the last row, which is
// wrong in any case after a step. Without comparisons, with which a software driver compiles
// minutes.
uint local_row(uint row)
{
    uint local = row - constants.first;
    return min(min(local, local + constants.side), constants.height - 1u);
}

// The row below that one in the fields.
uint row_below(uint row)
{
    return min(row + 1u, constants.height - 1u);
}
#else
#define PLACE_ROWS constants.height
#define AGENTS constants.agents

uint local_row(uint row)
{
    return row;
}

uint row_below(uint row)
{
    return row + 1u == constants.height ? 0u : row + 1u;
}
#endif
#endif
