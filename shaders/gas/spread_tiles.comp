// SPDX-License-Identifier: MIT
// gas/spread by tiles, like gas/deposit_tiles. docs/architecture.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TILE_AMOUNTS 1u
#include "gas/tile.glsl"
#include "gas/spread.glsl"
#include "gas/tile_sums.glsl"
#include "gas/octet.glsl"

shared vec4 node_values[tile_nodes];

void spread_in_tile(Mover mover, uint corner_slot)
{
    for (uint corner = 0u; corner < 8u; corner++) {
        if (!is_left_out(corner)) {
            uint slot = corner_slot + corner_step(corner);
            add_to_tile(slot, part_of(mover, corner, node_values[slot]));
        }
    }
}

#define PART(corner)                                                                               \
    parts[corner] = !is_left_out(corner) && present                                                \
                        ? part_of(mover, corner, node_values[slot + corner_step(corner)])          \
                        : ivec3(0);

void spread_octet(Mover mover, uint slot, bool present)
{
    ivec3 parts[8];
    PART(0u)
    PART(1u)
    PART(2u)
    PART(3u)
    PART(4u)
    PART(5u)
    PART(6u)
    PART(7u)
    add_octet(0u, slot, parts);
}

void main()
{
    uint t = invocation();
    Crowd crowd = crowd_of(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    if (crowd.from >= crowd.to && !crowd.first) {
        return;
    }
    uvec3 origin = tile_origin(crowd.tile);
    for (uint i = t; i < tile_nodes; i += gl_WorkGroupSize.x) {
        node_values[i] = node_at(node_of(origin, i));
    }
    clear_tile();
    barrier();
    bool in_tiles = is_sorted();
    for (uint from = crowd.from; from < crowd.to; from += TILE_ROOM) {
        if (from > crowd.from) {
            carry_tile();
            barrier();
        }
        uint to = min(from + TILE_ROOM, crowd.to);
        for (uint first = from; first < to; first += gl_WorkGroupSize.x) {
            uint i = first + t;
            bool present = i < to;
            Mover mover = mover_at(present ? i : from);
            uint corner_slot = in_tiles && present ? tile_corner(mover.place, origin) : tile_nodes;
            uint slot = shared_slot(corner_slot, present);
            if (slot < tile_nodes) {
                spread_octet(mover, slot, present);
            } else if (corner_slot < tile_nodes) {
                spread_in_tile(mover, corner_slot);
            } else if (present) {
                spread_on_nodes(mover);
            }
        }
        barrier();
    }
    leave_tile(crowd, origin);
}
