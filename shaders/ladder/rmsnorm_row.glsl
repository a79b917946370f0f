// SPDX-License-Identifier: MIT
// RMS norm over rows that have LANES lanes each: the sum over them, by subgroups.
#ifndef VKS_LADDER_RMSNORM_ROW_GLSL
#define VKS_LADDER_RMSNORM_ROW_GLSL

#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"
#include "ladder/subgroup_row.glsl"

// In all lanes of the row. Shared memory is that of the tree.
float row_sum(float own)
{
    float sum = subgroupAdd(own);
    uvec2 subgroups = subgroups_of_row();
    if (subgroups.y > 1u) {
        if (subgroupElect()) {
            uint subgroup = gl_SubgroupID;
            SHARED_STORE(parts, subgroup, sum);
        }
        BARRIER();
        sum = 0.0;
        for (uint i = 0u; i < subgroups.y; i++) {
            sum += SHARED_LOAD(parts, subgroups.x + i);
        }
    }
    return sum;
}

#endif
