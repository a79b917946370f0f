// SPDX-License-Identifier: MIT
// The sum over a workgroup, in its first lane: the lanes of a subgroup add up through registers,
// and only the sums of the subgroups meet in shared memory.
#ifndef VKS_LADDER_GROUP_SUM_GLSL
#define VKS_LADDER_GROUP_SUM_GLSL

shared uint group_total;

uint group_sum(uint own)
{
    uint sum = subgroupAdd(own);
    if (gl_LocalInvocationID.x == 0u) {
        group_total = 0u;
    }
    barrier();
    if (subgroupElect()) {
        atomicAdd(group_total, sum);
    }
    barrier();
    return group_total;
}

#endif
