// SPDX-License-Identifier: MIT
//
// Arithmetic with identical bits on every device and in C: this text is GLSL and, through
// src/base/exact.c, C17. It uses only float32 + - *, abs, comparisons, floor, conversions and
// 32-bit integers, in a fixed order and without contraction (`precise`), see docs/architecture.md.
//
// Each function states its domain and its max error, as measured by tests/unit/test_exact.c. None
// of them returns NaN, infinity or a subnormal inside its domain.
#ifndef VKS_LIB_EXACT_GLSL
#define VKS_LIB_EXACT_GLSL

// Flushes values below 2^-60 to 0, so that subnormals, which devices treat differently, never
// occur.
#define VKS_TINY 8.67361738e-19f

float vks_flush(float x)
{
    return abs(x) < VKS_TINY ? 0.0f : x;
}

// 1 / x for 2^-60 <= |x| <= 2^60; at most 1.6 ulp. Newton's iteration from a linear guess of bits.
float vks_reciprocal(float x)
{
    uint sign = floatBitsToUint(x) & 0x80000000u;
    precise float d = uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu);
    precise float y = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(d));
    y = y * (2.0f - d * y);
    y = y * (2.0f - d * y);
    y = y * (2.0f - d * y);
    // The last step uses the residual, which is small and therefore accurate.
    precise float r = 1.0f - d * y;
    y = y + y * r;
    return uintBitsToFloat(floatBitsToUint(y) | sign);
}

// a / b for b as in vks_reciprocal() and a quotient within 2^+-60; at most 2.6 ulp.
float vks_divide(float a, float b)
{
    precise float inverse = vks_reciprocal(b);
    precise float q = a * inverse;
    return q;
}

// Square root for 0 and 2^-60 <= x <= 2^60; at most 1.2 ulp.
float vks_sqrt(float x)
{
    if (x < VKS_TINY) {
        return 0.0f;
    }
    precise float y = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(x) >> 1));
    precise float h = 0.5f * x;
    y = y * (1.5f - (h * y) * y);
    y = y * (1.5f - (h * y) * y);
    y = y * (1.5f - (h * y) * y);
    precise float s = x * y;
    // One step of Heron's iteration on the root itself.
    precise float t = s + (0.5f * y) * (x - s * s);
    return t;
}

// (sin, cos) of a binary angle: 2^32 is a full turn. Absolute error at most 1.3e-7; exact at the
// multiples of a quarter turn. Octant reduction, then odd and even polynomials (least maximum
// error over +-pi/4, coefficients in units of the octant).
vec2 vks_sincos(uint angle)
{
    uint quadrant = (angle + 0x20000000u) >> 30;
    int rest = int(angle - (quadrant << 30)); // -2^29 .. 2^29 - 1: within an octant around the axis
    // 24 bits, so that the conversion is exact: x in [-1, 1] is the angle in octants.
    precise float x = float((rest + 16) >> 5) * 5.9604644775390625e-8f;
    precise float z = x * x;
    precise float s = -3.58772559e-05f;
    s = s * z + 0.00248987204f;
    s = s * z - 0.0807453692f;
    s = s * z + 0.785398126f;
    s = s * x;
    precise float c = -0.000319160143f;
    c = c * z + 0.0158503968f;
    c = c * z - 0.308424503f;
    c = c * z + 1.0f;
    float sine = (quadrant & 1u) == 0u ? s : c;
    float cosine = (quadrant & 1u) == 0u ? c : s;
    sine = (quadrant & 2u) == 0u ? sine : -sine;
    cosine = ((quadrant + 1u) & 2u) == 0u ? cosine : -cosine;
    return vec2(sine, cosine);
}

// 2^x for -60 <= x <= 60; at most 2 ulp. Exact for whole x.
float vks_exp2(float x)
{
    precise float half_up = x + 0.5f;
    precise float whole = floor(half_up);
    precise float t = x - whole;
    precise float p = 0.00015353362f;
    p = p * t + 0.0013398875f;
    p = p * t + 0.00961843692f;
    p = p * t + 0.0555033237f;
    p = p * t + 0.240226477f;
    p = p * t + 0.693147182f;
    p = p * t + 1.0f;
    precise float scaled = p * uintBitsToFloat(uint(int(whole) + 127) << 23);
    return scaled;
}

