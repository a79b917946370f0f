/* SPDX-License-Identifier: MIT */
/* Axes, and what plots have in them. tests/cli reads a plot as XML. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/plot.h"
#include "report/ruler.h"

static struct vks_ruler ruler;

/* The labels of an axis, separated by spaces; minor ticks have none. */
static void expect_ticks(enum vks_plot_scale scale, const char *unit, double low, double high,
                         const char *labels)
{
    char text[1024] = "";
    const struct vks_plot_axis axis = {"x", unit, scale, 0, 0};
    vks_ruler_make(&ruler, &axis, low, high);
    for (size_t i = 0; i < ruler.count; i++) {
        if (ruler.ticks[i].label[0]) {
            strcat(text, text[0] ? "|" : "");
            strcat(text, ruler.ticks[i].label);
        }
        const double place = vks_ruler_at(&ruler, ruler.ticks[i].value);
        assert_true(place > -1e-9 && place < 1 + 1e-9);
        assert_true(i == 0 || ruler.ticks[i].value > ruler.ticks[i - 1].value);
    }
    assert_string_equal(text, labels);
    assert_true(ruler.min <= low || low == 0);
    assert_true(ruler.max >= high);
}

static void test_ticks(void **state)
{
    (void)state;
    expect_ticks(VKS_PLOT_LINEAR, "", 0.1, 0.8, "0|0.2|0.4|0.6|0.8");
    expect_ticks(VKS_PLOT_LINEAR, "", -3, 7, "-4|-2|0|2|4|6|8");
    expect_ticks(VKS_PLOT_LINEAR, "", 900, 1000, "900|920|940|960|980|1000");
    expect_ticks(VKS_PLOT_LINEAR, "s", 0, 4.2e-5, "0|10|20|30|40|50");
    assert_string_equal(ruler.title, "x (\u00b5s)");
    expect_ticks(VKS_PLOT_LOG, "s", 3e-6, 4e-3, "10 \u00b5s|100 \u00b5s|1 ms");
    expect_ticks(VKS_PLOT_LOG, "s", 3e-5, 4e-4,
                 "20 \u00b5s|50 \u00b5s|100 \u00b5s|200 \u00b5s|500 \u00b5s");
    assert_string_equal(ruler.title, "x");
    expect_ticks(VKS_PLOT_LOG, "B/s", 1.1e12, 4.2e12, "1 TB/s|2 TB/s|5 TB/s");
    expect_ticks(VKS_PLOT_LOG, "", 1e3, 1e8, "1k|10k|100k|1M|10M|100M");
    expect_ticks(VKS_PLOT_LOG, "", 5, 5, "5|10");
    expect_ticks(VKS_PLOT_LOG2, NULL, 256, 2048, "256|512|1024|2048");
    expect_ticks(VKS_PLOT_LOG2, "B", 16384, 60000, "16 KiB|32 KiB|64 KiB");
}

/* Whatever the range is, the axis is finite and has ticks. */
static void test_hostile_ranges(void **state)
{
    static const double ends[] = {0,      -1,       1,         1e-300, 1e300, 1.7e308,  -1.7e308,
                                  5e-324, INFINITY, -INFINITY, NAN,    3,     3.0000001};
    const size_t count = sizeof(ends) / sizeof(ends[0]);
    (void)state;
    for (size_t i = 0; i < count * count * 3; i++) {
        const struct vks_plot_axis axis = {"x", i % 2 ? "s" : NULL,
                                           (enum vks_plot_scale)(i / count / count), 0, 0};
        vks_ruler_make(&ruler, &axis, ends[i % count], ends[i / count % count]);
        assert_true(isfinite(ruler.min) && isfinite(ruler.max) && ruler.min < ruler.max);
        assert_true(ruler.count > 0 && ruler.count <= VKS_MAX_TICKS);
        assert_true(fabs(vks_ruler_value(&ruler, 0) - ruler.min) <= 1e-9 * fabs(ruler.min));
    }
}

