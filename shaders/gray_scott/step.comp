// SPDX-License-Identifier: MIT
// One step, for any width: one cell per invocation, or two halves that share a word.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#define LANES float
#include "gray_scott/reaction.glsl"

VKS_FIELD(0, readonly, u, uint, us);
VKS_FIELD(1, readonly, v, uint, vs);
VKS_FIELD(2, writeonly, u_next, uint, us_next);
VKS_FIELD(3, writeonly, v_next, uint, vs_next);
VKS_FIELD(4, readonly, feed_rate, float, feeds);
VKS_FIELD(5, readonly, kill_rate, float, kills);
VKS_FIELD(6, readonly, paint_feed, float, feed_paints);
VKS_FIELD(7, readonly, paint_kill, float, kill_paints);
VKS_FIELD(8, readonly, paint_share, float, paint_shares);

// (u, v) of a cell.
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

// (u, v) of left + right.
vec2 lateral(uint line, uint left, uint right)
{
    precise vec2 sum = cell(line + left) + cell(line + right);
    return sum;
}

vec2 stepped(uint x, uint y)
{
    uint line = y * constants.width;
    uint above = next_inside(int(y) - 1, constants.height) * constants.width;
    uint below = next_inside(int(y) + 1, constants.height) * constants.width;
    uint left = next_inside(int(x) - 1, constants.width);
    uint right = next_inside(int(x) + 1, constants.width);
    vec2 up = cell(above + x);
    vec2 down = cell(below + x);
    vec2 here = lateral(line, left, right);
    vec2 over = vec2(0.0f);
    vec2 under = vec2(0.0f);
    if (stencil == GRAY_SCOTT_NINE) {
        over = lateral(above, left, right);
        under = lateral(below, left, right);
    }
    rates r = even_rates();
    if (varied) {
        float feed = VKS_AT(feeds, line + x);
        float kill = VKS_AT(kills, line + x);
        if (painted) {
            float share = VKS_AT(paint_shares, line + x);
            feed = mixed(feed, VKS_AT(feed_paints, line + x), share);
            kill = mixed(kill, VKS_AT(kill_paints, line + x), share);
        }
        r = rates_of(feed, kill);
    }
    vec2 value = cell(line + x);
    float near_u = neighbours(up.x, down.x, here.x, over.x, under.x);
    float near_v = neighbours(up.y, down.y, here.y, over.y, under.y);
    react(value.x, value.y, near_u, near_v, r);
    return value;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    uint words = halves ? constants.width / 2u : constants.width;
    if (x >= words || y >= constants.height) {
        return;
    }
    uint at = y * words + x;
    if (halves) {
        vec2 one = stepped(2u * x, y);
        vec2 two = stepped(2u * x + 1u, y);
        VKS_AT(us_next, at) = to_word(vec2(one.x, two.x));
        VKS_AT(vs_next, at) = to_word(vec2(one.y, two.y));
    } else {
        vec2 value = stepped(x, y);
        VKS_AT(us_next, at) = floatBitsToUint(value.x);
        VKS_AT(vs_next, at) = floatBitsToUint(value.y);
    }
}
