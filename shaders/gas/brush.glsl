// SPDX-License-Identifier: MIT
// What strokes do to temperature and velocity: docs/sims/gas.md, "Brushes".
#ifndef VKS_GAS_BRUSH_GLSL
#define VKS_GAS_BRUSH_GLSL

#include "gas/node.glsl"
#include "lib/stroke.glsl"

layout(constant_id = 0) const uint kind = GAS_BRUSH_HEAT;
layout(constant_id = 1) const float hot = 1.0f;  // temperature that `heat` leads to
layout(constant_id = 2) const float fast = 1.0f; // speed that `push` leads to

float toward(float value, float target, float weight)
{
    precise float left = 1.0f - weight;
    precise float kept = value * left;
    precise float moved = kept + target * weight;
    return vks_flush(moved);
}

// Heat, per mass or per volume; `highest` is what the brush leads to.
float heated(float heat, float highest, uint stroke, float weight)
{
    return vks_stroke_is_inverse(stroke) ? toward(heat, 0.0f, weight)
                                         : max(heat, toward(heat, highest, weight));
}

bool has_direction(uint stroke)
{
    return vks_stroke_is_inverse(stroke) || vks_stroke_real(stroke, STROKE_INVERSE) > 0.0f;
}

// Velocity, or momentum with `scale` the density.
vec3 pushed(vec3 v, float scale, uint stroke, float weight)
{
    float per_length = vks_sqrt(vks_stroke_real(stroke, STROKE_INVERSE));
    ivec3 way = vks_stroke_vector(stroke, STROKE_ALONG).zyx;
    precise float speed = vks_stroke_is_inverse(stroke) ? 0.0f : fast * scale;
    precise vec3 target = (vec3(way) * per_length) * speed;
    return vec3(toward(v.x, target.x, weight), toward(v.y, target.y, weight),
                toward(v.z, target.z, weight));
}
#endif
