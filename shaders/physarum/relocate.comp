// SPDX-License-Identifier: MIT
// Moves agents that are in a wall to random open cells, before the first step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/step.glsl"
#include "physarum/place.glsl"

VKS_FIELD(0, , position, uvec2, positions); // (y, x)
VKS_FIELD(1, , heading, uint, headings);
VKS_FIELD(2, readonly, agents_number, uint, numbers); // if `sorted`

layout(constant_id = 0) const bool sorted = false;

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    uint number = sorted ? VKS_AT(numbers, i) : i;
    uvec2 place = VKS_AT(positions, i);
    uint heading = VKS_AT(headings, i);
    if (is_wall(vks_high(place.x, constants.side), vks_high(place.y, constants.width))) {
        place = random_place(true, number, current_step(), heading);
    }
    VKS_AT(positions, i) = place;
    VKS_AT(headings, i) = heading;
}
