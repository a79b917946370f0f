// SPDX-License-Identifier: MIT
// The extremes (ladder/order.glsl) of a workgroup, in all its lanes: the lanes of a subgroup
// combine theirs through registers, and only those of the subgroups meet in shared memory.
#ifndef VKS_LADDER_GROUP_EXTREMES_GLSL
#define VKS_LADDER_GROUP_EXTREMES_GLSL

shared uint group_low, group_high;

uvec2 group_extremes(uvec2 own)
{
    uvec2 most = subgroupMax(own);
    if (gl_LocalInvocationID.x == 0u) {
        group_low = group_high = 0u;
    }
    BARRIER();
    if (subgroupElect()) {
        atomicMax(group_low, most.x);
        atomicMax(group_high, most.y);
    }
    BARRIER();
    return uvec2(group_low, group_high);
}

#endif
