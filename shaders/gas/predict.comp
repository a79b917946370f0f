// SPDX-License-Identifier: MIT
// Particles: speed of sound and slopes of velocity and pressure at the nodes, and both half a step
// later. docs/sims/gas.md.
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
layout(std430, set = 0, binding = 6) readonly buffer moment
{
    float moments[];
};
VKS_FIELD(7, writeonly, soon_pressure, float, soon_pressures);
VKS_FIELD(8, writeonly, soon_z, float, soon_zs);
VKS_FIELD(9, writeonly, soon_y, float, soon_ys);
VKS_FIELD(10, writeonly, soon_x, float, soon_xs);
VKS_FIELD(11, writeonly, slope_uz, float, slopes_uz);
VKS_FIELD(12, writeonly, slope_uy, float, slopes_uy);
VKS_FIELD(13, writeonly, slope_ux, float, slopes_ux);
VKS_FIELD(14, writeonly, slope_pz, float, slopes_pz);
VKS_FIELD(16, writeonly, slope_py, float, slopes_py);
VKS_FIELD(17, writeonly, slope_px, float, slopes_px);
VKS_FIELD(18, writeonly, sound, float, sounds);

// A node's pressure and density.
vec2 gas_at(uint node)
{
    float r = VKS_AT(densities, node);
    precise float mixed = moments[MOMENT_REST] * VKS_AT(dispersions, node);
    precise float heat = VKS_AT(node_heats, node) + vks_flush(mixed);
    precise float p = constants.g1 * heat;
    return vec2(vks_flush(p), r);
}

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
    vec2 gas = gas_at(node);
    vec3 u = vec3(VKS_AT(velocities_z, node), VKS_AT(velocities_y, node),
                  VKS_AT(velocities_x, node));
    vec3 p_before = vec3(0.0f);
    vec3 p_after = vec3(0.0f);
    vec3 u_before = vec3(0.0f);
    vec3 u_after = vec3(0.0f);
    bvec3 between = bvec3(false); // nodes with gas
    for (uint axis = 0u; axis < 3u; axis++) {
        uvec2 near = neighbours_of(cell, axis);
        vec2 before = gas_at(near.x);
        vec2 after = gas_at(near.y);
        p_before[axis] = before.x;
        p_after[axis] = after.x;
        u_before[axis] = velocity_along(near.x, axis);
        u_after[axis] = velocity_along(near.y, axis);
        between[axis] = before.y > 0.0f && after.y > 0.0f;
    }
    float r = gas.y;
    float p = gas.x;
    vec3 slope_u = vec3(0.0f);
    vec3 slope_p = vec3(0.0f);
    vec3 soon = vec3(0.0f);
    float soon_p = 0.0f;
    float sound = 0.0f;
    if (r > 0.0f) {
        precise float half_lambda = 0.5f * moments[MOMENT_LAMBDA];
        precise float squeezed = 0.0f;
        float per_density = vks_reciprocal(r);
        sound = sound_from(per_density, p);
        for (uint axis = 0u; axis < 3u; axis++) {
            soon[axis] = u[axis];
            if (!is_active(axis)) {
                continue;
            }
            if (between[axis]) {
                slope_u[axis] = slope(u_before[axis], u[axis], u_after[axis]);
                slope_p[axis] = slope(p_before[axis], p, p_after[axis]);
            }
            squeezed = squeezed + slope_u[axis];
            precise float push = slope_p[axis] * per_density;
            push = half_lambda * vks_flush(push);
            precise float later = u[axis] - push;
            soon[axis] = vks_flush(later);
        }
        precise float k = constants.half_gamma * moments[MOMENT_LAMBDA];
        k = vks_flush(k) * p;
        k = vks_flush(k) * squeezed;
        precise float later = p - k;
        soon_p = max(0.0f, vks_flush(later));
    }
    VKS_AT(sounds, node) = sound;
    VKS_AT(soon_pressures, node) = soon_p;
    VKS_AT(soon_zs, node) = soon.x;
    VKS_AT(soon_ys, node) = soon.y;
    VKS_AT(soon_xs, node) = soon.z;
    VKS_AT(slopes_uz, node) = slope_u.x;
    VKS_AT(slopes_uy, node) = slope_u.y;
    VKS_AT(slopes_ux, node) = slope_u.z;
    VKS_AT(slopes_pz, node) = slope_p.x;
    VKS_AT(slopes_py, node) = slope_p.y;
    VKS_AT(slopes_px, node) = slope_p.z;
}
