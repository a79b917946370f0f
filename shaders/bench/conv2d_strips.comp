// SPDX-License-Identifier: MIT
// Convolution: both passes of the separable one in registers, without shared memory or barriers. A
// lane goes down a strip of four columns and ROWS rows. It filters each row across, and adds it to
// the SIDE sums of the elements above and below, which move on by one. AHEAD rows are loaded before
// the first is used.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bench/conv2d_weights.glsl"

layout(constant_id = 5) const uint ROWS = 32u;
layout(constant_id = 6) const uint AHEAD = 2u;
const uint QUADS = (HALF + 3u) / 4u; // vectors of four on either side

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
    vec4 x[AHEAD * (2u * QUADS + 1u)];
    vec4 sums[SIDE]; // of rows above that are not complete, and of those before the first
    [[unroll]] for (uint j = 0u; j < SIDE; j++) { sums[j] = vec4(0.0); }
    for (uint n = 0u; n < ROWS + 2u * HALF; n += AHEAD) {
        [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
            uint y = first + n + a - HALF; // below 0 it wraps
            [[unroll]] for (uint q = 0u; q <= 2u * QUADS; q++) {
                bool inside = y < constants.height && four + q - QUADS < fours;
                uint at = y * fours + four + q - QUADS;
                x[a * (2u * QUADS + 1u) + q] = inside ? LOAD(from, at) : vec4(0.0);
            }
        }
        [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
            vec4 row = vec4(0.0);
            [[unroll]] for (uint k = 0u; k < 4u * SIDE; k++) {
                uint c = k % 4u + k / 4u + 4u * QUADS - HALF; // column of x
                row[k % 4u] += across(k / 4u) * x[a * (2u * QUADS + 1u) + c / 4u][c % 4u];
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
