// SPDX-License-Identifier: MIT
// Counts keys: every workgroup has its own counters in shared memory and adds them to the global
// ones at its end. Each group counts many keys, so there are few global atomic additions.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[];
};
layout(std430, set = 0, binding = 1) buffer result
{
    uint counted[];
};

shared uint counter[256];

void main()
{
    uint lane = gl_LocalInvocationID.x;
    SHARED_STORE(counter, lane, 0u);
    BARRIER();
    for (uint i = vks_item(); i < constants.width; i += constants.lanes) {
        uint key = LOAD(from, i);
        atomicAdd(SHARED_ATOMIC(counter, key), 1u);
    }
    BARRIER();
    uint count = SHARED_LOAD(counter, lane);
    if (count > 0u) {
        atomicAdd(ATOMIC(counted, lane), count);
    }
}
