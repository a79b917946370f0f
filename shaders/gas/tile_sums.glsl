// SPDX-License-Identifier: MIT
// Sums of a tile's nodes in shared memory, TILE_AMOUNTS per node, and where they are stored. The
// shader defines add_to_node(amount, node, part) first. docs/sims/gas-kernels.md.
#ifndef VKS_GAS_TILE_SUMS_GLSL
#define VKS_GAS_TILE_SUMS_GLSL

#include "gas/crowd.glsl"

VKS_FIELD(14, writeonly, tile_sums, uvec2, sums_tile);

const uint tile_slots = TILE_AMOUNTS * tile_nodes;

// Max particles between carries of the limbs, see vks_limbs().
#define TILE_ROOM 1024u

// Limbs of fixed point: independent atomics.
shared int limbs_x[tile_slots];
shared int limbs_y[tile_slots];
shared int limbs_z[tile_slots];

void clear_tile()
{
    for (uint i = gl_LocalInvocationID.x; i < tile_slots; i += gl_WorkGroupSize.x) {
        limbs_x[i] = 0;
        limbs_y[i] = 0;
        limbs_z[i] = 0;
    }
}

void add_to_tile(uint slot, ivec3 limbs)
{
    atomicAdd(limbs_x[slot], limbs.x);
    atomicAdd(limbs_y[slot], limbs.y);
    if (limbs.z != 0) {
        atomicAdd(limbs_z[slot], limbs.z);
    }
}

// Makes room for TILE_ROOM more particles.
void carry_tile()
{
    for (uint i = gl_LocalInvocationID.x; i < tile_slots; i += gl_WorkGroupSize.x) {
        ivec3 limbs = vks_carried(ivec3(limbs_x[i], limbs_y[i], limbs_z[i]));
        limbs_x[i] = limbs.x;
        limbs_y[i] = limbs.y;
        limbs_z[i] = limbs.z;
    }
}

// The first crowd of a tile stores its sums in tile_sums from `start` on; the others add theirs to
// the nodes. The first sums are those of `first_amount`.
void leave_tile(Crowd crowd, uvec3 origin, uint start, uint first_amount)
{
    for (uint i = gl_LocalInvocationID.x; i < tile_slots; i += gl_WorkGroupSize.x) {
        uvec2 sum = vks_from_limbs(ivec3(limbs_x[i], limbs_y[i], limbs_z[i]));
        if (crowd.first) {
            VKS_AT(sums_tile, start + i) = sum;
        } else if ((sum.x | sum.y) != 0u) {
            uint amount = i / tile_nodes;
            add_to_node(first_amount + amount, node_of(origin, i - amount * tile_nodes), sum);
        }
    }
}
#endif
