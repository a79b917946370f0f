// SPDX-License-Identifier: MIT
// gas/deposit by tiles: a tile's first workgroup stores the sums of its nodes in "tile_sums",
// others add theirs to the nodes. Particles that have left their tile since the last sort add to
// the nodes directly. Tiles with such additions to a node are marked. docs/architecture.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TILE_AMOUNTS GAS_AMOUNTS
#include "gas/tile.glsl"
#include "gas/deposit.glsl"
#include "gas/tile_sums.glsl"
#include "gas/octet.glsl"

VKS_CLOCK;
layout(std430, set = 0, binding = 21) writeonly buffer marks
{
    uint tile_marks[]; // last step, from 1, that added to a node of the tile; racing stores agree
};

void mark(uint node)
{
    tile_marks[tile_of(node)] = first_step + step_in_batch + 1u;
}

#define TO_TILE(corner, limbs) \
    add_to_tile(amount *tile_nodes + corner_slot + corner_step(corner), limbs)

void deposit_in_tile(uint i, Place place, uint corner_slot, uint amount)
{
    float top = top_of(i, amount);
    SHARE_OUT(place, top, TO_TILE);
}

#define PART(corner)                                                                               \
    parts[corner] = ivec3(0);                                                                      \
    if (!is_left_out(corner)) {                                                                    \
        precise float part = top * corner_weight(place, corner);                                   \
        parts[corner] = vks_limbs(part);                                                           \
        rest -= parts[corner];                                                                     \
    }

// The same for an octet: the nearest corner gets the remainder in addition to its share.
void deposit_octet(uint i, Place place, uint slot, uint amount, bool present)
{
    float top = present ? top_of(i, amount) : 0.0f;
    ivec3 rest = vks_limbs(top);
    ivec3 parts[8];
    PART(0u)
    PART(1u)
    PART(2u)
    PART(3u)
    PART(4u)
    PART(5u)
    PART(6u)
    PART(7u)
    rest = vks_carried(rest);
    uint nearest = nearest_corner(place);
    parts[0] += nearest == 0u ? rest : ivec3(0);
    parts[1] += nearest == 1u ? rest : ivec3(0);
    parts[2] += nearest == 2u ? rest : ivec3(0);
    parts[3] += nearest == 3u ? rest : ivec3(0);
    parts[4] += nearest == 4u ? rest : ivec3(0);
    parts[5] += nearest == 5u ? rest : ivec3(0);
    parts[6] += nearest == 6u ? rest : ivec3(0);
    parts[7] += nearest == 7u ? rest : ivec3(0);
    add_octet(amount, slot, parts);
}

void stray(uint i, Place place)
{
    for (uint corner = 0u; corner < 8u; corner++) {
        mark(corner_node(place, corner));
    }
    for (uint amount = 0u; amount < GAS_AMOUNTS; amount++) {
        deposit_on_nodes(i, place, amount);
    }
}

void main()
{
    uint t = invocation();
    Crowd crowd = crowd_of(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    if (crowd.from >= crowd.to && !crowd.first) {
        return;
    }
    clear_tile();
    barrier();
    uvec3 origin = tile_origin(crowd.tile);
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
            Place place = place_at(present ? i : from);
            uint corner_slot = in_tiles && present ? tile_corner(place, origin) : tile_nodes;
            uint slot = shared_slot(corner_slot, present);
            if (slot < tile_nodes) {
                deposit_octet(i, place, slot, 0u, present);
                deposit_octet(i, place, slot, 1u, present);
                deposit_octet(i, place, slot, 2u, present);
                deposit_octet(i, place, slot, 3u, present);
                deposit_octet(i, place, slot, 4u, present);
            } else if (corner_slot < tile_nodes) {
                deposit_in_tile(i, place, corner_slot, 0u);
                deposit_in_tile(i, place, corner_slot, 1u);
                deposit_in_tile(i, place, corner_slot, 2u);
                deposit_in_tile(i, place, corner_slot, 3u);
                deposit_in_tile(i, place, corner_slot, 4u);
            } else if (present) {
                stray(i, place);
            }
        }
        barrier();
    }
    leave_tile(crowd, origin);
    if (!crowd.first && t < 8u) {
        mark(node_of(origin, last_node(t)));
    }
}
