// SPDX-License-Identifier: MIT
// Transposes a matrix: each lane transposes a block of 4 x 4 words in registers, without shared
// memory and barriers. All sectors are whole, but pieces of rows are short: of the 32 blocks of a
// subgroup `across` are side by side and read that many times 16 bytes of a row; the number above
// each other determines the length of the writes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

layout(constant_id = 0) const uint across = 8u; // a power of two from 2 to 16

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uvec4 to[];
};

void main()
{
    uint lane = gl_LocalInvocationIndex, part = lane / 32u, parts = 16u / across;
    uint column = lane % across + part % parts * across; // of 16 x 16 blocks
    uint row = lane % 32u / across + part / parts * (32u / across);
    uint from_pitch = constants.source_pitch / 4u, to_pitch = constants.result_pitch / 4u;
    uint x = gl_WorkGroupID.x * 16u + column; // in fours
    uint y = gl_WorkGroupID.y * 16u + row;
    uint last = constants.height - 1u;
    if (x < from_pitch && y < to_pitch) {
        uvec4 a = LOAD(from, min(4u * y, last) * from_pitch + x);
        uvec4 b = LOAD(from, min(4u * y + 1u, last) * from_pitch + x);
        uvec4 c = LOAD(from, min(4u * y + 2u, last) * from_pitch + x);
        uvec4 d = LOAD(from, min(4u * y + 3u, last) * from_pitch + x);
        uint at = 4u * x * to_pitch + y;
        uint rows = constants.width - 4u * x; // of the result, from here
        STORE(to, at, uvec4(a.x, b.x, c.x, d.x));
        if (rows > 1u) {
            STORE(to, at + to_pitch, uvec4(a.y, b.y, c.y, d.y));
        }
        if (rows > 2u) {
            STORE(to, at + 2u * to_pitch, uvec4(a.z, b.z, c.z, d.z));
        }
        if (rows > 3u) {
            STORE(to, at + 3u * to_pitch, uvec4(a.w, b.w, c.w, d.w));
        }
    }
}
