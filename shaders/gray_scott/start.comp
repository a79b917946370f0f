// SPDX-License-Identifier: MIT
// (u, v) = (1, 0) except in a shape, where it is (0.5, 0.25): docs/sims/gray-scott.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "gray_scott/params.h"

layout(constant_id = 2) const uint start = GRAY_SCOTT_SQUARE;
layout(constant_id = 3) const uint boundary = GRAY_SCOTT_PERIODIC;
layout(constant_id = 4) const bool halves = false; // two cells per invocation

VKS_CONSTANTS(gray_scott_start);

VKS_FIELD(0, writeonly, u, uint, us);
VKS_FIELD(1, writeonly, v, uint, vs);

// Distance of two coordinates; on the torus the shorter one.
uint apart(uint a, uint b, uint side)
{
    uint d = a > b ? a - b : b - a;
    return boundary == GRAY_SCOTT_PERIODIC ? min(d, side - d) : d;
}

bool in_spot(uint x, uint y)
{
    for (uint i = 0u; i < constants.spots; i++) {
        uvec4 r = vks_random(constants.seed, i, 0u, 0u);
        uint dx = apart(x, vks_high(r.x, constants.width), constants.width);
        uint dy = apart(y, vks_high(r.y, constants.height), constants.height);
        if (dx <= constants.grain && dy <= constants.grain &&
            dx * dx + dy * dy <= constants.grain * constants.grain) {
            return true;
        }
    }
    return false;
}

bool in_block(uint x, uint y)
{
    uint blocks = (constants.width + constants.grain - 1u) / constants.grain;
    uint item = (y / constants.grain) * blocks + x / constants.grain;
    return vks_random(constants.seed, item, 0u, 1u).x < constants.share;
}

bool in_shape(uint x, uint y)
{
    if (start == GRAY_SCOTT_SPOTS) {
        return in_spot(x, y);
    }
    if (start == GRAY_SCOTT_NOISE) {
        return in_block(x, y);
    }
    // Twice the distance from the middle, which is between cells if a side is even.
    uint dx = uint(abs(int(2u * x + 1u) - int(constants.width)));
    uint dy = uint(abs(int(2u * y + 1u) - int(constants.height)));
    if (start == GRAY_SCOTT_SQUARE) {
        return max(dx, dy) < constants.half_side;
    }
    uint square = dx * dx + dy * dy;
    bool near = square >= dx * dx && square < constants.outer; // a sum that wrapped is far
    if (start == GRAY_SCOTT_RING) {
        return near && square >= constants.inner;
    }
    return near == (start == GRAY_SCOTT_DISC);
}

float disturbed(float value, uint word)
{
    precise float t = float(word >> 8) * 1.1920928955078125e-7f - 1.0f;
    precise float sum = value + constants.noise * t;
    return sum < VKS_TINY ? 0.0f : min(sum, 1.0f);
}

vec2 cell(uint x, uint y)
{
    vec2 value = in_shape(x, y) ? vec2(0.5f, 0.25f) : vec2(1.0f, 0.0f);
    if (constants.noise > 0.0f) {
        uvec4 r = vks_random(constants.seed, y * constants.width + x, 0u, 2u);
        value = vec2(disturbed(value.x, r.x), disturbed(value.y, r.y));
    }
    return value;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint row = gl_GlobalInvocationID.y;
    uint words = halves ? constants.width / 2u : constants.width;
    if (x >= words || row >= constants.rows) {
        return;
    }
    uint at = row * words + x;
    uint y = (constants.first + row) % constants.height;
    if (halves) {
        vec2 left = cell(2u * x, y);
        vec2 right = cell(2u * x + 1u, y);
        VKS_AT(us, at) = vks_half(left.x) | (vks_half(right.x) << 16);
        VKS_AT(vs, at) = vks_half(left.y) | (vks_half(right.y) << 16);
    } else {
        vec2 value = cell(x, y);
        VKS_AT(us, at) = floatBitsToUint(value.x);
        VKS_AT(vs, at) = floatBitsToUint(value.y);
    }
}
