// SPDX-License-Identifier: MIT
// Rows of a matrix, one per workgroup of 256 lanes: which one, and trees in shared memory over it.
#ifndef VKS_LADDER_ROW_GLSL
#define VKS_LADDER_ROW_GLSL

#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

uint row_of_group()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

shared float parts[256];

// The sum over the workgroup, in all lanes.
float group_sum(float own)
{
    uint lane = gl_LocalInvocationID.x;
    SHARED_STORE(parts, lane, own);
    for (uint half_size = 128u; half_size > 0u; half_size /= 2u) {
        BARRIER();
        if (lane < half_size) {
            float other = SHARED_LOAD(parts, lane + half_size);
            SHARED_STORE(parts, lane, SHARED_LOAD(parts, lane) + other);
        }
    }
    BARRIER();
    float sum = SHARED_LOAD(parts, 0u);
    BARRIER(); // before the next tree writes
    return sum;
}

// The maximum likewise.
float group_max(float own)
{
    uint lane = gl_LocalInvocationID.x;
    SHARED_STORE(parts, lane, own);
    for (uint half_size = 128u; half_size > 0u; half_size /= 2u) {
        BARRIER();
        if (lane < half_size) {
            float other = SHARED_LOAD(parts, lane + half_size);
            SHARED_STORE(parts, lane, max(SHARED_LOAD(parts, lane), other));
        }
    }
    BARRIER();
    float top = SHARED_LOAD(parts, 0u);
    BARRIER();
    return top;
}

#endif
