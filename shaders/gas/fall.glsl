// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences. docs/sims/gas.md. The shader declares the
// potentials.
#ifndef VKS_GAS_FALL_GLSL
#define VKS_GAS_FALL_GLSL

vec3 fall_at(uvec3 cell)
{
    vec3 g = vec3(0.0f);
    for (uint axis = 0u; axis < 3u; axis++) {
        if (is_active(axis)) {
            uvec2 near = neighbours_of(cell, axis);
            precise float fall = VKS_AT(potentials, near.x) - VKS_AT(potentials, near.y);
            fall = fall * constants.half_per_h;
            g[axis] = vks_flush(fall);
        }
    }
    return g;
}
#endif
