// SPDX-License-Identifier: MIT
// SiLU: four elements per lane, by one load and one store. A quarter of the lanes and of the memory
// instructions moves the same bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/access.glsl"
#include "ladder/silu.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    ELEMENT4 to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.source_pitch / 4u) {
        STORE(to, item, ELEMENT4(silu(VALUE4(LOAD(from, item)))));
    }
}
