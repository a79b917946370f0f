// SPDX-License-Identifier: MIT
// Distances of items of twins in a field of integers that wrap: places on a torus (y, x), or
// angles. Also marks which items differ, and the last pass counts the marks.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/distance.glsl"

layout(constant_id = 2) const bool places = false;
layout(constant_id = 3) const bool first = false; // no earlier pass has marked the items
layout(constant_id = 4) const bool last = false;

VKS_CONSTANTS(distance_params);

// Elements of a field may have one word or two.
VKS_FIELD(0, readonly, own, uvec4, fours);
VKS_FIELD(1, readonly, other, uvec4, other_fours);
VKS_FIELD(3, , marks, uint, flags);

uint word(uint i)
{
    return VKS_AT(fours, i >> 2)[i & 3u];
}

uint other_word(uint i)
{
    return VKS_AT(other_fours, i >> 2)[i & 3u];
}

// The shorter way around.
uint magnitude(uint a, uint b)
{
    uint d = b - a;
    return d < 0x80000000u ? d : 0u - d;
}

void main()
{
    uint stride = gl_NumWorkGroups.x * 256u;
    uvec2 near = uvec2(0u), near_x = uvec2(0u);
    uvec2 differing = uvec2(0u), apart = uvec2(0u);
    for (uint i = gl_WorkGroupID.x * 256u + gl_LocalInvocationID.x; i < constants.items;
         i += stride) {
        uint mark = 0u;
        if (places) {
            uint y = word(2u * i), x = word(2u * i + 1u);
            uint other_y = other_word(2u * i), other_x = other_word(2u * i + 1u);
            near = vks_fixed_add(near, uvec2(magnitude(y, other_y), 0u));
            near_x = vks_fixed_add(near_x, uvec2(magnitude(x, other_x), 0u));
            mark = y != other_y || x != other_x ? DISTANCE_DIFFERS : 0u;
            mark |= vks_high(y, constants.height) != vks_high(other_y, constants.height) ||
                            vks_high(x, constants.width) != vks_high(other_x, constants.width)
                        ? DISTANCE_APART
                        : 0u;
        } else {
            uint angle = word(i), other_angle = other_word(i);
            near = vks_fixed_add(near, uvec2(magnitude(angle, other_angle), 0u));
            mark = angle != other_angle ? DISTANCE_DIFFERS : 0u;
        }
        if (!first) {
            mark |= VKS_AT(flags, i);
        }
        if (last) {
            differing.x += mark & DISTANCE_DIFFERS;
            apart.x += mark >> 1;
        } else {
            VKS_AT(flags, i) = mark;
        }
    }
    put_sum(constants.quantity, near);
    if (places) {
        put_sum(constants.quantity + 1u, near_x);
    }
    if (last) {
        put_sum(0u, differing);
        put_sum(1u, apart);
    }
}
