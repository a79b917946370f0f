// SPDX-License-Identifier: MIT
// Finds the first open cell in reading order. One workgroup, because almost always the first words
// have it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/constants.glsl"

VKS_FIELD(0, readonly, walls, uint, wall_words);
VKS_FIELD(1, writeonly, open_cell, uvec2, open_cells);

const uint NONE = 0xffffffffu;

shared uint first;

// The first position in a row or column, as a fraction of the side in 2^-32.
uint position_of(uint cell, uint side)
{
    uint place = 0u;
    for (uint bit = 0x80000000u; cell > 0u && bit > 0u; bit >>= 1) { // the last one before it
        if (vks_high(place + bit, side) < cell) {
            place += bit;
        }
    }
    return cell > 0u ? place + 1u : 0u;
}

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint words = (constants.width + 31u) / 32u;
    uint count = constants.side * words;
    if (lane == 0u) {
        first = NONE;
    }
    barrier();
    bool found = false;
    for (uint from = 0u; from < count && !found; from += gl_WorkGroupSize.x) {
        uint i = from + lane;
        if (i < count) {
            uint row = i / words, column = 32u * (i - row * words);
            uint cells = min(constants.width - column, 32u);
            uint open = ~VKS_AT(wall_words, i) & (NONE >> (32u - cells));
            if (open != 0u) {
                atomicMin(first, row * constants.width + column + uint(findLSB(open)));
            }
        }
        barrier();
        found = first != NONE;
        barrier(); // all have read it before the next words
    }
    if (lane == 0u && found) {
        uint row = first / constants.width;
        VKS_AT(open_cells, 0u) = uvec2(position_of(row, constants.side),
                                       position_of(first - row * constants.width, constants.width));
    }
}
