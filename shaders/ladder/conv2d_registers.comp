// SPDX-License-Identifier: MIT
// Convolution: eight elements per lane, one below the other. A value that a lane has loaded from
// shared memory serves all of its elements that need it, so that a load is followed by several
// multiplications. The margin is also smaller in relation to a tile of 32 x 64.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/conv2d_weights.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    float from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    float to[];
};

// What a workgroup needs: its elements and a margin of HALF on all sides.
const uint TILE_WIDTH = 32u + 2u * HALF;
const uint TILE_HEIGHT = 64u + 2u * HALF;
shared float tile[TILE_WIDTH * TILE_HEIGHT];

void load_tile(uvec2 corner)
{
    for (uint i = gl_LocalInvocationIndex; i < TILE_WIDTH * TILE_HEIGHT; i += 256u) {
        uint x = corner.x + i % TILE_WIDTH - HALF;
        uint y = corner.y + i / TILE_WIDTH - HALF;
        SHARED_STORE(tile, i, is_inside(x, y) ? LOAD(from, y * constants.source_pitch + x) : 0.0);
    }
}

void main()
{
    uvec2 local = gl_LocalInvocationID.xy * uvec2(1u, 8u);
    uvec2 at = gl_WorkGroupID.xy * uvec2(32u, 64u) + local;
    load_tile(at - local);
    BARRIER();
    float sums[8] = float[](0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    [[unroll]] for (uint i = 0u; i < SIDE; i++) {
        [[unroll]] for (uint k = 0u; k < 8u + 2u * HALF; k++) {
            float value = SHARED_LOAD(tile, (local.y + k) * TILE_WIDTH + local.x + i);
            [[unroll]] for (uint r = 0u; r < 8u; r++) {
                if (k - r < SIDE) { // below 0 it wraps
                    sums[r] += across(i) * down(k - r) * value;
                    COMPUTE(1u);
                }
            }
        }
    }
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        if (is_inside(at.x, at.y + r)) {
            STORE(to, (at.y + r) * constants.result_pitch + at.x, sums[r]);
        }
    }
}
