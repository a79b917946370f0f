// SPDX-License-Identifier: MIT
// Transposes a matrix: the padded tile with accesses of 16 bytes, a quarter of the instructions.
// Eight lanes move a row of the tile. Rows of both matrices begin at a multiple of 16 bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uvec4 to[];
};

shared uint tile[32 * 33];

void main()
{
    uint row = gl_LocalInvocationIndex / 8u;
    uint column = gl_LocalInvocationIndex % 8u * 4u;
    uvec2 corner = gl_WorkGroupID.xy * 32u;
    uint x = corner.x + column;
    uint y = corner.y + row;
    uvec4 words = uvec4(0u);
    if (x < constants.width && y < constants.height) {
        words = LOAD(from, (y * constants.source_pitch + x) / 4u);
    }
    uint at = row * 33u + column;
    SHARED_STORE(tile, at, words.x);
    SHARED_STORE(tile, at + 1u, words.y);
    SHARED_STORE(tile, at + 2u, words.z);
    SHARED_STORE(tile, at + 3u, words.w);
    barrier();
    at = column * 33u + row;
    words = uvec4(SHARED_LOAD(tile, at), SHARED_LOAD(tile, at + 33u), SHARED_LOAD(tile, at + 66u),
                  SHARED_LOAD(tile, at + 99u));
    x = corner.x + row;
    y = corner.y + column;
    if (x < constants.width && y < constants.height) {
        STORE(to, (x * constants.result_pitch + y) / 4u, words);
    }
}
