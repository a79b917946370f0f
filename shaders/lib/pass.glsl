// SPDX-License-Identifier: MIT
//
// Common to all passes: the workgroup size as specialization constants 253 and 254 (255 is free; a
// shader's own start at 0), push constants, the clock, and the number of an invocation's item.
#ifndef VKS_LIB_PASS_GLSL
#define VKS_LIB_PASS_GLSL

#include "lib/field.glsl"

layout(local_size_x_id = 253, local_size_y_id = 254) in;

// The core sets the first word, the model the others: a structure of params.h.
#define VKS_CONSTANTS(type)                                                                        \
    layout(push_constant, std430) uniform vks_push                                                 \
    {                                                                                              \
        uint step_in_batch;                                                                        \
        type constants;                                                                            \
    }

// The step counter on the GPU: steps completed before this batch.
#define VKS_CLOCK                                                                                  \
    layout(std430, set = 0, binding = 15) readonly buffer clock                                    \
    {                                                                                              \
        uint first_step;                                                                           \
    }

// Number of the invocation in a one-dimensional pass. Groups beyond the device's limit along x
// continue along y. May be past the last item.
uint vks_item()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    return group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

// Row of the invocation in a pass over the grid, which declares no items: W x (D H) invocations; or
// in one that declares `by_rows`. Rows beyond the device's limit along y continue along z. May be
// past the last row.
uint vks_row()
{
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
    return group * gl_WorkGroupSize.y + gl_LocalInvocationID.y;
}
#endif
