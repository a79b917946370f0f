/* SPDX-License-Identifier: MIT */
/* shaders/lib/fixed.glsl as C against 64-bit integers and the C library's own rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../numbers.h"
#include "base/exact.h"

enum { SAMPLES = 1000000 };

static vks_uvec2 pair(uint64_t value)
{
    return (vks_uvec2){(uint32_t)value, (uint32_t)(value >> 32)};
}

static int64_t whole(vks_uvec2 fixed)
{
    return (int64_t)((uint64_t)fixed.y << 32 | fixed.x);
}

/* Every bit length is equally likely. */
static int64_t next_fixed(uint64_t *state)
{
    int64_t value = (int64_t)(next_word(state) >> (next_word(state) % 64));
    return next_word(state) & 1 ? value : (int64_t)(0 - (uint64_t)value);
}

/* --- to fixed point ------------------------------------------------------------------------- */

/* a * 2^exponent to the nearest integer, in integers alone. */
static int64_t exact_fixed(float a, int exponent)
{
    const uint32_t bits = bits_of(a) & 0x7fffffff;
    const uint32_t mantissa = bits >> 23 ? (bits & 0x7fffff) | 0x800000 : bits;
    const int shift = (int)(bits >> 23 ? bits >> 23 : 1) - 150 + exponent;
    uint64_t magnitude = 0;
    if (shift >= 0) {
        magnitude = (uint64_t)mantissa << shift;
    } else if (shift > -32) {
        const uint64_t half = UINT64_C(1) << (-shift - 1);
        const uint64_t rest = mantissa & (2 * half - 1);
        magnitude = mantissa >> -shift;
        magnitude += rest > half || (rest == half && magnitude % 2 == 1);
    }
    return (int64_t)(a < 0 ? 0 - magnitude : magnitude);
}

static void check_to(float a, int exponent)
{
    const int64_t made = whole(vks_fixed(a, ldexpf(1.0f, exponent)));
    const int64_t truth = exact_fixed(a, exponent);
    if (made != truth) {
        fail_msg("%a at 2^%d: %lld, not %lld", (double)a, exponent, (long long)made,
                 (long long)truth);
    }
}

static void test_to_fixed(void **unused)
{
    (void)unused;
    static const struct {
        float value;
        int64_t fixed;
    } cases[] = {
        {0.0f, 0},
        {-0.0f, 0},
        {1.0f, 1},
        {-1.0f, -1},
        {0.5f, 0}, /* ties to even */
        {-0.5f, 0},
        {0x1.000002p-1f, 1},
        {-0x1.000002p-1f, -1},
        {0x1.fffffep-2f, 0},
        {1.5f, 2},
        {2.5f, 2},
        {-2.5f, -2},
        {-3.5f, -4},
        {8388607.5f, 8388608}, /* the last tie that float32 has */
        {8388606.5f, 8388606},
        {16777215.0f, 16777215},
        {0x1.fffffep31f, 0xffffff00},
        {0x1p32f, INT64_C(1) << 32},
        {-0x1p32f, -(INT64_C(1) << 32)},
        {0x1.000002p32f, (INT64_C(1) << 32) + 512},
        {-0x1.000002p32f, -(INT64_C(1) << 32) - 512},
        {0x1.fffffep62f, INT64_MAX - 0x7fffffffff},
        {-0x1.fffffep62f, -(INT64_MAX - 0x7fffffffff)},
        {-0x1p63f, INT64_MIN},
        {0x1p-126f, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(whole(vks_fixed(cases[i].value, 1.0f)) == cases[i].fixed);
        assert_true(exact_fixed(cases[i].value, 0) == cases[i].fixed);
    }
    uint64_t state = 1;
    for (size_t i = 0; i < SAMPLES; i++) {
        const int exponent = (int)(next_word(&state) % 254) - 126;
        /* |a| * 2^exponent from 2^-3 to 2^63, a a normal number. */
        const int low = -exponent - 3 > -126 ? -exponent - 3 : -126;
        const int high = -exponent + 62 < 127 ? -exponent + 62 : 127;
        const int of_a = low + (int)(next_word(&state) % (uint64_t)(high - low + 1));
        uint32_t bits = (uint32_t)next_word(&state) & 0x807fffff;
        if (i % 4 == 0) {
            bits &= 0xfff80000; /* few digits, so that there are ties */
        }
        check_to(float_of(bits | (uint32_t)(of_a + 127) << 23), exponent);
    }
}

static void test_powers(void **unused)
{
    (void)unused;
    for (int exponent = -126; exponent <= 127; exponent++) {
        assert_true(vks_power_of_two(exponent) == ldexpf(1.0f, exponent));
    }
}

/* --- back ------------------------------------------------------------------------------------ */

static void check_from(int64_t value)
{
    /* The C library's conversion rounds to the nearest, ties to even. */
    const float made = vks_from_fixed(pair((uint64_t)value), 1.0f);
    if (bits_of(made) != bits_of((float)value)) {
        fail_msg("%lld: %a, not %a", (long long)value, (double)made, (double)(float)value);
    }
}

static void test_from_fixed(void **unused)
{
    (void)unused;
    check_from(0);
    check_from(INT64_MIN);
    check_from(INT64_MIN + 1);
    check_from(INT64_MAX);
    for (int bit = 0; bit < 63; bit++) {
        for (int64_t near = -3; near <= 3; near++) {
            check_from((INT64_C(1) << bit) + near);
            check_from(-(INT64_C(1) << bit) + near);
        }
    }
    /* Ties: 24 bits and a half, with an even and an odd last bit, and one unit to either side; all
     * ones, which carry into the next binade. */
    for (int drop = 1; drop < 39; drop++) {
        const int64_t half = INT64_C(1) << (drop - 1);
        const int64_t kept[] = {0x800000, 0x800001, 0xaaaaaa, 0xfffffe, 0xffffff};
        for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
            for (int64_t near = -1; near <= 1; near++) {
                check_from((kept[i] << drop) + half + near);
                check_from(-(kept[i] << drop) - half + near);
            }
        }
    }
    assert_true(vks_from_fixed(pair(0xffffff8), 1.0f) == 0x1p28f);
    uint64_t state = 2;
    for (size_t i = 0; i < SAMPLES; i++) {
        check_from(next_fixed(&state));
    }
}

