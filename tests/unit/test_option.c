/* SPDX-License-Identifier: MIT */
/* base/option.h and base/option_json.h: values from text and back, ranges, suggestions, help. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/option.h"
#include "base/option_json.h"

struct settings {
    bool flag;
    uint64_t count, odd, huge;
    double real, signed_real, follower, several, similar;
    struct vks_list several_list, similar_list;
    uint32_t choice, implied;
    char *text, *unset, *word;
    struct vks_size size, volume;
    int other; /* without a row */
};

static const char *const colours[] = {"red", "green", "blue", "ultramarine", NULL};

#define AT(member) offsetof(struct settings, member)
static const struct vks_option rows[] = {
    {.name = "flag", .type = VKS_OPTION_FLAG, .offset = AT(flag), .help = "a flag"},
    {.name = "count",
     .type = VKS_OPTION_COUNT,
     .offset = AT(count),
     .min = 2,
     .max = 1e9,
     .default_text = "250k",
     .unit = "",
     .help = "a count"},
    {.name = "odd",
     .type = VKS_OPTION_COUNT,
     .offset = AT(odd),
     .min = 1,
     .max = 63,
     .default_text = "3",
     .unit = "cells",
     .help = "an odd count",
     .flags = VKS_OPTION_ODD},
    {.name = "huge",
     .type = VKS_OPTION_COUNT,
     .offset = AT(huge),
     .min = 0,
     .max = 1e15,
     .unit = "",
     .help = "a count without a default",
     .flags = VKS_OPTION_NOT_SAVED},
    {.name = "real",
     .type = VKS_OPTION_REAL,
     .offset = AT(real),
     .min = 0,
     .max = 180,
     .default_text = "45",
     .unit = "deg",
     .help = "a real number"},
    {.name = "signed-real",
     .type = VKS_OPTION_REAL,
     .offset = AT(signed_real),
     .min = -1e6,
     .max = 1e6,
     .default_text = "0.1",
     .unit = "",
     .help = "another"},
    {.name = "follower",
     .type = VKS_OPTION_REAL,
     .offset = AT(follower),
     .min = -180,
     .max = 180,
     .same_as = "real",
     .unit = "deg",
     .help = "as real unless given"},
    {.name = "several",
     .type = VKS_OPTION_REAL,
     .offset = AT(several),
     .list = AT(several_list),
     .min = 0,
     .max = 180,
     .default_text = "45",
     .unit = "deg",
     .help = "a number or a list",
     .flags = VKS_OPTION_LIST},
    {.name = "similar",
     .type = VKS_OPTION_REAL,
     .offset = AT(similar),
     .list = AT(similar_list),
     .min = -180,
     .max = 180,
     .same_as = "several",
     .unit = "deg",
     .help = "as several unless given",
     .flags = VKS_OPTION_LIST},
    {.name = "choice",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(choice),
     .choices = colours,
     .default_text = "green",
     .help = "a colour"},
    {.name = "implied",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(implied),
     .choices = colours,
     .implied = "blue",
     .argument = "FORM",
     .help = "a colour that goes without saying",
     .flags = VKS_OPTION_NOT_SAVED},
    {.name = "text",
     .type = VKS_OPTION_TEXT,
     .offset = AT(text),
     .default_text = "word",
     .argument = "FILE",
     .help =
         "a text; this help is so long that no page has room for it in "
         "one line, and so it must go on in the next ones, each of them indented like the first"},
    {.name = "unset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(unset),
     .help = "a text with no default"},
    {.name = "word",
     .type = VKS_OPTION_TEXT,
     .offset = AT(word),
     .choices = colours,
     .argument = "COLOUR",
     .help = "a colour that may be unset"},
    {.name = "size",
     .type = VKS_OPTION_SIZE,
     .offset = AT(size),
     .min = 1,
     .max = 65536,
     .default_text = "640x480",
     .unit = "cells",
     .help = "a size"},
    {.name = "volume",
     .type = VKS_OPTION_SIZE,
     .offset = AT(volume),
     .min = 1,
     .max = 65536,
     .default_text = "64x32",
     .unit = "cells",
     .help = "a size with a depth",
     .flags = VKS_OPTION_DEPTH},
};
#undef AT
static const struct vks_option_table table = {rows, sizeof(rows) / sizeof(rows[0])};

static struct settings values;

static int setup(void **state)
{
    (void)state;
    vks_options_free(table, &values);
    values = (struct settings){0};
    return vks_options_reset(table, &values) == VKS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    vks_options_free(table, &values);
    return 0;
}

