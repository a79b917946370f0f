// SPDX-License-Identifier: MIT
// Adds two vectors: one element per lane. There is one addition per 12 bytes, so memory alone is
// the limit, and the kernel is as fast as its accesses.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    float a[];
};
layout(std430, set = 0, binding = 1) readonly buffer second
{
    float b[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    float sum[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        float both = LOAD(a, item) + LOAD(b, item);
        COMPUTE(1u);
        STORE(sum, item, both);
    }
}
