// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences. docs/sims/gas.md. The shader declares the
// potentials.
#ifndef VKS_GAS_POTENTIAL_GRADIENT_GLSL
#define VKS_GAS_POTENTIAL_GRADIENT_GLSL

vec3 acceleration_at(uvec3 cell)
{
    vec3 g = vec3(0.0f);
    uvec3 size = grid_size();
    if (slab_side > 0u) { // the potential is that of the whole box
        uint axis = 2u - slab_axis();
        size[axis] = slab_side;
        cell[axis] = row_of_all(cell[axis]);
    }
    for (uint axis = 0u; axis < 3u; axis++) {
        if (is_active(axis)) {
            uvec2 near = neighbours_in(size, cell, axis);
            precise float difference = VKS_AT(potentials, near.x) - VKS_AT(potentials, near.y);
            difference = difference * constants.half_per_h;
            g[axis] = vks_flush(difference);
        }
    }
    return g;
}
#endif