static enum vks_result set(const char *name, const char *text)
{
    const struct vks_option *option = vks_option_find(table, name);
    assert_non_null(option);
    return vks_option_set(option, &values, text);
}

static void assert_says(const char *words)
{
    if (!strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

static void assert_refused(const char *name, const char *text, const char *words)
{
    struct settings before = values;
    if (set(name, text) != VKS_ERROR_USAGE) {
        fail_msg("--%s '%s' was taken", name, text);
    }
    assert_says(words);
    assert_memory_equal(&before, &values, sizeof(values)); /* nothing has changed */
}

static void test_find(void **state)
{
    (void)state;
    assert_ptr_equal(vks_option_find(table, "count"), &rows[1]);
    assert_null(vks_option_find(table, "coun"));
    assert_null(vks_option_find(table, "counts"));
    assert_null(vks_option_find(table, ""));
}

static void test_defaults(void **state)
{
    (void)state;
    assert_false(values.flag);
    assert_int_equal(values.count, 250000);
    assert_int_equal(values.huge, 0);
    assert_true(values.real == 45.0);
    assert_true(isnan(values.follower));
    assert_int_equal(values.choice, 1);
    assert_int_equal(values.implied, 0);
    assert_string_equal(values.text, "word");
    assert_null(values.unset);
    assert_int_equal(values.size.width, 640);
    assert_int_equal(values.size.height, 480);
}

static void test_flags(void **state)
{
    (void)state;
    assert_int_equal(set("flag", "true"), VKS_OK);
    assert_true(values.flag);
    assert_int_equal(set("flag", "false"), VKS_OK);
    assert_false(values.flag);
    static const char *const wrong[] = {"", "yes", "1", "True", "true ", "truee"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_refused("flag", wrong[i], "flag takes no value");
    }
}

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"2", 2},          {"1000000000", 1000000000},
        {"1e6", 1000000},  {"1E6", 1000000},
        {"1.5e3", 1500},   {"100k", 100000},
        {"2M", 2000000},   {"1G", 1000000000},
        {"0.25M", 250000}, {"1.5k", 1500},
        {"007", 7},        {"2.0", 2},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (set("count", good[i].text) != VKS_OK) {
            fail_msg("'%s': %s", good[i].text, vks_error_text());
        }
        assert_int_equal(values.count, good[i].value);
    }
    static const char *const wrong[] = {
        "",
        " 2",
        "2 ",
        "+2",
        "-2",
        "two",
        "1",
        "1000000001",
        "1.5",
        "1e10",
        "2kk",
        "2K",
        "2g",
        "k",
        "1.0001k",
        "nan",
        "inf",
        "0x",
        "2,000",
        "1e",
        "1e999",
        "18446744073709551616",
        "18446744073709551617",
        "99999999999999999999999999",
        "2M5",
        "--2",
        "2\n",
        "1G1",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_refused("count", wrong[i], "is not a whole number from 2 to 1000000000");
        assert_says("count '");
        char shown[64];
        assert_says(vks_escape(wrong[i], shown, sizeof(shown)));
    }
    assert_int_equal(set("huge", "1e15"), VKS_OK);
    assert_int_equal(values.huge, UINT64_C(1000000000000000));
    assert_int_equal(set("huge", "999999999999999"), VKS_OK);
    assert_int_equal(values.huge, UINT64_C(999999999999999));
    assert_int_equal(set("huge", "0"), VKS_OK);
    assert_refused("huge", "1000000000000001", "from 0 to 1000000000000000");
}

static void test_odd_counts(void **state)
{
    (void)state;
    for (int i = 1; i <= 63; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", i);
        if (i % 2) {
            assert_int_equal(set("odd", text), VKS_OK);
            assert_int_equal(values.odd, i);
        } else {
            assert_refused("odd", text, "is not an odd number from 1 to 63 cells");
        }
    }
    assert_refused("odd", "65", "is not an odd number from 1 to 63 cells");
}

static void test_reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},           {"180", 180}, {"22.5", 22.5},
                {"1e-300", 1e-300}, {".5", 0.5},  {"0.1", 0.1}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(set("real", good[i].text), VKS_OK);
        assert_true(values.real == good[i].value);
    }
    static const char *const wrong[] = {"",   "x",   "-0.001", "180.001", "nan",   "inf", "-inf",
                                        "1 ", "1,5", "1e400",  "NaN(1)",  "45deg", "--1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_refused("real", wrong[i], "is not a number from 0 to 180 deg");
    }
    assert_int_equal(set("signed-real", "-1e6"), VKS_OK);
    assert_true(values.signed_real == -1e6);
    assert_refused("signed-real", "-1000001", "from -1e+06 to 1e+06");
}

