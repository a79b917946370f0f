// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences, and the largest |g|^2. docs/sims/gas.md.
// The shader declares the fields.
#ifndef VKS_GAS_PULL_GLSL
#define VKS_GAS_PULL_GLSL

#include "gas/fall.glsl"
#include "gas/raise.glsl"

void pull_nodes()
{
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    uint max_bits = 0u;
    if (vks_inside(cell, size)) {
        uint node = vks_index(cell, size);
        vec3 g = fall_at(cell);
        VKS_AT(pulls_z, node) = g.x;
        VKS_AT(pulls_y, node) = g.y;
        VKS_AT(pulls_x, node) = g.z;
        max_bits = floatBitsToUint(vks_flush(square(g)));
    }
    raise_maxima(LIMIT_PULL, 1u, uvec4(max_bits));
}
#endif
