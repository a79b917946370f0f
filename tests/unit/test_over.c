/* SPDX-License-Identifier: MIT */
/* --over of vksim scale; tests/cli has the messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "runs/over.h"
#include "sim/registry.h"

static struct vks_settings settings;
static struct vks_over over;

static void expect(const char *text, const uint64_t *values, size_t count)
{
    if (vks_over_parse(&over, &settings, text) != VKS_OK) {
        fail_msg("%s: %s", text, vks_error_text());
    }
    assert_int_equal(over.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(over.values[i], values[i]);
    }
}
#define EXPECT(text, ...)                         \
    expect(text, (const uint64_t[]){__VA_ARGS__}, \
           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void test_values(void **state)
{
    (void)state;
    EXPECT("size=64", 64);
    EXPECT("size=256,512,1k", 256, 512, 1000);
    EXPECT("steps=1,1.5k,2M,1G", 1, 1500, 2000000, 1000000000);
    EXPECT("agents=1e3,1e4", 1000, 10000);
}

static void test_ranges(void **state)
{
    (void)state;
    EXPECT("size=256:16384", 256, 368, 512, 720, 1024, 1456, 2048, 2896, 4096, 5792, 8192, 11584,
           16384);
    EXPECT("agents=1k:7k", 1000, 1414, 2000, 2828, 4000, 5657, 7000);
    EXPECT("size=100:200", 100, 144, 200);
    EXPECT("steps=1:4", 1, 2, 3, 4);
    EXPECT("steps=2:3", 2, 3);
    EXPECT("agents=1k:100M/6", 1000, 10000, 100000, 1000000, 10000000, 100000000);
    /* Sides over 64 are multiples of 16; each value is taken once. */
    EXPECT("size=32:256/7", 32, 45, 64, 96, 128, 176, 256);
    EXPECT("steps=1:3/10", 1, 2, 3);
}

static void test_settings(void **state)
{
    struct vks_settings point = {0};
    (void)state;
    EXPECT("size=64", 64);
    assert_int_equal(over.quantity, VKS_QUANTITY_SIZE);
    assert_int_equal(vks_over_settings(&over, 64, &settings, &point), VKS_OK);
    assert_int_equal(point.common.size.width, 64);
    assert_int_equal(point.common.size.height, 64);
    assert_int_equal(point.common.size.depth, 1);
    vks_settings_free(&point);
    EXPECT("steps=64", 64);
    assert_int_equal(over.quantity, VKS_QUANTITY_STEPS);
    EXPECT("agents=77", 77);
    assert_int_equal(over.quantity, VKS_QUANTITY_ITEMS);
    assert_string_equal(over.name, "agents");
    assert_int_equal(vks_over_settings(&over, 77, &settings, &point), VKS_OK);
    void *structure;
    const struct vks_option *option = vks_settings_option(&point, "agents", &structure);
    char text[32];
    assert_string_equal(vks_option_get(option, structure, text, sizeof(text)), "77");
    vks_settings_free(&point);
}

static void test_volume(void **state)
{
    struct vks_settings gas = {0}, point = {0};
    (void)state;
    assert_int_equal(vks_settings_init(&gas, vks_model_find("gas")), VKS_OK);
    assert_int_equal(vks_settings_set(&gas, "size", "8x8x8"), VKS_OK);
    assert_int_equal(vks_over_parse(&over, &gas, "size=16,32"), VKS_OK);
    assert_int_equal(vks_over_settings(&over, 32, &gas, &point), VKS_OK);
    assert_int_equal(point.common.size.depth, 32);
    vks_settings_free(&point);
    /* Gravity needs powers of two: values halfway between them are dropped, others refused. */
    assert_int_equal(vks_settings_set(&gas, "gravity", "1"), VKS_OK);
    assert_int_equal(vks_over_parse(&over, &gas, "size=16:64"), VKS_OK);
    assert_int_equal(over.count, 3);
    assert_int_equal(over.values[1], 32);
    assert_int_equal(vks_over_parse(&over, &gas, "size=16,24"), VKS_ERROR_USAGE);
    assert_int_equal(vks_over_parse(&over, &gas, "size=16:64/4"), VKS_ERROR_USAGE);
    vks_settings_free(&gas);
}

static void test_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "=",
        "size",
        "size=",
        "=5",
        "foo=5",
        "siz=5",
        "sizes=5",
        "size=a",
        "size=0",
        "size=-5",
        "size=1.5",
        "size=inf",
        "size=nan",
        "size=5x",
        "size=5kk",
        "size=5K",
        "size=32,",
        "size=,32",
        "size=32,32",
        "size=64,32",
        "size=64:32",
        "size=32:32",
        "size=32:",
        "size=:32",
        "size=32:64:128",
        "size=32:64,128",
        "size=32,64:128",
        "size=32:64/",
        "size=32:64/1",
        "size=32:64/x",
        "size=32:64/3/3",
        "size=32:64/65",
        "size=1e30",
        "size=1:1e30",
        "size=32:70000",
        "agents=2G",
        "steps=1:1e15/0",
        "steps=1e16",
        "seed=1:5",
        "decay=1:2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (vks_over_parse(&over, &settings, texts[i]) != VKS_ERROR_USAGE) {
            fail_msg("'%s' is taken", texts[i]);
        }
        assert_string_equal(vks_error_last()->option, "over");
        assert_int_equal(strncmp(vks_error_text(), "over '", 6), 0);
        assert_true(strlen(vks_error_text()) < 400);
    }
    char many[1024] = "steps=1", number[16];
    for (int i = 2; i <= VKS_MAX_OVER + 1; i++) {
        snprintf(number, sizeof(number), ",%d", i);
        strcat(many, number);
    }
    assert_int_equal(vks_over_parse(&over, &settings, many), VKS_ERROR_USAGE);
    *strrchr(many, ',') = '\0';
    assert_int_equal(vks_over_parse(&over, &settings, many), VKS_OK);
    assert_int_equal(over.count, VKS_MAX_OVER);
}

static int set_up(void **state)
{
    (void)state;
    return vks_settings_init(&settings, vks_model_find("physarum"));
}

static int tear_down(void **state)
{
    (void)state;
    vks_settings_free(&settings);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_settings), cmocka_unit_test(test_volume),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