static const double ones[VKS_MAX_LIST + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Checks the values, and that the rest of the list is 0. */
static void assert_list(double value, const struct vks_list *list, size_t count,
                        const double *expected)
{
    struct vks_list whole = {.count = (uint32_t)(count > 1 ? count : 0)};
    memcpy(whole.values, expected, whole.count * sizeof(*expected));
    assert_true(value == expected[0]);
    assert_int_equal(list->count, whole.count);
    assert_memory_equal(list->values, whole.values, sizeof(whole.values));
}

static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        double values[VKS_MAX_LIST];
    } good[] = {
        {"20", 1, {20}},
        {"20,30", 2, {20, 30}},
        {"0,180,1e-300", 3, {0, 180, 1e-300}},
        {"1/4,1,2,3,4,5,6,7.5", 8, {0.25, 1, 2, 3, 4, 5, 6, 7.5}},
        {"30,20", 2, {30, 20}}, /* fewer than before */
        {"0.1", 1, {0.1}},
    };
    const struct vks_option *row = vks_option_find(table, "several");
    assert_list(values.several, &values.several_list, 1, &(double){45});
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(set("several", good[i].text), VKS_OK);
        assert_list(values.several, &values.several_list, good[i].count, good[i].values);
        assert_ptr_equal(vks_option_list(row, &values),
                         good[i].count > 1 ? &values.several_list : NULL);
    }
    assert_int_equal(set("several", "20,30,40"), VKS_OK);
    static const char *const wrong[] = {
        "",     ",",      "20,",    ",20",    "20,,30",  "20,30,",  "20;30",
        "20 ",  "20, 30", "20,x",   "181",    "20,181",  "-1,20",   "20,nan",
        "a,20", "20,inf", "20,30x", "20,1/0", "several", "20,real", "1,1,1,1,1,1,1,1,1",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_refused("several", wrong[i],
                       "is not a number from 0 to 180 deg, nor a list of 2 to 8 such numbers "
                       "separated by commas");
        assert_says("several '");
        assert_says(wrong[i]);
    }
    assert_refused("real", "20,30", "real '20,30' is not a number from 0 to 180 deg");
    assert_null(strstr(vks_error_text(), "list"));
    assert_refused("similar", "20,several", "separated by commas, nor several");
    assert_null(vks_option_list(vks_option_find(table, "real"), &values));
    /* Numbers of programs. */
    assert_int_equal(vks_option_set_real(row, &values, 0.1 + 0.2), VKS_OK);
    assert_list(values.several, &values.several_list, 1, &(double){0.1 + 0.2});
    assert_int_equal(vks_option_set_list(row, &values, (double[]){3, 2, 1}, 3), VKS_OK);
    assert_list(values.several, &values.several_list, 3, (double[]){3, 2, 1});
    assert_int_equal(vks_option_set_count(row, &values, 7), VKS_OK);
    assert_list(values.several, &values.several_list, 1, &(double){7});
    struct settings before = values;
    assert_int_equal(vks_option_set_list(row, &values, (double[]){1, NAN}, 2), VKS_ERROR_USAGE);
    assert_int_equal(vks_option_set_list(row, &values, ones, 9), VKS_ERROR_USAGE);
    assert_says("several '1,1,1,1,1,1,1,1,1' is not");
    assert_int_equal(vks_option_set_list(row, &values, NULL, 0), VKS_ERROR_USAGE);
    assert_int_equal(vks_option_set_list(vks_option_find(table, "real"), &values, ones, 2),
                     VKS_ERROR_USAGE);
    assert_int_equal(vks_option_set_list(vks_option_find(table, "count"), &values, ones, 2),
                     VKS_ERROR_USAGE);
    assert_memory_equal(&before, &values, sizeof(values));
}