// log2(x) for 2^-60 <= x <= 2^60; relative error at most 4e-7. Exact for powers of two.
float vks_log2(float x)
{
    uint bits = floatBitsToUint(x) - 0x3f3504f3u; // relative to sqrt(1/2)
    int exponent = int(bits) >> 23;
    precise float f = uintBitsToFloat((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    precise float denominator = 2.0f + f;
    precise float s = vks_divide(f, denominator);
    precise float z = s * s;
    precise float p = 0.431735903f;
    p = p * z + 0.576714396f;
    p = p * z + 0.961798847f;
    p = p * z + 2.88539004f;
    precise float y = float(exponent) + s * p;
    return y;
}

// e^x for -41 <= x <= 41; relative error at most 4e-6 at the ends.
float vks_exp(float x)
{
    precise float y = x * 1.44269502f;
    return vks_exp2(y);
}

// Natural logarithm, domain as vks_log2(); relative error at most 5e-7.
float vks_log(float x)
{
    precise float y = vks_log2(x) * 0.693147182f;
    return y;
}

// x^y for 2^-60 <= x <= 2^60 and |y log2 x| <= 60; 0 for smaller x. Relative error at most 1.5e-5,
// or 4e-6 where |y log2 x| <= 8.
float vks_pow(float x, float y)
{
    if (x < VKS_TINY) {
        return 0.0f;
    }
    precise float e = y * vks_log2(x);
    return vks_exp2(e < -60.0f ? -60.0f : (e > 60.0f ? 60.0f : e));
}

// The IEEE half nearest to x, ties to even, as bits, for |x| < 65504; 0 below 2^-14, where halves
// would be subnormal.
uint vks_half(float x)
{
    uint bits = floatBitsToUint(x) & 0x7fffffffu;
    uint sign = (floatBitsToUint(x) >> 16) & 0x8000u;
    uint nearest = ((bits + 0xfffu + ((bits >> 13) & 1u)) >> 13) - 0x1c000u;
    return bits < 0x38800000u ? sign : sign | nearest;
}

// The value of a half that is neither subnormal, infinite nor NaN. Exact.
float vks_from_half(uint half_bits)
{
    precise float scaled = uintBitsToFloat((half_bits & 0x7fffu) << 13) * 5.19229686e33f; // 2^112
    return uintBitsToFloat(floatBitsToUint(scaled) | ((half_bits & 0x8000u) << 16));
}

// Four random words for (seed, item, step, stream): the pcg4d hash (Jarzynski and Olano 2020, "Hash
// Functions for GPU Rendering"). Counter-based: no state, any order. Use the upper bits: along a
// counting sequence the lowest ones are biased.
uvec4 vks_random(uint seed, uint item, uint step, uint stream)
{
    uint x = seed * 1664525u + 1013904223u;
    uint y = item * 1664525u + 1013904223u;
    uint z = step * 1664525u + 1013904223u;
    uint w = stream * 1664525u + 1013904223u;
    x += y * w;
    y += z * x;
    z += x * y;
    w += y * z;
    x ^= x >> 16;
    y ^= y >> 16;
    z ^= z >> 16;
    w ^= w >> 16;
    x += y * w;
    y += z * x;
    z += x * y;
    w += y * z;
    return uvec4(x, y, z, w);
}

// High word of a product: the cell of a position, or a random number below `b`.
uint vks_high(uint a, uint b)
{
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}

// A length of `length` sides times the direction cosine `cosine`, as a wrapped 2^-32 fraction of
// the side. Truncates toward 0, so that opposite directions give opposite steps. length in
// [0, 2^24].
uint vks_displacement(float cosine, float length)
{
    precise float sides = (cosine < 0.0f ? -cosine : cosine) * length;
    sides = sides - floor(sides);
    precise float scaled = sides * 4294967296.0f;
    uint fraction = uint(scaled);
    return cosine < 0.0f ? 0u - fraction : fraction;
}
#endif
