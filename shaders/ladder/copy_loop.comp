// SPDX-License-Identifier: MIT
// Copies a vector: only as many lanes as fill the device, each in a loop over the vector with a
// stride of the number of lanes. Each workgroup is started only once, and the index is computed
// once.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uvec4 to[];
};

void main()
{
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        STORE(to, i, LOAD(from, i));
    }
}
