// SPDX-License-Identifier: MIT
// Copies a vector: four words per lane, by one load and one store of 16 bytes. A quarter of the
// lanes and of the instructions moves the same bytes, and each lane has more of them in flight.
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
    uint item = vks_item();
    if (item < constants.source_pitch / 4u) {
        STORE(to, item, LOAD(from, item));
    }
}
