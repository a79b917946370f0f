/* SPDX-License-Identifier: MIT */
/* shaders/lib/exact.glsl as C against the C library in float64: the errors that its comments
 * promise, over each function's whole domain. */
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

enum { SAMPLES = 400000, EDGES = 1 << 16 };

static const double pi = 3.14159265358979323846;

/* Spacing of the floats around `value`. */
static double ulp(double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    return ldexp(1.0, exponent - 24);
}

/* Neither NaN, infinity nor subnormal. */
static void assert_clean(float value, double argument)
{
    if (!isnormal(value) && value != 0.0f) {
        print_error("%.9g for the argument %.17g\n", (double)value, argument);
    }
    assert_true(isnormal(value) || value == 0.0f);
}

static void assert_within(const char *name, double worst, double at, double bound)
{
    if (!(worst <= bound)) {
        print_error("%s: error %.4g at %.9g, allowed %.4g\n", name, worst, at, bound);
    }
    assert_true(worst <= bound);
}

enum unit { IN_ULP, RELATIVE };

/* Compares at random points, uniform in the argument or in its logarithm, at points next to the
 * ends of the domain, and next to every power of two (positive domains) or whole number. */
static void compare(const char *name, float (*function)(float), double (*exact)(double), float low,
                    float high, enum unit unit, double bound)
{
    uint64_t state = 1;
    double worst = 0.0, worst_at = 0.0;
    for (size_t i = 0; i < SAMPLES + EDGES; i++) {
        float x;
        if (i >= SAMPLES) {
            size_t edge = i - SAMPLES;
            double whole = low > 0.0f ? ldexp(1.0, (int)(edge % 121) - 60)
                                      : (double)((int)(edge % 241) - 120) / 2.0;
            uint32_t offset = (uint32_t)(edge / 241);
            uint32_t bits = bits_of((float)whole);
            x = float_of(edge % 2 == 0 ? bits + offset : bits - offset);
        } else if (low > 0.0f && i % 2 == 0) {
            x = (float)exp2(between(&state, log2(low), log2(high)));
        } else if (low > 0.0f) {
            x = (float)exp2(between(&state, -1.0, 1.0));
        } else if (i % 2 == 0) {
            x = (float)between(&state, low, high);
        } else {
            x = (float)(exp2(between(&state, -60.0, 0.0)) * (i % 4 == 1 ? 1.0 : -1.0));
        }
        if (!(x >= low && x <= high)) {
            continue;
        }
        float result = function(x);
        double truth = exact(x);
        assert_clean(result, x);
        double error = fabs(result - truth);
        if (truth != 0.0) {
            error /= unit == IN_ULP ? ulp(truth) : fabs(truth);
        }
        if (error > worst) {
            worst = error;
            worst_at = x;
        }
    }
    assert_within(name, worst, worst_at, bound);
    /* A bound that nothing comes near would say that the comparison is broken. */
    assert_true(worst > bound / 20.0);
}

static double exact_reciprocal(double x)
{
    return 1.0 / x;
}

static void test_flush(void **unused)
{
    (void)unused;
    assert_true(vks_flush(0x1p-60f) == 0x1p-60f);
    assert_true(vks_flush(-0x1p-60f) == -0x1p-60f);
    assert_true(vks_flush(nextafterf(0x1p-60f, 0.0f)) == 0.0f);
    assert_true(vks_flush(nextafterf(-0x1p-60f, 0.0f)) == 0.0f);
    assert_int_equal(bits_of(vks_flush(-0x1p-140f)), 0);
    assert_int_equal(bits_of(vks_flush(-0.0f)), 0);
    assert_true(vks_flush(3.4e38f) == 3.4e38f);
    assert_true(vks_flush(-1.5f) == -1.5f);
}

static float negative_reciprocal(float x)
{
    return -vks_reciprocal(-x);
}

static void test_reciprocal(void **unused)
{
    (void)unused;
    compare("reciprocal", vks_reciprocal, exact_reciprocal, 0x1p-60f, 0x1p60f, IN_ULP, 1.6);
    compare("reciprocal of a negative number", negative_reciprocal, exact_reciprocal, 0x1p-60f,
            0x1p60f, IN_ULP, 1.6);
}

static void test_divide(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    double worst = 0.0, worst_at = 0.0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double range = i % 2 == 0 ? 60.0 : 1.0;
        float b = (float)exp2(between(&state, -range, range));
        float a = (float)(b * exp2(between(&state, -59.9, 59.9)));
        if (i % 3 == 0) {
            a = -a;
        }
        if (i % 5 == 0) {
            b = -b;
        }
        double truth = (double)a / b;
        float result = vks_divide(a, b);
        assert_clean(result, b);
        double error = fabs(result - truth) / ulp(truth);
        if (error > worst) {
            worst = error;
            worst_at = truth;
        }
    }
    assert_within("divide", worst, worst_at, 2.6);
    assert_true(vks_divide(0.0f, 3.0f) == 0.0f);
}

