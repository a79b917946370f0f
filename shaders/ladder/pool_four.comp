// SPDX-License-Identifier: MIT
// Pooling: four neighbouring elements of the result per lane. They begin at a multiple of 16 bytes
// in the source as well, so all accesses have 16 bytes, and windows that overlap within a row share
// the loaded elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/pool.glsl"

// The vectors of four that four neighbouring results need of a row.
const uint QUADS = (3u * STRIDE + WINDOW + 3u) / 4u;

layout(std430, set = 0, binding = 0) readonly buffer source
{
    vec4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    vec4 to[];
};

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    uint fours = constants.source_pitch / 4u;
    if (4u * at.x >= constants.width || at.y >= constants.height) {
        return;
    }
    vec4 joined = vec4(nothing);
    for (uint j = 0u; j < WINDOW; j++) {
        uint row = (at.y * STRIDE + j) * fours;
        float x[4u * QUADS];
        [[unroll]] for (uint q = 0u; q < QUADS; q++) {
            // Beyond the row there are only windows that do not exist.
            vec4 loaded = LOAD(from, row + min(at.x * STRIDE + q, fours - 1u));
            x[4u * q] = loaded.x;
            x[4u * q + 1u] = loaded.y;
            x[4u * q + 2u] = loaded.z;
            x[4u * q + 3u] = loaded.w;
        }
        [[unroll]] for (uint i = 0u; i < WINDOW; i++) {
            vec4 next = vec4(x[i], x[i + STRIDE], x[i + 2u * STRIDE], x[i + 3u * STRIDE]);
            joined = join(joined, next);
        }
    }
    STORE(to, at.y * (constants.result_pitch / 4u) + at.x, finish(joined));
}