/* Default, on or off, reset. */
static void test_states_of_lists(void **state)
{
    (void)state;
    const struct vks_option *several = vks_option_find(table, "several");
    const struct vks_option *similar = vks_option_find(table, "similar");
    static const struct {
        const char *text;
        bool is_default, is_on;
    } cases[] = {
        {"45", true, true},  {"45,45", false, true}, {"45,0", false, true},
        {"0", false, false}, {"0,0", false, false},  {"0,1", false, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(set("several", cases[i].text), VKS_OK);
        assert_int_equal(vks_option_is_default(several, &values), cases[i].is_default);
        assert_int_equal(vks_option_is_on(several, &values), cases[i].is_on);
        assert_true(vks_option_is_set(several, &values));
    }
    /* A list can be the default. */
    struct vks_option row = *several;
    row.default_text = "45,45";
    assert_false(vks_option_is_default(&row, &values));
    assert_int_equal(vks_options_reset((struct vks_option_table){&row, 1}, &values), VKS_OK);
    assert_list(values.several, &values.several_list, 2, (double[]){45, 45});
    assert_true(vks_option_is_default(&row, &values));
    assert_int_equal(set("several", "45"), VKS_OK);
    assert_false(vks_option_is_default(&row, &values));
    /* One without a text. */
    assert_true(vks_option_is_default(similar, &values));
    assert_int_equal(set("similar", "1,2"), VKS_OK);
    assert_true(vks_option_is_set(similar, &values));
    assert_false(vks_option_is_default(similar, &values));
    assert_int_equal(set("several", "1,2"), VKS_OK);
    assert_int_equal(vks_options_reset(table, &values), VKS_OK);
    assert_list(values.several, &values.several_list, 1, &(double){45});
    assert_true(isnan(values.similar));
    assert_int_equal(values.similar_list.count, 0);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(set("size", "1x1"), VKS_OK);
    assert_int_equal(set("size", "65536x1"), VKS_OK);
    assert_int_equal(values.size.width, 65536);
    assert_int_equal(values.size.height, 1);
    assert_int_equal(set("size", "65536x60000"), VKS_OK);
    static const char *const wrong[] = {
        "",
        "640",
        "x480",
        "640x",
        "640x480x2",
        "0x480",
        "640x0",
        "65537x1",
        "1x65537",
        "-1x5",
        "5x-1",
        "640X480",
        "640 x 480",
        "640x480 ",
        "640*480",
        "4294967296x1",
        "4294967297x1",
        "1x4294967297",
        "18446744073709551617x1",
        "1x99999999999999999999999",
        "640x480px",
        "axb",
        "1.5x2",
        "64x64x64",
        "64x64x1",
        "64x64x",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_refused("size", wrong[i], "is not WIDTHxHEIGHT with each from 1 to 65536");
    }
}

/* A third part, for an option that takes one. */
static void test_depths(void **state)
{
    (void)state;
    static const struct {
        const char *text, *back;
        struct vks_size size;
    } good[] = {
        {"640x480", "640x480", {640, 480, 1}},
        {"640x480x1", "640x480", {640, 480, 1}},
        {"1x2x3", "1x2x3", {1, 2, 3}},
        {"65536x65536x65536", "65536x65536x65536", {65536, 65536, 65536}},
    };
    const struct vks_option *option = vks_option_find(table, "volume");
    assert_int_equal(values.volume.depth, 1);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char text[64];
        assert_int_equal(set("volume", good[i].text), VKS_OK);
        assert_memory_equal(&values.volume, &good[i].size, sizeof(values.volume));
        assert_string_equal(vks_option_get(option, &values, text, sizeof(text)), good[i].back);
    }
    static const char *const wrong[] = {
        "",          "64",          "64x",       "64x64x",    "64x64x0", "64x64x65537",
        "64x64x-1",  "64x64x64x64", "64x64x64x", "64x64x64 ", "x64x64",  "64xx64",
        "64x64x1.5", "64x64xa",     "0x64x64",   "64x0x64",   "64X64X8", "64x64x4294967297",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_refused("volume", wrong[i],
                       "is not WIDTHxHEIGHT[xDEPTH] with each from 1 to 65536 cells");
    }
    /* A short buffer is terminated all the same. */
    char brief[6];
    assert_int_equal(set("volume", "64x64x64"), VKS_OK);
    assert_string_equal(vks_option_get(option, &values, brief, sizeof(brief)), "64x64");
    char tight[8];
    assert_string_equal(vks_option_get(option, &values, tight, sizeof(tight)), "64x64x6");
}

static void test_choices(void **state)
{
    (void)state;
    for (uint32_t i = 0; colours[i]; i++) {
        assert_int_equal(set("choice", colours[i]), VKS_OK);
        assert_int_equal(values.choice, i);
    }
    assert_refused("choice", "gren", "is not one of: red, green, blue, ultramarine");
    assert_says("(did you mean 'green'?)");
    assert_refused("choice", "ultra", "(did you mean 'ultramarine'?)");
    assert_refused("choice", "Blue", "(did you mean 'blue'?)");
    assert_refused("choice", "", "is not one of: red, green, blue, ultramarine");
    assert_refused("choice", "octarine-and-others", "is not one of");
    /* A text with the same values is unset at first. */
    assert_null(values.word);
    for (uint32_t i = 0; colours[i]; i++) {
        assert_int_equal(set("word", colours[i]), VKS_OK);
        assert_string_equal(values.word, colours[i]);
    }
    assert_refused("word", "gren",
                   "word 'gren' is not one of: red, green, blue, ultramarine (did "
                   "you mean 'green'?)");
    assert_refused("word", "", "is not one of: red, green, blue, ultramarine");
    assert_null(strstr(vks_error_text(), "did you mean"));
}

