// SPDX-License-Identifier: MIT
// Minimum and maximum of floats: a tree in shared memory, in which the first lanes work and the
// others are idle, then two atomic maxima per workgroup. A padding lane has the neutral values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/order.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[]; // the bits of floats
};
layout(std430, set = 0, binding = 1) buffer result
{
    uint most[2];
};

shared uint low[256];
shared uint high[256];

void main()
{
    uint item = vks_item();
    uint lane = gl_LocalInvocationID.x;
    uvec2 own = item < constants.width ? extremes_of(LOAD(from, item)) : uvec2(0u);
    SHARED_STORE(low, lane, own.x);
    SHARED_STORE(high, lane, own.y);
    BARRIER();
    for (uint half_count = 128u; half_count > 0u; half_count /= 2u) {
        if (lane < half_count) {
            own.x = max(own.x, SHARED_LOAD(low, lane + half_count));
            own.y = max(own.y, SHARED_LOAD(high, lane + half_count));
            SHARED_STORE(low, lane, own.x);
            SHARED_STORE(high, lane, own.y);
        }
        BARRIER();
    }
    if (lane == 0u) {
        atomicMax(ATOMIC(most, 0), own.x);
        atomicMax(ATOMIC(most, 1), own.y);
    }
}
