// SPDX-License-Identifier: MIT
// Fused steps: a workgroup keeps a tile of the field in registers, two columns and `rows` rows per
// invocation, advances it, and writes the part that is still valid. Each step invalidates one cell
// on each side, so margins are as wide as there are steps.
//
// Adjacent invocations form a strip `lanes` wide; strips are stacked. Left and right neighbours
// come from the strip's subgroup (`shuffled`) or, on devices with small subgroups, through shared
// memory; those above and below a strip come through shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lib/pass.glsl"
#define LANES vec2
#include "gray_scott/reaction.glsl"

layout(constant_id = 7) const uint rows = 8;
layout(constant_id = 8) const uint lanes = 32;
layout(constant_id = 9) const uint strips = 8;
layout(constant_id = 10) const bool shuffled = true;
layout(constant_id = 11) const bool paired = true; // the width is even

VKS_FIELD(0, readonly, u, uvec2, u_floats);
VKS_FIELD(0, readonly, u_words, uint, us);
VKS_FIELD(1, readonly, v, uvec2, v_floats);
VKS_FIELD(1, readonly, v_words, uint, vs);
VKS_FIELD(2, writeonly, u_next, uvec2, u_floats_next);
VKS_FIELD(2, writeonly, u_next_words, uint, us_next);
VKS_FIELD(3, writeonly, v_next, uvec2, v_floats_next);
VKS_FIELD(3, writeonly, v_next_words, uint, vs_next);
VKS_FIELD(4, readonly, feed_rate, float, feeds);
VKS_FIELD(5, readonly, kill_rate, float, kills);

// Rows in shared memory. With shuffles, the first and last of each strip, for even and odd steps,
// so that one barrier per step suffices; without, all rows.
const uint kept = shuffled ? 4u * strips : rows * strips;
shared vec2 kept_u[kept * lanes];
shared vec2 kept_v[kept * lanes];

uint place(uint strip, uint row, uint parity)
{
    uint end = row == 0u ? 0u : 1u;
    return (shuffled ? (parity * strips + strip) * 2u + end : strip * rows + row) * lanes;
}

uint left_lane;
uint right_lane;

// left + right of a lane's two cells, from the cells outside.
vec2 lateral(vec2 cells, float left, float right)
{
    precise vec2 sum = vec2(left, cells.x) + vec2(cells.y, right);
    return sum;
}

// The same for a row of the invocation's own strip.
vec2 lateral_u_of(vec2 cells, uint strip, uint row)
{
    if (shuffled) {
        return lateral(cells, subgroupShuffle(cells.y, left_lane),
                      subgroupShuffle(cells.x, right_lane));
    }
    uint line = place(strip, row, 0u);
    return lateral(cells, kept_u[line + left_lane].y, kept_u[line + right_lane].x);
}

vec2 lateral_v_of(vec2 cells, uint strip, uint row)
{
    if (shuffled) {
        return lateral(cells, subgroupShuffle(cells.y, left_lane),
                      subgroupShuffle(cells.x, right_lane));
    }
    uint line = place(strip, row, 0u);
    return lateral(cells, kept_v[line + left_lane].y, kept_v[line + right_lane].x);
}

