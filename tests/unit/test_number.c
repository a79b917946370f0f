/* SPDX-License-Identifier: MIT */
/* Numbers as text. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

static void shortest_text(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},
                {1, "1"},
                {0.037, "0.037"},
                {0.1 + 0.2, "0.30000000000000004"},
                {1.0 / 3, "0.3333333333333333"},
                {-2.5e-7, "-2.5e-07"},
                {1e6, "1e+06"},
                {123456789, "123456789"},
                {DBL_MIN, "2.2250738585072014e-308"},
                {DBL_MAX, "1.7976931348623157e+308"},
                {0x1p-1074, "5e-324"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[64];
        assert_string_equal(vks_format_real(rows[i].value, text, sizeof(text)), rows[i].text);
    }
}

static void reals_of_json(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"0.036999999999999998", "0.037"},
        {"{\"a\": 0.036999999999999998, \"b\": [1.0, -0.5, 7]}",
         "{\"a\": 0.037, \"b\": [1, -0.5, 7]}"},
        {"[9.9999999999999995e-8, 1e22, 1.0e6, 100000.0, 1000000.0]",
         "[1e-7, 1e22, 1e6, 100000, 1e6]"},
        {"[0.0, -0.0, 12345678901234567890]", "[0, -0.0, 12345678901234567890]"},
        {"{\"0.10000000000000001\": \"0.10000000000000001 \\\" 1.0 \\\\\", \"x\": 2.0}",
         "{\"0.10000000000000001\": \"0.10000000000000001 \\\" 1.0 \\\\\", \"x\": 2}"},
        {"[true, false, null, 1.5]", "[true, false, null, 1.5]"},
        {"0.0000000000000000000000000000000000000000000000000000000000000000000000000000001",
         "0.0000000000000000000000000000000000000000000000000000000000000000000000000000001"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[200];
        snprintf(text, sizeof(text), "%s", rows[i][0]);
        vks_shorten_reals(text);
        assert_string_equal(text, rows[i][1]);
    }
}

/* Any number keeps its value. */
static void values_stay(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        double value;
        char text[64];
        const char *end;
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint64_t bits = random ^ random >> 29;
        memcpy(&value, &bits, sizeof(value));
        if (!(value - value == 0)) {
            continue;
        }
        snprintf(text, sizeof(text), "%.17g", value);
        const size_t length = strlen(text);
        vks_shorten_reals(text);
        assert_true(strlen(text) <= length);
        assert_true(vks_parse_real(text, &end) == value && *end == '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_text),
        cmocka_unit_test(reals_of_json),
        cmocka_unit_test(values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
