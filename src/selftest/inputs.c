/* SPDX-License-Identifier: MIT */
#include "selftest/inputs.h"

#include <math.h>

#include "base/exact.h"
#include "selftest/numbers.h"

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
static void factors(uint64_t *random, struct vks_words *in)
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
static void product_and_sum(uint64_t *random, struct vks_words *in)
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
static struct vks_words input_of_operation(uint32_t function, struct vks_words in, uint64_t *random)
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

struct vks_words vks_selftest_input(uint32_t function, uint64_t *random)
{
    struct vks_words in = {(uint32_t)next_word(random), (uint32_t)next_word(random),
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
    return function >= VKS_FIRST_OPERATION ? input_of_operation(function, in, random) : in;
}
