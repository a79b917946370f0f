/* SPDX-License-Identifier: MIT */
#include "base/exact.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
#error "exact arithmetic needs IEEE float32 evaluation"
#endif

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Index of the highest set bit; -1 for 0. */
static int32_t highest_bit(uint32_t word)
{
    int32_t bit = -1;
    for (; word != 0; word >>= 1) {
        bit++;
    }
    return bit;
}

float vks_real(double value)
{
    return vks_flush((float)value);
}

uint32_t vks_binary_angle(double degrees)
{
    return (uint32_t)(int64_t)llround(degrees / 360 * 0x1p32);
}

uint32_t vks_jitter_angle(double degrees)
{
    const uint32_t angle = vks_binary_angle(degrees);
    return angle < INT32_MAX ? angle : INT32_MAX;
}

uint32_t vks_event_words(uint64_t mean)
{
    return mean > 0 ? (uint32_t)((UINT64_C(1) << 32) / mean - 1) : 0;
}

/* GLSL's spelling of conversions. A macro with an argument does not affect the plain type name, so
 * `float x` is still a declaration. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
typedef uint32_t uint;
typedef vks_vec2 vec2;
typedef vks_uvec2 uvec2;
typedef vks_uvec4 uvec4;
typedef vks_ivec3 ivec3;
#define precise
#define float(x) ((float)(x))
#define int(x) ((int32_t)(x))
#define uint(x) ((uint32_t)(x))
#define vec2(x, y) ((vks_vec2){(x), (y)})
#define uvec2(x, y) ((vks_uvec2){(x), (y)})
#define uvec4(x, y, z, w) ((vks_uvec4){(x), (y), (z), (w)})
#define ivec3(x, y, z) ((vks_ivec3){(x), (y), (z)})
#define floatBitsToUint(x) bits_of(x)
#define floatBitsToInt(x) ((int32_t)bits_of(x))
#define uintBitsToFloat(x) float_of(x)
#define floor(x) floorf(x)
#define abs(x) fabsf(x)
#define findMSB(x) highest_bit(x)
#define umulExtended(a, b, high, low) \
    ((high) = (uint32_t)(((uint64_t)(a) * (b)) >> 32), (low) = (a) * (b), (void)(low))

#include "lib/exact.glsl"
#include "lib/fixed.glsl"
#include "lib/formula.glsl"
