/* SPDX-License-Identifier: MIT */
/* The functions of shaders/lib/exact.glsl, fixed.glsl and formula.glsl and the operations that they
 * are made of, on the device and on the host: identical bits over the whole domain. */
#include "selftest/selftest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/task.h"
#include "graph/graph.h"
#include "selftest/numbers.h"

#include "selftest/functions.h"

enum { COUNT = 1 << 18, WORDS = 4 };

/* A letter per word that is used: f float, u unsigned, i signed, x bits. */
static const struct function {
    const char *name, *in, *out;
} functions[EXACT_COUNT] = {
    [EXACT_FLUSH] = {"flush", "f", "f"},
    [EXACT_RECIPROCAL] = {"reciprocal", "f", "f"},
    [EXACT_DIVIDE] = {"divide", "ff", "f"},
    [EXACT_SQRT] = {"square root", "f", "f"},
    [EXACT_SINCOS] = {"sine and cosine of a binary angle", "u", "ff"},
    [EXACT_EXP2] = {"exp2", "f", "f"},
    [EXACT_LOG2] = {"log2", "f", "f"},
    [EXACT_EXP] = {"exp", "f", "f"},
    [EXACT_LOG] = {"log", "f", "f"},
    [EXACT_POW] = {"pow", "ff", "f"},
    [EXACT_RANDOM] = {"random words", "uuuu", "xxxx"},
    [EXACT_HIGH] = {"high word of a product", "uu", "u"},
    [EXACT_DISPLACEMENT] = {"displacement", "ff", "i"},
    [EXACT_POWER_OF_TWO] = {"power of two", "i", "f"},
    [EXACT_FIXED_ADD] = {"fixed-point sum", "xxxx", "xx"},
    [EXACT_FIXED_SUBTRACT] = {"fixed-point difference", "xxxx", "xx"},
    [EXACT_FIXED_NEGATE] = {"fixed-point negation", "xx", "xx"},
    [EXACT_FIXED] = {"float to fixed point", "ff", "xx"},
    [EXACT_FROM_FIXED] = {"fixed point to float", "xxf", "f"},
    [EXACT_LIMBS] = {"float to limbs", "f", "iii"},
    [EXACT_CARRIED] = {"carries of limbs", "iii", "iii"},
    [EXACT_FROM_LIMBS] = {"limbs to fixed point", "iii", "xx"},
    [EXACT_HALF] = {"float to float16", "f", "x"},
    [EXACT_FROM_HALF] = {"float16 to float", "x", "f"},
    [EXACT_FORMULA_RECIPROCAL] = {"reciprocal of a formula", "f", "f"},
    [EXACT_FORMULA_SQRT] = {"sqrt of a formula", "f", "f"},
    [EXACT_FORMULA_EXP] = {"exp of a formula", "f", "f"},
    [EXACT_FORMULA_LOG] = {"log of a formula", "f", "f"},
    [EXACT_FORMULA_SINCOS] = {"sin and cos of a formula", "f", "ff"},
    [EXACT_FORMULA_TANH] = {"tanh of a formula", "f", "f"},
    [EXACT_FORMULA_SIGMOID] = {"sigmoid of a formula", "f", "f"},
    [EXACT_FORMULA_POWER] = {"power of a formula", "ff", "f"},
    [EXACT_FORMULA_NORMAL] = {"normal deviate of a formula", "uu", "f"},
    [EXACT_ADD] = {"a + b", "ff", "f"},
    [EXACT_SUBTRACT] = {"a - b", "ff", "f"},
    [EXACT_MULTIPLY] = {"a * b", "ff", "f"},
    [EXACT_MULTIPLY_ADD] = {"a * b + c, not fused", "fff", "f"},
    [EXACT_COMPARE] = {"< <=, > >=, == !=", "ff", "uuu"},
    [EXACT_MIN_MAX] = {"min, max, clamp, abs", "fff", "ffff"},
    [EXACT_FLOOR] = {"floor, ceil, trunc, roundEven", "f", "ffff"},
    [EXACT_TO_INTEGER] = {"float to int and uint", "f", "iu"},
    [EXACT_TO_FLOAT] = {"int and uint to float", "iu", "ff"},
    [EXACT_INTEGER] = {"x * y + z, x - y, bits, -x", "xxxx", "xxxx"},
    [EXACT_QUOTIENT] = {"x / y, x % y, signed z / w", "uuii", "uui"},
    [EXACT_WIDE] = {"64-bit products of words", "xx", "xxxx"},
    [EXACT_SHIFT] = {"shifts, reversed bits", "xx", "xxxx"},
    [EXACT_BITS] = {"number and places of bits", "x", "iiii"},
};
enum { FIRST_OPERATION = EXACT_ADD };

