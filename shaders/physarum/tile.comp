// SPDX-License-Identifier: MIT
// The tile of each agent, numbered along a Hilbert curve: the sort key.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, writeonly, tile, uint, tiles);

// The number of a tile along a Hilbert curve, whose squares of 2^curve_bits tiles follow each other
// along the longer side of the field.
uint along_curve(uint x, uint y)
{
    uint number = x >> constants.curve_bits;
    for (uint bit = constants.curve_bits; bit-- > 0u;) {
        bool right = ((x >> bit) & 1u) == 1u;
        bool down = ((y >> bit) & 1u) == 1u;
        number = (number << 2) | (down ? (right ? 2u : 1u) : (right ? 3u : 0u));
        if (!down) { // these quarters are transposed, the last one also rotated by 180 degrees
            uint other = right ? ~x : x;
            x = right ? ~y : y;
            y = other;
        }
    }
    return number;
}

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        uvec2 place = VKS_AT(positions, i);
        uint row = vks_high(place.x, constants.height) / PHYSARUM_TILE;
        uint column = vks_high(place.y, constants.width) / PHYSARUM_TILE;
        bool wide = constants.width >= constants.height;
        VKS_AT(tiles, i) = along_curve(wide ? column : row, wide ? row : column);
    }
}
