// SPDX-License-Identifier: MIT
// The range of a frame: its own, a fixed one, or a smoothed one. VIEW_FALLBACK: the frame's own is
// the second field's if the first has none.
#include "lib/pass.glsl"
#include "view/params.h"
#include "view/range.glsl"
#include "view/tone.glsl"

layout(constant_id = 2) const uint mode = VIEW_FRAME;

VKS_CONSTANTS(view_params);

layout(std430, set = 0, binding = 0) readonly buffer view_range
{
    float first_range[]; // min, max
};
layout(std430, set = 0, binding = 1) buffer view_level
{
    float level[]; // LEVEL_LOW and so on
};
#ifdef VIEW_FALLBACK
layout(std430, set = 0, binding = 2) readonly buffer view_range_fallback
{
    float second_range[];
};
#endif

void main()
{
    if (vks_item() > 0u) {
        return;
    }
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
