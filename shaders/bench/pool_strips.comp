// SPDX-License-Identifier: MIT
// Pooling: a lane goes down a strip of four columns and ROWS rows of the result, and joins each row
// of the source across once for all windows that it is in. Where windows overlap, each row is
// loaded once per strip instead of once per window. AHEAD rows are loaded before the first is used.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bench/pool.glsl"

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
    uint end = min(at.y + ROWS, constants.height);
    vec4 open[OPEN], x[AHEAD * QUADS]; // of results at.y, at.y + 1 ...
    [[unroll]] for (uint k = 0u; k < OPEN; k++) { open[k] = vec4(nothing); }
    for (uint row = at.y * STRIDE; 4u * at.x < constants.width && at.y < end; row += AHEAD) {
        [[unroll]] for (uint i = 0u; i < AHEAD * QUADS; i++) {
            uint y = min(row + i / QUADS, constants.source_height - 1u);
            x[i] = LOAD(from, y * fours + min(at.x * STRIDE + i % QUADS, fours - 1u));
        }
        [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
            vec4 joined = vec4(nothing);
            [[unroll]] for (uint k = 0u; k < 16u * QUADS; k++) {
                uint column = k / 4u - k % 4u * STRIDE; // of window k % 4; may wrap
                if (column < WINDOW) {
                    joined[k % 4u] = join(joined[k % 4u], x[a * QUADS + k / 16u][k / 4u % 4u]);
                }
            }
            [[unroll]] for (uint k = 0u; k < OPEN; k++) {
                open[k] = row + a < (at.y + k) * STRIDE ? open[k] : join(open[k], joined);
            }
            if (row + a + 1u == at.y * STRIDE + WINDOW && at.y < end) {
                STORE(to, at.y * (constants.result_pitch / 4u) + at.x, finish(open[0]));
                [[unroll]] for (uint k = 1u; k < OPEN; k++) {
                    open[k - 1u] = open[k];
                }
                open[OPEN - 1u] = vec4(nothing);
                at.y++;
            }
        }
    }
}
