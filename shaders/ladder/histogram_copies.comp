// SPDX-License-Identifier: MIT
// Counts keys: neighbouring lanes have different copies of the counters. Copy c of a counter is c
// words after the first, so that with 32 copies no two lanes of a subgroup of 32 access the same
// bank of shared memory. Several loads are in flight while the keys of earlier ones are counted.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

layout(constant_id = 0) const uint copies = 8u; // a power of two
layout(constant_id = 1) const uint loads = 2u;  // of 16 bytes, in a round

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 1) buffer result
{
    uint counted[];
};

shared uint counter[256u * copies];

void main()
{
    uint lane = gl_LocalInvocationID.x;
    for (uint i = lane; i < 256u * copies; i += gl_WorkGroupSize.x) {
        SHARED_STORE(counter, i, 0u);
    }
    BARRIER();
    uint last = (constants.width - 1u) / 4u;
    for (uint i = vks_item(); i <= last; i += loads * constants.lanes) {
        uvec4 keys[loads];
        [[unroll]] for (uint k = 0u; k < loads; k++) {
            keys[k] = LOAD(from, min(i + k * constants.lanes, last));
        }
        [[unroll]] for (uint k = 0u; k < loads; k++) {
            uint first = 4u * (i + k * constants.lanes);
            [[unroll]] for (uint j = 0u; j < 4u; j++) {
                if (first + j < constants.width) {
                    atomicAdd(SHARED_ATOMIC(counter, keys[k][j] * copies + lane % copies), 1u);
                }
            }
        }
    }
    BARRIER();
    for (uint key = lane; key < 256u; key += gl_WorkGroupSize.x) {
        uint count = 0u;
        for (uint c = 0u; c < copies; c++) {
            count += SHARED_LOAD(counter, key * copies + (c + lane) % copies);
        }
        if (count > 0u) {
            atomicAdd(ATOMIC(counted, key), count);
        }
    }
}
