// SPDX-License-Identifier: MIT
// One step, for widths that are a multiple of four: an invocation goes down four columns, so that
// memory is read and written 16 (halves: 8) bytes at a time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#define LANES vec4
#include "gray_scott/reaction.glsl"

layout(constant_id = 7) const uint rows = 8; // of cells that an invocation works on

layout(std430, set = 0, binding = 0) readonly buffer u
{
    uvec4 u_floats[];
};
layout(std430, set = 0, binding = 0) readonly buffer u_pairs
{
    uvec2 u_halves[];
};
layout(std430, set = 0, binding = 0) readonly buffer u_words
{
    uint us[];
};
layout(std430, set = 0, binding = 1) readonly buffer v
{
    uvec4 v_floats[];
};
layout(std430, set = 0, binding = 1) readonly buffer v_pairs
{
    uvec2 v_halves[];
};
layout(std430, set = 0, binding = 1) readonly buffer v_words
{
    uint vs[];
};
layout(std430, set = 0, binding = 2) writeonly buffer u_next
{
    uvec4 u_floats_next[];
};
layout(std430, set = 0, binding = 2) writeonly buffer u_next_pairs
{
    uvec2 u_halves_next[];
};
layout(std430, set = 0, binding = 3) writeonly buffer v_next
{
    uvec4 v_floats_next[];
};
layout(std430, set = 0, binding = 3) writeonly buffer v_next_pairs
{
    uvec2 v_halves_next[];
};
layout(std430, set = 0, binding = 4) readonly buffer feed_rate
{
    vec4 feeds[];
};
layout(std430, set = 0, binding = 5) readonly buffer kill_rate
{
    vec4 kills[];
};

struct row {
    vec4 u, v;
    vec4 beside_u, beside_v; // left + right
};

vec4 unpacked(uvec2 words)
{
    return vec4(from_word(words.x), from_word(words.y));
}

uvec2 packed(vec4 values)
{
    return uvec2(to_word(values.xy), to_word(values.zw));
}

// A value by itself.
vec2 cell(uint at)
{
    if (halves) {
        bool low = (at & 1u) == 0u;
        vec2 u = from_word(us[at >> 1]);
        vec2 v = from_word(vs[at >> 1]);
        return low ? vec2(u.x, v.x) : vec2(u.y, v.y);
    }
    return vec2(uintBitsToFloat(us[at]), uintBitsToFloat(vs[at]));
}

row read_row(uint y, uint left, uint x, uint right)
{
    uint line = y * constants.width;
    uint four = (line + x) / 4u;
    vec4 u = halves ? unpacked(u_halves[four]) : uintBitsToFloat(u_floats[four]);
    vec4 v = halves ? unpacked(v_halves[four]) : uintBitsToFloat(v_floats[four]);
    vec2 before = cell(line + left);
    vec2 after = cell(line + right);
    precise vec4 beside_u = vec4(before.x, u.xyz) + vec4(u.yzw, after.x);
    precise vec4 beside_v = vec4(before.y, v.xyz) + vec4(v.yzw, after.y);
    return row(u, v, beside_u, beside_v);
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
            r = rates_of(feeds[four], kills[four]);
        }
        vec4 near_u = neighbours(above.u, below.u, here.beside_u, above.beside_u, below.beside_u);
        vec4 near_v = neighbours(above.v, below.v, here.beside_v, above.beside_v, below.beside_v);
        vec4 u = here.u;
        vec4 v = here.v;
        react(u, v, near_u, near_v, r);
        if (halves) {
            u_halves_next[four] = packed(u);
            v_halves_next[four] = packed(v);
        } else {
            u_floats_next[four] = floatBitsToUint(u);
            v_floats_next[four] = floatBitsToUint(v);
        }
        above = here;
        here = below;
    }
}
