/* SPDX-License-Identifier: MIT */
/* The GPU's clock as devices report it: valid bits, periods, wrap-around. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "gpu/clock.h"

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-12 * fabs(expected)) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

/* A queue without valid bits, or a period that is no number of seconds, has no timestamps. */
static void test_none(void **state)
{
    static const struct {
        uint32_t bits;
        double period;
    } rows[] = {{0, 1}, {64, 0}, {64, -1}, {64, (double)INFINITY}, {36, (double)NAN}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct vks_gpu gpu = {.timestamp_period = 1, .timestamp_mask = 1};
        vks_gpu_clock_init(&gpu, rows[i].bits, rows[i].period);
        assert_true(gpu.timestamp_period == 0 && gpu.timestamp_mask == 0);
        assert_int_equal(gpu.timestamp_bits, rows[i].bits);
    }
}

static void test_wrap(void **state)
{
    (void)state;
    struct vks_gpu gpu = {.timestamp_period = 0};
    vks_gpu_clock_init(&gpu, 64, 1);
    assert_true(gpu.timestamp_mask == UINT64_MAX);
    assert_near(vks_gpu_seconds(&gpu, 1000, 3000), 2e-6);
    assert_near(vks_gpu_seconds(&gpu, UINT64_MAX - 9, 10), 20e-9);
    /* 36 bits of 52.08 ns, as Intel's GPUs have them: higher bits are noise. */
    vks_gpu_clock_init(&gpu, 36, 52.083);
    assert_near(vks_gpu_clock_range(&gpu), 68719476736.0 * 52.083e-9);
    assert_near(vks_gpu_seconds(&gpu, UINT64_C(0xABCDEFF000000010), UINT64_C(0x1234500000000020)),
                16 * 52.083e-9);
    assert_near(vks_gpu_seconds(&gpu, UINT64_C(0xFFFFFFFFF), 1), 2 * 52.083e-9);
    /* A tick of several nanoseconds is not truncated. */
    vks_gpu_clock_init(&gpu, 32, 83.333);
    assert_near(vks_gpu_seconds(&gpu, 5, 6), 83.333e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none), cmocka_unit_test(test_wrap)};
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
