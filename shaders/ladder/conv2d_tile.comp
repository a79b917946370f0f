// SPDX-License-Identifier: MIT
// Convolution: a workgroup loads its 32 x 8 elements and the margin around them into shared memory
// once. Bounds are checked once per element instead of once per multiplication, and shared memory
// has a shorter latency than the cache.
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
const uint TILE_HEIGHT = 8u + 2u * HALF;
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
    uvec2 at = gl_GlobalInvocationID.xy;
    uvec2 local = gl_LocalInvocationID.xy;
    load_tile(at - local);
    BARRIER();
    if (!is_inside(at.x, at.y)) {
        return;
    }
    float sum = 0.0;
    [[unroll]] for (uint j = 0u; j < SIDE; j++) {
        [[unroll]] for (uint i = 0u; i < SIDE; i++) {
            sum += across(i) * down(j) *
                   SHARED_LOAD(tile, (local.y + j) * TILE_WIDTH + local.x + i);
            COMPUTE(1u);
        }
    }
    STORE(to, at.y * constants.result_pitch + at.x, sum);
}
