// SPDX-License-Identifier: MIT
// The tile of each agent, numbered row by row: the sort key.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, writeonly, tile, uint, tiles);

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        uvec2 place = VKS_AT(positions, i);
        uint row = vks_high(place.x, constants.height) / PHYSARUM_TILE;
        uint column = vks_high(place.y, constants.width) / PHYSARUM_TILE;
        VKS_AT(tiles, i) = row * ((constants.width + PHYSARUM_TILE - 1u) / PHYSARUM_TILE) + column;
    }
}
