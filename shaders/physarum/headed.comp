// SPDX-License-Identifier: MIT
// The trail in three planes, by the mean heading of the agents around a cell: docs/sims/physarum.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, readonly, heading_sums, uint, sums);
VKS_FIELD(1, readonly, trail, float, trails);
VKS_FIELD(2, writeonly, headings, float, results);

layout(constant_id = 0) const uint only = 0u; // the number of a species, from 1 on; 0: all
layout(constant_id = 1) const uint species = 1u;

// Of the trails of all species, or of one.
float trail_at(uint cell, uint cells)
{
    uint first = only == 0u ? 0u : only - 1u;
    uint count = only == 0u ? species : 1u;
    precise float sum = VKS_AT(trails, first * cells + cell);
    for (uint i = 1u; i < count; i++) {
        sum = sum + VKS_AT(trails, (first + i) * cells + cell);
    }
    return sum;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    uint w = constants.width;
    uint h = constants.height;
    if (x >= w || y >= h) {
        return;
    }
    const float weights[5] = float[](1.0f, 4.0f, 6.0f, 4.0f, 1.0f);
    uint cells = w * h;
    precise float agents = 0.0f;
    precise float east = 0.0f;
    precise float south = 0.0f;
    for (uint i = 0u; i < 5u; i++) {
        uint row = (y + 2u * h + i - 2u) % h * w;
        for (uint j = 0u; j < 5u; j++) {
            uint cell = row + (x + 2u * w + j - 2u) % w;
            precise float weight = weights[i] * weights[j];
            agents = agents + weight * float(VKS_AT(sums, cell));
            east = east + weight * float(int(VKS_AT(sums, cells + cell)));
            south = south + weight * float(int(VKS_AT(sums, 2u * cells + cell)));
        }
    }
    precise float share = agents > 0.0f ? vks_reciprocal(PHYSARUM_HEADING_UNIT * agents) : 0.0f;
    east = east * share;
    south = south * share;
    precise float opposite = PHYSARUM_THIRD - PHYSARUM_THIRD * east;
    precise float across = PHYSARUM_ROOT_THIRD * south;
    float value = trail_at(y * w + x, cells);
    precise float red = value * max(PHYSARUM_THIRD + (2.0f * PHYSARUM_THIRD) * east, 0.0f);
    precise float green = value * max(opposite + across, 0.0f);
    precise float blue = value * max(opposite - across, 0.0f);
    VKS_AT(results, y * w + x) = vks_flush(red);
    VKS_AT(results, cells + y * w + x) = vks_flush(green);
    VKS_AT(results, 2u * cells + y * w + x) = vks_flush(blue);
}
