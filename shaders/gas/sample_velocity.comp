// SPDX-License-Identifier: MIT
// Stores the velocity of the gas at each tracer before the grid's step. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/tracer.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, , vz, float, vzs);
VKS_FIELD(4, , vy, float, vys);
VKS_FIELD(5, , vx, float, vxs);
layout(std430, set = 0, binding = 6) readonly buffer step_values
{
    float step_value[];
};

void main()
{
    uint i = vks_item();
    if (i >= constants.particles || step_value[STEP_DT] == 0.0f) {
        return;
    }
    vec3 own = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    vec3 v = gas_velocity(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)), own);
    VKS_AT(vzs, i) = v.x;
    VKS_AT(vys, i) = v.y;
    VKS_AT(vxs, i) = v.z;
}
