// SPDX-License-Identifier: MIT
// A part of a softmax is a pair: x is the maximum of its elements, y the sum of
// exp(element - maximum). Maxima begin at the lowest finite number instead of -infinity, so that no
// difference of two infinities arises unless an element is infinity. Missing elements are
// -infinity: their exponential is 0.
#ifndef VKS_LADDER_SOFTMAX_GLSL
#define VKS_LADDER_SOFTMAX_GLSL

#include "ladder/row.glsl"

const float lowest = -3.40282347e38;
#define MISSING uintBitsToFloat(0xff800000u)

// By its bits, because a driver may assume that no number is NaN.
bool is_nan(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

// exp(x), and NaN of NaN, which Vulkan leaves to the driver.
float exponential(float x)
{
    return is_nan(x) ? x : exp(x);
}

vec2 merge(vec2 a, vec2 b)
{
    float top = max(a.x, b.x);
    return vec2(top, a.y * exp(a.x - top) + b.y * exp(b.x - top));
}

float max_of(vec4 x)
{
    return max(max(x.x, x.y), max(x.z, x.w));
}

float sum_of(vec4 x)
{
    return (x.x + x.y) + (x.z + x.w);
}

vec2 add(vec2 part, vec4 x)
{
    float top = max(part.x, max_of(x));
    float differences = sum_of(x - top); // none is above 0
    float sum = part.y * exp(part.x - top) + sum_of(exp(x - top));
    return vec2(top, is_nan(differences) ? differences : sum);
}

// Vector i of a row, without what is behind the last column.
vec4 without_padding(vec4 x, uint i)
{
    int columns = int(constants.width) - int(4u * i);
    return vec4(columns > 0 ? x.x : MISSING, columns > 1 ? x.y : MISSING,
                columns > 2 ? x.z : MISSING, columns > 3 ? x.w : MISSING);
}

shared float tops[256];
shared float sums[256];

// All lanes' parts as one, in all lanes.
vec2 merge_group(vec2 part)
{
    uint lane = gl_LocalInvocationID.x;
    SHARED_STORE(tops, lane, part.x);
    SHARED_STORE(sums, lane, part.y);
    for (uint half_size = 128u; half_size > 0u; half_size /= 2u) {
        BARRIER();
        if (lane < half_size) {
            uint other = lane + half_size;
            part = merge(part, vec2(SHARED_LOAD(tops, other), SHARED_LOAD(sums, other)));
            SHARED_STORE(tops, lane, part.x);
            SHARED_STORE(sums, lane, part.y);
        }
    }
    BARRIER();
    return vec2(SHARED_LOAD(tops, 0u), SHARED_LOAD(sums, 0u));
}

#endif
