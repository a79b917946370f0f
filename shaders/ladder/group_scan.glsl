// SPDX-License-Identifier: MIT
// Exclusive prefix sums over a workgroup, of four words per lane that are independent of each
// other: the lanes of a subgroup add up through registers, and only the sums of subgroups meet in
// shared memory. A lane's number is scan_lane().
#ifndef VKS_LADDER_GROUP_SCAN_GLSL
#define VKS_LADDER_GROUP_SCAN_GLSL

shared uvec4 scan_sums[256]; // of the subgroups

uint scan_lane()
{
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

uvec4 group_scan(uvec4 own, out uvec4 total)
{
    uvec4 upto = subgroupInclusiveAdd(own);
    uvec4 before = upto - own;
    BARRIER(); // all have read the sums of an earlier call
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) {
        scan_sums[gl_SubgroupID] = upto;
    }
    BARRIER();
    total = uvec4(0u);
    for (uint i = 0u; i < gl_NumSubgroups; i++) {
        before += i < gl_SubgroupID ? scan_sums[i] : uvec4(0u);
        total += scan_sums[i];
    }
    return before;
}

#endif
