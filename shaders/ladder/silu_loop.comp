// SPDX-License-Identifier: MIT
// SiLU: only as many lanes as fill the device, each in a loop over the vector. Each workgroup is
// started only once, but a lane loads its next elements only after it has stored the last ones.
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
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        STORE(to, i, ELEMENT4(silu(VALUE4(LOAD(from, i)))));
    }
}
