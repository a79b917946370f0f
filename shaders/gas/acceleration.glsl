// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences, and the largest |g|^2. docs/sims/gas.md.
// The shader declares the fields.
#ifndef VKS_GAS_ACCELERATION_GLSL
#define VKS_GAS_ACCELERATION_GLSL

#include "gas/potential_gradient.glsl"
#include "gas/reduce_max.glsl"

void store_accelerations()
{
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    uint max_bits = 0u;
    if (vks_inside(cell, size)) {
        uint node = vks_index(cell, size);
        vec3 g = acceleration_at(cell);
        VKS_AT(accelerations_z, node) = g.x;
        VKS_AT(accelerations_y, node) = g.y;
        VKS_AT(accelerations_x, node) = g.z;
        max_bits = floatBitsToUint(vks_flush(square(g)));
    }
    reduce_max(LIMIT_ACCELERATION, 1u, uvec4(max_bits));
}
#endif