struct words {
    uint32_t x, y, z, w;
};

/* --- on the host ----------------------------------------------------------------------------- */

static uint32_t reversed(uint32_t x)
{
    uint32_t bits = 0;
    for (int i = 0; i < 32; i++) {
        bits |= (x >> i & 1) << (31 - i);
    }
    return bits;
}

/* The place of the highest bit that is set, -1 for none. */
static uint32_t highest(uint32_t x)
{
    uint32_t place = UINT32_MAX;
    for (; x; x >>= 1) {
        place++;
    }
    return place;
}

static uint32_t lowest(uint32_t x)
{
    return highest(x & (0 - x));
}

static uint32_t count_bits(uint32_t x)
{
    uint32_t count = 0;
    for (; x; x &= x - 1) {
        count++;
    }
    return count;
}

static uint32_t flushed(float x)
{
    return bits_of(vks_flush(x));
}

static struct words operate_on_integers(uint32_t function, struct words in)
{
    const int32_t x = (int32_t)in.x, y = (int32_t)in.y;
    const uint64_t wide = (uint64_t)in.x * in.y;
    const uint64_t wide_signed = (uint64_t)((int64_t)x * y);
    const uint32_t shift = in.y & 31;
    switch (function) {
    case EXACT_TO_FLOAT:
        return (struct words){bits_of((float)x), bits_of((float)in.y), 0, 0};
    case EXACT_INTEGER:
        return (struct words){in.x * in.y + in.z, in.x - in.y, (in.x & in.y) ^ (in.z | ~in.w),
                              0 - in.x};
    case EXACT_QUOTIENT:
        return (struct words){in.x / in.y, in.x % in.y, (uint32_t)((int32_t)in.z / (int32_t)in.w),
                              0};
    case EXACT_WIDE:
        return (struct words){(uint32_t)(wide >> 32), (uint32_t)wide, (uint32_t)(wide_signed >> 32),
                              (uint32_t)wide_signed};
    case EXACT_SHIFT:
        return (struct words){in.x << shift, in.x >> shift,
                              (uint32_t)(((uint64_t)(int64_t)x) >> shift), reversed(in.x)};
    default:
        return (struct words){count_bits(in.x), highest(in.x), lowest(in.x),
                              highest(x < 0 ? ~in.x : in.x)};
    }
}

static struct words operate(uint32_t function, struct words in)
{
    const float a = float_of(in.x), b = float_of(in.y), c = float_of(in.z);
    const float low = a < b ? a : b, high = a < b ? b : a;
    switch (function) {
    case EXACT_ADD:
        return (struct words){flushed(a + b), 0, 0, 0};
    case EXACT_SUBTRACT:
        return (struct words){flushed(a - b), 0, 0, 0};
    case EXACT_MULTIPLY:
        return (struct words){flushed(a * b), 0, 0, 0};
    case EXACT_MULTIPLY_ADD:
        return (struct words){flushed(a * b + c), 0, 0, 0};
    case EXACT_COMPARE:
        return (struct words){(a < b ? 1u : 0u) | (a <= b ? 2u : 0u),
                              (a > b ? 1u : 0u) | (a >= b ? 2u : 0u),
                              (a == b ? 1u : 0u) | (a != b ? 2u : 0u), 0};
    case EXACT_MIN_MAX:
        return (struct words){bits_of(low), bits_of(high),
                              bits_of(c < low ? low : (c > high ? high : c)), in.x & 0x7fffffff};
    case EXACT_FLOOR:
        return (struct words){flushed(floorf(a)), flushed(ceilf(a)), flushed(truncf(a)),
                              flushed(nearbyintf(a))};
    case EXACT_TO_INTEGER:
        return (struct words){(uint32_t)(int32_t)a, (uint32_t)fabsf(a), 0, 0};
    default:
        return operate_on_integers(function, in);
    }
}

