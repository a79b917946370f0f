// SPDX-License-Identifier: MIT
// gas/deposit by tiles: a tile's first workgroup stores the sums of its nodes in "tile_sums",
// others add theirs to the nodes. Particles that have left their tile since the last sort add to
// the nodes directly. Tiles with such additions to a node are marked. docs/sims/gas-kernels.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/tile.glsl"
#include "gas/deposit.glsl"

// A workgroup adds up one amount, which takes a fifth of the shared memory; else all of them.
layout(constant_id = 6) const bool split = false;
const uint held_amounts = split ? 1u : GAS_AMOUNTS;
#define TILE_AMOUNTS held_amounts
#include "gas/tile_sums.glsl"
#include "gas/corners.glsl"

VKS_CLOCK;
layout(std430, set = 0, binding = 21) writeonly buffer marks
{
    uint tile_marks[]; // last step, from 1, that added to a node of the tile; racing stores agree
};

void mark(uint node)
{
    tile_marks[tile_of(node)] = first_step + step_in_batch + 1u;
}

#define TO_TILE(axes)                                                                              \
    if (!is_left_out(axes)) {                                                                      \
        precise float part = top * weight_across(corners, axes);                                   \
        ivec3 limbs = vks_limbs(part);                                                             \
        rest -= limbs;                                                                             \
        add_to_tile(first + slot_across(corners, axes), limbs);                                    \
    }

uint own_amount; // if split

// A particle's values. They are read one particle ahead, and all together, because memory is slow.
struct Carried {
    uvec3 position;
    float mass;
    vec3 velocity;
    float heat;
    float value; // if split: what the mass is multiplied by
};

Carried carried_at(uint i)
{
    Carried carried = Carried(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)),
                              VKS_AT(masses, i), vec3(0.0f), 0.0f, 1.0f);
    if (!split) {
        carried.velocity = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
        carried.heat = VKS_AT(heats, i);
    } else if (own_amount == 1u) {
        carried.value = VKS_AT(vzs, i);
    } else if (own_amount == 2u) {
        carried.value = VKS_AT(vys, i);
    } else if (own_amount == 3u) {
        carried.value = VKS_AT(vxs, i);
    } else if (own_amount == 4u) {
        carried.value = VKS_AT(heats, i);
    }
    return carried;
}

uint unit_of(uint amount)
{
    return amount == 0u   ? CLOCK_MASS_UNIT
           : amount == 4u ? CLOCK_ENERGY_UNIT
                          : CLOCK_MOMENTUM_UNIT;
}

// An amount of a particle in units of 2^42: its mass times a value.
float top_from(float mass, float value, uint unit)
{
    precise float carried = mass * value;
    precise float top = vks_flush(carried) * vks_top_scale(int(clock_words[unit]));
    return top;
}

// Adds to the sums from `first` on. As in gas/distribute.glsl: the nearest corner, the first one,
// gets the remainder.
void deposit_in_tile(Corners corners, uint first, float top)
{
    ivec3 rest = vks_limbs(top);
    TO_TILE(1u)
    TO_TILE(2u)
    TO_TILE(3u)
    TO_TILE(4u)
    TO_TILE(5u)
    TO_TILE(6u)
    TO_TILE(7u)
    add_to_tile(first + corners.slot, vks_carried(rest));
}

void deposit_all(Corners corners, Carried own)
{
    deposit_in_tile(corners, 0u, top_from(own.mass, 1.0f, CLOCK_MASS_UNIT));
    deposit_in_tile(corners, tile_nodes,
                    top_from(own.mass, own.velocity.x, CLOCK_MOMENTUM_UNIT));
    deposit_in_tile(corners, 2u * tile_nodes,
                    top_from(own.mass, own.velocity.y, CLOCK_MOMENTUM_UNIT));
    deposit_in_tile(corners, 3u * tile_nodes,
                    top_from(own.mass, own.velocity.z, CLOCK_MOMENTUM_UNIT));
    deposit_in_tile(corners, 4u * tile_nodes, top_from(own.mass, own.heat, CLOCK_ENERGY_UNIT));
}

void stray(uint i, Place place)
{
    for (uint corner = 0u; corner < 8u; corner++) {
        mark(corner_node(place, corner));
    }
    if (split) {
        deposit_on_nodes(i, place, own_amount);
        return;
    }
    for (uint amount = 0u; amount < GAS_AMOUNTS; amount++) {
        deposit_on_nodes(i, place, amount);
    }
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    own_amount = group % GAS_AMOUNTS;
    uint own_unit = unit_of(own_amount);
    Crowd crowd = crowd_of(split ? group / GAS_AMOUNTS : group);
    if (crowd.from >= crowd.to && !crowd.first) {
        return;
    }
    uint i = crowd.from + t;
    Carried ahead = carried_at(i < crowd.to ? i : 0u);
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
        for (; i < to; i += gl_WorkGroupSize.x) {
            Carried own = ahead;
            uint next = i + gl_WorkGroupSize.x;
            ahead = carried_at(next < crowd.to ? next : i);
            Place place = place_of(own.position);
            uint corner_slot = in_tiles ? tile_corner(place, origin) : tile_nodes;
            if (corner_slot < tile_nodes) {
                Corners corners = corners_from(place, corner_slot, nearest_corner(place));
                if (split) {
                    deposit_in_tile(corners, 0u, top_from(own.mass, own.value, own_unit));
                } else {
                    deposit_all(corners, own);
                }
            } else {
                stray(i, place);
            }
        }
        barrier();
    }
    uint first_amount = split ? own_amount : 0u;
    leave_tile(crowd, origin, (crowd.tile * GAS_AMOUNTS + first_amount) * tile_nodes, first_amount);
    if (!crowd.first && t < 8u) {
        mark(node_of(origin, last_node(t)));
    }
}
