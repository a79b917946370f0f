// SPDX-License-Identifier: MIT
//
// The fields of Gray-Scott four cells at a time, for widths that are a multiple of four: 16 bytes,
// or 8 of halves.
#ifndef VKS_GRAY_SCOTT_FOURS_GLSL
#define VKS_GRAY_SCOTT_FOURS_GLSL
#define LANES vec4
#include "gray_scott/reaction.glsl"

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

vec4 unpacked(uvec2 words)
{
    return vec4(from_word(words.x), from_word(words.y));
}

uvec2 packed(vec4 values)
{
    return uvec2(to_word(values.xy), to_word(values.zw));
}

// Cells 4 x `four` to 4 x `four` + 3 of each field.
vec4 read_u(uint four)
{
    return halves ? unpacked(u_halves[four]) : uintBitsToFloat(u_floats[four]);
}

vec4 read_v(uint four)
{
    return halves ? unpacked(v_halves[four]) : uintBitsToFloat(v_floats[four]);
}

void write_next(uint four, vec4 u, vec4 v)
{
    if (halves) {
        u_halves_next[four] = packed(u);
        v_halves_next[four] = packed(v);
    } else {
        u_floats_next[four] = floatBitsToUint(u);
        v_floats_next[four] = floatBitsToUint(v);
    }
}
#endif
