// SPDX-License-Identifier: MIT
// The tile of the field that each agent is in, row by row: what agents are sorted by.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

layout(std430, set = 0, binding = 0) readonly buffer position
{
    uvec2 positions[]; // (y, x)
};
layout(std430, set = 0, binding = 1) writeonly buffer tile
{
    uint tiles[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        uint row = vks_high(positions[i].x, constants.height) / PHYSARUM_TILE;
        uint column = vks_high(positions[i].y, constants.width) / PHYSARUM_TILE;
        tiles[i] = row * ((constants.width + PHYSARUM_TILE - 1u) / PHYSARUM_TILE) + column;
    }
}
