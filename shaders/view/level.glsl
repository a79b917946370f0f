// SPDX-License-Identifier: MIT
// The range of a frame: its own, a fixed one, or a smoothed one. VIEW_FALLBACK: the frame's own is
// the second field's if the first has none.
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/params.h"
#include "view/range.glsl"
#include "view/tone.glsl"

layout(constant_id = 2) const uint mode = VIEW_FRAME;

VKS_CONSTANTS(level_params);

layout(std430, set = 0, binding = 0) readonly buffer view_range
{
    float first_range[]; // min, max
};
layout(std430, set = 0, binding = 1) buffer view_level
{
    float level[]; // LEVEL_LOW and so on
};
VKS_FIELD(3, readonly, displayed, uint, cells);
#ifdef VIEW_FALLBACK
layout(std430, set = 0, binding = 2) readonly buffer view_range_fallback
{
    float second_range[];
};
#endif

shared uint lower;
shared uint below;
shared uint above;

// Compares some of the values, evenly distributed at random, with the fixed range. Values from 0 to
// its low end are a background, and count only if there are no others.
void count_clipped()
{
    uint which = gl_LocalInvocationIndex;
    if (which == 0u) {
        lower = 0u;
        below = 0u;
        above = 0u;
    }
    barrier();
    for (uint i = 0u; i < LEVEL_PER_SAMPLER; i++) {
        uint place, unused;
        umulExtended((which * LEVEL_PER_SAMPLER + i + 1u) * 2654435769u, constants.values, place,
                     unused);
        float value = VKS_CELL(cells, place);
        float low = symmetric ? -constants.high : constants.low;
        if (value < low) {
            atomicAdd(lower, 1u);
            if (value < 0.0f) {
                atomicAdd(below, 1u);
            }
        } else if (value > constants.high) {
            atomicAdd(above, 1u);
        }
    }
    barrier();
    if (which == 0u && lower == LEVEL_SAMPLES * LEVEL_PER_SAMPLER) {
        below = lower;
    }
}

// Of LEVEL_SAMPLES x LEVEL_PER_SAMPLER, 1024.
float clipped_fraction(uint count)
{
    precise float fraction = float(count) * 0.0009765625f;
    return fraction;
}

void main()
{
    bool counts = mode == VIEW_FIXED && constants.values > 0u;
    if (counts) {
        count_clipped();
    }
    if (vks_item() > 0u) {
        return;
    }
    level[LEVEL_BELOW] = counts ? clipped_fraction(below) : 0.0f;
    level[LEVEL_ABOVE] = counts ? clipped_fraction(above) : 0.0f;
    float frame_min = first_range[0];
    float frame_max = first_range[1];
    float field = 1.0f;
#ifdef VIEW_FALLBACK
    if (!has_range(frame_min, frame_max)) {
        frame_min = second_range[0];
        frame_max = second_range[1];
        field = 2.0f;
    }
#endif
    if (symmetric) { // of magnitudes
        frame_max = max(abs(frame_min), abs(frame_max));
        frame_min = 0.0f;
    }
    precise float low = constants.low;
    precise float high = constants.high;
    if (mode == VIEW_FRAME || (mode == VIEW_SMOOTH && level[LEVEL_FIELD] != field)) {
        low = frame_min;
        high = frame_max;
    } else if (mode == VIEW_SMOOTH) {
        precise float to_low = frame_min - level[LEVEL_LOW];
        precise float to_high = frame_max - level[LEVEL_HIGH];
        low = level[LEVEL_LOW] + constants.follow * to_low;
        high = level[LEVEL_HIGH] + constants.follow * to_high;
        low = vks_flush(low);
        high = vks_flush(high);
    }
    level[LEVEL_LOW] = low;
    level[LEVEL_HIGH] = high;
    // A smoothed range does not start from a frame without a range.
    level[LEVEL_FIELD] = has_range(low, high) ? field : 0.0f;
    precise float first = low;
    if (logarithmic) {
        precise float decades = high * 1e-4f; // four of them
        first = max(max(low, decades), VKS_TINY);
    }
    precise float base = measured(first, first);
    precise float extent = measured(high, first) - base;
    level[LEVEL_FIRST] = first;
    level[LEVEL_BASE] = base;
    level[LEVEL_SCALE] = extent > 1e-6f ? vks_reciprocal(extent) : 0.0f;
}
