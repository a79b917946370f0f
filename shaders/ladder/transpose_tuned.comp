// SPDX-License-Identifier: MIT
// Transposes a matrix: like swizzled, but the sides of the tile and the order of tiles are tuned. A
// workgroup has a lane per block. Wide tiles move long pieces of rows; the order determines which
// parts of memory are in use at a time.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"
#include "ladder/tile_order.glsl"

layout(constant_id = 0) const uint columns = 16u; // of a tile, in blocks of 4 x 4 words
layout(constant_id = 1) const uint rows = 16u;    // a power of two
layout(constant_id = 3) const bool whole = false; // no tile goes beyond the matrix

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uvec4 to[];
};

shared uvec4 tile[4u * columns * rows];

void main()
{
    uvec2 corner = tile_place() * 4u * uvec2(columns, rows);
    uint lane = gl_LocalInvocationIndex, column = lane % columns, row = lane / columns;
    uint pitch = constants.source_pitch / 4u, last = whole ? ~0u : constants.height - 1u;
    uint x = corner.x / 4u + column, y = corner.y + 4u * row;
    x = whole ? x : min(x, pitch - 1u);
    uvec4 a = LOAD(from, min(y, last) * pitch + x);
    uvec4 b = LOAD(from, min(y + 1u, last) * pitch + x);
    uvec4 c = LOAD(from, min(y + 2u, last) * pitch + x);
    uvec4 d = LOAD(from, min(y + 3u, last) * pitch + x);
    uint at = 4u * rows * column + (row ^ column % rows);
    SHARED_STORE(tile, at, uvec4(a.x, b.x, c.x, d.x));
    SHARED_STORE(tile, at + rows, uvec4(a.y, b.y, c.y, d.y));
    SHARED_STORE(tile, at + 2u * rows, uvec4(a.z, b.z, c.z, d.z));
    SHARED_STORE(tile, at + 3u * rows, uvec4(a.w, b.w, c.w, d.w));
    barrier();
    [[unroll]] for (uint k = 0u; k < 4u; k++) {
        uint i = lane + k * columns * rows;
        uvec4 words = SHARED_LOAD(tile, i - i % rows + (i % rows ^ i / rows / 4u % rows));
        x = corner.x + i / rows;
        y = corner.y + i % rows * 4u;
        if (whole || (x < constants.width && y < constants.height)) {
            STORE(to, (x * constants.result_pitch + y) / 4u, words);
        }
    }
}
