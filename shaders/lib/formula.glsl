// SPDX-License-Identifier: MIT
//
// Functions of formula models, for every finite argument that is not subnormal: like those of
// lib/exact.glsl, with arguments limited to the domains of those. This text is GLSL and, through
// src/base/exact.c, C17.
#ifndef VKS_LIB_FORMULA_GLSL
#define VKS_LIB_FORMULA_GLSL

float vks_limit(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

// +-2^62 at most, so that sums and products are finite.
float vks_clamped(float x)
{
    return vks_limit(x, -4.61168602e18f, 4.61168602e18f);
}

// 1 / x; 0 below 2^-60.
float vks_formula_reciprocal(float x)
{
    return abs(x) < VKS_TINY ? 0.0f
                             : vks_reciprocal(vks_limit(x, -1.15292150e18f, 1.15292150e18f));
}

float vks_formula_sqrt(float x)
{
    return vks_sqrt(x > 1.15292150e18f ? 1.15292150e18f : x);
}

float vks_formula_exp(float x)
{
    return vks_exp(vks_flush(vks_limit(x, -41.0f, 41.0f)));
}

float vks_formula_log(float x)
{
    return vks_log(vks_limit(x, VKS_TINY, 1.15292150e18f));
}

// (sin, cos) of x radians, limited to +-2^20.
vec2 vks_formula_sincos(float x)
{
    precise float turns = vks_flush(vks_limit(abs(x), 0.0f, 1048576.0f)) * 0.159154937f;
    precise float rest = turns - floor(turns);
    precise float scaled = rest * 4294967296.0f;
    vec2 both = vks_sincos(uint(scaled));
    return vec2(x < 0.0f ? -both.x : both.x, both.y);
}

float vks_formula_sin(float x)
{
    return vks_formula_sincos(x).x;
}

float vks_formula_cos(float x)
{
    return vks_formula_sincos(x).y;
}

// Absolute error at most 1.5e-6. Limited to +-20.
float vks_formula_tanh(float x)
{
    precise float doubled = 2.0f * vks_flush(vks_limit(x, -20.0f, 20.0f));
    precise float above = vks_exp(doubled) + 1.0f;
    precise float t = 1.0f - 2.0f * vks_reciprocal(above);
    return t;
}

// 1 / (1 + e^-x), limited to +-20.
float vks_formula_sigmoid(float x)
{
    precise float below = vks_exp(-vks_flush(vks_limit(x, -20.0f, 20.0f))) + 1.0f;
    return vks_reciprocal(below);
}

// x^y; 0 for x below 2^-60.
float vks_formula_power(float x, float y)
{
    float limited = x > 1.15292150e18f ? 1.15292150e18f : x;
    return vks_pow(limited, vks_flush(vks_clamped(y)));
}

// A normal deviate of two random words (Box and Muller 1958).
float vks_formula_normal(uint a, uint b)
{
    precise float u = (float(a >> 8) + 0.5f) * 5.96046448e-8f;
    precise float radius = vks_sqrt(-2.0f * vks_log(u));
    precise float deviate = radius * vks_sincos(b).y;
    return deviate;
}
#endif
