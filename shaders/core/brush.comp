// SPDX-License-Identifier: MIT
// Applies strokes, in their order, to the cells of a field: docs/brushes.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#define VKS_STROKES 1
#include "lib/stroke.glsl"

layout(constant_id = 0) const bool halves = false; // two cells per word
layout(constant_id = 1) const bool masked = false; // by a bit per cell

VKS_CONSTANTS(brush_params);

VKS_FIELD(0, , field, uint, values);
VKS_FIELD(2, readonly, mask, uint, mask_words); // rows of ceil(width / 32) words, if `masked`

// Whether a cell keeps its value.
bool is_kept(uvec3 cell, uint width)
{
    uint word = cell.y * ((width + 31u) / 32u) + (cell.x >> 5);
    return masked && ((VKS_AT(mask_words, word) >> (cell.x & 31u)) & 1u) != 0u;
}

float painted(float value, uint stroke, float weight)
{
    uint way = vks_stroke_is_inverse(stroke) ? 1u : 0u;
    float value_of_stroke =
        constants.value > 0u ? vks_stroke_real(stroke, STROKE_VALUES + constants.value - 1u) : 1.0f;
    precise float amount = constants.amounts[way] * value_of_stroke;
    precise float change = weight * amount;
    precise float left = 1.0f - weight;
    precise float kept = constants.adds[way] != 0u ? value : value * left;
    precise float next = kept + change;
    next = min(max(vks_flush(next), constants.min), constants.max);
    return halves ? vks_from_half(vks_half(next)) : next; // however strokes are grouped into calls
}

// The value of a cell after all strokes.
float cell(uint x, uint row, float value)
{
    uvec3 sides = vks_stroke_sides();
    // Rows past the last plane of a volume are those of further planes of a flat field.
    uint plane = row / sides.y;
    uvec3 at = uvec3(x, row - plane * sides.y, plane < sides.z ? plane : 0u);
    uint count = is_kept(at, sides.x) ? 0u : vks_stroke_count();
    for (uint i = 0u; i < count; i++) {
        float weight = vks_stroke_weight(i, vks_stroke_place(at));
        if (weight > 0.0f) {
            value = painted(value, i, weight);
        }
    }
    return value;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint row = vks_row();
    uint width = vks_stroke_sides().x;
    uint words = halves ? width / 2u : width;
    if (x >= words || row >= constants.rows) {
        return;
    }
    uint at = row * words + x;
    uint word = VKS_AT(values, at);
    if (halves) {
        float left = cell(2u * x, row, vks_from_half(word & 0xffffu));
        float right = cell(2u * x + 1u, row, vks_from_half(word >> 16));
        VKS_AT(values, at) = vks_half(left) | (vks_half(right) << 16);
    } else {
        VKS_AT(values, at) = floatBitsToUint(cell(x, row, uintBitsToFloat(word)));
    }
}
