/* SPDX-License-Identifier: MIT */
/* --grid, --vary and --vary-rows: syntax, grid shapes, settings of cells, messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sim/registry.h"
#include "view/colormap.h"
#include "runs/vary.h"

static struct vks_settings base;

static int setup(void **state)
{
    (void)state;
    return vks_settings_init(&base, vks_model_find("physarum")) == VKS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    vks_settings_free(&base);
    return 0;
}

static struct vks_vary parse(uint32_t columns, uint32_t rows, const char *across, const char *down)
{
    struct vks_vary vary;
    const enum vks_result result =
        vks_vary_parse(&vary, &base, (struct vks_size){columns, rows}, across, down);
    if (result != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    return vary;
}

/* The values of the first axis, joined by spaces. */
static void assert_values(uint32_t columns, uint32_t rows, const char *text, const char *expected)
{
    struct vks_vary vary = parse(columns, rows, text, NULL);
    char joined[1024] = "";
    for (size_t i = 0; i < vary.across.count; i++) {
        snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s", i ? " " : "",
                 vary.across.values[i]);
    }
    assert_string_equal(joined, expected);
    vks_vary_free(&vary);
}

static void test_lists(void **state)
{
    (void)state;
    assert_values(0, 0, "colormap=grey,ember", "grey ember");
    assert_values(3, 1, "preset=worms,net,silk", "worms net silk");
    assert_values(0, 0, "decay=0.1", "0.1");
    assert_values(0, 0, "init=image:a,b.png;disc", "image:a,b.png disc");
    assert_values(0, 0, "normalize=fixed:0:1,smooth", "fixed:0:1 smooth");
    assert_values(0, 0, "normalize=a=b,c", "a=b c"); /* validity is checked later */
}

static void test_ranges(void **state)
{
    (void)state;
    assert_values(4, 1, "decay=0.02..0.05", "0.02 0.03 0.04 0.05");
    assert_values(2, 2, "decay=0.05..0.02", "0.05 0.04 0.03 0.02");
    assert_values(3, 1, "turn-angle=-10..10", "-10 0 10");
    assert_values(4, 1, "sensor-angle=10..20", "10 13.33 16.67 20");
    assert_values(7, 1, "decay=0..1", "0 0.167 0.333 0.5 0.667 0.833 1");
    assert_values(3, 1, "decay=1e-3..2e-3", "0.001 0.0015 0.002");
    assert_values(3, 3, "seed=1..9", "1 2 3 4 5 6 7 8 9");
    assert_values(4, 1, "seed=0..10", "0 3 7 10");
    assert_values(4, 1, "diffuse-size=3..10", "3 5 7 11");
    assert_values(1, 1, "decay=0.3..0.4", "0.3");
    assert_values(2, 1, "decay=.25..0.5", "0.25 0.5");
    assert_values(3, 1, "decay=0.1..0.1", "0.1 0.1 0.1");
    assert_values(0, 0, "decay=0.02..0.05/4", "0.02 0.03 0.04 0.05");
    assert_values(0, 0, "seed=0..10/4", "0 3 7 10");
    assert_values(0, 0, "seed=1..5", "1 2 3 4 5"); /* all */
    assert_values(0, 0, "diffuse-size=9..3", "9 7 5 3");
    assert_values(2, 1, "init=a..b,c", "a..b c"); /* no ranges of words */
}

static void test_all(void **state)
{
    (void)state;
    struct vks_vary vary = parse(0, 0, "preset=all", NULL);
    size_t presets = 0, maps = 0;
    while (vks_model_presets(base.model)[presets].name) {
        assert_string_equal(vary.across.values[presets],
                            vks_model_presets(base.model)[presets].name);
        presets++;
    }
    assert_int_equal(vary.count, presets);
    vks_vary_free(&vary);
    vary = parse(0, 0, "colormap=all", NULL);
    while (vks_colormap_names[maps]) {
        maps++;
    }
    assert_int_equal(vary.count, maps);
    vks_vary_free(&vary);
    assert_values(0, 0, "steering=all", "max jones");
}