static void test_sqrt(void **unused)
{
    (void)unused;
    compare("sqrt", vks_sqrt, sqrt, 0x1p-60f, 0x1p60f, IN_ULP, 1.2);
    assert_int_equal(bits_of(vks_sqrt(0.0f)), 0);
    assert_true(vks_sqrt(nextafterf(0x1p-60f, 0.0f)) == 0.0f);
}

static void check_angle(uint32_t angle, double *worst, double *worst_at)
{
    vks_vec2 result = vks_sincos(angle);
    double turn = angle * 0x1p-32 * 2.0 * pi;
    double error = fmax(fabs(result.x - sin(turn)), fabs(result.y - cos(turn)));
    assert_clean(result.x, turn);
    assert_clean(result.y, turn);
    if (error > *worst) {
        *worst = error;
        *worst_at = turn;
    }
}

static void test_sincos(void **unused)
{
    (void)unused;
    double worst = 0.0, worst_at = 0.0;
    for (uint64_t angle = 0; angle < UINT64_C(1) << 32; angle += 6007) {
        check_angle((uint32_t)angle, &worst, &worst_at);
    }
    for (uint32_t octant = 0; octant < 8; octant++) {
        for (uint32_t offset = 0; offset < 4096; offset++) {
            check_angle((octant << 29) + offset - 2048, &worst, &worst_at);
        }
    }
    assert_within("sincos", worst, worst_at, 1.3e-7);

    const float sines[] = {0.0f, 1.0f, 0.0f, -1.0f};
    for (uint32_t quarter = 0; quarter < 4; quarter++) {
        vks_vec2 result = vks_sincos(quarter << 30);
        assert_true(result.x == sines[quarter]);
        assert_true(result.y == sines[(quarter + 1) % 4]);
    }
}

static void test_exp2(void **unused)
{
    (void)unused;
    compare("exp2", vks_exp2, exp2, -60.0f, 60.0f, IN_ULP, 2.0);
    for (int whole = -60; whole <= 60; whole++) {
        assert_true(vks_exp2((float)whole) == ldexpf(1.0f, whole));
    }
}

static void test_log2(void **unused)
{
    (void)unused;
    compare("log2", vks_log2, log2, 0x1p-60f, 0x1p60f, RELATIVE, 4e-7);
    for (int power = -60; power <= 60; power++) {
        assert_true(vks_log2(ldexpf(1.0f, power)) == (float)power);
    }
}

static void test_exp(void **unused)
{
    (void)unused;
    compare("exp", vks_exp, exp, -41.0f, 41.0f, RELATIVE, 4e-6);
    assert_true(vks_exp(0.0f) == 1.0f);
}

static void test_log(void **unused)
{
    (void)unused;
    compare("log", vks_log, log, 0x1p-60f, 0x1p60f, RELATIVE, 5e-7);
    assert_true(vks_log(1.0f) == 0.0f);
}

static void test_pow(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    double worst = 0.0, worst_at = 0.0, worst_small = 0.0, worst_small_at = 0.0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double range = i % 2 == 0 ? 60.0 : 1.0;
        float x = (float)exp2(between(&state, -range, range));
        float y = (float)(between(&state, -60.0, 60.0) / log2(x));
        if (i % 4 == 0) {
            y = (float)between(&state, -3.0, 3.0);
        }
        double exponent = y * log2(x);
        if (!(fabs(exponent) <= 60.0)) {
            continue;
        }
        float result = vks_pow(x, y);
        double truth = pow(x, y);
        assert_clean(result, x);
        double error = fabs(result - truth) / truth;
        if (error > worst) {
            worst = error;
            worst_at = x;
        }
        if (fabs(exponent) <= 8.0 && error > worst_small) {
            worst_small = error;
            worst_small_at = x;
        }
    }
    /* The error of the logarithm grows with the exponent. */
    assert_within("pow", worst, worst_at, 1.5e-5);
    assert_within("pow with a result from 1/256 to 256", worst_small, worst_small_at, 4e-6);

    assert_true(vks_pow(0.0f, 2.0f) == 0.0f);
    assert_true(vks_pow(nextafterf(0x1p-60f, 0.0f), 0.5f) == 0.0f);
    assert_true(vks_pow(7.0f, 0.0f) == 1.0f);
    assert_true(vks_pow(1.0f, 1e6f) == 1.0f);
    assert_true(vks_pow(8.0f, 3.0f) == 512.0f);
    assert_true(vks_pow(0.25f, -4.0f) == 256.0f);
    /* Beyond the domain the exponent is cut. */
    assert_true(vks_pow(2.0f, 1000.0f) == 0x1p60f);
    assert_true(vks_pow(2.0f, -1000.0f) == 0x1p-60f);
}

