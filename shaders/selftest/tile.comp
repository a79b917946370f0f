// SPDX-License-Identifier: MIT
// The tile of each item, counted from the first or from the last.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "selftest/wander.h"

layout(constant_id = 2) const bool backwards = false;

VKS_CONSTANTS(wander_params);

layout(std430, set = 0, binding = 0) readonly buffer place
{
    uvec2 places[];
};
layout(std430, set = 0, binding = 1) writeonly buffer tile
{
    uint tiles[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        uint across = constants.side / WANDER_TILE;
        uint number = vks_high(places[i].x, across) * across + vks_high(places[i].y, across);
        tiles[i] = backwards ? across * across - 1u - number : number;
    }
}
