// SPDX-License-Identifier: MIT
// Resizes one axis of a field, or copies a part of the field: each result is a weighted sum over
// neighbours along the axis, first to last, with a table from the host. It is clamped to their min
// and max or, when upscaling, to the field's. docs/pictures.md. VIEW_FALLBACK: runs only if the
// first field has no range.
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/mix.glsl"
#include "view/params.h"
#include "view/range.glsl"

layout(constant_id = 2) const uint axis = RESAMPLE_DOWN;
layout(constant_id = 3) const bool grows = false;

VKS_CONSTANTS(resample_params);

VKS_FIELD(0, readonly, source, uint, cells);
layout(std430, set = 0, binding = 1) readonly buffer taps
{
    uint table[]; // for n results: n first lines, n counts, n first weights, n second weights ...
};
layout(std430, set = 0, binding = 2) writeonly buffer target
{
    float results[];
};
layout(std430, set = 0, binding = 3) readonly buffer limits
{
    float field_range[]; // min, max; only when upscaling
};
#ifdef VIEW_FALLBACK
layout(std430, set = 0, binding = 4) readonly buffer view_range
{
    float first_range[];
};
#endif

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    uint plane = 0u;
    if (planes > 1u) {
        plane = y / constants.rows;
        y -= plane * constants.rows;
    }
    if (x >= constants.width || y >= constants.height || plane >= planes) {
        return;
    }
#ifdef VIEW_FALLBACK
    if (has_range(first_range[0], first_range[1])) {
        return;
    }
#endif
    uint n = constants.size;
    uint i = constants.first + (axis == RESAMPLE_DOWN ? y : x);
    uint first = table[i] - constants.origin;
    uint count = table[n + i];
    uint weight = 2u * n + i;
    uint stride = axis == RESAMPLE_DOWN ? constants.row : 1u;
    uint at = axis == RESAMPLE_DOWN ? first * constants.row + constants.from + x
                                    : (constants.from + y) * constants.row + first;
    if (planes > 1u) {
        at += plane * constants.plane;
    }
    float min_value = grows ? field_range[0] : VKS_CELL(cells, at);
    float max_value = grows ? field_range[1] : min_value;
    precise float sum = 0.0f;
    uint k = 0u;
    // Four at a time, so that their reads overlap.
    for (; k + 4u <= count; k += 4u) {
        vec4 values = vec4(VKS_CELL(cells, at), VKS_CELL(cells, at + stride),
                           VKS_CELL(cells, at + 2u * stride), VKS_CELL(cells, at + 3u * stride));
        vec4 weights =
            uintBitsToFloat(uvec4(table[weight], table[weight + n], table[weight + 2u * n],
                                  table[weight + 3u * n]));
        precise vec4 parts = values * weights;
        sum = sum + parts.x;
        sum = sum + parts.y;
        sum = sum + parts.z;
        sum = sum + parts.w;
        if (!grows) {
            min_value = min(min_value, min(min(values.x, values.y), min(values.z, values.w)));
            max_value = max(max_value, max(max(values.x, values.y), max(values.z, values.w)));
        }
        at += 4u * stride;
        weight += 4u * n;
    }
    for (; k < count; k++) {
        float value = VKS_CELL(cells, at);
        precise float part = value * uintBitsToFloat(table[weight]);
        sum = sum + part;
        if (!grows) {
            min_value = min(min_value, value);
            max_value = max(max_value, value);
        }
        at += stride;
        weight += n;
    }
    if (planes > 1u) {
        y += plane * constants.rows;
    }
    results[y * constants.width + x] =
        vks_flush(sum < min_value ? min_value : (sum > max_value ? max_value : sum));
}
