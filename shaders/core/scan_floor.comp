// SPDX-License-Identifier: MIT
// Exclusive scan with shared memory: core/scan.glsl. The whole group looks back.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "core/scan.glsl"

layout(constant_id = 2) const uint window = 32u; // tiles examined together; at most 256

shared uvec4 row_sums[2][256];
shared uint near_missing, near_prefix;
shared uvec4 gathered[8]; // a sum in 32 parts, so that the invocations of a subgroup do not contend

uint invocation()
{
    return gl_LocalInvocationID.x;
}

uint scan_tile(uvec4 own[FOURS], out uvec4 starts[FOURS])
{
    uint t = gl_LocalInvocationID.x;
    uint sum = 0u;
    for (uint i = 0u; i < FOURS; i++) {
        uint from = 0u;
        uvec4 upto = own[i]; // inclusive prefix of the row
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
        uvec4 whole = row_sums[from][255]; // of each row
        starts[i] = upto - own[i] + uvec4(sum) +
                    uvec4(0u, whole.x, whole.x + whole.y, whole.x + whole.y + whole.z);
        sum += whole.x + whole.y + whole.z + whole.w;
        barrier();
    }
    return sum;
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
    uint four = tile * TILE_FOURS + gl_LocalInvocationID.x;
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

// The sum of all tiles before `tile`, by the whole group.
uint sum_before(uint tile)
{
    uint t = gl_LocalInvocationID.x;
    uint before = 0u;
    uint left = tile; // tiles still to be added
    uint looks = 0u;
    while (left > 0u) {
        barrier(); // all have read shared memory
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
        if (looks > max_retries) {
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

uint look_back(uint tile, uint sum)
{
    if (gl_LocalInvocationID.x == 0u) {
        publish(tile, tile == 0u ? STAGE_PREFIX : STAGE_TILE, sum);
    }
    uint before = sum_before(tile);
    if (gl_LocalInvocationID.x == 0u) {
        publish(tile, STAGE_PREFIX, before + sum);
    }
    return before;
}