static void test_high(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t word = next_word(&state);
        uint32_t a = (uint32_t)word, b = (uint32_t)(word >> 32) >> (i % 32);
        uint32_t high = vks_high(a, b);
        assert_true(high == (uint32_t)(((uint64_t)a * b) >> 32));
        assert_true(b == 0 ? high == 0 : high < b);
    }
    assert_int_equal(vks_high(UINT32_MAX, UINT32_MAX), UINT32_MAX - 1);
    assert_int_equal(vks_high(0, UINT32_MAX), 0);
    assert_int_equal(vks_high(UINT32_MAX, 1), 0);
    assert_int_equal(vks_high(0x80000000u, 2), 1);
}

static void test_displacement(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    for (size_t i = 0; i < SAMPLES; i++) {
        float cosine = (float)between(&state, -1.0, 1.0);
        float length =
            (float)exp2(i % 2 == 0 ? between(&state, -20.0, 0.0) : between(&state, -3.0, 24.0));
        uint32_t step = vks_displacement(cosine, length);
        /* Opposite directions give opposite steps. */
        assert_true(vks_displacement(-cosine, length) == 0u - step);
        /* As a fraction of the side: the product's rounding and the truncation. */
        double sides = (double)cosine * length;
        double error = remainder(step * 0x1p-32 - sides, 1.0);
        assert_true(fabs(error) <= fabs(sides) * 0x1p-24 + 0x1p-32);
    }

    assert_int_equal(vks_displacement(1.0f, 0.25f), 0x40000000u);
    assert_int_equal(vks_displacement(-1.0f, 0.25f), 0xc0000000u);
    assert_int_equal(vks_displacement(0.5f, 0.5f), 0x40000000u);
    /* Whole sides lead back to the start. */
    assert_int_equal(vks_displacement(1.0f, 1.0f), 0);
    assert_int_equal(vks_displacement(-1.0f, 3.0f), 0);
    assert_int_equal(vks_displacement(1.0f, 0x1p24f), 0);
    assert_int_equal(vks_displacement(1.0f, 5.75f), 0xc0000000u);
    assert_int_equal(vks_displacement(-1.0f, 5.75f), 0x40000000u);
    assert_int_equal(vks_displacement(0.0f, 7.5f), 0);
    assert_int_equal(vks_displacement(-0.0f, 7.5f), 0);
    assert_int_equal(vks_displacement(0.7f, 0.0f), 0);
    /* Truncates toward 0 on both sides. */
    assert_int_equal(vks_displacement(1.0f, 0x1.8p-32f), 1);
    assert_int_equal(vks_displacement(-1.0f, 0x1.8p-32f), UINT32_MAX);
    /* The largest fraction below a whole side. */
    assert_int_equal(vks_displacement(1.0f, 0x1.fffffep-1f), 0xffffff00u);
}

/* --- random words --------------------------------------------------------------------------- */

/* The lowest bits of a word are no coins: bit 0 of a counting sequence can be 1 in 62 of 100 draws.
 * vks_high() takes the upper bits; so must everything else that draws. */
enum { DRAWS = 1 << 16, WORDS = 4, LOWEST = 8 };

/* One draw of a sequence in which one argument counts up. */
static vks_uvec4 draw(unsigned argument, uint32_t index)
{
    uint32_t arguments[4] = {0x1234567u, 99, 7, 1};
    arguments[argument] += index;
    return vks_random(arguments[0], arguments[1], arguments[2], arguments[3]);
}

static void words_of(vks_uvec4 r, uint32_t words[WORDS])
{
    words[0] = r.x;
    words[1] = r.y;
    words[2] = r.z;
    words[3] = r.w;
}

/* `ones` of DRAWS fair coins; 1536 coins are looked at, so 6 sigma is never chance. */
static void assert_fair(const char *what, unsigned argument, int bit, int ones)
{
    double sigmas = fabs(ones - DRAWS / 2.0) / sqrt(DRAWS / 4.0);
    if (sigmas > 6.0) {
        print_error("%s, argument %u, bit %d: %d of %d\n", what, argument, bit, ones, DRAWS);
    }
    assert_true(sigmas <= 6.0);
}

