/* SPDX-License-Identifier: MIT */
/* The fit of a + b x^p on made-up data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/fit.h"

enum { POINTS = 13 };

static uint64_t random_state;

/* Uniform in [0, 1). */
static double uniform(void)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* Standard normal: Box and Muller. */
static double normal(void)
{
    const double u = 1 - uniform(), v = uniform();
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void make(double *x, double *y, size_t count, double a, double b, double p, double noise)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = 256 * pow(2, 0.5 * (double)i);
        y[i] = (a + b * pow(x[i], p)) * (1 + noise * normal());
    }
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected))) {
        fail_msg("%.12g is not %.12g", value, expected);
    }
}

static void test_exact(void **state)
{
    (void)state;
    static const double cases[][3] = {
        {4e-6, 2.6e-12, 2}, {1e-5, 3e-9, 1},    {0.26, 1.241e-4, 1.459},
        {1e-3, 1e-15, 3.2}, {2e-6, 4e-5, 0.25},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double x[POINTS], y[POINTS];
        struct vks_power_fit fit;
        make(x, y, POINTS, cases[i][0], cases[i][1], cases[i][2], 0);
        assert_true(vks_fit_power(x, y, POINTS, &fit));
        near(fit.a.value, cases[i][0]);
        near(fit.b.value, cases[i][1]);
        near(fit.p.value, cases[i][2]);
        assert_true(fit.worst < 1e-6);
        assert_true(fit.p.margin < 1e-5);
        assert_int_equal(fit.count, POINTS);
        near(vks_fit_at(&fit, 5000), cases[i][0] + cases[i][1] * pow(5000, cases[i][2]));
    }
}

/* Without a constant in the data none is found, and the rest is still exact. */
static void test_no_constant(void **state)
{
    (void)state;
    double x[POINTS], y[POINTS];
    struct vks_power_fit fit;
    make(x, y, POINTS, 0, 3e-12, 2, 0);
    for (size_t i = 0; i < POINTS; i++) {
        y[i] -= 1e-9; /* as if the constant were negative */
    }
    assert_true(vks_fit_power(x, y, POINTS, &fit));
    assert_true(fit.a.value == 0);
    assert_true(isnan(fit.a.margin));
    assert_true(fabs(fit.p.value - 2) < 0.01);
}

static void test_few(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4}, y[] = {1, 2, 4};
    struct vks_power_fit fit;
    assert_false(vks_fit_power(x, y, 3, &fit));
    assert_int_equal(fit.count, 0);
    assert_false(vks_fit_full(x, y, 3, true, &fit));
    assert_int_equal(fit.count, 0);
}

/* 95 of 100 intervals have the true value in them. */
static void test_intervals(void **state)
{
    enum { TRIALS = 1000 };
    const double a = 5e-6, b = 2.6e-12, p = 2;
    int in_a = 0, in_b = 0, in_p = 0;
    (void)state;
    random_state = 1;
    for (int i = 0; i < TRIALS; i++) {
        double x[POINTS], y[POINTS];
        struct vks_power_fit fit;
        make(x, y, POINTS, a, b, p, 0.01);
        assert_true(vks_fit_power(x, y, POINTS, &fit));
        in_a += fabs(fit.a.value - a) <= fit.a.margin;
        in_b += fabs(fit.b.value - b) <= fit.b.margin;
        in_p += fabs(fit.p.value - p) <= fit.p.margin;
    }
    assert_in_range(in_a, TRIALS * 93 / 100, TRIALS * 97 / 100);
    assert_in_range(in_b, TRIALS * 93 / 100, TRIALS * 97 / 100);
    assert_in_range(in_p, TRIALS * 93 / 100, TRIALS * 97 / 100);
}

/* A GPU that takes the longer of a start-up and its throughput: the side from which on it is full
 * is found, and the power with it. */
static void test_full(void **state)
{
    (void)state;
    double x[POINTS], y[POINTS];
    struct vks_power_fit fit;
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = 256 * pow(2, 0.5 * (double)i);
        y[i] = fmax(12e-6, 2.6e-12 * x[i] * x[i]); /* equal at 2148 */
    }
    assert_true(vks_fit_full(x, y, POINTS, true, &fit));
    assert_in_range(fit.first, 5, 7); /* 1448 to 2896 */
    assert_int_equal(fit.first + fit.count, POINTS);
    assert_true(fabs(fit.p.value - 2) < 0.05);
    assert_true(fit.worst <= VKS_FIT_TOLERANCE);
    assert_true(fit.a.value <= VKS_FIT_CONSTANT * y[fit.first]);

    /* Fields in a cache take less time per cell: only those far beyond it count. */
    for (size_t i = 0; i < POINTS; i++) {
        const double bytes = 32 * x[i] * x[i];
        const double in_memory = 1 / (1 + pow(45e6 / bytes, 2));
        y[i] = 5e-6 + (0.55 + 0.45 * in_memory) * bytes / 4e12;
    }
    assert_true(vks_fit_full(x, y, POINTS, true, &fit));
    assert_true(x[fit.first] >= 1024);
    assert_true(fabs(fit.p.value - 2) < 0.05);

    /* All start-up: nowhere full, and the fit has all points. */
    for (size_t i = 0; i < POINTS; i++) {
        y[i] = 12e-6 + 1e-15 * x[i] * x[i];
    }
    assert_false(vks_fit_full(x, y, POINTS, true, &fit));
    assert_int_equal(fit.count, POINTS);
    assert_int_equal(fit.first, 0);
    /* Where the constant is work, as a field's is below its agents, every point counts. */
    assert_true(vks_fit_full(x, y, POINTS, false, &fit));
    assert_int_equal(fit.count, POINTS);
    near(fit.a.value, 12e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact), cmocka_unit_test(test_no_constant),
        cmocka_unit_test(test_few),   cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
