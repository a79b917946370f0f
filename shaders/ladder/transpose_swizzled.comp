// SPDX-License-Identifier: MIT
// Transposes a matrix: a tile of 64 x 64, of which each lane transposes 4 x 4 words in registers. A
// lane has four loads of 16 bytes in flight, and accesses shared memory by 16 bytes too. Instead of
// padding, the four words at column c of row r of the tile are stored at column c ^ (r / 4), which
// spreads a column over all banks.
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

shared uvec4 tile[64 * 16];

void main()
{
    uint row = gl_LocalInvocationIndex / 16u; // of the block of 4 x 4
    uint column = gl_LocalInvocationIndex % 16u;
    uvec2 corner = gl_WorkGroupID.xy * 64u;
    uint pitch = constants.source_pitch / 4u;
    uint x = min(corner.x / 4u + column, pitch - 1u);
    uint y = corner.y + 4u * row;
    uint last = constants.height - 1u;
    // Words beyond the edges are read from the last row or column, and not used.
    uvec4 a = LOAD(from, min(y, last) * pitch + x);
    uvec4 b = LOAD(from, min(y + 1u, last) * pitch + x);
    uvec4 c = LOAD(from, min(y + 2u, last) * pitch + x);
    uvec4 d = LOAD(from, min(y + 3u, last) * pitch + x);
    uint at = 64u * column + (row ^ column);
    SHARED_STORE(tile, at, uvec4(a.x, b.x, c.x, d.x));
    SHARED_STORE(tile, at + 16u, uvec4(a.y, b.y, c.y, d.y));
    SHARED_STORE(tile, at + 32u, uvec4(a.z, b.z, c.z, d.z));
    SHARED_STORE(tile, at + 48u, uvec4(a.w, b.w, c.w, d.w));
    barrier();
    y = corner.y + 4u * column;
    for (uint i = row; i < 64u; i += 16u) {
        uvec4 words = SHARED_LOAD(tile, 16u * i + (column ^ i / 4u));
        if (corner.x + i < constants.width && y < constants.height) {
            STORE(to, ((corner.x + i) * constants.result_pitch + y) / 4u, words);
        }
    }
}
