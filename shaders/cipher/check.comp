// SPDX-License-Identifier: MIT
// The last pass of a step backward. At moment 0 the reservoirs must be empty again.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cipher/residue.glsl"

VKS_FIELD(1, readonly, moment, uint, moments);
layout(std430, set = 0, binding = 2) buffer status
{
    uint word;
};

void main()
{
    uint i = vks_item();
    if (i < CIPHER_COUNTERS && VKS_AT(moments, 0u) == 0u && residue_of(i) > 0u) {
        atomicMax(word, 1u);
    }
}