/* Without --grid: no blank cell if a similar shape avoids it, and never taller than wide. */
static void test_shapes(void **state)
{
    (void)state;
    static const uint32_t expected[][3] = {
        {1, 1, 1}, {2, 2, 1}, {3, 3, 1},  {4, 2, 2},  {5, 3, 2},  {6, 3, 2},  {7, 3, 3},
        {8, 4, 2}, {9, 3, 3}, {12, 4, 3}, {15, 5, 3}, {20, 5, 4}, {28, 7, 4},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        char text[256] = "seed=1";
        for (uint32_t j = 1; j < expected[i][0]; j++) {
            strcat(text, ",2");
        }
        struct vks_vary vary = parse(0, 0, text, NULL);
        assert_int_equal(vary.columns, expected[i][1]);
        assert_int_equal(vary.rows, expected[i][2]);
        vks_vary_free(&vary);
    }
}

static void test_two_axes(void **state)
{
    (void)state;
    struct vks_vary vary = parse(0, 0, "decay=0.1,0.2,0.3", "preset=net,silk");
    assert_int_equal(vary.count, 6);
    assert_int_equal(vary.columns, 3);
    assert_int_equal(vary.rows, 2);
    assert_string_equal(vks_vary_value(&vary, &vary.across, 4), "0.2");
    assert_string_equal(vks_vary_value(&vary, &vary.down, 4), "silk");
    struct vks_caption caption;
    char text[64];
    vks_vary_caption(&vary, &base, 4, &caption);
    assert_string_equal(vks_caption_text(&caption, text, sizeof(text)), "decay 0.2 silk");
    vks_vary_free(&vary);
    /* Ranges: one value per column, and one per row. */
    vary = parse(3, 2, "sensor-angle=10..30", "decay=0.1..0.2");
    assert_string_equal(vks_vary_value(&vary, &vary.across, 5), "30");
    assert_string_equal(vks_vary_value(&vary, &vary.down, 5), "0.2");
    vks_vary_free(&vary);
}

static void test_nothing(void **state)
{
    (void)state;
    struct vks_vary vary = parse(0, 0, NULL, NULL);
    assert_int_equal(vary.count, 0);
    assert_null(vks_vary_value(&vary, &vary.across, 0));
    assert_false(vks_axis_is_preset(&vary.across));
    vks_vary_free(&vary);
}

static void assert_caption(const char *across, const char *expected)
{
    struct vks_vary vary = parse(0, 0, across, NULL);
    struct vks_caption caption;
    char text[160];
    vks_vary_caption(&vary, &base, 0, &caption);
    assert_string_equal(vks_caption_text(&caption, text, sizeof(text)), expected);
    vks_vary_free(&vary);
}