static void test_unit(void **unused)
{
    (void)unused;
    assert_true(vks_from_fixed(pair(3), 0x1p-20f) == 0x1.8p-19f);
    assert_true(vks_from_fixed(pair((uint64_t)INT64_C(-3)), 0x1p-20f) == -0x1.8p-19f);
    assert_true(vks_from_fixed(pair((uint64_t)INT64_MIN), 0x1p64f) == -0x1p127f);
    assert_true(vks_from_fixed(pair(1), 0x1p-60f) == 0x1p-60f);
    /* What is nearer to 0 becomes +0, and so does what would be subnormal. */
    assert_int_equal(bits_of(vks_from_fixed(pair(1), 0x1p-61f)), 0);
    assert_int_equal(bits_of(vks_from_fixed(pair((uint64_t)INT64_C(-1)), 0x1p-61f)), 0);
    assert_int_equal(bits_of(vks_from_fixed(pair(1), 0x1p-126f)), 0);
    uint64_t state = 3;
    for (size_t i = 0; i < SAMPLES; i++) {
        /* There and back is exact up to 24 bits. */
        const int exponent = (int)(next_word(&state) % 40) - 10;
        const float a =
            (float)((int32_t)(uint32_t)next_word(&state) >> 8) * vks_power_of_two(-exponent);
        const vks_uvec2 fixed = vks_fixed(a, vks_power_of_two(exponent));
        assert_true(vks_from_fixed(fixed, vks_power_of_two(-exponent)) == a);
    }
}

/* --- integers -------------------------------------------------------------------------------- */

static void check_integers(int64_t a, int64_t b)
{
    const vks_uvec2 x = pair((uint64_t)a), y = pair((uint64_t)b);
    assert_true((uint64_t)whole(vks_fixed_add(x, y)) == (uint64_t)a + (uint64_t)b);
    assert_true((uint64_t)whole(vks_fixed_subtract(x, y)) == (uint64_t)a - (uint64_t)b);
    assert_true((uint64_t)whole(vks_fixed_negate(x)) == 0 - (uint64_t)a);
}

static void test_integers(void **unused)
{
    (void)unused;
    static const int64_t edges[] = {0,          1,           -1,          2,
                                    0xffffffff, 0x100000000, -0xffffffff, -0x100000000,
                                    0x80000000, -0x80000000, INT64_MAX,   INT64_MIN,
                                    0x7fffffff, 0x1ffffffff, -0x1ffffffff};
    enum { EDGES = sizeof(edges) / sizeof(edges[0]) };
    for (size_t i = 0; i < EDGES; i++) {
        for (size_t j = 0; j < EDGES; j++) {
            check_integers(edges[i], edges[j]);
        }
    }
    uint64_t state = 4;
    for (size_t i = 0; i < SAMPLES; i++) {
        check_integers(next_fixed(&state), next_fixed(&state));
    }
}

