// SPDX-License-Identifier: MIT
// Adds two vectors: four elements per lane, with accesses of 16 bytes. A lane has two such loads in
// flight, so fewer lanes hide the latency of memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    vec4 a[];
};
layout(std430, set = 0, binding = 1) readonly buffer second
{
    vec4 b[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    vec4 sum[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.source_pitch / 4u) {
        vec4 both = LOAD(a, item) + LOAD(b, item);
        COMPUTE(4u);
        STORE(sum, item, both);
    }
}
