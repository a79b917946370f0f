// SPDX-License-Identifier: MIT
// Every function of lib/exact.glsl and lib/fixed.glsl on arrays of inputs, bits in and bits out.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "lib/fixed.glsl"
#include "exact_cases.h"

layout(constant_id = 2) const uint function = EXACT_FLUSH;

struct exact_params {
    uint count;
};
VKS_CONSTANTS(exact_params);

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
    }
    return uvec4(0xffffffffu);
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
