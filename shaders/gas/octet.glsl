// SPDX-License-Identifier: MIT
// Octets: eight neighbouring lanes of a subgroup. If all their particles are in one cell, they add
// up their deposits by shuffles, and the tile's sums get one atomic per octet instead of one per
// particle. docs/architecture.md.
#ifndef VKS_GAS_OCTET_GLSL
#define VKS_GAS_OCTET_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "gas/tile_sums.glsl"

layout(constant_id = 6) const bool octets = false; // subgroups have at least eight lanes

// A unique number for each invocation of the workgroup; those of an octet are consecutive.
uint invocation()
{
    uint lanes = gl_SubgroupSize;
    uint subgroup = gl_SubgroupID;
    return subgroup * lanes + gl_SubgroupInvocationID;
}

// The corner slot that all particles of the octet share, else tile_nodes. Lanes without a particle
// do not count.
uint shared_slot(uint corner_slot, bool present)
{
    if (!octets) {
        return tile_nodes;
    }
    uint lane = gl_SubgroupInvocationID;
    uint first = subgroupShuffle(corner_slot, lane & ~7u);
    uint same = !present || corner_slot == first ? 1u : 0u;
    same &= subgroupShuffleXor(same, 1u);
    same &= subgroupShuffleXor(same, 2u);
    same &= subgroupShuffleXor(same, 4u);
    return same == 1u ? first : tile_nodes;
}

#define FOLD_OCTET(number, half)                                                                   \
    {                                                                                              \
        ivec3 kept = upper ? parts[number + half] : parts[number];                                 \
        ivec3 sent = upper ? parts[number] : parts[number + half];                                 \
        parts[number] = kept + subgroupShuffleXor(sent, uint(half));                               \
    }

// The sum of an octet's parts for the corner with the lane's number.
ivec3 octet_sum(ivec3 parts[8])
{
    uint lane = gl_SubgroupInvocationID;
    bool upper = (lane & 4u) != 0u;
    FOLD_OCTET(0, 4)
    FOLD_OCTET(1, 4)
    FOLD_OCTET(2, 4)
    FOLD_OCTET(3, 4)
    upper = (lane & 2u) != 0u;
    FOLD_OCTET(0, 2)
    FOLD_OCTET(1, 2)
    upper = (lane & 1u) != 0u;
    FOLD_OCTET(0, 1)
    return vks_carried(parts[0]);
}

// Adds the octet's parts for all corners around a slot to the tile's sums of an amount.
void add_octet(uint amount, uint slot, ivec3 parts[8])
{
    ivec3 sum = octet_sum(parts);
    uint lane = gl_SubgroupInvocationID;
    uint corner = lane & 7u;
    if (!is_left_out(corner)) {
        add_to_tile(amount * tile_nodes + slot + corner_step(corner), sum);
    }
}
#endif
