// SPDX-License-Identifier: MIT
// SiLU: several vectors of four per lane. All are loaded before the first is computed, so that each
// lane has more bytes in flight; the best number depends on the device, so it is tuned.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/element.glsl"
#include "ladder/access.glsl"
#include "ladder/silu.glsl"

layout(constant_id = 0) const uint FOURS = 2u; // vectors of four per lane

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
    uint lane = gl_LocalInvocationID.x;
    uint first = (vks_item() - lane) * FOURS + lane; // neighbouring lanes, neighbouring vectors
    uint count = constants.source_pitch / 4u;
    vec4 x[FOURS];
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = first + k * gl_WorkGroupSize.x;
        x[k] = i < count ? VALUE4(LOAD(from, i)) : vec4(0.0);
    }
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = first + k * gl_WorkGroupSize.x;
        if (i < count) {
            STORE(to, i, ELEMENT4(silu(x[k])));
        }
    }
}
