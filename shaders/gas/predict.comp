// SPDX-License-Identifier: MIT
// Particles: speed of sound and pressure of the nodes, and the pressure half a step later.
// docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "gas/slope.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, velocity_z, float, velocities_z);
VKS_FIELD(2, readonly, velocity_y, float, velocities_y);
VKS_FIELD(3, readonly, velocity_x, float, velocities_x);
VKS_FIELD(4, readonly, node_heat, float, node_heats);
VKS_FIELD(5, readonly, dispersion, float, dispersions);
layout(std430, set = 0, binding = 6) readonly buffer step_values
{
    float step_value[];
};
VKS_FIELD(7, writeonly, predicted_pressure, float, predicted_pressures);
VKS_FIELD(8, writeonly, node_pressure, float, pressures);
VKS_FIELD(9, writeonly, sound_speed, float, sound_speeds);
VKS_FIELD(10, readonly, mixing_speed, float, mixing_speeds);

float velocity_along(uint node, uint axis)
{
    return axis == 0u   ? VKS_AT(velocities_z, node)
           : axis == 1u ? VKS_AT(velocities_y, node)
                        : VKS_AT(velocities_x, node);
}

void main()
{
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint node = vks_index(cell, size);
    // All reads come first, needed or not, because memory is slow.
    float r = VKS_AT(densities, node);
    float share = mixed_share(step_value[STEP_MIXING], VKS_AT(mixing_speeds, node));
    precise float mixed = share * VKS_AT(dispersions, node);
    precise float heat = VKS_AT(node_heats, node) + vks_flush(mixed);
    vec3 u = vec3(VKS_AT(velocities_z, node), VKS_AT(velocities_y, node),
                  VKS_AT(velocities_x, node));
    vec3 before = vec3(0.0f);
    vec3 after = vec3(0.0f);
    bvec3 between = bvec3(false); // nodes with gas
    for (uint axis = 0u; axis < 3u; axis++) {
        uvec2 near = neighbours_of(cell, axis);
        before[axis] = velocity_along(near.x, axis);
        after[axis] = velocity_along(near.y, axis);
        between[axis] = VKS_AT(densities, near.x) > 0.0f && VKS_AT(densities, near.y) > 0.0f;
    }
    precise float p = constants.g1 * heat;
    p = vks_flush(p);
    float predicted_p = 0.0f;
    float sound = 0.0f;
    if (r > 0.0f) {
        sound = sound_from(vks_reciprocal(r), p);
        float small = small_of(sound);
        precise float divergence = 0.0f;
        for (uint axis = 0u; axis < 3u; axis++) {
            if (is_active(axis)) {
                divergence = divergence +
                           (between[axis]
                                ? velocity_slope(before[axis], u[axis], after[axis], small)
                                : 0.0f);
            }
        }
        precise float k = constants.half_gamma * step_value[STEP_LAMBDA];
        k = vks_flush(k) * p;
        k = vks_flush(k) * divergence;
        precise float later = p - k;
        predicted_p = max(0.0f, vks_flush(later));
    }
    VKS_AT(sound_speeds, node) = sound;
    VKS_AT(predicted_pressures, node) = predicted_p;
    VKS_AT(pressures, node) = p;
}