static struct words evaluate(uint32_t function, struct words in)
{
    const float a = float_of(in.x), b = float_of(in.y);
    switch (function) {
    case EXACT_FLUSH:
        return (struct words){bits_of(vks_flush(a)), 0, 0, 0};
    case EXACT_RECIPROCAL:
        return (struct words){bits_of(vks_reciprocal(a)), 0, 0, 0};
    case EXACT_DIVIDE:
        return (struct words){bits_of(vks_divide(a, b)), 0, 0, 0};
    case EXACT_SQRT:
        return (struct words){bits_of(vks_sqrt(a)), 0, 0, 0};
    case EXACT_SINCOS: {
        vks_vec2 v = vks_sincos(in.x);
        return (struct words){bits_of(v.x), bits_of(v.y), 0, 0};
    }
    case EXACT_EXP2:
        return (struct words){bits_of(vks_exp2(a)), 0, 0, 0};
    case EXACT_LOG2:
        return (struct words){bits_of(vks_log2(a)), 0, 0, 0};
    case EXACT_EXP:
        return (struct words){bits_of(vks_exp(a)), 0, 0, 0};
    case EXACT_LOG:
        return (struct words){bits_of(vks_log(a)), 0, 0, 0};
    case EXACT_POW:
        return (struct words){bits_of(vks_pow(a, b)), 0, 0, 0};
    case EXACT_RANDOM: {
        vks_uvec4 v = vks_random(in.x, in.y, in.z, in.w);
        return (struct words){v.x, v.y, v.z, v.w};
    }
    case EXACT_HIGH:
        return (struct words){vks_high(in.x, in.y), 0, 0, 0};
    case EXACT_POWER_OF_TWO:
        return (struct words){bits_of(vks_power_of_two((int32_t)in.x)), 0, 0, 0};
    case EXACT_FIXED_ADD: {
        vks_uvec2 v = vks_fixed_add((vks_uvec2){in.x, in.y}, (vks_uvec2){in.z, in.w});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED_SUBTRACT: {
        vks_uvec2 v = vks_fixed_subtract((vks_uvec2){in.x, in.y}, (vks_uvec2){in.z, in.w});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED_NEGATE: {
        vks_uvec2 v = vks_fixed_negate((vks_uvec2){in.x, in.y});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FIXED: {
        vks_uvec2 v = vks_fixed(a, b);
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_FROM_FIXED:
        return (struct words){bits_of(vks_from_fixed((vks_uvec2){in.x, in.y}, float_of(in.z))), 0,
                              0, 0};
    case EXACT_LIMBS: {
        vks_ivec3 v = vks_limbs(a);
        return (struct words){(uint32_t)v.x, (uint32_t)v.y, (uint32_t)v.z, 0};
    }
    case EXACT_CARRIED: {
        vks_ivec3 v = vks_carried((vks_ivec3){(int32_t)in.x, (int32_t)in.y, (int32_t)in.z});
        return (struct words){(uint32_t)v.x, (uint32_t)v.y, (uint32_t)v.z, 0};
    }
    case EXACT_FROM_LIMBS: {
        vks_uvec2 v = vks_from_limbs((vks_ivec3){(int32_t)in.x, (int32_t)in.y, (int32_t)in.z});
        return (struct words){v.x, v.y, 0, 0};
    }
    case EXACT_DISPLACEMENT:
        return (struct words){vks_displacement(a, b), 0, 0, 0};
    case EXACT_HALF:
        return (struct words){vks_half(a), 0, 0, 0};
    case EXACT_FROM_HALF:
        return (struct words){bits_of(vks_from_half(in.x)), 0, 0, 0};
    case EXACT_FORMULA_RECIPROCAL:
        return (struct words){bits_of(vks_formula_reciprocal(a)), 0, 0, 0};
    case EXACT_FORMULA_SQRT:
        return (struct words){bits_of(vks_formula_sqrt(a)), 0, 0, 0};
    case EXACT_FORMULA_EXP:
        return (struct words){bits_of(vks_formula_exp(a)), 0, 0, 0};
    case EXACT_FORMULA_LOG:
        return (struct words){bits_of(vks_formula_log(a)), 0, 0, 0};
    case EXACT_FORMULA_SINCOS: {
        vks_vec2 v = vks_formula_sincos(a);
        return (struct words){bits_of(v.x), bits_of(v.y), 0, 0};
    }
    case EXACT_FORMULA_TANH:
        return (struct words){bits_of(vks_formula_tanh(a)), 0, 0, 0};
    case EXACT_FORMULA_SIGMOID:
        return (struct words){bits_of(vks_formula_sigmoid(a)), 0, 0, 0};
    case EXACT_FORMULA_POWER:
        return (struct words){bits_of(vks_formula_power(a, b)), 0, 0, 0};
    case EXACT_FORMULA_NORMAL:
        return (struct words){bits_of(vks_formula_normal(in.x, in.y)), 0, 0, 0};
    default:
        return operate(function, in);
    }
}

/* --- inputs ---------------------------------------------------------------------------------- */

/* A log-uniform magnitude in [2^-60, 2^60], sometimes at an edge. */
static float magnitude(uint64_t *random)
{
    static const float edges[] = {0x1p-60f, 0x1p60f, 1.0f, 0x1.fffffep-1f, 0x1.000002p0f,
                                  2.0f,     0.5f,    3.0f, 0x1.fffffep59f, 0x1.000002p-60f};
    if (next_word(random) % 64 == 0) {
        return edges[next_word(random) % (sizeof(edges) / sizeof(edges[0]))];
    }
    uint32_t exponent = (uint32_t)(67 + next_word(random) % 120); /* 2^-60 to 2^59 */
    return float_of(exponent << 23 | (uint32_t)(next_word(random) & 0x7fffff));
}

static float signed_magnitude(uint64_t *random)
{
    float value = magnitude(random);
    return next_word(random) & 1 ? -value : value;
}

/* A 64-bit integer of uniform bit length; often half way between two float32, or one unit off. */
static void fixed_point(uint64_t *random, uint32_t *low, uint32_t *high)
{
    uint64_t value = next_word(random) >> next_word(random) % 64;
    const uint32_t drop = (uint32_t)(1 + next_word(random) % 39);
    if (next_word(random) % 4 == 0) {
        const uint64_t kept = 0x800000 | (next_word(random) % 8 ? value & 0x7fffff : 0x7fffff);
        value = (kept << drop) + (UINT64_C(1) << (drop - 1)) + next_word(random) % 3 - 1;
    }
    value = next_word(random) & 1 ? value : 0 - value;
    *low = (uint32_t)value;
    *high = (uint32_t)(value >> 32);
}

/* Another float near a: of similar size, a neighbour or its negative, or half a unit in its last
 * place and thereby a tie of sums. */
static float near(float a, uint64_t *random)
{
    const uint32_t bits = bits_of(a), exponent = bits >> 23 & 0xff;
    const uint64_t word = next_word(random);
    const uint32_t sign = (uint32_t)(word >> 32) & 0x80000000;
    switch (word % 4) {
    case 0:
        return signed_magnitude(random);
    case 1: {
        const uint32_t other = exponent - 26 + (uint32_t)(word >> 8) % 53;
        return float_of(sign | other << 23 | (uint32_t)(next_word(random) & 0x7fffff));
    }
    case 2:
        return float_of(sign ^ (bits + (uint32_t)(word >> 8) % 7 - 3));
    default:
        return float_of(sign | (exponent - 24) << 23 | (uint32_t)(word >> 8 & 1) << 22);
    }
}

/* Factors whose product is often a tie, or near 2^-60. */
static void factors(uint64_t *random, struct words *in)
{
    const float a = signed_magnitude(random), b = signed_magnitude(random);
    in->x = bits_of(a);
    in->y = bits_of(b);
    const uint64_t word = next_word(random);
    if (word % 3 == 0) {
        in->x &= 0xfffff000;
        in->y &= 0xfffff800;
    } else if (word % 3 == 1) { /* exponents add up to that of 2^-60 or one beside it */
        const uint32_t other = 254 - 60 - (in->x >> 23 & 0xff) - 1 + (uint32_t)(word >> 8) % 3;
        in->y = (in->y & 0x807fffff) | (other - 1) % 254 << 23;
    }
}

/* a, b and c with c = -(a * b), rounded or a neighbour of it, where fusing shows. */
static void product_and_sum(uint64_t *random, struct words *in)
{
    const float a = (float)between(random, -1000, 1000), b = (float)between(random, -1000, 1000);
    const float product = a * b;
    in->x = bits_of(a);
    in->y = bits_of(b);
    in->z = bits_of(-product) + (uint32_t)(next_word(random) % 3) - 1;
    if (next_word(random) % 4 == 0) {
        in->z = bits_of(near(product, random));
    }
}

/* A random input in the operation's domain. */
static struct words input_of_operation(uint32_t function, struct words in, uint64_t *random)
{
    const float a = signed_magnitude(random);
    switch (function) {
    case EXACT_ADD:
    case EXACT_SUBTRACT:
    case EXACT_COMPARE:
    case EXACT_MIN_MAX:
        in.x = bits_of(a);
        in.y = bits_of(near(a, random));
        in.z = bits_of(near(a, random));
        break;
    case EXACT_MULTIPLY:
        factors(random, &in);
        break;
    case EXACT_MULTIPLY_ADD:
        product_and_sum(random, &in);
        break;
    case EXACT_FLOOR: /* often whole or half numbers */
        in.x = bits_of((float)between(random, -100, 100));
        in.x &= next_word(random) % 2 ? 0xffffffff : 0xffff0000;
        in.x = next_word(random) % 4 ? in.x : bits_of(a);
        break;
    case EXACT_TO_INTEGER:
        in.x = (in.x & 0x807fffff) | (uint32_t)(127 - 4 + next_word(random) % 35) << 23;
        break;
    case EXACT_TO_FLOAT: /* numbers that float32 has */
        in.x = (uint32_t)((int32_t)in.x >> (8 + next_word(random) % 24));
        in.y >>= 8 + next_word(random) % 24;
        break;
    case EXACT_QUOTIENT: /* of any number of bits; the only quotient that overflows is left out */
        in.y = in.y >> next_word(random) % 32 | 1;
        in.w = (uint32_t)((int32_t)in.w >> next_word(random) % 31) | 1;
        in.z = in.z == 0x80000000 ? 1 : in.z;
        break;
    case EXACT_BITS:
        in.x >>= next_word(random) % 33 % 32;
        in.x = next_word(random) % 64 ? in.x : 0;
        break;
    default: /* any words */
        break;
    }
    return in;
}

/* A random input in the function's domain. */
static struct words input_of(uint32_t function, uint64_t *random)
{
    struct words in = {(uint32_t)next_word(random), (uint32_t)next_word(random),
                       (uint32_t)next_word(random), (uint32_t)next_word(random)};
    switch (function) {
    case EXACT_FLUSH: /* anything but NaN: subnormals, infinities and both zeros too */
        if ((in.x & 0x7fffffff) > 0x7f800000) {
            in.x &= 0x807fffff;
        }
        break;
    case EXACT_RECIPROCAL:
        in.x = bits_of(signed_magnitude(random));
        break;
    case EXACT_DIVIDE: {
        float b = signed_magnitude(random);
        int exponent = (int)(next_word(random) % 117) - 58;
        double quotient = ldexp(between(random, 1, 2), exponent);
        in.x = next_word(random) % 64 ? bits_of((float)(quotient * b)) : 0;
        in.y = bits_of(b);
        break;
    }
    case EXACT_SQRT:
        in.x = next_word(random) % 256 ? bits_of(magnitude(random)) : 0;
        break;
    case EXACT_EXP2:
        in.x = bits_of((float)between(random, -60, 60));
        if (next_word(random) % 16 == 0) {
            in.x = bits_of((float)((int)(next_word(random) % 121) - 60));
        }
        break;
    case EXACT_LOG2:
    case EXACT_LOG:
        in.x = bits_of(magnitude(random));
        break;
    case EXACT_EXP:
        in.x = bits_of((float)between(random, -41, 41));
        break;
    case EXACT_POW: {
        float a = next_word(random) % 256 ? magnitude(random) : 0.0f;
        double logarithm = a > 0 ? log2(a) : 0;
        double wanted = between(random, -59.9, 59.9);
        in.x = bits_of(a);
        in.y = bits_of((float)(fabs(logarithm) > 0.01 ? wanted / logarithm : wanted));
        break;
    }
    case EXACT_DISPLACEMENT: {
        static const float lengths[] = {0, 0x1p24f, 1, 0.5f, 0x1p-60f, 0x1p-32f};
        vks_vec2 direction = vks_sincos(in.z % 8 ? in.x : in.x & 0xc0000000);
        in.x = bits_of(direction.x);
        in.y = bits_of((float)ldexp(between(random, 1, 2), (int)(next_word(random) % 40) - 16));
        if (next_word(random) % 64 == 0) {
            in.y = bits_of(lengths[next_word(random) % 6]);
        }
        break;
    }
    case EXACT_POWER_OF_TWO:
        in.x = (uint32_t)((int32_t)(next_word(random) % 254) - 126);
        break;
    case EXACT_FIXED_ADD:
    case EXACT_FIXED_SUBTRACT:
    case EXACT_FIXED_NEGATE:
        fixed_point(random, &in.x, &in.y);
        fixed_point(random, &in.z, &in.w);
        break;
    case EXACT_FIXED: { /* |a * scale| from 2^-3 to 2^63, often a tie */
        const int exponent = (int)(next_word(random) % 254) - 126;
        const int low = -exponent - 3 > -126 ? -exponent - 3 : -126;
        const int high = -exponent + 62 < 127 ? -exponent + 62 : 127;
        const int of_a = low + (int)(next_word(random) % (uint64_t)(high - low + 1));
        in.x &= next_word(random) % 4 ? 0x807fffff : 0x80780000;
        in.x |= (uint32_t)(of_a + 127) << 23;
        in.x = next_word(random) % 64 ? in.x : in.x & 0x80000000;
        in.y = bits_of(vks_power_of_two(exponent));
        break;
    }
    case EXACT_FROM_FIXED:
        fixed_point(random, &in.x, &in.y);
        in.z = bits_of(vks_power_of_two((int32_t)(next_word(random) % 190) - 126));
        break;
    case EXACT_LIMBS: { /* |a| from 2^-45 to 2^21, often a tie */
        const uint32_t exponent = (uint32_t)(127 - 45 + next_word(random) % 66);
        in.x &= next_word(random) % 4 ? 0x807fffff : 0x80780000;
        in.x |= exponent << 23;
        in.x = next_word(random) % 64 ? in.x : in.x & 0x80000000;
        break;
    }
    case EXACT_CARRIED: /* limbs whose sums do not overflow */
    case EXACT_FROM_LIMBS:
        in.x = (uint32_t)((int32_t)in.x >> (1 + next_word(random) % 30));
        in.y = (uint32_t)((int32_t)in.y >> (1 + next_word(random) % 30));
        in.z = (uint32_t)((int32_t)in.z >> (8 + next_word(random) % 20));
        break;
    case EXACT_HALF:
        in.x = (in.x & 0x807fffff) | (uint32_t)(127 - 20 + next_word(random) % 36) << 23;
        break;
    case EXACT_FROM_HALF: /* no subnormals, infinities and NaN */
        in.x = (in.x & 0x83ff) | (uint32_t)(1 + next_word(random) % 30) << 10;
        break;
    case EXACT_FORMULA_POWER:
        in.y = bits_of(next_word(random) % 2 ? signed_magnitude(random)
                                             : (float)between(random, -60, 60));
        in.x = bits_of(signed_magnitude(random));
        break;
    case EXACT_FORMULA_EXP:
    case EXACT_FORMULA_TANH:
    case EXACT_FORMULA_SIGMOID:
    case EXACT_FORMULA_SINCOS:
        in.x = bits_of(next_word(random) % 4 ? (float)between(random, -50, 50)
                                             : signed_magnitude(random));
        break;
    case EXACT_FORMULA_RECIPROCAL:
    case EXACT_FORMULA_SQRT:
    case EXACT_FORMULA_LOG: /* all but subnormals, infinities and NaN */
        in.x = (in.x & 0x807fffff) | (uint32_t)(1 + next_word(random) % 254) << 23;
        break;
    default:
        break; /* any words */
    }
    return function >= FIRST_OPERATION ? input_of_operation(function, in, random) : in;
}

/* --- on the device --------------------------------------------------------------------------- */

static const char *const names[] = {"inputs_xy", "inputs_zw", "outputs_xy", "outputs_zw"};

static enum vks_result create(struct vks_gpu *gpu, uint32_t function, struct vks_graph **graph)
{
    const uint32_t count = COUNT;
    struct vks_declaration declaration = {0};
    for (int i = 0; i < 4; i++) {
        VKS_FIELD(&declaration, .name = names[i], .element = VKS_U32X2, .rank = 1,
                  .shape = {COUNT});
    }
    VKS_PASS(&declaration, .name = "evaluate", .shader = "selftest/functions",
             .uses = VKS_USES({names[0], VKS_READ, NULL}, {names[1], VKS_READ, NULL},
                              {names[2], VKS_WRITE, NULL}, {names[3], VKS_WRITE, NULL}),
             .specializations = VKS_SPECIALIZATIONS({"function", function}), VKS_PUSH(count),
             .items = {COUNT});
    enum vks_result result = vks_graph_create(gpu, &declaration, graph);
    if (result == VKS_OK) {
        result = vks_graph_start(*graph, 0, true);
    }
    vks_declaration_free(&declaration);
    return result;
}

/* Pairs of words, as the fields have them. */
struct round {
    uint32_t in[2][COUNT][2], out[2][COUNT][2];
    struct vks_digest *digest;
    uint64_t wrong;
};

static struct words words_of(uint32_t pairs[2][COUNT][2], size_t i)
{
    return (struct words){pairs[0][i][0], pairs[0][i][1], pairs[1][i][0], pairs[1][i][1]};
}

/* The words that the format has letters for. */
static void print_words(char *text, size_t size, const char *format, struct words words)
{
    const uint32_t list[WORDS] = {words.x, words.y, words.z, words.w};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; format[i] && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%08" PRIx32, i ? ", " : "", list[i]);
        if (used < size && format[i] == 'f') {
            used +=
                (size_t)snprintf(text + used, size - used, " (%.9g)", (double)float_of(list[i]));
        } else if (used < size && format[i] != 'x') {
            used +=
                (size_t)snprintf(text + used, size - used, " (%" PRId64 ")",
                                 format[i] == 'i' ? (int64_t)(int32_t)list[i] : (int64_t)list[i]);
        }
    }
}

static void report(struct vks_selftest_result *result, uint32_t function, struct words in,
                   struct words expected, struct words found)
{
    const struct function *row = &functions[function];
    char input[128], right[128], wrong[128];
    print_words(input, sizeof(input), row->in, in);
    print_words(right, sizeof(right), row->out, expected);
    print_words(wrong, sizeof(wrong), row->out, found);
    vks_selftest_fail(result, "for %s: expected %s, found %s", input, right, wrong);
}

static enum vks_result run_round(struct vks_graph *graph, uint32_t function, uint64_t *random,
                                 struct round *round, struct vks_selftest_result *result)
{
    for (size_t i = 0; i < COUNT; i++) {
        const struct words in = input_of(function, random);
        round->in[0][i][0] = in.x;
        round->in[0][i][1] = in.y;
        round->in[1][i][0] = in.z;
        round->in[1][i][1] = in.w;
    }
    enum vks_result ended = vks_graph_upload(graph, names[0], round->in[0]);
    ended = ended == VKS_OK ? vks_graph_upload(graph, names[1], round->in[1]) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, 1) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, names[2], round->out[0]) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, names[3], round->out[1]) : ended;
    for (size_t i = 0; i < COUNT && ended == VKS_OK; i++) {
        const struct words in = words_of(round->in, i), found = words_of(round->out, i);
        const struct words expected = evaluate(function, in);
        if (memcmp(&found, &expected, sizeof(found)) != 0) {
            report(result, function, in, expected, found);
            round->wrong++;
        }
    }
    vks_digest_update(round->digest, round->out, sizeof(round->out));
    result->count += COUNT;
    return ended == VKS_OK ? vks_task_advance(0) : ended;
}

