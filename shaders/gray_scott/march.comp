// SPDX-License-Identifier: MIT
// Fused steps without shared memory: a subgroup moves down a strip of the field, four columns per
// invocation, and advances each row through all steps as it goes: the newest row is at step 0, the
// previous one at step 1, and so on. Two rows of every step are kept. A strip loses one cell per
// step on either side, and reads one more row per step above and below than it writes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "lib/pass.glsl"
#include "gray_scott/fours.glsl"

layout(constant_id = 7) const uint steps = 8;
layout(constant_id = 8) const uint lanes = 32;

uint left_lane;
uint right_lane;
Columns columns;

uint at_row(int y)
{
    return inside(y, constants.height) * (constants.width / 4u) + columns.four;
}

// left + right
vec4 lateral(vec4 values)
{
    float before = subgroupShuffle(values.w, left_lane);
    float after = subgroupShuffle(values.x, right_lane);
    precise vec4 sum = vec4(before, values.xyz) + vec4(values.yzw, after);
    return sum;
}

struct row {
    vec4 u, v;
    vec4 lateral_u, lateral_v; // only for the nine-point stencil
};

row row_of(vec4 u, vec4 v)
{
    row r = row(u, v, vec4(0.0f), vec4(0.0f));
    if (stencil == GRAY_SCOTT_NINE) {
        r.lateral_u = lateral(u);
        r.lateral_v = lateral(v);
    }
    return r;
}

// Advances the newest row, number y, and those before it by one step each: `here` has the last row
// of each step, `before` the previous one. Afterwards `before` has the newest. Returns row y -
// steps, which has completed all steps.
row advance(inout row before[steps], row here[steps], row newest, int y)
{
    rates r = even_rates();
    [[unroll]] for (uint s = 0u; s < steps; s++) {
        vec4 lateral_u = stencil == GRAY_SCOTT_NINE ? here[s].lateral_u : lateral(here[s].u);
        vec4 lateral_v = stencil == GRAY_SCOTT_NINE ? here[s].lateral_v : lateral(here[s].v);
        vec4 near_u =
            neighbours(before[s].u, newest.u, lateral_u, before[s].lateral_u, newest.lateral_u);
        vec4 near_v =
            neighbours(before[s].v, newest.v, lateral_v, before[s].lateral_v, newest.lateral_v);
        if (varied) {
            vec4 feed;
            vec4 kill;
            read_rates(columns, inside(y - int(s) - 1, constants.height), feed, kill);
            r = rates_of(feed, kill);
        }
        vec4 u = here[s].u;
        vec4 v = here[s].v;
        react(u, v, near_u, near_v, r);
        before[s] = newest;
        newest = row_of(u, v);
    }
    return newest;
}

void write_row(row done, int y, uint x)
{
    write_next(uint(y) * (constants.width / 4u) + x / 4u, done.u, done.v);
}

void main()
{
    uint lane = gl_SubgroupInvocationID;
    left_lane = (lane + lanes - 1u) % lanes;
    right_lane = (lane + 1u) % lanes;
    uint segment = gl_WorkGroupID.y * gl_NumSubgroups + gl_SubgroupID;
    int x = int(gl_WorkGroupID.x * constants.inner_width + lane * 4u) - int(constants.margin_x);
    columns = columns_at(x);
    bool written = lane * 4u >= constants.margin_x &&
                   lane * 4u < constants.margin_x + constants.inner_width &&
                   x < int(constants.width);
    int first = int(segment * constants.inner_height);
    int end = min(first + int(constants.inner_height), int(constants.height)) + int(steps);

    row even[steps];
    row odd[steps];
    [[unroll]] for (uint s = 0u; s < steps; s++) {
        even[s] = row_of(vec4(0.0f), vec4(0.0f));
        odd[s] = even[s];
    }
    // Rows are prefetched by one.
    uint at = at_row(first - int(steps));
    vec4 ahead_u = turned(columns, read_u(at));
    vec4 ahead_v = turned(columns, read_v(at));
    for (int y = first - int(steps); y < end; y += 2) {
        row newest = row_of(ahead_u, ahead_v);
        at = at_row(y + 1);
        ahead_u = turned(columns, read_u(at));
        ahead_v = turned(columns, read_v(at));
        row done = advance(even, odd, newest, y);
        if (written && y - int(steps) >= first) {
            write_row(done, y - int(steps), uint(x));
        }
        newest = row_of(ahead_u, ahead_v);
        at = at_row(y + 2);
        ahead_u = turned(columns, read_u(at));
        ahead_v = turned(columns, read_v(at));
        done = advance(odd, even, newest, y + 1);
        if (written && y + 1 - int(steps) >= first && y + 1 < end) {
            write_row(done, y + 1 - int(steps), uint(x));
        }
    }
}