static void test_captions(void **state)
{
    (void)state;
    assert_caption("preset=worms", "worms");
    assert_caption("colormap=ember", "ember");
    assert_caption("colormap=maps/my own.csv", "my own.csv");
    assert_caption("init=image:faces/me.png", "me.png");
    assert_caption("steering=jones", "jones");
    assert_caption("sensor-angle=22.5", "sensor angle 22.5");
    assert_caption("normalize=fixed:0:1", "normalize fixed:0:1");
    assert_caption("seed=7", "seed 7");
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t columns, rows;
        const char *across, *down, *words;
    } cases[] = {
        {2, 2, NULL, NULL, "--grid needs --vary"},
        {0, 0, NULL, "decay=0.1", "--vary-rows needs --vary"},
        {0, 0, "decay", NULL, "is not OPTION=VALUE"},
        {0, 0, "=1,2", NULL, "is not OPTION=VALUE"},
        {0, 0, "decay=", NULL, "has an empty value"},
        {0, 0, "decay=1,,2", NULL, "has an empty value"},
        {0, 0, "decay=1,2,", NULL, "has an empty value"},
        {0, 0, "decai=1,2", NULL, "did you mean 'decay'"},
        {0, 0, "colourmap=a", NULL, "did you mean 'colormap'"},
        {0, 0, "presets=a", NULL, "did you mean 'preset'"},
        {0, 0, "frames=1,2", NULL, "'frames' is none of them"},
        {0, 0, "decay=0.1..0.2", NULL, "is a range; add the number of values"},
        {0, 0, "seed=1,2", "decay=0.1..0.2", "is a range; add the number of values"},
        {0, 0, "decay=0.1..0.2/", NULL, "LOW..HIGH/N with N values, and '' is not a number"},
        {0, 0, "decay=0.1..0.2/1.5", NULL, "and '1.5' is not a number of values"},
        {0, 0, "decay=0.1..0.2/0", NULL, "and '0' is not a number of values"},
        {0, 0, "decay=0.1..0.2/300", NULL, "has more than 256 values"},
        {0, 0, "seed=1..1e9", NULL, "has more than 256 values"},
        {2, 2, "decay=0.1..0.2/3", NULL, "--grid 2x2 has 4 cells, and --vary decay has 3 values"},
        {0, 0, "agents=1..3/8", NULL, "has 3 whole numbers, too few for 8 values"},
        {0, 0, "decay=all", NULL, "no list of names"},
        {2, 2, "decay=0.1,0.2,0.3", NULL, "--grid 2x2 has 4 cells, and --vary decay has 3 values"},
        {2, 2, "decay=0.1", NULL, "has 1 value"},
        {1, 2, "decay=0.1,0.2,0.3", NULL, "--grid 1x2 has 2 cells"},
        {2, 2, "decay=0.1,0.2", "seed=1,2,3", "--grid 2x2 does not fit"},
        {0, 0, "decay=0.1,0.2", "decay=0.3", "both vary 'decay'"},
        {17, 17, "seed=1..9", NULL, "at most 256"},
        {2, 2, "tone=1..2", NULL, "a range is for numbers, and tone takes names"},
        {2, 2, "preset=1..2", NULL, "a range is for numbers, and preset takes names"},
        {2, 2, "colormap=1..2", NULL, "colormap takes texts or files"},
        {2, 2, "size=1..2", NULL, "size takes sizes such as 640x480"},
        {2, 2, "invert=0..1", NULL, "invert takes true or false"},
        {2, 2, "decay=0..x", NULL, "a range is LOW..HIGH, and 'x' is not a number"},
        {2, 2, "decay=0..1..2", NULL, "and '1..2' is not a number"},
        {2, 2, "decay=..1", NULL, "and the first number is missing"},
        {2, 2, "decay=0..", NULL, "and the second number is missing"},
        {2, 2, "decay=0..2", NULL, "decay must be from 0 to 1, not 2"},
        {2, 2, "agents=1.5..9", NULL, "agents takes whole numbers, and 1.5 is not one"},
        {4, 2, "agents=1..3", NULL, "has 3 whole numbers, too few for 8 values"},
        {2, 2, "diffuse-size=3..7", NULL, "has 3 odd numbers, too few for 4 values"},
        {0, 0, "decay=0.1,high", NULL, "decay takes numbers, and 'high' is not a number"},
        {0, 0, "invert=true,1", NULL, "invert takes true or false, and '1' is neither"},
        {0, 0, "feed=0.1,0.2", NULL, "physarum has no option 'feed', which belongs to gray-scott"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct vks_vary vary;
        const struct vks_size grid = {cases[i].columns, cases[i].rows};
        assert_int_equal(vks_vary_parse(&vary, &base, grid, cases[i].across, cases[i].down),
                         VKS_ERROR_USAGE);
        if (!strstr(vks_error_text(), cases[i].words)) {
            fail_msg("'%s' lacks '%s'", vks_error_text(), cases[i].words);
        }
        vks_vary_free(&vary);
    }
    /* Too many values in one list, and in two lists together. */
    char *many = malloc(4096);
    assert_non_null(many);
    strcpy(many, "seed=1");
    for (int i = 0; i < VKS_MAX_CELLS; i++) {
        strcat(many, ",1");
    }
    struct vks_vary vary;
    assert_int_equal(vks_vary_parse(&vary, &base, (struct vks_size){0, 0}, many, NULL),
                     VKS_ERROR_USAGE);
    vks_vary_free(&vary);
    many[strlen(many) - 2 * (VKS_MAX_CELLS / 2)] = '\0';
    assert_int_equal(vks_vary_parse(&vary, &base, (struct vks_size){0, 0}, many, "decay=0.1,0.2"),
                     VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "258 cells"));
    vks_vary_free(&vary);
    free(many);
}

/* --- settings of the cells ------------------------------------------------------------------- */

static enum vks_result win(void *user, struct vks_settings *cell)
{
    (*(int *)user)++;
    return vks_settings_set(cell, "gamma", "0.9");
}

