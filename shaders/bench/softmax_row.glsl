// SPDX-License-Identifier: MIT
// Merges the parts of a softmax by subgroups.
#ifndef VKS_BENCH_SOFTMAX_ROW_GLSL
#define VKS_BENCH_SOFTMAX_ROW_GLSL

#include "bench/softmax.glsl"
#include "bench/subgroup_row.glsl"

// The parts of all lanes of the row as one, in all of them.
vec2 merge_row(vec2 part)
{
    float top = subgroupMax(part.x);
    float sum = subgroupAdd(part.y * exponential(part.x - top));
    uvec2 subgroups = subgroups_of_row();
    if (subgroups.y > 1u) {
        if (subgroupElect()) {
            uint subgroup = gl_SubgroupID;
            SHARED_STORE(tops, subgroup, top);
            SHARED_STORE(sums, subgroup, sum);
        }
        BARRIER();
        for (uint i = 0u; i < subgroups.y; i++) {
            top = max(top, SHARED_LOAD(tops, subgroups.x + i));
        }
        sum = 0.0;
        for (uint i = 0u; i < subgroups.y; i++) {
            sum += SHARED_LOAD(sums, subgroups.x + i) *
                   exponential(SHARED_LOAD(tops, subgroups.x + i) - top);
        }
    }
    return vec2(top, sum);
}

#endif
