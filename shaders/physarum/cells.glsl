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

// D of a cell. `spilled`: a spilled count is part of it.
float deposited(uint line, uint column, bool spilled)
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
    return with_deposits(VKS_AT(trails, index), count);
}

#endif
