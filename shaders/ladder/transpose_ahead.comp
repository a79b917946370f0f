// SPDX-License-Identifier: MIT
// Transposes a matrix: like swizzled, but a workgroup moves several tiles, and loads the next one
// into registers before it stores this one, so loads are always in flight. Their number is tuned.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

layout(constant_id = 0) const uint tiles = 2u;

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

uvec4 a, b, c, d; // the lane's block of 4 x 4

void load_block(uint x, uint y)
{
    uint pitch = constants.source_pitch / 4u, last = constants.height - 1u;
    a = LOAD(from, min(y, last) * pitch + min(x, pitch - 1u));
    b = LOAD(from, min(y + 1u, last) * pitch + min(x, pitch - 1u));
    c = LOAD(from, min(y + 2u, last) * pitch + min(x, pitch - 1u));
    d = LOAD(from, min(y + 3u, last) * pitch + min(x, pitch - 1u));
}

void main()
{
    uint row = gl_LocalInvocationIndex / 16u, column = gl_LocalInvocationIndex % 16u;
    uvec2 corner = gl_WorkGroupID.xy * uvec2(64u * tiles, 64u);
    uint at = 64u * column + (row ^ column), y = corner.y + 4u * column;
    load_block(corner.x / 4u + column, corner.y + 4u * row);
    for (uint k = 1u; k <= tiles && corner.x < constants.width; k++) {
        SHARED_STORE(tile, at, uvec4(a.x, b.x, c.x, d.x));
        SHARED_STORE(tile, at + 16u, uvec4(a.y, b.y, c.y, d.y));
        SHARED_STORE(tile, at + 32u, uvec4(a.z, b.z, c.z, d.z));
        SHARED_STORE(tile, at + 48u, uvec4(a.w, b.w, c.w, d.w));
        barrier();
        if (k < tiles) {
            load_block(corner.x / 4u + 16u + column, corner.y + 4u * row);
        }
        for (uint i = row; i < 64u; i += 16u) {
            uvec4 words = SHARED_LOAD(tile, 16u * i + (column ^ i / 4u));
            if (corner.x + i < constants.width && y < constants.height) {
                STORE(to, ((corner.x + i) * constants.result_pitch + y) / 4u, words);
            }
        }
        corner.x += 64u;
        barrier();
    }
}
