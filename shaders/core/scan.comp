// SPDX-License-Identifier: MIT
// Exclusive sums of uint32, and the total behind the last, in one pass over memory: a group of
// 256 takes a tile of 4096 items, publishes the tile's sum, and looks back at what the tiles before
// it have published. (Reducing first and scanning then reads every item twice: 12 bytes for the 8
// that one pass moves, at most two thirds of the bandwidth of a copy.)
//
// No group ever waits for another. A group that finds nothing published by the tile before computes
// that tile's sum itself, from the items, publishes it in the other's stead and goes on; should no
// other group run at all, it still reaches the first tile. So no promise of progress is needed that
// Vulkan does not make. The method is Smith, Levien and Owens, "Decoupled Fallback" (2025), after
// Merrill and Garland's decoupled look-back (2016).
//
// A state is two words, each half of a sum below how far the tile is. What a tile publishes at one
// stage is always the same, stages only go up, and a look accepts two halves of the same stage
// only: no order between the two words is needed, nor between a state and any other memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "lib/pass.glsl"
#include "core/scan.h"

layout(constant_id = 2) const uint window = 256u;     // tiles looked at together; at most 256
layout(constant_id = 3) const uint patience = 8u;     // looks in vain before computing it oneself
layout(constant_id = 4) const bool backwards = false; // tests: from the last tile to the first

VKS_CONSTANTS(scan_params);

layout(std430, set = 0, binding = 0) readonly buffer scan_in
{
    uvec4 values[];
};
layout(std430, set = 0, binding = 1) writeonly buffer scan_out
{
    uvec4 sums[];
};
layout(std430, set = 0, binding = 2) buffer states
{
    uvec2 state[]; // of each tile: low and high half; all 0 at first
};
layout(std430, set = 0, binding = 3) writeonly buffer states_next
{
    uvec2 cleared[]; // for the next scan
};

#define ROWS 4u // a tile is ROWS rows of 256 x 4 items

#define STAGE_NOTHING 0u
#define STAGE_TILE 1u   // the sum of the tile
#define STAGE_PREFIX 2u // the sum of the tile and all before it

shared uvec4 row_sums[2][256];
shared uint near_missing, near_prefix;
shared uvec4 gathered[8]; // a sum in 32 parts, so that the invocations of a subgroup do not queue

#define LOOK_AT(word) atomicLoad(word, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed)

void publish(uint tile, uint stage, uint sum)
{
    atomicMax(state[tile].x, stage << 16 | (sum & 0xffffu));
    atomicMax(state[tile].y, stage << 16 | sum >> 16);
}

// Four items; those past the last are 0.
uvec4 load(uint four)
{
    uint first = 4u * four;
    if (constants.count >= 4u && first <= constants.count - 4u) {
        return values[four];
    }
    uvec4 items = uvec4(0u);
    for (uint i = 0u; i < 4u; i++) {
        if (first + i < constants.count) {
            items[i] = values[four][i];
        }
    }
    return items;
}

void store(uint four, uvec4 items)
{
    uint first = 4u * four;
    if (constants.count >= 4u && first <= constants.count - 4u) {
        sums[four] = items;
        return;
    }
    for (uint i = 0u; i < 4u; i++) {
        if (first + i < constants.count) {
            sums[four][i] = items[i];
        }
    }
}

void gather(uint sum)
{
    uint t = gl_LocalInvocationID.x;
    atomicAdd(gathered[(t >> 2) & 7u][t & 3u], sum);
}

uint gathered_sum()
{
    uvec4 sum = uvec4(0u);
    for (uint i = 0u; i < 8u; i++) {
        sum += gathered[i];
    }
    return sum.x + sum.y + sum.z + sum.w;
}