static double decay_of(struct vks_settings *settings)
{
    void *structure;
    const struct vks_option *option = vks_settings_option(settings, "decay", &structure);
    return *(const double *)((const char *)structure + option->offset);
}

static void test_cells(void **state)
{
    (void)state;
    struct vks_settings *cells;
    int calls = 0;
    struct vks_vary vary = parse(0, 0, "decay=0.2,0.3", "preset=frost,worms");
    assert_int_equal(vks_vary_cells(&vary, &base, win, &calls, &cells), VKS_OK);
    assert_int_equal(calls, 4); /* after each preset, before the values */
    assert_int_equal(cells[0].common.steps_per_frame, 2);
    assert_int_equal(cells[3].common.steps_per_frame, 1);
    for (size_t i = 0; i < 4; i++) {
        assert_true(cells[i].common.look.gamma == 0.9);
        assert_true(decay_of(&cells[i]) == (i % 2 ? 0.3 : 0.2));
        vks_settings_free(&cells[i]);
    }
    free(cells);
    vks_vary_free(&vary);
    calls = 0;
    vary = parse(0, 0, "decay=0.2,2", NULL);
    assert_int_equal(vks_vary_cells(&vary, &base, win, &calls, &cells), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "decay '2' is not a number from 0 to 1"));
    assert_int_equal(calls, 0);
    assert_null(cells);
    vks_vary_free(&vary);
    vary = parse(0, 0, "preset=worms,wurms", NULL);
    assert_int_equal(vks_vary_cells(&vary, &base, win, &calls, &cells), VKS_ERROR_USAGE);
    vks_vary_free(&vary);
}

/* --- lists ----------------------------------------------------------------------------------- */

struct own {
    double angle;
    struct vks_list angles;
};

static const struct vks_option own_rows[] = {
    {.name = "angle",
     .type = VKS_OPTION_REAL,
     .offset = offsetof(struct own, angle),
     .list = offsetof(struct own, angles),
     .min = 0,
     .max = 180,
     .default_text = "45",
     .unit = "degrees",
     .help = "a number or a list",
     .flags = VKS_OPTION_LIST},
};

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    (void)config;
    (void)declaration;
}

static const struct vks_view views[] = {{"plane", "plane", .help = "the plane"}, {0}};

static const struct vks_model model_of_lists = {
    .name = "test",
    .summary = "a model with an option that may be a list",
    .options = {own_rows, 1},
    .settings_size = sizeof(struct own),
    .views = views,
    .declare = declare,
};

static int setup_lists(void **state)
{
    teardown(state);
    return vks_settings_init(&base, &model_of_lists) == VKS_OK ? 0 : -1;
}

static int teardown_lists(void **state)
{
    teardown(state);
    return setup(state);
}

static void test_lists_as_values(void **state)
{
    (void)state;
    struct vks_settings *cells;
    assert_values(0, 0, "angle=20,30;40,50", "20,30 40,50");
    assert_values(0, 0, "angle=20;30,40,50;60", "20 30,40,50 60");
    assert_values(0, 0, "angle=20,30,40", "20 30 40");
    assert_values(3, 1, "angle=10..20", "10 15 20");
    assert_caption("angle=20,30;40", "angle 20,30");
    struct vks_vary vary = parse(0, 0, "angle=20,30;40", NULL);
    assert_int_equal(vks_vary_cells(&vary, &base, NULL, NULL, &cells), VKS_OK);
    const struct own *first = cells[0].own, *second = cells[1].own;
    assert_true(first->angle == 20 && first->angles.count == 2 && first->angles.values[1] == 30);
    assert_true(second->angle == 40 && second->angles.count == 0);
    for (size_t i = 0; i < vary.count; i++) {
        vks_settings_free(&cells[i]);
    }
    free(cells);
    vks_vary_free(&vary);
    vary = parse(0, 0, "angle=20,30;40,500", NULL);
    assert_int_equal(vks_vary_cells(&vary, &base, NULL, NULL, &cells), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "angle '40,500' is not a number from 0 to 180"));
    vks_vary_free(&vary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_two_axes),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_captions),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cells),
        cmocka_unit_test_setup_teardown(test_lists_as_values, setup_lists, teardown_lists),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
