// SPDX-License-Identifier: MIT
// Casts a ray through a rotated volume for every pixel, and samples the field, interpolated
// bilinearly, in each layer of cells that the ray crosses. docs/pictures.md. VIEW_FALLBACK: runs
// only if the first field has no range.
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/params.h"
#include "view/range.glsl"

layout(constant_id = 2) const bool absorbs = true; // false: the sum

VKS_CONSTANTS(rays_params);
VKS_CLOCK;

VKS_FIELD(0, readonly, volume, uint, cells);
VKS_FIELD(1, writeonly, values, float, results);
#ifdef VIEW_FALLBACK
layout(std430, set = 0, binding = 2) readonly buffer view_range
{
    float first_range[];
};
#endif

// The distance of the pixel's middle from the middle of a picture with `size` pixels, in cells.
float distance_of(uint pixel, uint size)
{
    precise float cells_away = float(int(2u * pixel + 1u - size)) * constants.half_pixel;
    return cells_away;
}

// Clips `span`, an interval along the layers' axis, to where the ray is between 0 and `side` on
// another axis. At `middle` of the layers' axis it is at `place`, and it advances by `rate` per
// layer.
vec2 inside(vec2 span, float side, float place, float rate, float middle)
{
    if (rate == 0.0f) {
        return place >= 0.0f && place < side ? span : vec2(0.0f);
    }
    float layers = vks_reciprocal(rate);
    precise float a = middle + (0.0f - place) * layers;
    precise float b = middle + (side - place) * layers;
    return vec2(max(span.x, min(a, b)), min(span.y, max(a, b)));
}

// The cells before and after a place along a side: the offset of the first, the stride from it to
// the second, and the weight of the second.
struct neighbours {
    uint first, second;
    float share;
};

neighbours around(float place, float last, uint stride)
{
    precise float at = place - 0.5f; // from the middle of cell 0
    at = clamp(at, 0.0f, last);
    float cell = floor(at);
    precise float share = at - cell;
    return neighbours(uint(cell) * stride, cell < last ? stride : 0u, share);
}

float mixed(float a, float b, float share)
{
    precise float sum = a + (b - a) * share;
    return sum;
}

// The field in the middle of a layer, interpolated between its cells.
float field_at(uint layer, neighbours across, neighbours down)
{
    uint a = layer + across.first + down.first;
    uint b = a + down.second;
    return mixed(mixed(VKS_CELL(cells, a), VKS_CELL(cells, a + across.second), across.share),
                 mixed(VKS_CELL(cells, b), VKS_CELL(cells, b + across.second), across.share),
                 down.share);
}

void main()
{
    uint column = gl_GlobalInvocationID.x;
    uint row = gl_GlobalInvocationID.y;
    if (column >= constants.width || row >= constants.values) {
        return;
    }
#ifdef VIEW_FALLBACK
    if (has_range(first_range[0], first_range[1])) {
        return;
    }
#endif
    vec2 turn = vks_sincos(constants.azimuth + constants.spin * first_step);
    float across = distance_of(column, constants.width);
    float down = distance_of(row + constants.first, constants.height);
    uvec3 sides = uvec3(constants.columns, constants.rows, constants.layers);
    uvec3 strides = uvec3(1u, constants.columns, constants.columns * constants.rows);
    precise vec3 sight =
        vec3(turn.x * constants.cosine, 0.0f - turn.y * constants.cosine, constants.sine);
    precise float tilted = down * constants.sine;
    precise vec3 place = vec3(across * turn.y - tilted * turn.x, across * turn.x + tilted * turn.y,
                              down * constants.cosine);
    place = place + vec3(sides) * 0.5f;
    // Layers are perpendicular to the axis closest to the ray, which is swapped with z.
    vec3 sizes = abs(sight);
    if (sizes.x > sizes.z && sizes.x >= sizes.y) {
        sight = sight.zyx;
        place = place.zyx;
        sides = sides.zyx;
        strides = strides.zyx;
    } else if (sizes.y > sizes.z) {
        sight = sight.xzy;
        place = place.xzy;
        sides = sides.xzy;
        strides = strides.xzy;
    }
    float inverse = vks_reciprocal(sight.z);
    precise vec2 rate = sight.xy * inverse;
    vec2 span = vec2(0.0f, float(sides.z));
    span = inside(span, float(sides.x), place.x, rate.x, place.z);
    span = inside(span, float(sides.y), place.y, rate.y, place.z);
    float value = 0.0f;
    if (span.x < span.y) {
        // A layer hides the share `cover` of what is behind it. If the ray crosses it only partly,
        // at an edge of the box, it hides 1 - (1 - cover)^weight, computed to second order.
        float length = abs(inverse);
        precise float cover = 1.0f - vks_exp(0.0f - constants.absorption * length);
        precise float bend = (0.5f * cover) * cover;
        vec2 last = vec2(sides.xy - 1u);
        uint lowest = uint(span.x), highest = min(uint(span.y), sides.z - 1u);
        // From the back to the front.
        uint layer = sight.z > 0.0f ? highest : lowest;
        uint next = sight.z > 0.0f ? 0xffffffffu : 1u;
        for (uint k = lowest; k <= highest; k++) {
            precise float from = max(span.x, float(layer));
            precise float to = min(span.y, float(layer) + 1.0f);
            precise float weight = to - from;
            precise float middle = 0.5f * (from + to) - place.z;
            precise vec2 at = place.xy + rate * middle;
            float found = field_at(layer * strides.z, around(at.x, last.x, strides.x),
                                   around(at.y, last.y, strides.y));
            precise float share = weight * (cover + (1.0f - weight) * bend);
            precise float blended = value + share * (found - value);
            precise float sum = value + weight * found;
            value = absorbs ? blended : sum;
            layer += next;
        }
        precise float extent = value * length;
        value = absorbs ? value : extent;
    }
    VKS_AT(results, row * constants.width + column) = vks_flush(value);
}
