// SPDX-License-Identifier: MIT
// Adds two vectors: only as many lanes as fill the device, each in a loop over the vectors with a
// stride of the number of lanes. Each workgroup is started only once.
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
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        vec4 both = LOAD(a, i) + LOAD(b, i);
        COMPUTE(4u);
        STORE(sum, i, both);
    }
}