// The sum of a whole tile, by the whole group.
uint sum_of_tile(uint tile)
{
    uint four = tile * (SCAN_ITEMS / 4u) + gl_LocalInvocationID.x;
    uint sum = 0u;
    for (uint row = 0u; row < ROWS; row++) {
        uvec4 items = values[four + row * 256u];
        sum += items.x + items.y + items.z + items.w;
    }
    if (gl_LocalInvocationID.x < 8u) {
        gathered[gl_LocalInvocationID.x] = uvec4(0u);
    }
    barrier();
    gather(sum);
    barrier();
    return gathered_sum();
}

// The sum of all tiles before `tile`.
uint look_back(uint tile)
{
    uint t = gl_LocalInvocationID.x;
    uint before = 0u;
    uint left = tile; // tiles still to be added
    uint looks = 0u;
    while (left > 0u) {
        barrier(); // what was read of shared memory has been read
        if (t == 0u) {
            near_missing = min(window, left);
            near_prefix = window;
        }
        if (t < 8u) {
            gathered[t] = uvec4(0u);
        }
        barrier();
        uint sum = 0u;
        if (t < window && t < left) {
            uint low = LOOK_AT(state[left - 1u - t].x);
            uint high = LOOK_AT(state[left - 1u - t].y);
            uint stage = low >> 16;
            sum = (low & 0xffffu) | high << 16;
            if (stage != high >> 16 || stage == STAGE_NOTHING) {
                atomicMin(near_missing, t);
            } else if (stage == STAGE_PREFIX) {
                atomicMin(near_prefix, t);
            }
        }
        barrier();
        bool reached = near_prefix < near_missing;
        uint usable = reached ? near_prefix + 1u : near_missing;
        if (t < usable) {
            gather(sum);
        }
        barrier();
        before += gathered_sum();
        if (reached) {
            return before;
        }
        left -= usable;
        looks = usable > 0u ? 0u : looks + 1u;
        if (looks > patience) {
            left -= 1u;
            looks = 0u;
            barrier();
            uint computed = sum_of_tile(left);
            before += computed;
            if (t == 0u) {
                publish(left, STAGE_TILE, computed);
            }
        }
    }
    return before;
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    // A last, incomplete row of groups reaches past the tiles.
    if (tile >= constants.tiles) {
        return;
    }
    tile = backwards ? constants.tiles - 1u - tile : tile;

    uint four = tile * (SCAN_ITEMS / 4u) + t;
    uvec4 rows[ROWS];
    uvec4 own = uvec4(0u); // this invocation's sum in each row
    for (uint row = 0u; row < ROWS; row++) {
        rows[row] = load(four + row * 256u);
        own[row] = rows[row].x + rows[row].y + rows[row].z + rows[row].w;
    }
    uint from = 0u;
    uvec4 upto = own; // the row's sum up to and including this invocation's
    row_sums[0][t] = upto;
    for (uint reach = 1u; reach < 256u; reach <<= 1) {
        barrier();
        if (t >= reach) {
            upto += row_sums[from][t - reach];
        }
        from ^= 1u;
        row_sums[from][t] = upto;
    }
    barrier();
    uvec4 whole = row_sums[from][255];
    uint sum = whole.x + whole.y + whole.z + whole.w;

    if (t == 0u) {
        publish(tile, tile == 0u ? STAGE_PREFIX : STAGE_TILE, sum);
        cleared[tile] = uvec2(0u);
    }
    uint before = look_back(tile);
    if (t == 0u && tile > 0u) {
        publish(tile, STAGE_PREFIX, before + sum);
    }

    uvec4 starts = upto - own + uvec4(before);
    starts += uvec4(0u, whole.x, whole.x + whole.y, whole.x + whole.y + whole.z);
    for (uint row = 0u; row < ROWS; row++) {
        uvec4 items = rows[row];
        uint second = starts[row] + items.x;
        uint third = second + items.y;
        store(four + row * 256u, uvec4(starts[row], second, third, third + items.z));
    }
    if (tile + 1u == constants.tiles && t == 0u) {
        sums[constants.count >> 2][constants.count & 3u] = before + sum;
    }
}