static void test_random_bits(void **unused)
{
    (void)unused;
    for (unsigned argument = 0; argument < 4; argument++) {
        int ones[WORDS * 32] = {0};
        int differ_next[WORDS * 32] = {0}; /* from the same bit of the next draw */
        int differ_far[WORDS * 32] = {0};  /* ... of the draw 256 later */
        int differ_word[WORDS * 32] = {0}; /* from the same bit of the next word */
        for (uint32_t i = 0; i < DRAWS; i++) {
            uint32_t words[WORDS], next[WORDS], far[WORDS];
            words_of(draw(argument, i), words);
            words_of(draw(argument, i + 1), next);
            words_of(draw(argument, i + 256), far);
            for (int word = 0; word < WORDS; word++) {
                for (int bit = LOWEST; bit < 32; bit++) {
                    int k = word * 32 + bit;
                    ones[k] += (int)(words[word] >> bit & 1u);
                    differ_next[k] += (int)((words[word] ^ next[word]) >> bit & 1u);
                    differ_far[k] += (int)((words[word] ^ far[word]) >> bit & 1u);
                    differ_word[k] += (int)((words[word] ^ words[(word + 1) % WORDS]) >> bit & 1u);
                }
            }
        }
        for (int k = 0; k < WORDS * 32; k++) {
            if (k % 32 < LOWEST) {
                continue;
            }
            assert_fair("balance", argument, k, ones[k]);
            assert_fair("consecutive draws", argument, k, differ_next[k]);
            assert_fair("draws 256 apart", argument, k, differ_far[k]);
            assert_fair("consecutive words", argument, k, differ_word[k]);
        }
    }
}

/* Chi-square of `bins` equal bins as a normal deviate (Wilson and Hilferty). */
static double deviation(const int *counts, int bins, double expected)
{
    double sum = 0.0;
    for (int bin = 0; bin < bins; bin++) {
        sum += (counts[bin] - expected) * (counts[bin] - expected) / expected;
    }
    double freedom = bins - 1.0, spread = 2.0 / (9.0 * freedom);
    return (cbrt(sum / freedom) - (1.0 - spread)) / sqrt(spread);
}

static void test_random_distribution(void **unused)
{
    (void)unused;
    enum { BINS = 16 };
    for (unsigned argument = 0; argument < 4; argument++) {
        int counts[WORDS][BINS * BINS] = {{0}}; /* of a word and the next draw's, upper bits */
        double product[WORDS] = {0.0};
        for (uint32_t i = 0; i < DRAWS; i++) {
            uint32_t words[WORDS], next[WORDS];
            words_of(draw(argument, 2 * i), words);
            words_of(draw(argument, 2 * i + 1), next);
            for (int word = 0; word < WORDS; word++) {
                counts[word][vks_high(words[word], BINS) * BINS + vks_high(next[word], BINS)]++;
                product[word] += (words[word] * 0x1p-32 - 0.5) * (next[word] * 0x1p-32 - 0.5);
            }
        }
        for (int word = 0; word < WORDS; word++) {
            double pairs = deviation(counts[word], BINS * BINS, (double)DRAWS / (BINS * BINS));
            double correlation = product[word] * 12.0 / sqrt(DRAWS); /* in sigmas */
            if (fabs(pairs) > 5.0 || fabs(correlation) > 5.0) {
                print_error("argument %u, word %d: pairs %.2f, correlation %.2f sigma\n", argument,
                            word, pairs, correlation);
            }
            assert_true(fabs(pairs) <= 5.0);
            assert_true(fabs(correlation) <= 5.0);
        }
    }
}

/* The hash itself, worked out from its definition in another language for two inputs. */
static void test_random_words(void **unused)
{
    (void)unused;
    vks_uvec4 r = vks_random(0, 0, 0, 0);
    assert_int_equal(r.x, 0x0f02f829u);
    assert_int_equal(r.y, 0x2d568769u);
    assert_int_equal(r.z, 0x32b0c43bu);
    assert_int_equal(r.w, 0xd32548eau);
    r = vks_random(1, 2, 3, UINT32_MAX);
    assert_int_equal(r.x, 0xda80bf0bu);
    assert_int_equal(r.y, 0x318eeeffu);
    assert_int_equal(r.z, 0xa72761e3u);
    assert_int_equal(r.w, 0x24db78e8u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flush),        cmocka_unit_test(test_reciprocal),
        cmocka_unit_test(test_divide),       cmocka_unit_test(test_sqrt),
        cmocka_unit_test(test_sincos),       cmocka_unit_test(test_exp2),
        cmocka_unit_test(test_log2),         cmocka_unit_test(test_exp),
        cmocka_unit_test(test_log),          cmocka_unit_test(test_pow),
        cmocka_unit_test(test_high),         cmocka_unit_test(test_displacement),
        cmocka_unit_test(test_random_bits),  cmocka_unit_test(test_random_distribution),
        cmocka_unit_test(test_random_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
