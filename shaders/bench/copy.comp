// SPDX-License-Identifier: MIT
// Copies one field to another, four words per invocation: the ceiling that passes are compared
// with.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/copy.h"

VKS_CONSTANTS(copy_params);

layout(std430, set = 0, binding = 0) readonly buffer copy_from
{
    uvec2 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer copy_to
{
    uvec2 to[];
};

void main()
{
    uint i = vks_item();
    uint quarter = constants.count / 4u;
    if (i < quarter) {
        uvec2 a = from[i];
        uvec2 b = from[i + quarter];
        uvec2 c = from[i + 2u * quarter];
        uvec2 d = from[i + 3u * quarter];
        to[i] = a;
        to[i + quarter] = b;
        to[i + 2u * quarter] = c;
        to[i + 3u * quarter] = d;
    }
}
