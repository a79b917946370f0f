// SPDX-License-Identifier: MIT
// Pooling: a lane moves down a strip of four columns and ROWS rows of the result, and combines the
// elements of each row of the source once for all windows that contain it. Where windows overlap,
// each row is loaded once per strip instead of once per window. AHEAD rows are loaded before the
// first is used.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/pool.glsl"

layout(constant_id = 3) const uint ROWS = 8u;
layout(constant_id = 4) const uint AHEAD = 2u;
const uint OPEN = (WINDOW + STRIDE - 1u) / STRIDE; // windows that a row is in

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
    uvec2 at = gl_GlobalInvocationID.xy * uvec2(1u, ROWS);
    uint fours = constants.source_pitch / 4u;
    float x[4u * AHEAD * QUADS];
    vec4 open[OPEN]; // the youngest first
    [[unroll]] for (uint k = 0u; k < OPEN; k++) { open[k] = vec4(nothing); }
    for (uint n = 0u; n < (ROWS - 1u) * STRIDE + WINDOW; n += AHEAD) {
        [[unroll]] for (uint i = 0u; i < AHEAD * QUADS; i++) {
            uint y = min(at.y * STRIDE + n + i / QUADS, constants.source_height - 1u);
            vec4 loaded = LOAD(from, y * fours + min(at.x * STRIDE + i % QUADS, fours - 1u));
            [[unroll]] for (uint c = 0u; c < 4u; c++) { x[4u * i + c] = loaded[c]; }
        }
        [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
            vec4 row = vec4(nothing);
            [[unroll]] for (uint i = 0u; i < WINDOW; i++) {
                uint k = 4u * QUADS * a + i;
                row = join(row, vec4(x[k], x[k + STRIDE], x[k + 2u * STRIDE], x[k + 3u * STRIDE]));
            }
            if ((n + a) % STRIDE == 0u) { // a window begins
                [[unroll]] for (uint k = OPEN - 1u; k > 0u; k--) { open[k] = open[k - 1u]; }
                open[0] = vec4(nothing);
            }
            [[unroll]] for (uint k = 0u; k < OPEN; k++) { open[k] = join(open[k], row); }
            uint begun = n + a + 1u - WINDOW; // the row of the oldest window; below 0 it wraps
            uint y = at.y + begun / STRIDE;
            bool exists = y < constants.height && 4u * at.x < constants.width;
            if (begun % STRIDE == 0u && begun / STRIDE < ROWS && exists) {
                STORE(to, y * (constants.result_pitch / 4u) + at.x, finish(open[OPEN - 1u]));
            }
        }
    }
}