static void test_texts(void **state)
{
    (void)state;
    char word[] = "first";
    assert_int_equal(set("text", word), VKS_OK);
    word[0] = 'x';
    assert_string_equal(values.text, "first"); /* a copy */
    assert_int_equal(set("text", "second"), VKS_OK);
    assert_int_equal(set("text", ""), VKS_OK);
    assert_string_equal(values.text, "");
    assert_true(vks_option_is_set(vks_option_find(table, "text"), &values));
    assert_false(vks_option_is_set(vks_option_find(table, "unset"), &values));
}

static void test_same_as(void **state)
{
    (void)state;
    const struct vks_option *follower = vks_option_find(table, "follower");
    char buffer[64];
    assert_false(vks_option_is_set(follower, &values));
    assert_string_equal(vks_option_get(follower, &values, buffer, sizeof(buffer)), "real");
    assert_int_equal(set("real", "30"), VKS_OK);
    vks_options_resolve(table, &values);
    assert_true(vks_option_is_set(follower, &values));
    assert_true(values.follower == 30.0);
    assert_int_equal(set("real", "31"), VKS_OK);
    vks_options_resolve(table, &values);
    assert_true(values.follower == 30.0); /* it stands now */
    assert_int_equal(set("follower", "-7.25"), VKS_OK);
    vks_options_resolve(table, &values);
    assert_true(values.follower == -7.25);
    assert_int_equal(set("follower", "real"), VKS_OK); /* follows again */
    assert_false(vks_option_is_set(follower, &values));
    vks_options_resolve(table, &values);
    assert_true(values.follower == 31.0);
    assert_int_equal(vks_options_reset(table, &values), VKS_OK);
    assert_true(isnan(values.follower));
}

/* A follower takes the whole list. */
static void test_same_as_list(void **state)
{
    (void)state;
    const struct vks_option *similar = vks_option_find(table, "similar");
    char buffer[VKS_VALUE_SIZE];
    assert_int_equal(set("several", "20,30,40"), VKS_OK);
    assert_string_equal(vks_option_get(similar, &values, buffer, sizeof(buffer)), "several");
    vks_options_resolve(table, &values);
    assert_list(values.similar, &values.similar_list, 3, (double[]){20, 30, 40});
    assert_string_equal(vks_option_get(similar, &values, buffer, sizeof(buffer)), "20,30,40");
    assert_int_equal(set("several", "10"), VKS_OK);
    vks_options_resolve(table, &values); /* its own now */
    assert_list(values.similar, &values.similar_list, 3, (double[]){20, 30, 40});
    assert_int_equal(set("similar", "several"), VKS_OK);
    assert_false(vks_option_is_set(similar, &values));
    assert_int_equal(values.similar_list.count, 0);
    vks_options_resolve(table, &values);
    assert_list(values.similar, &values.similar_list, 1, &(double){10});
    /* Either may be a list without the other. */
    assert_int_equal(set("similar", "-1,-2"), VKS_OK);
    vks_options_resolve(table, &values);
    assert_list(values.similar, &values.similar_list, 2, (double[]){-1, -2});
    assert_list(values.several, &values.several_list, 1, &(double){10});
}

