// SPDX-License-Identifier: MIT
//
// The strokes of a brush, and how strongly each affects a place: docs/brushes.md. The shader
// defines VKS_STROKES, the binding of the field `strokes`, before it includes this.
#ifndef VKS_LIB_STROKE_GLSL
#define VKS_LIB_STROKE_GLSL

#include "core/stroke.h"
#include "lib/exact.glsl"
#include "lib/field.glsl"

VKS_FIELD(VKS_STROKES, readonly, strokes, uint, stroke_words);

uint vks_stroke_count()
{
    return VKS_AT(stroke_words, 0u);
}

// The sides of the grid in cells: (x, y, z).
uvec3 vks_stroke_sides()
{
    return uvec3(VKS_AT(stroke_words, 1u), VKS_AT(stroke_words, 2u), VKS_AT(stroke_words, 3u));
}

uint vks_stroke_word(uint stroke, uint word)
{
    return VKS_AT(stroke_words, STROKE_HEADER + STROKE_WORDS * stroke + word);
}

float vks_stroke_real(uint stroke, uint word)
{
    return uintBitsToFloat(vks_stroke_word(stroke, word));
}

ivec3 vks_stroke_vector(uint stroke, uint word)
{
    return ivec3(vks_stroke_word(stroke, word), vks_stroke_word(stroke, word + 1u),
                 vks_stroke_word(stroke, word + 2u));
}

bool vks_stroke_is_inverse(uint stroke)
{
    return vks_stroke_word(stroke, STROKE_BACKWARD) != 0u;
}

// The centre of a cell, in the unit of strokes.
ivec3 vks_stroke_place(uvec3 cell)
{
    return ivec3((cell << STROKE_UNIT_BITS) + (1u << (STROKE_UNIT_BITS - 1u)));
}

// Squared distance of a place, relative to the start of a segment, from the segment.
float vks_stroke_square(ivec3 place, ivec3 along, float inverse)
{
    vec3 a = vec3(place);
    vec3 e = vec3(along);
    precise float projected = ((a.x * e.x + a.y * e.y) + a.z * e.z) * inverse;
    float t = min(max(projected, 0.0f), 1.0f);
    precise float x = a.x - t * e.x;
    precise float y = a.y - t * e.y;
    precise float z = a.z - t * e.z;
    precise float square = (x * x + y * y) + z * z;
    return square;
}

// 1 within the hard part, 0 outside.
float vks_stroke_profile(float square, float radius, float sharpness)
{
    precise float limit = radius * radius;
    if (!(square < limit)) {
        return 0.0f;
    }
    if (sharpness == 0.0f) {
        return 1.0f;
    }
    precise float inward = (radius - vks_sqrt(square)) * sharpness;
    float s = min(max(inward, 0.0f), 1.0f);
    precise float weight = (s * s) * (3.0f - 2.0f * s);
    return weight;
}

// Weight times strength at a place, in the unit of strokes: 0 to 1.
float vks_stroke_weight(uint stroke, ivec3 place)
{
    ivec3 start = vks_stroke_vector(stroke, STROKE_START);
    ivec3 along = vks_stroke_vector(stroke, STROKE_ALONG);
    ivec3 images = vks_stroke_vector(stroke, STROKE_IMAGES);
    ivec3 sides = ivec3(vks_stroke_sides() << STROKE_UNIT_BITS);
    float inverse = vks_stroke_real(stroke, STROKE_INVERSE);
    float least = 1.0e30f;
    for (int z = 0; z < images.z; z++) {
        for (int y = 0; y < images.y; y++) {
            for (int x = 0; x < images.x; x++) {
                ivec3 relative = place - start - ivec3(x, y, z) * sides;
                least = min(least, vks_stroke_square(relative, along, inverse));
            }
        }
    }
    precise float weight = vks_stroke_profile(least, vks_stroke_real(stroke, STROKE_RADIUS),
                                              vks_stroke_real(stroke, STROKE_SHARPNESS)) *
                           vks_stroke_real(stroke, STROKE_STRENGTH);
    return vks_flush(weight);
}
#endif
