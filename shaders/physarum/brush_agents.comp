// SPDX-License-Identifier: MIT
// Moves agents into strokes, or out of them: docs/sims/physarum.md, "Brushes".
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/step.glsl"
#include "physarum/walls.glsl"
#define VKS_STROKES 3
#include "lib/stroke.glsl"

VKS_FIELD(0, , position, uvec2, positions); // (y, x)
VKS_FIELD(1, , heading, uint, headings);
VKS_FIELD(2, readonly, agents_number, uint, numbers); // if `sorted`

layout(constant_id = 0) const bool sorted = false;
layout(constant_id = 1) const bool walled = false;

// A random word as a number from 0 to 1.
float fraction(uint word)
{
    precise float part = float(word >> 8) * 5.9604644775390625e-8f;
    return part;
}

// A place in the unit of strokes as a fraction of the side in 2^-32.
uint wrapped(float place, uint side)
{
    precise float sides = place * vks_reciprocal(float(side << STROKE_UNIT_BITS));
    return vks_displacement(sides < 0.0f ? -1.0f : 1.0f, abs(sides));
}

// Where a stroke begins along an axis, moved by whole sides into the field.
float start_of(uint stroke, uint axis, uint side)
{
    uint length = side << STROKE_UNIT_BITS;
    return float((vks_stroke_word(stroke, STROKE_START + axis) + 4u * length) % length);
}

// A random place in a stroke.
uvec2 place_in(uint stroke, uint along, uvec4 r)
{
    vec2 direction = vks_sincos(r.y); // (sine, cosine)
    float part = fraction(along);
    precise float distance = vks_sqrt(fraction(r.x)) * vks_stroke_real(stroke, STROKE_RADIUS);
    ivec3 way = vks_stroke_vector(stroke, STROKE_ALONG);
    precise float y = start_of(stroke, 1u, constants.height) + part * float(way.y);
    precise float x = start_of(stroke, 0u, constants.width) + part * float(way.x);
    y = y + distance * direction.x;
    x = x + distance * direction.y;
    return uvec2(wrapped(y, constants.height), wrapped(x, constants.width));
}

bool is_open(uvec2 place)
{
    return !walled ||
           !is_wall(vks_high(place.x, constants.height), vks_high(place.y, constants.width));
}

float weight_at(uint stroke, uvec2 place)
{
    ivec3 at = ivec3(vks_high(place.y, constants.width << STROKE_UNIT_BITS),
                     vks_high(place.x, constants.height << STROKE_UNIT_BITS),
                     1 << (STROKE_UNIT_BITS - 1u));
    return vks_stroke_weight(stroke, at);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    uint number = sorted ? VKS_AT(numbers, i) : i;
    uvec2 place = VKS_AT(positions, i);
    uint heading = VKS_AT(headings, i);
    for (uint k = 0u; k < vks_stroke_count(); k++) {
        uint stream = vks_stroke_word(k, STROKE_STREAM);
        uvec4 a = vks_random(constants.seed, number, current_step(), stream);
        uvec4 b = vks_random(constants.seed, number, current_step(), stream ^ 0x40000000u);
        bool out_of_it = vks_stroke_is_inverse(k);
        precise float share =
            out_of_it ? weight_at(k, place)
                      : vks_stroke_real(k, STROKE_STRENGTH) * PHYSARUM_GATHERED;
        if (fraction(a.x) < share) {
            uvec2 target = out_of_it ? b.xy : place_in(k, a.y, b);
            bool open = is_open(target);
            place = open ? target : place;
            heading = open ? a.z : heading;
        }
    }
    VKS_AT(positions, i) = place;
    VKS_AT(headings, i) = heading;
}
