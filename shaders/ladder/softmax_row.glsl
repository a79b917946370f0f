// SPDX-License-Identifier: MIT
// Merges the parts of a softmax by subgroups.
#ifndef VKS_LADDER_SOFTMAX_ROW_GLSL
#define VKS_LADDER_SOFTMAX_ROW_GLSL

#include "ladder/subgroup_row.glsl"
#include "ladder/softmax_registers.glsl"

// The parts of all lanes of the row as one, in all of them. `turn` is 0 or 1, different from that
// of the call before, whose parts may still be read.
vec2 merge_row(vec2 part, uint turn)
{
    float top = subgroupMax(part.x);
    float sum = subgroupAdd(part.y * exp(part.x - top));
    uvec2 subgroups = subgroups_of_row() + uvec2(128u * turn, 0u);
    if (subgroups.y > 1u) {
        if (subgroupElect()) {
            uint at = gl_SubgroupID + 128u * turn;
            SHARED_STORE(tops, at, top);
            SHARED_STORE(sums, at, sum);
        }
        BARRIER();
        for (uint i = 0u; i < subgroups.y; i++) {
            top = max(top, SHARED_LOAD(tops, subgroups.x + i));
        }
        sum = 0.0;
        for (uint i = 0u; i < subgroups.y; i++) {
            float scale = exp(SHARED_LOAD(tops, subgroups.x + i) - top);
            sum += SHARED_LOAD(sums, subgroups.x + i) * scale;
        }
    }
    return vec2(top, sum);
}

#endif
