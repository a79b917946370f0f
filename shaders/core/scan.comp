// SPDX-License-Identifier: MIT
// Exclusive scan with subgroups: core/scan.glsl. Only the first subgroup looks back, at one tile
// per lane, without a barrier.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "core/scan.glsl"

shared uvec4 subgroup_sums[FOURS][256];
shared uint tiles_before;

uint invocation()
{
    uint lanes = gl_SubgroupSize;
    uint subgroup = gl_SubgroupID;
    return subgroup * lanes + gl_SubgroupInvocationID;
}

uint scan_tile(uvec4 own[FOURS], out uvec4 starts[FOURS])
{
    uint lane = gl_SubgroupInvocationID;
    uint lanes = gl_SubgroupSize;
    uint subgroup = gl_SubgroupID;
    uint subgroups = gl_NumSubgroups;
    for (uint i = 0u; i < FOURS; i++) {
        uvec4 upto = subgroupInclusiveAdd(own[i]);
        if (lane == lanes - 1u) {
            subgroup_sums[i][subgroup] = upto;
        }
        starts[i] = upto - own[i];
    }
    barrier();
    uint sum = 0u;
    for (uint i = 0u; i < FOURS; i++) {
        uvec4 whole = uvec4(0u); // of each row
        for (uint j = 0u; j < subgroups; j++) {
            starts[i] += j < subgroup ? subgroup_sums[i][j] : uvec4(0u);
            whole += subgroup_sums[i][j];
        }
        starts[i] +=
            uvec4(sum) + uvec4(0u, whole.x, whole.x + whole.y, whole.x + whole.y + whole.z);
        sum += whole.x + whole.y + whole.z + whole.w;
    }
    return sum;
}

// The sum of a whole tile, by one subgroup.
uint sum_of_tile(uint tile)
{
    uint lanes = gl_SubgroupSize;
    uint sum = 0u;
    for (uint i = gl_SubgroupInvocationID; i < TILE_FOURS; i += lanes) {
        uvec4 items = values[tile * TILE_FOURS + i];
        sum += items.x + items.y + items.z + items.w;
    }
    return subgroupAdd(sum);
}

// The sum of all tiles before `tile`, by one subgroup.
uint sum_before(uint tile)
{
    uint lane = gl_SubgroupInvocationID;
    uint lanes = gl_SubgroupSize;
    uint before = 0u;
    uint left = tile; // tiles still to be added
    uint looks = 0u;
    while (left > 0u) {
        uint stage = STAGE_NOTHING;
        uint sum = 0u;
        if (lane < left) {
            uint low = LOOK_AT(state[left - 1u - lane].x);
            uint high = LOOK_AT(state[left - 1u - lane].y);
            stage = low >> 16 == high >> 16 ? low >> 16 : STAGE_NOTHING;
            sum = (low & 0xffffu) | high << 16;
        }
        uvec4 missing = subgroupBallot(stage == STAGE_NOTHING);
        uvec4 prefix = subgroupBallot(stage == STAGE_PREFIX);
        uint first_missing = subgroupBallotFindLSB(missing);
        uint first_prefix = subgroupBallotFindLSB(prefix);
        uint near_missing = missing == uvec4(0u) ? lanes : first_missing;
        uint near_prefix = prefix == uvec4(0u) ? lanes : first_prefix;
        bool reached = near_prefix < near_missing;
        uint usable = reached ? near_prefix + 1u : near_missing;
        before += subgroupAdd(lane < usable ? sum : 0u);
        if (reached) {
            return before;
        }
        left -= usable;
        looks = usable > 0u ? 0u : looks + 1u;
        if (looks > max_retries) {
            left -= 1u;
            looks = 0u;
            uint computed = sum_of_tile(left);
            before += computed;
            if (lane == 0u) {
                publish(left, STAGE_TILE, computed);
            }
        }
    }
    return before;
}

uint look_back(uint tile, uint sum)
{
    uint lane = gl_SubgroupInvocationID;
    if (gl_SubgroupID == 0u) {
        if (lane == 0u) {
            publish(tile, tile == 0u ? STAGE_PREFIX : STAGE_TILE, sum);
        }
        uint before = sum_before(tile);
        if (lane == 0u) {
            tiles_before = before;
            publish(tile, STAGE_PREFIX, before + sum);
        }
    }
    barrier();
    return tiles_before;
}