/* What get gives, set takes back to the same value. */
static void test_round_trip(void **state)
{
    (void)state;
    static const double reals[] = {
        0, 1, 0.1, 1.0 / 3, 22.5, 1e-300, 179.99999999999997, 5e-324, 123.456789, 2e-7, 100, 45};
    char buffer[64];
    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
        const struct vks_option *option = vks_option_find(table, "real");
        values.real = reals[i];
        const char *text = vks_option_get(option, &values, buffer, sizeof(buffer));
        values.real = -1;
        assert_int_equal(vks_option_set(option, &values, text), VKS_OK);
        assert_true(values.real == reals[i]);
    }
    values.real = 22.5;
    assert_string_equal(vks_option_get(&rows[4], &values, buffer, sizeof(buffer)), "22.5");
    /* The longest list fits. */
    const struct vks_option *several = vks_option_find(table, "several");
    double longest[VKS_MAX_LIST];
    char list[VKS_VALUE_SIZE];
    for (size_t i = 0; i < VKS_MAX_LIST; i++) {
        longest[i] = 1.2345678901234567e-300 / (double)(i + 1);
    }
    assert_int_equal(vks_option_set_list(several, &values, longest, VKS_MAX_LIST), VKS_OK);
    const char *all = vks_option_get(several, &values, list, sizeof(list));
    assert_int_equal(set("several", "1"), VKS_OK);
    assert_int_equal(set("several", all), VKS_OK);
    assert_list(values.several, &values.several_list, VKS_MAX_LIST, longest);
    static const char *const texts[][2] = {
        {"flag", "true"},           {"flag", "false"},
        {"count", "1000000000"},    {"odd", "63"},
        {"choice", "ultramarine"},  {"size", "65536x1"},
        {"text", "image:a b.png"},  {"huge", "999999999999999"},
        {"several", "20,30,0.1"},   {"several", "20"},
        {"similar", "-1.5,1e-300"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const struct vks_option *option = vks_option_find(table, texts[i][0]);
        assert_int_equal(vks_option_set(option, &values, texts[i][1]), VKS_OK);
        assert_string_equal(vks_option_get(option, &values, buffer, sizeof(buffer)), texts[i][1]);
    }
    /* A text is not cut, other values are terminated. */
    char small[4] = "zzz";
    assert_string_equal(
        vks_option_get(vks_option_find(table, "text"), &values, small, sizeof(small)),
        "image:a b.png");
    vks_option_get(vks_option_find(table, "size"), &values, small, sizeof(small));
    assert_string_equal(small, "655");
    assert_int_equal(set("several", "20,30,40"), VKS_OK);
    vks_option_get(several, &values, small, sizeof(small));
    assert_string_equal(small, "20,");
}

static void test_copy(void **state)
{
    (void)state;
    struct settings copy = {0};
    values.other = 5;
    assert_int_equal(set("count", "77"), VKS_OK);
    assert_int_equal(set("unset", "now set"), VKS_OK);
    assert_int_equal(set("several", "20,30"), VKS_OK);
    assert_int_equal(vks_options_copy(table, &copy, &values, sizeof(copy)), VKS_OK);
    assert_int_equal(copy.count, 77);
    assert_int_equal(copy.other, 5);
    assert_true(isnan(copy.follower));
    assert_string_equal(copy.text, "word");
    assert_ptr_not_equal(copy.text, values.text);
    assert_string_equal(copy.unset, "now set");
    assert_list(copy.several, &copy.several_list, 2, (double[]){20, 30});
    assert_int_equal(copy.size.width, 640);
    assert_int_equal(vks_options_reset(table, &values), VKS_OK);
    assert_int_equal(vks_options_copy(table, &copy, &values, sizeof(copy)), VKS_OK);
    assert_int_equal(copy.count, 250000);
    assert_null(copy.unset);
    assert_list(copy.several, &copy.several_list, 1, &(double){45});
    vks_options_free(table, &copy);
    assert_null(copy.text);
    vks_options_free(table, &copy); /* twice is fine */
}

static void test_json(void **state)
{
    (void)state;
    json_t *object = json_object();
    assert_int_equal(set("real", "0.1"), VKS_OK);
    assert_int_equal(set("size", "3x5"), VKS_OK);
    assert_int_equal(set("flag", "true"), VKS_OK);
    assert_int_equal(vks_options_to_json(table, &values, object), VKS_OK);
    assert_true(json_is_true(json_object_get(object, "flag")));
    assert_int_equal(json_integer_value(json_object_get(object, "count")), 250000);
    assert_true(json_number_value(json_object_get(object, "real")) == 0.1);
    assert_string_equal(json_string_value(json_object_get(object, "size")), "3x5");
    assert_string_equal(json_string_value(json_object_get(object, "choice")), "green");
    assert_null(json_object_get(object, "huge"));  /* belongs to no scene */
    assert_null(json_object_get(object, "unset")); /* no value */
    assert_string_equal(json_string_value(json_object_get(object, "follower")), "real");

    struct settings copy = {0};
    const char *name;
    json_t *value;
    assert_int_equal(vks_options_reset(table, &copy), VKS_OK);
    json_object_foreach(object, name, value)
    {
        assert_int_equal(vks_option_from_json(vks_option_find(table, name), &copy, value, "f"),
                         VKS_OK);
    }
    assert_true(copy.flag);
    assert_true(copy.real == 0.1);
    assert_int_equal(copy.size.height, 5);
    assert_true(isnan(copy.follower)); /* follows still */
    vks_options_free(table, &copy);
    json_decref(object);
}

