// SPDX-License-Identifier: MIT
// The trail in three planes, by the mean heading of the agents around a cell.
// docs/sims/physarum.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/headings.glsl"

VKS_FIELD(0, readonly, heading_rows, float, rows);
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
    uint cells = w * h;
    vec3 sum = vec3(0.0f); // agents, cosines, sines
    for (uint i = 0u; i < PHYSARUM_HEADING_TAPS; i++) {
        uint cell = (y + heading_back(h) + i) % h * w + x;
        precise vec3 next = vec3(VKS_AT(rows, cell), VKS_AT(rows, cells + cell),
                                 VKS_AT(rows, 2u * cells + cell));
        next = sum + heading_weight(i) * next;
        sum = next;
    }
    precise float share = sum.x > 0.0f ? vks_reciprocal(PHYSARUM_HEADING_UNIT * sum.x) : 0.0f;
    precise float east = sum.y * share;
    precise float south = sum.z * share;
    // The root of the mean's length: where directions differ, colours are paler, not grey at once.
    precise float square = east * east + south * south;
    float root = vks_sqrt(vks_sqrt(vks_flush(square)));
    precise float stretch = root > 0.0f ? vks_reciprocal(root) : 0.0f;
    east = east * stretch;
    south = south * stretch;
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