/* A sum of many is the integer sum, in whatever order it is made. */
static void test_sums(void **unused)
{
    (void)unused;
    enum { COUNT = 100000 };
    static float values[COUNT];
    uint64_t state = 5;
    int64_t truth = 0; /* |truth| < 2^40 x COUNT */
    vks_uvec2 upwards = {0, 0}, downwards = {0, 0};
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = (float)((double)(int64_t)next_word(&state) * 0x1p-63);
        truth += exact_fixed(values[i], 40);
        upwards = vks_fixed_add(upwards, vks_fixed(values[i], 0x1p40f));
    }
    for (size_t i = COUNT; i-- > 0;) {
        downwards = vks_fixed_add(downwards, vks_fixed(values[i], 0x1p40f));
    }
    assert_true(whole(upwards) == truth && whole(downwards) == truth);
}

/* --- limbs ----------------------------------------------------------------------------------- */

static int64_t number_of(vks_ivec3 limbs)
{
    return (int64_t)((uint64_t)(int64_t)limbs.x + ((uint64_t)(int64_t)limbs.y << 21) +
                     ((uint64_t)(int64_t)limbs.z << 42));
}

static void check_bounds(vks_ivec3 limbs)
{
    assert_in_range(limbs.x + (1 << 20), 0, 1 << 21);
    assert_in_range(limbs.y + (1 << 20), 0, 1 << 21);
}

/* A float that is up to 2^61 units of 2^-42 of it. */
static float next_top(uint64_t *state)
{
    const float top = ldexpf((float)(int32_t)((uint32_t)next_word(state) >> 8),
                             (int)(next_word(state) % 60) - 65);
    return next_word(state) & 1 ? -top : top;
}

static void test_limbs(void **unused)
{
    (void)unused;
    /* Ties of every limb, which go to the even neighbour. */
    static const float tops[] = {0.0f,  0.5f,  1.5f,           -0.5f,      0x1p-22f,  0x1.8p-21f,
                                 -2.5f, 2.5f,  0x1p-43f,       0x1.8p-42f, -0x1p-43f, 0x1p-60f,
                                 1.0f,  -1.0f, 0x1.fffffep18f, -0x1p21f};
    for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
        const vks_ivec3 limbs = vks_limbs(tops[i]);
        check_bounds(limbs);
        assert_true(number_of(limbs) == exact_fixed(tops[i], 42));
        assert_true(whole(vks_from_limbs(limbs)) == exact_fixed(tops[i], 42));
    }
    uint64_t state = 6;
    for (size_t i = 0; i < SAMPLES; i++) {
        const float top = next_top(&state);
        const vks_ivec3 limbs = vks_limbs(top);
        check_bounds(limbs);
        assert_true(number_of(limbs) == exact_fixed(top, 42));
    }
}

/* As many as may be added up, of the largest and of any size; and what is carried is as small
 * again. */
static void test_limb_sums(void **unused)
{
    (void)unused;
    enum { MOST = 1024, SUMS = 200 };
    uint64_t state = 7;
    for (size_t i = 0; i < SUMS; i++) {
        const float same = i % 2 ? 0x1.00001p-1f : -0x1.00001p-1f;
        vks_ivec3 sum = {0, 0, 0};
        int64_t truth = 0;
        for (size_t j = 0; j < MOST; j++) {
            const float top = i < 4 ? same : next_top(&state) * 0x1p-12f;
            const vks_ivec3 limbs = vks_limbs(top);
            sum = (vks_ivec3){sum.x + limbs.x, sum.y + limbs.y, sum.z + limbs.z};
            truth += exact_fixed(top, 42);
        }
        const vks_ivec3 carried = vks_carried(sum);
        check_bounds(carried);
        assert_true(number_of(sum) == truth && number_of(carried) == truth);
        assert_true(whole(vks_from_limbs(sum)) == truth);
    }
    const vks_ivec3 largest = {MOST << 20, MOST << 20, 0};
    const vks_ivec3 carried = vks_carried(largest);
    check_bounds(carried);
    assert_true(number_of(carried) == number_of(largest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_fixed),   cmocka_unit_test(test_powers),
        cmocka_unit_test(test_from_fixed), cmocka_unit_test(test_unit),
        cmocka_unit_test(test_integers),   cmocka_unit_test(test_sums),
        cmocka_unit_test(test_limbs),      cmocka_unit_test(test_limb_sums),
    };
    return cmocka_run_group_tests_name("fixed", tests, NULL, NULL);
}