static enum vks_result set_json(const char *name, const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    const enum vks_result result =
        vks_option_from_json(vks_option_find(table, name), &values, value, "my-scene.json");
    json_decref(value);
    return result;
}

static void test_json_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        double values[VKS_MAX_LIST];
    } good[] = {
        {"[20, 30.5]", 2, {20, 30.5}},
        {"[1, 2, 3, 4, 5, 6, 7, 8]", 8, {1, 2, 3, 4, 5, 6, 7, 8}},
        {"[20]", 1, {20}},
        {"[0.1, 0.30000000000000004]", 2, {0.1, 0.1 + 0.2}},
        {"20", 1, {20}},
        {"\"20,30\"", 2, {20, 30}},
        {"0.1", 1, {0.1}},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(set_json("several", good[i].text), VKS_OK);
        assert_list(values.several, &values.several_list, good[i].count, good[i].values);
        /* Written and read back. */
        json_t *object = json_object();
        assert_int_equal(vks_options_to_json(table, &values, object), VKS_OK);
        const json_t *written = json_object_get(object, "several");
        assert_int_equal(json_array_size(written), good[i].count > 1 ? good[i].count : 0);
        assert_true(json_is_array(written) || json_is_real(written));
        assert_string_equal(json_string_value(json_object_get(object, "similar")), "several");
        assert_int_equal(set("several", "1,2,3"), VKS_OK);
        assert_int_equal(
            vks_option_from_json(vks_option_find(table, "several"), &values, written, "f"), VKS_OK);
        assert_list(values.several, &values.several_list, good[i].count, good[i].values);
        json_decref(object);
    }
    assert_int_equal(set_json("similar", "[-1, 2]"), VKS_OK);
    assert_int_equal(set_json("similar", "\"several\""), VKS_OK);
    assert_true(isnan(values.similar));
    static const char *const wrong[] = {
        "[]",           "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
        "[\"20\", 30]", "[20, null]",
        "[[20], 30]",   "[20, true]",
        "{\"0\": 20}",  "null",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(set_json("several", wrong[i]), VKS_ERROR_USAGE);
        assert_string_equal(vks_error_text(), "'my-scene.json': \"several\" must be a number, an "
                                              "array of up to 8 numbers, or a string");
    }
    assert_int_equal(set_json("several", "[20, 181]"), VKS_ERROR_USAGE);
    assert_says("'my-scene.json': several '20,181' is not a number from 0 to 180 deg, nor a list");
    assert_int_equal(set_json("real", "[20, 30]"), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "'my-scene.json': \"real\" must be a number, a string, "
                                          "true or false");
}

static void test_wrong_json(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"count", "-1"},        {"count", "1.5"},   {"count", "null"},   {"count", "[1]"},
        {"count", "{}"},        {"count", "true"},  {"count", "1e300"},  {"count", "1"},
        {"odd", "4"},           {"real", "181"},    {"real", "\"x\""},   {"real", "false"},
        {"flag", "1"},          {"flag", "\"1\""},  {"flag", "null"},    {"choice", "1"},
        {"choice", "\"gren\""}, {"size", "[1, 2]"}, {"size", "\"0x0\""}, {"size", "5"},
        {"text", "null"},       {"text", "[]"},
    };
    assert_int_equal(set("unset", "word"), VKS_OK);
    assert_int_equal(set_json("unset", "null"), VKS_OK);
    assert_null(values.unset);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        json_t *value = json_loads(wrong[i][1], JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        if (vks_option_from_json(vks_option_find(table, wrong[i][0]), &values, value,
                                 "my-scene.json") == VKS_OK) {
            fail_msg("\"%s\": %s was taken", wrong[i][0], wrong[i][1]);
        }
        assert_says("my-scene.json");
        assert_says(wrong[i][0]);
        json_decref(value);
    }
}

