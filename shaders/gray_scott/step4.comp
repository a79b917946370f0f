// SPDX-License-Identifier: MIT
// One step, for widths that are a multiple of four: an invocation moves down four columns, so that
// memory is accessed 16 (halves: 8) bytes at a time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "gray_scott/fours.glsl"

layout(constant_id = 7) const uint rows = 8; // rows of cells per invocation

struct row {
    vec4 u, v;
    vec4 lateral_u, lateral_v; // left + right
};

// A single value.
vec2 cell(uint at)
{
    if (halves) {
        bool low = (at & 1u) == 0u;
        vec2 u = from_word(VKS_AT(us, at >> 1));
        vec2 v = from_word(VKS_AT(vs, at >> 1));
        return low ? vec2(u.x, v.x) : vec2(u.y, v.y);
    }
    return vec2(uintBitsToFloat(VKS_AT(us, at)), uintBitsToFloat(VKS_AT(vs, at)));
}

row read_row(uint y, uint left, uint x, uint right)
{
    uint line = y * constants.width;
    uint four = (line + x) / 4u;
    vec4 u = read_u(four);
    vec4 v = read_v(four);
    vec2 before = cell(line + left);
    vec2 after = cell(line + right);
    precise vec4 lateral_u = vec4(before.x, u.xyz) + vec4(u.yzw, after.x);
    precise vec4 lateral_v = vec4(before.y, v.xyz) + vec4(v.yzw, after.y);
    return row(u, v, lateral_u, lateral_v);
}

void main()
{
    uint x = gl_GlobalInvocationID.x * 4u;
    uint top = gl_GlobalInvocationID.y * rows;
    if (x >= constants.width || top >= constants.height) {
        return;
    }
    uint left = next_inside(int(x) - 1, constants.width);
    uint right = next_inside(int(x) + 4, constants.width);
    uint end = min(top + rows, constants.height);
    row above = read_row(next_inside(int(top) - 1, constants.height), left, x, right);
    row here = read_row(top, left, x, right);
    rates r = even_rates();
    for (uint y = top; y < end; y++) {
        row below = read_row(next_inside(int(y) + 1, constants.height), left, x, right);
        uint four = (y * constants.width + x) / 4u;
        if (varied) {
            vec4 feed;
            vec4 kill;
            read_rates(four, feed, kill);
            r = rates_of(feed, kill);
        }
        vec4 near_u = neighbours(above.u, below.u, here.lateral_u, above.lateral_u,
                                 below.lateral_u);
        vec4 near_v = neighbours(above.v, below.v, here.lateral_v, above.lateral_v,
                                 below.lateral_v);
        vec4 u = here.u;
        vec4 v = here.v;
        react(u, v, near_u, near_v, r);
        write_next(four, u, v);
        above = here;
        here = below;
    }
}
