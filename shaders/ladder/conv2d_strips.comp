// SPDX-License-Identifier: MIT
// Convolution: both passes of the separable filter in registers, without shared memory or barriers.
// A lane moves down a strip of four columns and ROWS rows. It filters each row and adds the result
// to SIDE sums, of the elements above and below, which then move on by one. AHEAD rows are loaded
// before the first is used.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/conv2d_weights.glsl"

layout(constant_id = 5) const uint ROWS = 32u;
layout(constant_id = 6) const uint AHEAD = 2u;
const uint QUADS = (HALF + 3u) / 4u; // vectors of four on either side
const uint COLUMNS = 8u * QUADS + 4u; // of a row that are loaded

layout(std430, set = 0, binding = 0) readonly buffer source
{
    vec4 from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    vec4 to[];
};

void main()
{
    uint four = gl_GlobalInvocationID.x;
    uint first = gl_GlobalInvocationID.y * ROWS;
    uint fours = constants.source_pitch / 4u;
    float x[AHEAD * COLUMNS];
    vec4 sums[SIDE]; // of rows above that are not complete, and of those before the first
    [[unroll]] for (uint j = 0u; j < SIDE; j++) { sums[j] = vec4(0.0); }
    for (uint n = 0u; n < ROWS + 2u * HALF; n += AHEAD) {
        [[unroll]] for (uint k = 0u; k < AHEAD * COLUMNS; k += 4u) {
            uint y = first + n + k / COLUMNS - HALF; // below 0 it wraps
            uint column = four + k % COLUMNS / 4u - QUADS;
            bool inside = y < constants.height && column < fours;
            vec4 loaded = inside ? LOAD(from, y * fours + column) : vec4(0.0);
            x[k] = loaded.x;
            x[k + 1u] = loaded.y;
            x[k + 2u] = loaded.z;
            x[k + 3u] = loaded.w;
        }
        [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
            vec4 row = vec4(0.0);
            [[unroll]] for (uint i = 0u; i < SIDE; i++) {
                uint c = a * COLUMNS + 4u * QUADS - HALF + i;
                row += across(i) * vec4(x[c], x[c + 1u], x[c + 2u], x[c + 3u]);
            }
            [[unroll]] for (uint j = SIDE - 1u; j > 0u; j--) {
                sums[j] = sums[j - 1u] + down(j) * row;
            }
            sums[0] = down(0) * row;
            uint above = n + a - 2u * HALF; // the row whose sum is complete
            if (above < ROWS && first + above < constants.height && four < fours) {
                STORE(to, (first + above) * fours + four, sums[SIDE - 1u]);
            }
        }
    }
}