/* What vks_options_help() prints. The string is the caller's. */
static char *help_of(struct vks_option_table options, unsigned columns, const void *set,
                     const char *source)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    vks_options_help(out, options, columns, set, source);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_help(void **state)
{
    (void)state;
    static const unsigned widths[] = {60, 80, 100, 200};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        char *help = help_of(table, widths[i], NULL, NULL);
        assert_non_null(help);
        for (size_t j = 0; j < table.count; j++) {
            char flag[64];
            snprintf(flag, sizeof(flag), "  --%s", rows[j].name);
            assert_non_null(strstr(help, flag));
        }
        assert_non_null(strstr(help, "--count N"));
        assert_non_null(strstr(help, "--implied[=FORM]"));
        assert_non_null(strstr(help, "--text FILE"));
        assert_non_null(strstr(help, "--several X[,X...] "));
        assert_non_null(strstr(help, "--size WxH "));
        assert_non_null(strstr(help, "--volume WxH[xD]"));
        assert_int_equal(help[strlen(help) - 1], '\n');
        for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
            if (strlen(line) > widths[i]) {
                fail_msg("over %u columns: '%s'", widths[i], line);
            }
            assert_int_not_equal(line[strlen(line) - 1], ' ');
        }
        free(help);
    }
    char *help = help_of(table, 200, NULL, NULL);
    assert_non_null(strstr(help, "(2 to 1000000000; default 250k)"));
    assert_non_null(strstr(help, "(odd, 1 to 63 cells; default 3)"));
    assert_non_null(strstr(help, "(0 to 180 deg; default 45)"));
    assert_non_null(strstr(help, "(-180 to 180 deg; default: as real)"));
    assert_non_null(strstr(help, "a number or a list (0 to 180 deg; default 45)"));
    assert_non_null(strstr(help, "(red, green, blue, ultramarine; default green)"));
    assert_non_null(strstr(help, "be unset (red, green, blue, ultramarine)\n"));
    free(help);
    help = help_of((struct vks_option_table){rows, 0}, 80, NULL, NULL);
    assert_non_null(help);
    assert_string_equal(help, "");
    free(help);
}

/* Each option: as reset it is its default, and with another value it is not. */
static void test_values_in_help(void **state)
{
    (void)state;
    static const char *const others[][2] = {
        {"flag", "true"},     {"count", "5"},        {"odd", "5"},      {"huge", "1"},
        {"real", "22.5"},     {"signed-real", "-1"}, {"follower", "3"}, {"choice", "blue"},
        {"implied", "green"}, {"text", "other"},     {"unset", "x"},    {"word", "red"},
        {"several", "20,30"},
    };
    for (size_t i = 0; i < table.count; i++) {
        assert_true(vks_option_is_default(&rows[i], &values));
    }
    char *help = help_of(table, 400, &values, "preset plain");
    assert_non_null(help);
    assert_null(strstr(help, "preset plain"));
    free(help);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(set(others[i][0], others[i][1]), VKS_OK);
        assert_false(vks_option_is_default(vks_option_find(table, others[i][0]), &values));
    }
    assert_int_equal(set("text", "word"), VKS_OK);
    assert_true(vks_option_is_default(vks_option_find(table, "text"), &values));
    help = help_of(table, 400, &values, "preset silk");
    assert_non_null(help);
    assert_non_null(strstr(help, "a flag (preset silk: true)\n"));
    assert_non_null(strstr(help, "(0 to 180 deg; default 45; preset silk: 22.5)\n"));
    assert_non_null(strstr(help, "default: as real; preset silk: 3)\n"));
    assert_non_null(strstr(help, "a list (0 to 180 deg; default 45; preset silk: 20,30)\n"));
    free(help);
}

static const char *nearest(const char *word)
{
    static char buffer[128];
    return vks_did_you_mean(word, colours, buffer, sizeof(buffer));
}

static void test_nearest(void **state)
{
    (void)state;
    assert_string_equal(nearest("rde"), " (did you mean 'red'?)");    /* swapped */
    assert_string_equal(nearest("geen"), " (did you mean 'green'?)"); /* left out */
    assert_string_equal(nearest("bluee"), " (did you mean 'blue'?)"); /* one more */
    assert_string_equal(nearest("ultramarime"), " (did you mean 'ultramarine'?)");
    assert_string_equal(nearest("ultram"), " (did you mean 'ultramarine'?)");
    assert_string_equal(nearest("xyzzy"), "");
    assert_string_equal(nearest(""), "");
    char word[300];
    memset(word, 'a', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    assert_string_equal(nearest(word), ""); /* however long */
}

static void test_join(void **state)
{
    (void)state;
    char buffer[16];
    assert_string_equal(vks_join((const char *const[]){"a", "b", NULL}, buffer, sizeof(buffer)),
                        "a, b");
    assert_string_equal(vks_join((const char *const[]){NULL}, buffer, sizeof(buffer)), "");
    vks_join(colours, buffer, sizeof(buffer));
    assert_int_equal(strlen(buffer), sizeof(buffer) - 1);
    assert_string_equal(buffer + strlen(buffer) - 3, "...");
    /* It fits exactly. */
    assert_string_equal(
        vks_join((const char *const[]){"abcdefg", "hijklm", NULL}, buffer, sizeof(buffer)),
        "abcdefg, hijklm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flags, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_odd_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(test_states_of_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_choices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_as, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_as_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_json_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_help, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values_in_help, setup, teardown),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
