// SPDX-License-Identifier: MIT
// Every function of lib/exact.glsl, lib/fixed.glsl and lib/formula.glsl, and the operations that
// they are made of, on arrays of inputs: bits in and bits out.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "lib/fixed.glsl"
#include "lib/formula.glsl"
#include "selftest/functions.h"

layout(constant_id = 2) const uint function = EXACT_FLUSH;

struct functions_params {
    uint count;
};
VKS_CONSTANTS(functions_params);

layout(std430, set = 0, binding = 0) readonly buffer inputs_xy
{
    uvec2 xy[];
};
layout(std430, set = 0, binding = 1) readonly buffer inputs_zw
{
    uvec2 zw[];
};
layout(std430, set = 0, binding = 2) writeonly buffer outputs_xy
{
    uvec2 out_xy[];
};
layout(std430, set = 0, binding = 3) writeonly buffer outputs_zw
{
    uvec2 out_zw[];
};

uvec4 bits(float x)
{
    return uvec4(floatBitsToUint(x), 0u, 0u, 0u);
}

// Each result is as the driver computes it, but for zeros, whose sign is not defined, and results
// below 2^-60, which may be subnormal.
uvec4 operate(uvec4 v, float a, float b, float c)
{
    ivec4 s = ivec4(v);
    precise float sum = a + b;
    precise float difference = a - b;
    precise float product = a * b;
    precise float product_and_sum = product + c;
    uint high, low;
    int signed_high, signed_low;
    switch (function) {
    case EXACT_ADD:
        return bits(vks_flush(sum));
    case EXACT_SUBTRACT:
        return bits(vks_flush(difference));
    case EXACT_MULTIPLY:
        return bits(vks_flush(product));
    case EXACT_MULTIPLY_ADD:
        return bits(vks_flush(product_and_sum));
    case EXACT_COMPARE:
        return uvec4((a < b ? 1u : 0u) | (a <= b ? 2u : 0u), (a > b ? 1u : 0u) | (a >= b ? 2u : 0u),
                     (a == b ? 1u : 0u) | (a != b ? 2u : 0u), 0u);
    case EXACT_MIN_MAX:
        return floatBitsToUint(vec4(min(a, b), max(a, b), clamp(c, min(a, b), max(a, b)), abs(a)));
    case EXACT_FLOOR:
        return floatBitsToUint(vec4(vks_flush(floor(a)), vks_flush(ceil(a)), vks_flush(trunc(a)),
                                    vks_flush(roundEven(a))));
    case EXACT_TO_INTEGER:
        return uvec4(uint(int(a)), uint(abs(a)), 0u, 0u);
    case EXACT_TO_FLOAT:
        return uvec4(floatBitsToUint(float(s.x)), floatBitsToUint(float(v.y)), 0u, 0u);
    case EXACT_INTEGER:
        return uvec4(v.x * v.y + v.z, v.x - v.y, (v.x & v.y) ^ (v.z | ~v.w), uint(-s.x));
    case EXACT_QUOTIENT:
        return uvec4(v.x / v.y, v.x % v.y, uint(s.z / s.w), 0u);
    case EXACT_WIDE:
        umulExtended(v.x, v.y, high, low);
        imulExtended(s.x, s.y, signed_high, signed_low);
        return uvec4(high, low, uint(signed_high), uint(signed_low));
    case EXACT_SHIFT:
        return uvec4(v.x << (v.y & 31u), v.x >> (v.y & 31u), uint(s.x >> (s.y & 31)),
                     bitfieldReverse(v.x));
    case EXACT_BITS:
        return uvec4(bitCount(v.x), findMSB(v.x), findLSB(v.x), findMSB(s.x));
    }
    return uvec4(0xffffffffu);
}

uvec4 evaluate(uvec4 v)
{
    float a = uintBitsToFloat(v.x);
    float b = uintBitsToFloat(v.y);
    switch (function) {
    case EXACT_FLUSH:
        return bits(vks_flush(a));
    case EXACT_RECIPROCAL:
        return bits(vks_reciprocal(a));
    case EXACT_DIVIDE:
        return bits(vks_divide(a, b));
    case EXACT_SQRT:
        return bits(vks_sqrt(a));
    case EXACT_SINCOS:
        vec2 sincos = vks_sincos(v.x);
        return uvec4(floatBitsToUint(sincos.x), floatBitsToUint(sincos.y), 0u, 0u);
    case EXACT_EXP2:
        return bits(vks_exp2(a));
    case EXACT_LOG2:
        return bits(vks_log2(a));
    case EXACT_EXP:
        return bits(vks_exp(a));
    case EXACT_LOG:
        return bits(vks_log(a));
    case EXACT_POW:
        return bits(vks_pow(a, b));
    case EXACT_RANDOM:
        return vks_random(v.x, v.y, v.z, v.w);
    case EXACT_HIGH:
        return uvec4(vks_high(v.x, v.y), 0u, 0u, 0u);
    case EXACT_DISPLACEMENT:
        return uvec4(vks_displacement(a, b), 0u, 0u, 0u);
    case EXACT_POWER_OF_TWO:
        return bits(vks_power_of_two(int(v.x)));
    case EXACT_FIXED_ADD:
        return uvec4(vks_fixed_add(v.xy, v.zw), 0u, 0u);
    case EXACT_FIXED_SUBTRACT:
        return uvec4(vks_fixed_subtract(v.xy, v.zw), 0u, 0u);
    case EXACT_FIXED_NEGATE:
        return uvec4(vks_fixed_negate(v.xy), 0u, 0u);
    case EXACT_FIXED:
        return uvec4(vks_fixed(a, b), 0u, 0u);
    case EXACT_FROM_FIXED:
        return bits(vks_from_fixed(v.xy, uintBitsToFloat(v.z)));
    case EXACT_LIMBS:
        return uvec4(uvec3(vks_limbs(a)), 0u);
    case EXACT_CARRIED:
        return uvec4(uvec3(vks_carried(ivec3(v.xyz))), 0u);
    case EXACT_FROM_LIMBS:
        return uvec4(vks_from_limbs(ivec3(v.xyz)), 0u, 0u);
    case EXACT_HALF:
        return uvec4(vks_half(a), 0u, 0u, 0u);
    case EXACT_FROM_HALF:
        return bits(vks_from_half(v.x));
    case EXACT_FORMULA_RECIPROCAL:
        return bits(vks_formula_reciprocal(a));
    case EXACT_FORMULA_SQRT:
        return bits(vks_formula_sqrt(a));
    case EXACT_FORMULA_EXP:
        return bits(vks_formula_exp(a));
    case EXACT_FORMULA_LOG:
        return bits(vks_formula_log(a));
    case EXACT_FORMULA_SINCOS:
        return uvec4(floatBitsToUint(vks_formula_sincos(a)), 0u, 0u);
    case EXACT_FORMULA_TANH:
        return bits(vks_formula_tanh(a));
    case EXACT_FORMULA_SIGMOID:
        return bits(vks_formula_sigmoid(a));
    case EXACT_FORMULA_POWER:
        return bits(vks_formula_power(a, b));
    case EXACT_FORMULA_NORMAL:
        return bits(vks_formula_normal(v.x, v.y));
    }
    return operate(v, a, b, uintBitsToFloat(v.z));
}

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        uvec4 result = evaluate(uvec4(xy[i], zw[i]));
        out_xy[i] = result.xy;
        out_zw[i] = result.zw;
    }
}
