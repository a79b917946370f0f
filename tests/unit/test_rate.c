/* SPDX-License-Identifier: MIT */
/* Frame rates, fractions, times, and patterns of names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/number.h"
#include "frames/numbered.h"
#include "frames/rate.h"

static void test_rates(void **state)
{
    (void)state;
    static const struct {
        double rate;
        uint32_t frames, seconds;
    } cases[] = {
        {60, 60, 1},
        {1, 1, 1},
        {1000, 1000, 1},
        {12.5, 25, 2},
        {29.97, 2997, 100},
        {30000.0 / 1001, 30000, 1001},
        {23.976, 2997, 125},
        {24000.0 / 1001, 24000, 1001},
        {60000.0 / 1001, 60000, 1001},
        {100.0 / 3, 100, 3},
        {999.99999, 1000, 1},
        {3.14159265358979, 0, 0}, /* any number of seconds */
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        const struct vks_rate rate = vks_rate_from(cases[i].rate);
        assert_in_range(rate.seconds, 1, 1001);
        assert_true(fabs(vks_rate_real(rate) - cases[i].rate) <= 0.5 / 1001);
        if (cases[i].seconds) {
            assert_int_equal(rate.frames, cases[i].frames);
            assert_int_equal(rate.seconds, cases[i].seconds);
        }
    }
}

static void test_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } cases[] = {
        {"30000/1001", 30000.0 / 1001, ""},
        {"1/2.2", 1 / 2.2, ""},
        {"5", 5, ""},
        {"5/", 5, "/"},
        {"5/x", 5, "/x"},
        {"1/2/3", 0.5, "/3"},
        {"-1e2/4", -25, ""},
        {"x", 0, "x"},
        {"", 0, ""},
    };
    const char *end;
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        assert_true(vks_parse_fraction(cases[i].text, &end) == cases[i].value);
        assert_string_equal(end, cases[i].rest);
    }
    assert_true(isinf(vks_parse_fraction("1/0", &end)));
    assert_true(isnan(vks_parse_fraction("0/0", &end)));
}

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"20", 20},        {"20s", 20},     {"1.5min", 90}, {"2m", 120},
        {"500ms", 0.5},    {"0.5h", 1800},  {"0:20", 20},   {"1:30.5", 90.5},
        {"1:02:03", 3723}, {"90:00", 5400}, {"0", 0},       {"366:00:00", 366 * 3600},
    };
    static const char *const wrong[] = {"",      "s",     "-1",     "1:60",    "1:-1",  "1.5:00",
                                        "1:",    ":30",   "5ss",    "1:2:3:4", "1:30s", "nan",
                                        "1e300", "-0:20", "99999h", "20 s",    "1,5s"};
    double seconds;
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        assert_true(vks_parse_duration(cases[i].text, &seconds));
        assert_true(seconds == cases[i].seconds);
    }
    for (size_t i = 0; i < VKS_COUNT(wrong); i++) {
        assert_false(vks_parse_duration(wrong[i], &seconds));
    }
}

/* Patterns of which two frames may have the same name. */
static void test_overlaps(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool overlap;
    } cases[] = {
        {"f_%02d.png", "f_%02d.png", true}, {"f_%02d.png", "./f_%d.png", true},
        {"f_%d.png", "f_1%d.png", true},    {"f_%d1.png", "f_%d.png", true},
        {"f_%d.png", "g_%d.png", false},    {"f_%d.png", "f_%d.npy", false},
        {"f_%d.png", "f_a%d.png", false},   {"f_%d.png", "/f_%d.png", false},
        {"f_%d.png", "f_1.png", false}, /* not a pattern: vks_numbered_matches() */
        {"f_%x.png", "f_%d.png", false},
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        assert_int_equal(vks_numbered_overlap(cases[i].a, cases[i].b), cases[i].overlap);
        assert_int_equal(vks_numbered_overlap(cases[i].b, cases[i].a), cases[i].overlap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
