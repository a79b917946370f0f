// SPDX-License-Identifier: MIT
//
// Order-independent sums: 64-bit fixed point as a pair of words, with identical bits on every
// device and in C (see lib/exact.glsl).
//
// A fixed-point number is an integer of 64 bits in two's complement, x its low and y its high word,
// and counts units of a power of two, 1 / scale. Additions wrap, so partial sums may leave the
// range as long as the total is back inside it.
#ifndef VKS_LIB_FIXED_GLSL
#define VKS_LIB_FIXED_GLSL

#include "lib/exact.glsl"

// 2^exponent for -126 <= exponent <= 127: a scale, or the unit of the scale 2^-exponent.
float vks_power_of_two(int exponent)
{
    return uintBitsToFloat(uint(exponent + 127) << 23);
}

uvec2 vks_fixed_add(uvec2 a, uvec2 b)
{
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

uvec2 vks_fixed_subtract(uvec2 a, uvec2 b)
{
    return uvec2(a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u));
}

uvec2 vks_fixed_negate(uvec2 a)
{
    return vks_fixed_subtract(uvec2(0u, 0u), a);
}

// A fixed-point number as three signed limbs, x + 2^21 y + 2^42 z, with x and y up to 2^20 in
// magnitude: 1024 of them can be added up limb by limb without a carry. `top` is the number in
// units of 2^42, below 2^21 in magnitude or -2^21; it is rounded to an integer number of units,
// ties to even. Adding 1.5 * 2^23 rounds a float to an integer, which is then in its low bits.
ivec3 vks_limbs(float top)
{
    precise float z = top + 12582912.0f;
    precise float rest = top - (z - 12582912.0f);
    rest = rest * 2097152.0f;
    precise float y = rest + 12582912.0f;
    precise float last = rest - (y - 12582912.0f);
    last = last * 2097152.0f;
    precise float x = last + 12582912.0f;
    const int bits = 0x4b400000; // of 12582912.0f
    return ivec3(floatBitsToInt(x) - bits, floatBitsToInt(y) - bits, floatBitsToInt(z) - bits);
}

// The factor from numbers to units of 2^42, for units of 2^-exponent, -84 <= exponent <= 127.
float vks_top_scale(int exponent)
{
    return vks_power_of_two(exponent - 42);
}

// Carries: the same number with x and y up to 2^20 in magnitude.
ivec3 vks_carried(ivec3 limbs)
{
    int to_y = (limbs.x + 0x100000) >> 21;
    int y = limbs.y + to_y;
    int to_z = (y + 0x100000) >> 21;
    return ivec3(limbs.x - to_y * 2097152, y - to_z * 2097152, limbs.z + to_z);
}

uvec2 vks_from_limbs(ivec3 limbs)
{
    uvec2 low = uvec2(uint(limbs.x), limbs.x < 0 ? 0xffffffffu : 0u);
    uvec2 sum = vks_fixed_add(low, uvec2(uint(limbs.y) << 21, uint(limbs.y >> 11)));
    return uvec2(sum.x, sum.y + (uint(limbs.z) << 10));
}

// a * scale, rounded to the nearest integer, ties to even. scale is a power of two, a is 0 or
// normal, and |a * scale| < 2^63. Below half a unit the result is 0.
uvec2 vks_fixed(float a, float scale)
{
    precise float scaled = a * scale;
    precise float top = scaled * 2.2737367544323206e-13f; // 2^-42
    return vks_from_limbs(vks_limbs(top));
}

// The float32 nearest to a, ties to even, times `unit`: a power of two with |a * unit| < 2^128.
// Results below 2^-60 are flushed to 0.
float vks_from_fixed(uvec2 a, float unit)
{
    bool negative = a.y >= 0x80000000u;
    uvec2 magnitude = negative ? vks_fixed_negate(a) : a;
    // Shifts the leading one to the highest bit: 24 bits are kept, one rounds, 39 break ties.
    uint leading = 63u;
    if (magnitude.y == 0u) {
        magnitude = uvec2(0u, magnitude.x);
        leading = 31u;
    }
    if (magnitude.y == 0u) {
        return 0.0f;
    }
    uint shift = 31u - uint(findMSB(magnitude.y));
    if (shift > 0u) {
        magnitude = uvec2(magnitude.x << shift,
                          (magnitude.y << shift) | (magnitude.x >> (32u - shift)));
    }
    uint kept = magnitude.y >> 8;
    uint rest = magnitude.y & 0xffu;
    if (rest > 0x80u || (rest == 0x80u && (magnitude.x != 0u || (kept & 1u) == 1u))) {
        kept += 1u; // 2^24 at most, which is exact too
    }
    precise float nearest = float(kept) * vks_power_of_two(int(leading - shift) - 23);
    nearest = nearest * unit;
    return vks_flush(negative ? -nearest : nearest);
}

// Adds a fixed-point number to `cell`, a uvec2 in a buffer or in shared memory, with no other
// concurrent accesses. A statement; both arguments are evaluated several times.
#define VKS_FIXED_ATOMIC_ADD(cell, amount)                                                         \
    {                                                                                              \
        uint vks_before = atomicAdd((cell).x, (amount).x);                                         \
        uint vks_high_word = (amount).y + (vks_before + (amount).x < vks_before ? 1u : 0u);        \
        if (vks_high_word != 0u) {                                                                 \
            atomicAdd((cell).y, vks_high_word);                                                    \
        }                                                                                          \
    }

#endif
