// SPDX-License-Identifier: MIT
// The part of a row that a lane keeps in registers: FOURS vectors of four, LANES apart. Where the
// row ends before, a lane has loaded some vector that exists, and ignores it.
#ifndef VKS_LADDER_SOFTMAX_REGISTERS_GLSL
#define VKS_LADDER_SOFTMAX_REGISTERS_GLSL

#include "ladder/softmax.glsl"

// Makes exp(x - maximum) of all x and returns their part.
vec2 exponentials(inout vec4 x[FOURS], uint lane)
{
    if (constants.width < 4u * LANES * FOURS) { // the same in all lanes, and rarely so
        [[unroll]] for (uint k = 0u; k < FOURS; k++) {
            x[k] = without_padding(x[k], lane + LANES * k);
        }
    }
    float top = lowest;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        top = max(top, max_of(x[k]));
    }
    vec2 part = vec2(top, 0.0);
    float differences = 0.0; // at most 0, so they add up to NaN only if one is NaN
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        x[k] -= top;
        differences += sum_of(x[k]);
        x[k] = exp(x[k]);
        part.y += sum_of(x[k]);
    }
    if (is_nan(differences)) {
        part.y = differences;
    }
    return part;
}

#endif
