// SPDX-License-Identifier: MIT
//
// What every pass has: its workgroup size as specialization constants 253 and 254 (255 is free; a
// shader's own start at 0), its push constants, the clock, and the number of the item an invocation
// works on.
#ifndef VKS_LIB_PASS_GLSL
#define VKS_LIB_PASS_GLSL

#include "lib/field.glsl"

layout(local_size_x_id = 253, local_size_y_id = 254) in;

// The core sets the first word, the model the rest: a structure of params.h.
#define VKS_CONSTANTS(type)                                                                        \
    layout(push_constant, std430) uniform vks_push                                                 \
    {                                                                                              \
        uint step_in_batch;                                                                        \
        type constants;                                                                            \
    }

// The step counter that lives on the GPU: steps done before this batch.
#define VKS_CLOCK                                                                                  \
    layout(std430, set = 0, binding = 15) readonly buffer clock                                    \
    {                                                                                              \
        uint first_step;                                                                           \
    }

// Number of the invocation in a one-dimensional pass. What does not fit into the groups that a
// device takes along x goes on along y. May lie past the last item.
uint vks_item()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    return group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}
#endif
