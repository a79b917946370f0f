// SPDX-License-Identifier: MIT
// Fused steps: a workgroup keeps a tile of the field in registers, COLUMNS columns (two or four)
// and `rows` rows per invocation, advances it, and writes the part that is still valid. Each step
// invalidates one cell on each side, so margins are as wide as there are steps; strips without
// valid rows are idle.
//
// Adjacent invocations form a strip `lanes` wide; strips are stacked. Left and right neighbours
// come from the strip's subgroup (`shuffled`) or, on devices with small subgroups, through shared
// memory; those above and below a strip come through shared memory.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lib/pass.glsl"
#if COLUMNS == 4
#include "gray_scott/fours.glsl"
#else
#include "gray_scott/twos.glsl"
#endif

layout(constant_id = 7) const uint rows = 8;
layout(constant_id = 8) const uint lanes = 32;
layout(constant_id = 9) const uint strips = 8;
layout(constant_id = 10) const bool shuffled = true;

// Rows in shared memory. With shuffles, the first and last of each strip, for even and odd steps,
// so that one barrier per step suffices; without, all rows.
const uint kept = shuffled ? 4u * strips : rows * strips;
shared LANES kept_u[kept * lanes];
shared LANES kept_v[kept * lanes];

uint place(uint strip, uint row, uint parity)
{
    uint end = row == 0u ? 0u : 1u;
    return (shuffled ? (parity * strips + strip) * 2u + end : strip * rows + row) * lanes;
}

uint left_lane;
uint right_lane;

#if COLUMNS == 4
#define LAST(cells) (cells).w
#else
#define LAST(cells) (cells).y
#endif

// left + right of a lane's cells, from the cells outside.
LANES lateral(LANES cells, float left, float right)
{
#if COLUMNS == 4
    precise vec4 sum = vec4(left, cells.xyz) + vec4(cells.yzw, right);
#else
    precise vec2 sum = vec2(left, cells.x) + vec2(cells.y, right);
#endif
    return sum;
}

// The same for a row of the invocation's own strip.
LANES lateral_u_of(LANES cells, uint strip, uint row)
{
    if (shuffled) {
        return lateral(cells, subgroupShuffle(LAST(cells), left_lane),
                      subgroupShuffle(cells.x, right_lane));
    }
    uint line = place(strip, row, 0u);
    return lateral(cells, LAST(kept_u[line + left_lane]), kept_u[line + right_lane].x);
}

LANES lateral_v_of(LANES cells, uint strip, uint row)
{
    if (shuffled) {
        return lateral(cells, subgroupShuffle(LAST(cells), left_lane),
                      subgroupShuffle(cells.x, right_lane));
    }
    uint line = place(strip, row, 0u);
    return lateral(cells, LAST(kept_v[line + left_lane]), kept_v[line + right_lane].x);
}

void main()
{
    uint lane = shuffled ? gl_SubgroupInvocationID : gl_LocalInvocationID.x % lanes;
    uint strip = shuffled ? gl_SubgroupID : gl_LocalInvocationID.x / lanes;
    left_lane = (lane + lanes - 1u) % lanes;
    right_lane = (lane + 1u) % lanes;
    uint column = lane * uint(COLUMNS); // of the tile
    int x = int(gl_WorkGroupID.x * constants.inner_width + column) - int(constants.margin_x);
    int top = int(gl_WorkGroupID.y * constants.inner_height + strip * rows) -
              int(constants.margin_y);
    Columns columns = columns_at(x);

    LANES u[rows];
    LANES v[rows];
    LANES feed[rows];
    LANES kill[rows];
    [[unroll]] for (uint i = 0u; i < rows; i++) {
        uint y = inside(top + int(i), constants.height);
        read_cells(columns, y, u[i], v[i]);
        if (varied) {
            read_rates(columns, y, feed[i], kill[i]);
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
        LANES above_u = kept_u[over + lane];
        LANES above_v = kept_v[over + lane];
        LANES under_u = kept_u[under + lane];
        LANES under_v = kept_v[under + lane];
        LANES lateral_above_u = LANES(0.0f);
        LANES lateral_above_v = LANES(0.0f);
        LANES lateral_under_u = LANES(0.0f);
        LANES lateral_under_v = LANES(0.0f);
        if (stencil == GRAY_SCOTT_NINE) {
            lateral_above_u =
                lateral(above_u, LAST(kept_u[over + left_lane]), kept_u[over + right_lane].x);
            lateral_above_v =
                lateral(above_v, LAST(kept_v[over + left_lane]), kept_v[over + right_lane].x);
            lateral_under_u =
                lateral(under_u, LAST(kept_u[under + left_lane]), kept_u[under + right_lane].x);
            lateral_under_v =
                lateral(under_v, LAST(kept_v[under + left_lane]), kept_v[under + right_lane].x);
        }
        // The first and last `lost` rows are no longer needed.
        uint lost = constants.margin_y - (constants.steps - s - 1u);
        if (shuffled && (strip * rows + rows <= lost || strip * rows + lost >= rows * strips)) {
            continue;
        }
        LANES lateral_u = lateral_u_of(u[0], strip, 0u);
        LANES lateral_v = lateral_v_of(v[0], strip, 0u);
        [[unroll]] for (uint i = 0u; i < rows; i++) {
            bool last = i == rows - 1u;
            uint below = min(i + 1u, rows - 1u);
            LANES below_u = last ? under_u : u[below];
            LANES below_v = last ? under_v : v[below];
            LANES lateral_below_u = last ? lateral_under_u : lateral_u_of(u[below], strip, below);
            LANES lateral_below_v = last ? lateral_under_v : lateral_v_of(v[below], strip, below);
            LANES near_u =
                neighbours(above_u, below_u, lateral_u, lateral_above_u, lateral_below_u);
            LANES near_v =
                neighbours(above_v, below_v, lateral_v, lateral_above_v, lateral_below_v);
            above_u = u[i];
            above_v = v[i];
            if (varied) {
                r = rates_of(feed[i], kill[i]);
            }
            LANES next_u = u[i];
            LANES next_v = v[i];
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

    if (column < constants.margin_x || column >= constants.margin_x + constants.inner_width ||
        x >= int(constants.width)) {
        return;
    }
    [[unroll]] for (uint i = 0u; i < rows; i++) {
        uint line = strip * rows + i;
        int y = top + int(i);
        if (line >= constants.margin_y && line < constants.margin_y + constants.inner_height &&
            y < int(constants.height)) {
            write_cells(uint(x), uint(y), u[i], v[i]);
        }
    }
}
