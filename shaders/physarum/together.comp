// SPDX-License-Identifier: MIT
// Several steps in one dispatch, by a single workgroup: docs/sims/physarum-kernels.md, "Few
// agents".
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"
#include "physarum/row.glsl"

layout(constant_id = 6) const uint rows = 16u; // cells of an invocation, in a column
layout(constant_id = 7) const uint cells = 4096u; // of the field

VKS_FIELD(0, , trail, float, trails);

shared float own_trail[cells];
shared uint counts[(cells + 1u) / 2u]; // of agents, 16 bits per cell

float trail_at(uint line, uint column)
{
    return own_trail[line * constants.width + column];
}

float deposited(uint line, uint column, bool spilled)
{
    uint index = line * constants.width + column;
    uint count = (counts[index >> 1] >> (16u * (index & 1u))) & 0xffffu;
    return with_deposits(trail_at(line, column), count);
}

#define PHYSARUM_TRAIL
#include "physarum/agents.glsl"

void move_agents()
{
    for (uint i = gl_LocalInvocationID.x; i < constants.agents; i += gl_WorkGroupSize.x) {
        uvec2 at = advance(i);
        uint index = at.x * constants.width + at.y;
        atomicAdd(counts[index >> 1], 1u << (16u * (index & 1u)));
    }
}

void clear_counts()
{
    for (uint i = gl_LocalInvocationID.x; i < (cells + 1u) / 2u; i += gl_WorkGroupSize.x) {
        counts[i] = 0u;
    }
}

void main()
{
    uint strip = gl_LocalInvocationID.x / constants.width;
    uint x = gl_LocalInvocationID.x - strip * constants.width;
    uint top = strip * rows;
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 1u == constants.width ? 0u : x + 1u;
    for (uint i = gl_LocalInvocationID.x; i < cells; i += gl_WorkGroupSize.x) {
        own_trail[i] = VKS_AT(trails, i);
    }
    clear_counts();
    barrier();
    for (fused_step = 0u; fused_step < constants.steps; fused_step++) {
        move_agents();
        barrier();
        float next[rows];
        if (top < constants.height) {
            row above = read_row(int(top) - 1, left, x, right, false);
            row here = read_row(int(top), left, x, right, false);
            [[unroll]] for (uint k = 0u; k < rows; k++) {
                row below = read_row(min(int(top + k) + 1, int(constants.height)), left, x, right,
                                     false);
                precise float sum = here.sum;
                if (blurs) {
                    sum = above.sum + here.sum;
                    sum = sum + below.sum;
                }
                next[k] = diffused(here.centre, sum);
                above = here;
                here = below;
            }
        }
        barrier(); // the trail and the counts have been read
        clear_counts();
        [[unroll]] for (uint k = 0u; k < rows; k++) {
            if (top + k < constants.height) {
                own_trail[(top + k) * constants.width + x] = next[k];
            }
        }
        barrier();
    }
    for (uint i = gl_LocalInvocationID.x; i < cells; i += gl_WorkGroupSize.x) {
        VKS_AT(trails, i) = own_trail[i];
    }
}
