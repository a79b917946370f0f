// SPDX-License-Identifier: MIT
// gas/dispersion by tiles, like gas/deposit_tiles. docs/sims/gas-kernels.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TILE_AMOUNTS 1u
#include "gas/tile.glsl"
#include "gas/dispersion.glsl"
#include "gas/tile_sums.glsl"
#include "gas/corners.glsl"

shared vec4 node_values[tile_nodes];

void add_in_tile(Mover mover, Corners corners)
{
    for (uint axes = 0u; axes < 8u; axes++) {
        if (!is_left_out(axes)) {
            uint slot = slot_across(corners, axes);
            add_to_tile(slot, part_of(mover, weight_across(corners, axes), node_values[slot]));
        }
    }
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    Crowd crowd = crowd_of(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    if (crowd.from >= crowd.to && !crowd.first) {
        return;
    }
    uvec3 origin = tile_origin(crowd.tile);
    // Particles are read one ahead, because memory is slow.
    uint i = crowd.from + t;
    Mover ahead = mover_at(i < crowd.to ? i : 0u);
    for (uint node = t; node < tile_nodes; node += gl_WorkGroupSize.x) {
        node_values[node] = node_at(node_of(origin, node));
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
        for (; i < to; i += gl_WorkGroupSize.x) {
            Mover mover = ahead;
            uint next = i + gl_WorkGroupSize.x;
            ahead = mover_at(next < crowd.to ? next : i);
            uint corner_slot = in_tiles ? tile_corner(mover.place, origin) : tile_nodes;
            if (corner_slot < tile_nodes) {
                add_in_tile(mover, corners_from(mover.place, corner_slot, t));
            } else {
                add_to_nodes(mover);
            }
        }
        barrier();
    }
    leave_tile(crowd, origin, crowd.tile * tile_slots, 0u);
}
