// SPDX-License-Identifier: MIT
//
// One step of Gray-Scott for adjacent cells: LANES is float, vec2 or vec4. All paths, plain or
// fused, use this arithmetic, so that all produce identical bytes.
#ifndef VKS_GRAY_SCOTT_REACTION_GLSL
#define VKS_GRAY_SCOTT_REACTION_GLSL
#include "lib/exact.glsl"
#include "gray_scott/params.h"

layout(constant_id = 2) const uint stencil = GRAY_SCOTT_FIVE;
layout(constant_id = 3) const uint boundary = GRAY_SCOTT_PERIODIC;
layout(constant_id = 4) const bool halves = false; // u and v are stored as float16
layout(constant_id = 5) const bool varied = false; // the rates come from fields
layout(constant_id = 6) const bool whole_steps = true; // dt is 1
// F is nowhere 0 and a cell's own weight is not negative. Then a new u needs no flush: the minuend
// of the reaction is at least F dt >= 2^-24, so the difference is 0 or at least 2^-48.
layout(constant_id = 12) const bool fed = false;
layout(constant_id = 13) const bool painted = false; // strokes have painted rates over those fields

VKS_CONSTANTS(gray_scott_step);

// The sum over the stencil: `above`, `below`, `lateral` (left + right), and for the nine-point
// stencil the corners.
LANES neighbours(LANES above, LANES below, LANES lateral, LANES lateral_above, LANES lateral_below)
{
    precise LANES edges = (above + below) + lateral;
    if (stencil == GRAY_SCOTT_NINE) {
        precise LANES corners = lateral_above + lateral_below;
        edges = 4.0f * edges + corners;
    }
    return edges;
}

// Clamps to [0, 1], flushes below 2^-60 (if `tiny` values can occur), and rounds as for storage.
float settled(float x, bool tiny)
{
    float clipped = clamp(x, 0.0f, 1.0f);
    if (halves) {
        // vks_half() in place: the bits beyond a half's are 0.
        uint bits = floatBitsToUint(clipped < 6.103515625e-5f ? 0.0f : clipped); // 2^-14
        bits += 0xfffu + ((bits >> 13) & 1u);
        return uintBitsToFloat(bits & 0xffffe000u);
    }
    return tiny && clipped < VKS_TINY ? 0.0f : clipped;
}

vec2 settled(vec2 x, bool tiny)
{
    return vec2(settled(x.x, tiny), settled(x.y, tiny));
}

vec4 settled(vec4 x, bool tiny)
{
    return vec4(settled(x.x, tiny), settled(x.y, tiny), settled(x.z, tiny), settled(x.w, tiny));
}

// Unpacks two halves in [0, 1], not subnormal, from a word; packs two settled values.
vec2 from_word(uint word)
{
    uvec2 bits = uvec2((word << 13) & 0x07ffe000u, (word >> 3) & 0x07ffe000u);
    precise vec2 values = uintBitsToFloat(bits) * 5.19229686e33f; // 2^112
    return values;
}

uint to_word(vec2 values)
{
    uvec2 bits = floatBitsToUint(values);
    return ((bits.x >> 13) & 0x3fffu) | ((bits.y << 3) & 0x3fff0000u);
}

struct rates {
    LANES own_u, own_v, feed;
};

rates even_rates()
{
    return rates(LANES(constants.own_u), LANES(constants.own_v), LANES(constants.feed));
}

rates rates_of(LANES feed, LANES kill)
{
    precise LANES own_u = constants.own_u - feed;
    precise LANES own_v = constants.own_v - (feed + kill);
    return rates(own_u, own_v, feed);
}

// F dt or k dt of cells, in multiples of 2^-24: a share of it is painted, and `paint` is that share
// of the painted F or k.
LANES mixed(LANES rate, LANES paint, LANES share)
{
    precise LANES left = 1.0f - share;
    precise LANES kept = rate * left;
    precise LANES added = paint * constants.dt;
    precise LANES sum = kept + added;
    precise LANES units = floor(sum * 16777216.0f + 0.5f);
    precise LANES result = units * 5.9604644775390625e-8f;
    return result;
}

// The cells' new values, from their own and the sums over their neighbours.
void react(inout LANES u, inout LANES v, LANES near_u, LANES near_v, rates r)
{
    precise LANES reacted = u * (v * v);
    if (!whole_steps) {
        reacted = constants.dt * reacted;
    }
    precise LANES next_u = ((r.own_u * u + constants.near_u * near_u) + r.feed) - reacted;
    precise LANES next_v = (r.own_v * v + constants.near_v * near_v) + reacted;
    u = settled(next_u, !fed);
    v = settled(next_v, true);
}

// Maps a coordinate outside the field: around the torus, or mirrored at the edge. A no-flux edge is
// a mirror, and the symmetric sums preserve that.
uint inside(int at, uint side)
{
    if (uint(at) < side) {
        return uint(at);
    }
    int n = int(side);
    if (boundary == GRAY_SCOTT_PERIODIC) {
        return uint(at < 0 ? at + n * ((n - 1 - at) / n) : at - n * (at / n));
    }
    int period = 2 * n;
    int m = at < 0 ? at + period * ((period - 1 - at) / period) : at - period * (at / period);
    return uint(m < n ? m : period - 1 - m);
}

// The same, for a coordinate at most one outside.
uint next_inside(int at, uint side)
{
    int n = int(side);
    if (boundary == GRAY_SCOTT_PERIODIC) {
        return uint(at < 0 ? n - 1 : (at >= n ? 0 : at));
    }
    return uint(clamp(at, 0, n - 1));
}
#endif
