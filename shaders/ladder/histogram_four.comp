// SPDX-License-Identifier: MIT
// Counts keys: counters in shared memory as before, but each lane reads four keys at once. Requests
// of 16 bytes keep more bytes in flight, and the loop has a quarter of the iterations.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
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
    for (uint i = vks_item(); 4u * i < constants.width; i += constants.lanes) {
        uvec4 keys = LOAD(from, i);
        // The last four may be padded.
        uint count = min(constants.width - 4u * i, 4u);
        for (uint k = 0u; k < count; k++) {
            atomicAdd(SHARED_ATOMIC(counter, keys[k]), 1u);
        }
    }
    BARRIER();
    uint count = SHARED_LOAD(counter, lane);
    if (count > 0u) {
        atomicAdd(ATOMIC(counted, lane), count);
    }
}
