// SPDX-License-Identifier: MIT
//
// The fields of Gray-Scott, four cells at a time, for widths that are a multiple of four: 16 bytes,
// or 8 for halves.
#ifndef VKS_GRAY_SCOTT_FOURS_GLSL
#define VKS_GRAY_SCOTT_FOURS_GLSL
#define LANES vec4
#include "gray_scott/reaction.glsl"

VKS_FIELD(0, readonly, u, uvec4, u_floats);
VKS_FIELD(0, readonly, u_pairs, uvec2, u_halves);
VKS_FIELD(0, readonly, u_words, uint, us);
VKS_FIELD(1, readonly, v, uvec4, v_floats);
VKS_FIELD(1, readonly, v_pairs, uvec2, v_halves);
VKS_FIELD(1, readonly, v_words, uint, vs);
VKS_FIELD(2, writeonly, u_next, uvec4, u_floats_next);
VKS_FIELD(2, writeonly, u_next_pairs, uvec2, u_halves_next);
VKS_FIELD(3, writeonly, v_next, uvec4, v_floats_next);
VKS_FIELD(3, writeonly, v_next_pairs, uvec2, v_halves_next);
VKS_FIELD(4, readonly, feed_rate, vec4, feeds);
VKS_FIELD(5, readonly, kill_rate, vec4, kills);
VKS_FIELD(6, readonly, paint_feed, vec4, feed_paints);
VKS_FIELD(7, readonly, paint_kill, vec4, kill_paints);
VKS_FIELD(8, readonly, paint_share, vec4, paint_shares);

vec4 unpacked(uvec2 words)
{
    return vec4(from_word(words.x), from_word(words.y));
}

uvec2 packed(vec4 values)
{
    return uvec2(to_word(values.xy), to_word(values.zw));
}

// Four columns of the field, in reverse order beyond a wall.
struct Columns {
    uint four;
    bool mirrored;
};

Columns columns_at(int x)
{
    uint x0 = inside(x, constants.width);
    bool mirrored = boundary == GRAY_SCOTT_NO_FLUX && inside(x + 1, constants.width) < x0;
    return Columns((mirrored ? x0 - 3u : x0) / 4u, mirrored);
}

// Cells 4 x `four` to 4 x `four` + 3 of each field.
vec4 read_u(uint four)
{
    return halves ? unpacked(VKS_AT(u_halves, four)) : uintBitsToFloat(VKS_AT(u_floats, four));
}

vec4 read_v(uint four)
{
    return halves ? unpacked(VKS_AT(v_halves, four)) : uintBitsToFloat(VKS_AT(v_floats, four));
}

void write_next(uint four, vec4 u, vec4 v)
{
    if (halves) {
        VKS_AT(u_halves_next, four) = packed(u);
        VKS_AT(v_halves_next, four) = packed(v);
    } else {
        VKS_AT(u_floats_next, four) = floatBitsToUint(u);
        VKS_AT(v_floats_next, four) = floatBitsToUint(v);
    }
}

vec4 turned(Columns columns, vec4 values)
{
    return columns.mirrored ? values.wzyx : values;
}

void read_cells(Columns columns, uint y, out vec4 u, out vec4 v)
{
    uint at = y * (constants.width / 4u) + columns.four;
    u = turned(columns, read_u(at));
    v = turned(columns, read_v(at));
}

void read_rates(uint four, out vec4 feed, out vec4 kill)
{
    feed = VKS_AT(feeds, four);
    kill = VKS_AT(kills, four);
    if (painted) {
        vec4 share = VKS_AT(paint_shares, four);
        feed = mixed(feed, VKS_AT(feed_paints, four), share);
        kill = mixed(kill, VKS_AT(kill_paints, four), share);
    }
}

void read_rates(Columns columns, uint y, out vec4 feed, out vec4 kill)
{
    read_rates(y * (constants.width / 4u) + columns.four, feed, kill);
    feed = turned(columns, feed);
    kill = turned(columns, kill);
}

void write_cells(uint x, uint y, vec4 u, vec4 v)
{
    write_next(y * (constants.width / 4u) + x / 4u, u, v);
}
#endif
