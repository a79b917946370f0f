// SPDX-License-Identifier: MIT
// Items that move at random, read the field below them and deposit there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "selftest/wander.h"

VKS_CONSTANTS(wander_params);
VKS_CLOCK;

layout(std430, set = 0, binding = 0) readonly buffer ground
{
    uint grounds[];
};
layout(std430, set = 0, binding = 1) buffer place
{
    uvec2 places[];
};
layout(std430, set = 0, binding = 2) buffer heading
{
    uint headings[];
};
layout(std430, set = 0, binding = 3) readonly buffer wanderers_number
{
    uint numbers[];
};
layout(std430, set = 0, binding = 4) buffer left
{
    uint lefts[];
};

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    uvec4 r = vks_random(1u, numbers[i], first_step + step_in_batch, 0u);
    uvec2 at = places[i];
    uint heading = headings[i] + (r.x >> 4) + grounds[wander_cell(at, constants.side)];
    at += uvec2((heading >> 5) + (r.y >> 6), (heading >> 7) + (r.z >> 4));
    places[i] = at;
    headings[i] = heading;
    atomicAdd(lefts[wander_cell(at, constants.side)], (heading >> 3) ^ numbers[i]);
}
