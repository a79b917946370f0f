// SPDX-License-Identifier: MIT
// Moves items to the place of their digit of 4 bits: eight passes sort 32 bits, because each keeps
// the order of the pass before. A lane ranks its eight keys alone, in counters of its own, and a
// scan of all counters of the workgroup turns the ranks into places, without atomic operations.
// Items are put in order in shared memory first, so that neighbouring lanes write neighbouring
// items.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"
#include "ladder/radix4.glsl"

VKS_CONSTANTS(sort_rung_params);

#define ITEM uvec4
#include "ladder/sort_buffers.glsl"

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint first = tile * SORT_TILE;
    uint end = tile < constants.tiles ? min(constants.count - first, SORT_TILE) : 0u;
    uint own[ITEMS], place[ITEMS], to[ITEMS];
    for (uint i = 0u; i < ITEMS; i++) { // eight neighbours: 32 bytes
        uint at = lane * ITEMS + i;
        own[i] = at < end ? LOAD(key, (first + at) / 4u)[i % 4u] : 0xffffffffu;
    }
    place_items(own, constants.shift, place);
    for (uint i = 0u; i < ITEMS; i++) {
        SHARED_STORE(stage, PLACE(place[i]), own[i]);
    }
    BARRIER();
    for (uint i = 0u; i < ITEMS; i++) {
        uint at = lane + i * 256u;
        uint item = SHARED_LOAD(stage, PLACE(at)), digit = item >> constants.shift & 15u;
        to[i] = at - first_of_digit(digit);
        if (at < end) {
            to[i] += LOAD(start, digit * constants.tiles + tile);
            STORE(moved_key, to[i], item);
        }
    }
    BARRIER();
    for (uint i = 0u; i < ITEMS; i++) {
        uint at = lane * ITEMS + i;
        uint item = at < end ? LOAD(value, (first + at) / 4u)[i % 4u] : 0u;
        SHARED_STORE(stage, PLACE(place[i]), item);
    }
    BARRIER();
    for (uint i = 0u; i < ITEMS && lane + i * 256u < end; i++) {
        STORE(moved_value, to[i], SHARED_LOAD(stage, PLACE(lane + i * 256u)));
    }
}