static void conclude(const struct round *round, struct vks_selftest_result *result)
{
    vks_digest_hex(round->digest, result->digest);
    if (round->wrong > 1) {
        const size_t used = strlen(result->text);
        snprintf(result->text + used, sizeof(result->text) - used,
                 "; %" PRIu64 " of %" PRIu64 " results differ", round->wrong, result->count);
    }
}

static enum vks_result run(const struct vks_selftest *test, uint32_t function, uint32_t rounds,
                           struct vks_selftest_result *result)
{
    struct vks_graph *graph = NULL;
    struct round *round = calloc(1, sizeof(*round));
    struct vks_digest *digest = vks_digest_create();
    uint64_t random = 1 + function;
    snprintf(result->name, sizeof(result->name), "%s", functions[function].name);
    enum vks_result ended =
        round && digest ? create(&test->context->gpu, function, &graph) : vks_fail_memory();
    if (ended == VKS_OK) {
        round->digest = digest;
        for (uint32_t i = 0; i < rounds && ended == VKS_OK; i++) {
            ended = run_round(graph, function, &random, round, result);
        }
        conclude(round, result);
    }
    vks_graph_destroy(graph);
    vks_digest_destroy(digest);
    free(round);
    return ended;
}

/* --- the rows -------------------------------------------------------------------------------- */

size_t vks_selftest_operations(enum vks_selftest_length length)
{
    (void)length;
    return EXACT_COUNT - FIRST_OPERATION;
}

enum vks_result vks_selftest_operation(const struct vks_selftest *test, size_t row,
                                       struct vks_selftest_result *result)
{
    static const uint32_t rounds[] = {1, 64, 256};
    return run(test, FIRST_OPERATION + (uint32_t)row, rounds[test->length], result);
}

size_t vks_selftest_functions(enum vks_selftest_length length)
{
    (void)length;
    return FIRST_OPERATION;
}

enum vks_result vks_selftest_function(const struct vks_selftest *test, size_t row,
                                      struct vks_selftest_result *result)
{
    static const uint32_t rounds[] = {1, 4, 64};
    return run(test, (uint32_t)row, rounds[test->length], result);
}
