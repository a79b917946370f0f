// SPDX-License-Identifier: MIT
// The distance of twins in a field of floats: the sum of absolute differences, and the field's own
// sum, in fixed point.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/distance.glsl"

VKS_CONSTANTS(distance_params);

VKS_FIELD(0, readonly, own, float, values);
VKS_FIELD(1, readonly, other, float, other_values);

uvec2 units_of(float value)
{
    return vks_fixed(clamp(value, 0.0f, constants.limit), constants.scale);
}

void main()
{
    uint stride = gl_NumWorkGroups.x * 256u;
    uvec2 near = uvec2(0u), total = uvec2(0u);
    for (uint i = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x; i < constants.items;
         i += stride) {
        float value = VKS_AT(values, i);
        precise float d = value - VKS_AT(other_values, i);
        near = vks_fixed_add(near, units_of(abs(d)));
        total = vks_fixed_add(total, units_of(abs(value)));
    }
    put_sum(constants.quantity, near);
    put_sum(constants.quantity + 1u, total);
}