void main()
{
    uint lane = shuffled ? gl_SubgroupInvocationID : gl_LocalInvocationID.x % lanes;
    uint strip = shuffled ? gl_SubgroupID : gl_LocalInvocationID.x / lanes;
    left_lane = (lane + lanes - 1u) % lanes;
    right_lane = (lane + 1u) % lanes;
    int x = int(gl_WorkGroupID.x * constants.inner_width + lane * 2u) - int(constants.margin_x);
    int top = int(gl_WorkGroupID.y * constants.inner_height + strip * rows) -
              int(constants.margin_y);
    uint x0 = inside(x, constants.width);
    uint x1 = inside(x + 1, constants.width);
    uint pair = min(x0, x1) / 2u;

    vec2 u[rows];
    vec2 v[rows];
    vec2 feed[rows];
    vec2 kill[rows];
    [[unroll]] for (uint i = 0u; i < rows; i++) {
        uint line = inside(top + int(i), constants.height) * constants.width;
        if (paired) {
            if (halves) {
                u[i] = from_word(VKS_AT(us, line / 2u + pair));
                v[i] = from_word(VKS_AT(vs, line / 2u + pair));
            } else {
                u[i] = uintBitsToFloat(VKS_AT(u_floats, line / 2u + pair));
                v[i] = uintBitsToFloat(VKS_AT(v_floats, line / 2u + pair));
            }
            u[i] = x0 > x1 ? u[i].yx : u[i];
            v[i] = x0 > x1 ? v[i].yx : v[i];
        } else {
            u[i] = uintBitsToFloat(uvec2(VKS_AT(us, line + x0), VKS_AT(us, line + x1)));
            v[i] = uintBitsToFloat(uvec2(VKS_AT(vs, line + x0), VKS_AT(vs, line + x1)));
        }
        if (varied) {
            feed[i] = vec2(VKS_AT(feeds, line + x0), VKS_AT(feeds, line + x1));
            kill[i] = vec2(VKS_AT(kills, line + x0), VKS_AT(kills, line + x1));
        }
    }

    rates r = even_rates();
    for (uint s = 0u; s < constants.steps; s++) {
        uint parity = s & 1u;
        [[unroll]] for (uint i = 0u; i < rows; i++) {
            if (!shuffled || i == 0u || i == rows - 1u) {
                kept_u[place(strip, i, parity) + lane] = u[i];
                kept_v[place(strip, i, parity) + lane] = v[i];
            }
        }
        barrier();
        // Beyond the tile any value will do: it only affects the margin.
        uint over = place(strip > 0u ? strip - 1u : 0u, rows - 1u, parity);
        uint under = place(strip + 1u < strips ? strip + 1u : strip, 0u, parity);
        vec2 above_u = kept_u[over + lane];
        vec2 above_v = kept_v[over + lane];
        vec2 under_u = kept_u[under + lane];
        vec2 under_v = kept_v[under + lane];
        vec2 lateral_above_u = vec2(0.0f);
        vec2 lateral_above_v = vec2(0.0f);
        vec2 lateral_under_u = vec2(0.0f);
        vec2 lateral_under_v = vec2(0.0f);
        if (stencil == GRAY_SCOTT_NINE) {
            lateral_above_u =
                lateral(above_u, kept_u[over + left_lane].y, kept_u[over + right_lane].x);
            lateral_above_v =
                lateral(above_v, kept_v[over + left_lane].y, kept_v[over + right_lane].x);
            lateral_under_u =
                lateral(under_u, kept_u[under + left_lane].y, kept_u[under + right_lane].x);
            lateral_under_v =
                lateral(under_v, kept_v[under + left_lane].y, kept_v[under + right_lane].x);
        }
        vec2 lateral_u = lateral_u_of(u[0], strip, 0u);
        vec2 lateral_v = lateral_v_of(v[0], strip, 0u);
        [[unroll]] for (uint i = 0u; i < rows; i++) {
            bool last = i == rows - 1u;
            uint below = min(i + 1u, rows - 1u);
            vec2 below_u = last ? under_u : u[below];
            vec2 below_v = last ? under_v : v[below];
            vec2 lateral_below_u = last ? lateral_under_u : lateral_u_of(u[below], strip, below);
            vec2 lateral_below_v = last ? lateral_under_v : lateral_v_of(v[below], strip, below);
            vec2 near_u = neighbours(above_u, below_u, lateral_u, lateral_above_u, lateral_below_u);
            vec2 near_v = neighbours(above_v, below_v, lateral_v, lateral_above_v, lateral_below_v);
            above_u = u[i];
            above_v = v[i];
            if (varied) {
                r = rates_of(feed[i], kill[i]);
            }
            vec2 next_u = u[i];
            vec2 next_v = v[i];
            react(next_u, next_v, near_u, near_v, r);
            u[i] = next_u;
            v[i] = next_v;
            lateral_above_u = lateral_u;
            lateral_above_v = lateral_v;
            lateral_u = lateral_below_u;
            lateral_v = lateral_below_v;
        }
        if (!shuffled) {
            barrier(); // all have read before the next write
        }
    }

    uint column = lane * 2u;
    if (column < constants.margin_x || column >= constants.margin_x + constants.inner_width ||
        x >= int(constants.width)) {
        return;
    }
    [[unroll]] for (uint i = 0u; i < rows; i++) {
        uint line = strip * rows + i;
        int y = top + int(i);
        if (line < constants.margin_y || line >= constants.margin_y + constants.inner_height ||
            y >= int(constants.height)) {
            continue;
        }
        uint at = uint(y) * constants.width + uint(x);
        if (halves) {
            VKS_AT(us_next, at / 2u) = to_word(u[i]);
            VKS_AT(vs_next, at / 2u) = to_word(v[i]);
        } else if (paired) {
            VKS_AT(u_floats_next, at / 2u) = floatBitsToUint(u[i]);
            VKS_AT(v_floats_next, at / 2u) = floatBitsToUint(v[i]);
        } else {
            VKS_AT(us_next, at) = floatBitsToUint(u[i].x);
            VKS_AT(vs_next, at) = floatBitsToUint(v[i].x);
            if (x + 1 < int(constants.width)) {
                VKS_AT(us_next, at + 1u) = floatBitsToUint(u[i].y);
                VKS_AT(vs_next, at + 1u) = floatBitsToUint(v[i].y);
            }
        }
    }
}
