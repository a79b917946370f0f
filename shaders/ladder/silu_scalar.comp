// SPDX-License-Identifier: MIT
// SiLU, x / (1 + exp(-x)): one element per lane. The exponential and the division take a dozen
// instructions, which cost nothing as long as memory is the limit; but accesses of 4 bytes do not
// use all of its bandwidth.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/access.glsl"
#include "ladder/silu.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    ELEMENT to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        STORE(to, item, ELEMENT(silu(vec4(VALUE(LOAD(from, item)))).x));
    }
}
