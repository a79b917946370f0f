// SPDX-License-Identifier: MIT
// For the test of wide fields: reads, writes, atomic operations and views of other element sizes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(push_constant, std430) uniform vks_push
{
    uint step_in_batch;
    uint count; // of `from` and `sums`, a multiple of four
};

VKS_FIELD(0, readonly, from, uvec4, fours);
VKS_FIELD(0, readonly, from_words, uint, words);
VKS_FIELD(1, , sums, uint, totals);
VKS_FIELD(2, writeonly, pairs, uvec2, doubles);
layout(std430, set = 0, binding = 3) readonly buffer factor
{
    uint factors[];
};

void main()
{
    uint i = vks_item();
    if (i >= count) {
        return;
    }
    uint place = (i * factors[0]) % count;
    uvec4 four = VKS_AT(fours, i >> 2);
    atomicAdd(VKS_AT(totals, place), VKS_AT(words, i));
    VKS_AT(doubles, place) = uvec2(four.x + four.w, VKS_AT(words, count - 1u - i));
}