static void test_numbers(void **state)
{
    char text[48];
    (void)state;
#define EXPECT(value, unit, scale, expected) \
    assert_string_equal(vks_plot_number(value, unit, scale, text, sizeof(text)), expected)
    EXPECT(4.28e12, "B/s", VKS_PLOT_LOG, "4.28 TB/s");
    EXPECT(2.3e-6, "s", VKS_PLOT_LINEAR, "2.3 \u00b5s");
    EXPECT(999.7e-6, "s", VKS_PLOT_LINEAR, "1 ms");
    EXPECT(0, "s", VKS_PLOT_LINEAR, "0 s");
    EXPECT(12345, NULL, VKS_PLOT_LINEAR, "12.3k");
    EXPECT(0.25, "", VKS_PLOT_LINEAR, "0.25");
    EXPECT(87.46, "%", VKS_PLOT_LINEAR, "87.5 %");
    EXPECT(1048576, "B", VKS_PLOT_LOG2, "1 MiB");
    EXPECT(4096, NULL, VKS_PLOT_LOG2, "4096");
#undef EXPECT
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

static void test_series(void **state)
{
    (void)state;
    const double x[] = {1, 10, 100, 1000, -5}, y[] = {1, 2, NAN, 4, 5}, low[] = {0.5, 1, 1, -1, 4},
                 high[] = {2, 3, 3, 5, 6};
    const struct vks_plot_series series = {.name = "a<b & \"c\" \xff\x01",
                                           .x = x,
                                           .y = y,
                                           .low = low,
                                           .high = high,
                                           .count = 5,
                                           .style = VKS_PLOT_POINTS | VKS_PLOT_LINE,
                                           .colour = 9};
    const struct vks_plot_limit limits[] = {{"flat", 3, 0}, {"steep", 1e-2, 1}, {"away", 1e9, 2}};
    const struct vks_plot plot = {.title = "t",
                                  .x = {"x", NULL, VKS_PLOT_LOG, 0, 0},
                                  .y = {"y", "s", VKS_PLOT_LOG, 0, 0},
                                  .series = &series,
                                  .series_count = 1,
                                  .limits = limits,
                                  .limit_count = 3};
    char *svg;
    assert_int_equal(vks_plot_svg(&plot, 1, &svg), VKS_OK);
    /* Three points have a place (one more is in the legend), and only two are neighbours. */
    assert_int_equal(count_of(svg, "<path class=\"marker f2\""), 3 + 1);
    assert_int_equal(count_of(svg, "<line class=\"s2\""), 1 + 1);
    assert_non_null(strstr(svg, "a&#60;b &#38; &#34;c&#34; \ufffd\ufffd</text>"));
    assert_non_null(strstr(svg, ">flat</text>"));
    assert_non_null(strstr(svg, ">steep</text>"));
    assert_null(strstr(svg, ">away</text>")); /* outside the frame */
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_int_equal(strncmp(svg, "<svg ", 5), 0);
    free(svg);
}

static void test_bars(void **state)
{
    (void)state;
    static const char *const names[] = {"first", "none", "<third>"};
    const double y[] = {3e9, NAN, 5e9}, low[] = {2e9, 1, 4e9}, high[] = {4e9, 1, 6e9};
    const struct vks_plot_series series = {.y = y, .low = low, .high = high, .count = 3};
    const struct vks_plot_limit limit = {"peak", 7e9, 0};
    const struct vks_plot plot = {.y = {"rate", "/s", VKS_PLOT_LINEAR, 0, 0},
                                  .series = &series,
                                  .series_count = 1,
                                  .limits = &limit,
                                  .limit_count = 1,
                                  .categories = names,
                                  .category_count = 3};
    char *svg;
    assert_int_equal(vks_plot_svg(&plot, 1, &svg), VKS_OK);
    assert_int_equal(count_of(svg, "<rect class=\"f0\""), 2);
    assert_non_null(strstr(svg, ">3 G/s</text>"));
    assert_non_null(strstr(svg, ">&#60;third&#62;</text>"));
    assert_non_null(strstr(svg, ">peak</text>"));
    assert_null(strstr(svg, "nan"));
    free(svg);
}

static void test_empty(void **state)
{
    (void)state;
    const struct vks_plot plot = {.title = "empty", .y = {"y", "s", VKS_PLOT_LOG, 0, 0}};
    char *svg;
    assert_int_equal(vks_plot_svg(&plot, 1, &svg), VKS_OK);
    assert_null(strstr(svg, "nan"));
    free(svg);
    assert_int_equal(vks_plot_svg(NULL, 0, &svg), VKS_OK);
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),   cmocka_unit_test(test_hostile_ranges),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_series),
        cmocka_unit_test(test_bars),    cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
