// SPDX-License-Identifier: MIT
// RMS norm of one vector, first of two dispatches: the workgroup that finishes last adds up the
// sums of all, so that the second dispatch reads one factor. No workgroup waits for another.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT4 from[];
};

layout(std430, set = 0, binding = 3) coherent buffer partial
{
    uint finished; // workgroups
    float factor;
    float sums[];
};

shared bool is_last;

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint groups = constants.lanes / 256u;
    float squares = 0.0;
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        vec4 x = VALUE4(LOAD(from, i));
        squares += dot(x, x);
    }
    float sum = group_sum(squares);
    if (lane == 0u) {
        STORE(sums, gl_WorkGroupID.x, sum);
        memoryBarrierBuffer(); // the sum is visible before the count
        is_last = atomicAdd(finished, 1u) == groups - 1u;
    }
    BARRIER();
    if (is_last) {
        memoryBarrierBuffer();
        squares = 0.0;
        for (uint i = lane; i < groups; i += 256u) {
            squares += LOAD(sums, i);
        }
        sum = group_sum(squares);
        if (lane == 0u) {
            factor = norm_factor(sum, constants.width);
            finished = 0u; // for the next run
        }
    }
}
