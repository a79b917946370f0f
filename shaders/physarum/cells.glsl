// SPDX-License-Identifier: MIT
// The trail with this step's deposits, one cell at a time.
#ifndef VKS_PHYSARUM_CELLS_GLSL
#define VKS_PHYSARUM_CELLS_GLSL
#define PHYSARUM_PLANES
#include "physarum/field.glsl"
#include "physarum/spilling.glsl"

VKS_FIELD(0, readonly, trail, float, trails);
VKS_FIELD(1, readonly, deposits, uint, counts);
VKS_FIELD(2, readonly, spill, uint, spills);

// The agents in a cell of a plane. `spilled`: a spilled count is part of it.
uint agents_in(uint plane, uint line, uint column, bool spilled)
{
    line += plane * constants.height;
    uint index = line * constants.width + column;
    uint at = bytes ? line * ((constants.width + 3u) / 4u) + (column >> 2) : index;
    uint count = VKS_AT(counts, at);
    if (bytes) {
        count = (count >> (8u * (column & 3u))) & 255u;
    }
    if (spilled) {
        count += VKS_AT(spills, index);
    }
    return count;
}

// D of a cell.
float deposited(uint line, uint column, bool spilled)
{
    uint index = (plane * constants.height + line) * constants.width + column;
#ifdef PHYSARUM_GENERAL
    uint count = counted ? agents_in(plane, line, column, spilled) : 0u;
    return deposited_in(line * constants.width + column, VKS_AT(trails, index), count);
#else
    return with_deposits(VKS_AT(trails, index), agents_in(plane, line, column, spilled));
#endif
}

#if defined(PHYSARUM_GENERAL) && !defined(PHYSARUM_ROWS)
// Lets the agents of a cell eat.
void eat_in(uint line, uint column)
{
    uint count = 0u;
    for (uint p = 0u; p < eaters; p++) {
        count += agents_in(p, line, column, spilling_near(p, line, column).now);
    }
    if (eaters > 0u) {
        eat(line * constants.width + column, count);
    }
}
#endif

#endif
