// SPDX-License-Identifier: MIT
// Adds up the words of the reservoirs that are not 0, for a frame.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cipher/residue.glsl"

layout(std430, set = 0, binding = 1) buffer residue
{
    uint total;
};

void main()
{
    uint i = vks_item();
    uint count = i < CIPHER_COUNTERS ? residue_of(i) : 0u;
    if (count > 0u) {
        atomicAdd(total, count);
    }
}
