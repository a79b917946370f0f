// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences. docs/sims/gas.md. The shader declares the
// potentials, those of the whole box.
#ifndef VKS_GAS_POTENTIAL_GRADIENT_GLSL
#define VKS_GAS_POTENTIAL_GRADIENT_GLSL

uvec3 size_of_all()
{
    uvec3 size = grid_size();
    if (slab_side > 0u) {
        size[2u - slab_axis()] = slab_side;
    }
    return size;
}

// The place in the whole box.
uvec3 cell_of_all(uvec3 cell)
{
    if (slab_side > 0u) {
        uint axis = 2u - slab_axis();
        cell[axis] = row_of_all(cell[axis]);
    }
    return cell;
}

float potential_at(uvec3 cell)
{
    return VKS_AT(potentials, vks_index(cell_of_all(cell), size_of_all()));
}

vec3 acceleration_at(uvec3 cell)
{
    vec3 g = vec3(0.0f);
    uvec3 size = size_of_all();
    cell = cell_of_all(cell);
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
