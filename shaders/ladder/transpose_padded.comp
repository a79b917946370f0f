// SPDX-License-Identifier: MIT
// Transposes a matrix: each row of the tile has one more word, which is not used. The words of a
// column are then 33 apart, in 32 different banks, and no lane waits for another.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uint to[];
};

shared uint tile[32 * 33];

void main()
{
    uvec2 lane = gl_LocalInvocationID.xy;
    uvec2 corner = gl_WorkGroupID.xy * 32u;
    uint x = corner.x + lane.x;
    for (uint i = lane.y; i < 32u; i += 8u) {
        uint y = corner.y + i;
        if (x < constants.width && y < constants.height) {
            SHARED_STORE(tile, i * 33u + lane.x, LOAD(from, y * constants.source_pitch + x));
        }
    }
    barrier();
    uint y = corner.y + lane.x;
    for (uint i = lane.y; i < 32u; i += 8u) {
        if (corner.x + i < constants.width && y < constants.height) {
            STORE(to, (corner.x + i) * constants.result_pitch + y,
                  SHARED_LOAD(tile, lane.x * 33u + i));
        }
    }
}
