// SPDX-License-Identifier: MIT
//
// The fields of Gray-Scott, two cells at a time.
#ifndef VKS_GRAY_SCOTT_TWOS_GLSL
#define VKS_GRAY_SCOTT_TWOS_GLSL
#define LANES vec2
#include "gray_scott/reaction.glsl"

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
VKS_FIELD(6, readonly, paint_feed, float, feed_paints);
VKS_FIELD(7, readonly, paint_kill, float, kill_paints);
VKS_FIELD(8, readonly, paint_share, float, paint_shares);

// Two columns of the field.
struct Columns {
    uint x0, x1;
};

Columns columns_at(int x)
{
    return Columns(inside(x, constants.width), inside(x + 1, constants.width));
}

void read_cells(Columns columns, uint y, out vec2 u, out vec2 v)
{
    uint line = y * constants.width;
    uint x0 = columns.x0;
    uint x1 = columns.x1;
    uint pair = line / 2u + min(x0, x1) / 2u;
    if (paired) {
        if (halves) {
            u = from_word(VKS_AT(us, pair));
            v = from_word(VKS_AT(vs, pair));
        } else {
            u = uintBitsToFloat(VKS_AT(u_floats, pair));
            v = uintBitsToFloat(VKS_AT(v_floats, pair));
        }
        u = x0 > x1 ? u.yx : u;
        v = x0 > x1 ? v.yx : v;
    } else {
        u = uintBitsToFloat(uvec2(VKS_AT(us, line + x0), VKS_AT(us, line + x1)));
        v = uintBitsToFloat(uvec2(VKS_AT(vs, line + x0), VKS_AT(vs, line + x1)));
    }
}

void read_rates(Columns columns, uint y, out vec2 feed, out vec2 kill)
{
    uint line = y * constants.width;
    feed = vec2(VKS_AT(feeds, line + columns.x0), VKS_AT(feeds, line + columns.x1));
    kill = vec2(VKS_AT(kills, line + columns.x0), VKS_AT(kills, line + columns.x1));
    if (painted) {
        uint a = line + columns.x0;
        uint b = line + columns.x1;
        vec2 share = vec2(VKS_AT(paint_shares, a), VKS_AT(paint_shares, b));
        feed = mixed(feed, vec2(VKS_AT(feed_paints, a), VKS_AT(feed_paints, b)), share);
        kill = mixed(kill, vec2(VKS_AT(kill_paints, a), VKS_AT(kill_paints, b)), share);
    }
}

void write_cells(uint x, uint y, vec2 u, vec2 v)
{
    uint at = y * constants.width + x;
    if (halves) {
        VKS_AT(us_next, at / 2u) = to_word(u);
        VKS_AT(vs_next, at / 2u) = to_word(v);
    } else if (paired) {
        VKS_AT(u_floats_next, at / 2u) = floatBitsToUint(u);
        VKS_AT(v_floats_next, at / 2u) = floatBitsToUint(v);
    } else {
        VKS_AT(us_next, at) = floatBitsToUint(u.x);
        VKS_AT(vs_next, at) = floatBitsToUint(v.x);
        if (x + 1u < constants.width) {
            VKS_AT(us_next, at + 1u) = floatBitsToUint(u.y);
            VKS_AT(vs_next, at + 1u) = floatBitsToUint(v.y);
        }
    }
}
#endif
