/* SPDX-License-Identifier: MIT */
/* Pictures: the C twin of shaders/view/ (tests/sim/view_reference.c) against ITU-R BT.709 in
 * float64 and against its own promises; on devices, test_physarum checks that the shaders equal the
 * twin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/view.h"
#include "view_reference.h"

static void test_greys(void **state)
{
    (void)state;
    assert_int_equal(view_luma(0, 0, 0), 16);
    assert_int_equal(view_luma(255, 255, 255), 235);
    for (int grey = 0; grey < 256; grey++) {
        assert_int_equal(view_blue(4 * grey, 4 * grey, 4 * grey), 128);
        assert_int_equal(view_red(4 * grey, 4 * grey, 4 * grey), 128);
        assert_int_equal(view_luma(grey, grey, grey), (int)floor(16.5 + grey * 219.0 / 255.0));
        /* Not only where four pixels are equal: any sum of greys. */
        for (int extra = 1; extra < 4 && grey < 255; extra++) {
            int sum = 4 * grey + extra;
            assert_int_equal(view_blue(sum, sum, sum), 128);
            assert_int_equal(view_red(sum, sum, sum), 128);
        }
    }
}

/* BT.709 with limited range, in float64: the integers are off by rounding at most. */
static void test_colours(void **state)
{
    (void)state;
    const double kr = 0.2126, kb = 0.0722, kg = 1 - kr - kb;
    double worst = 0;
    for (int red = 0; red < 256; red += 5) {
        for (int green = 0; green < 256; green += 3) {
            for (int blue = 0; blue < 256; blue += 5) {
                double luma = (kr * red + kg * green + kb * blue) / 255;
                double y = 16 + 219 * luma;
                double u = 128 + 224 * (blue / 255.0 - luma) / (2 * (1 - kb));
                double v = 128 + 224 * (red / 255.0 - luma) / (2 * (1 - kr));
                double errors[] = {view_luma(red, green, blue) - y,
                                   view_blue(4 * red, 4 * green, 4 * blue) - u,
                                   view_red(4 * red, 4 * green, 4 * blue) - v};
                for (int i = 0; i < 3; i++) {
                    worst = fabs(errors[i]) > worst ? fabs(errors[i]) : worst;
                }
            }
        }
    }
    assert_true(worst < 0.51);
}

/* Limited range: no colour leaves 16 to 235 and 16 to 240. The extremes are at the corners. */
static void test_limits(void **state)
{
    (void)state;
    int least_u = 255, most_u = 0, least_v = 255, most_v = 0;
    for (int corner = 0; corner < 8; corner++) {
        int red = corner & 1 ? 255 : 0, green = corner & 2 ? 255 : 0, blue = corner & 4 ? 255 : 0;
        int y = view_luma(red, green, blue), u = view_blue(4 * red, 4 * green, 4 * blue),
            v = view_red(4 * red, 4 * green, 4 * blue);
        assert_in_range(y, 16, 235);
        least_u = u < least_u ? u : least_u;
        most_u = u > most_u ? u : most_u;
        least_v = v < least_v ? v : least_v;
        most_v = v > most_v ? v : most_v;
    }
    assert_int_equal(least_u, 16);
    assert_int_equal(most_u, 240);
    assert_int_equal(least_v, 16);
    assert_int_equal(most_v, 240);
    /* bt709 primaries as other programs give them. */
    assert_int_equal(view_luma(255, 0, 0), 63);
    assert_int_equal(view_luma(0, 255, 0), 173);
    assert_int_equal(view_luma(0, 0, 255), 32);
}

static void test_planes_repeat_edges(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {8, 2}, {9, 3}, {17, 7}, {1023, 7}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t width = sizes[i][0], height = sizes[i][1], coded_width, coded_height;
        vks_coded_size(width, height, &coded_width, &coded_height);
        assert_int_equal(coded_width % 8, 0);
        assert_int_equal(coded_height % 2, 0);
        assert_in_range(coded_width, width, width + 7);
        assert_in_range(coded_height, height, height + 1);
        uint32_t *pixels = malloc((size_t)width * height * 4);
        size_t luma = (size_t)coded_width * coded_height;
        uint8_t *planes = malloc(luma * 3 / 2);
        assert_true(pixels && planes);
        for (size_t p = 0; p < (size_t)width * height; p++) {
            pixels[p] = 0xff000000u | (uint32_t)(p * 2654435761u >> 8);
        }
        view_planes(width, height, pixels, planes);
        for (uint32_t y = 0; y < coded_height; y++) {
            for (uint32_t x = width; x < coded_width; x++) {
                assert_int_equal(planes[y * coded_width + x], planes[y * coded_width + width - 1]);
            }
        }
        for (uint32_t x = 0; x < coded_width && coded_height > height; x++) {
            assert_int_equal(planes[height * coded_width + x],
                             planes[(height - 1) * coded_width + x]);
        }
        free(planes);
        free(pixels);
    }
}

static void test_normalisation(void **state)
{
    (void)state;
    uint32_t palette[256], pixels[5];
    for (uint32_t i = 0; i < 256; i++) {
        palette[i] = i;
    }
    struct view_reference view = {
        .width = 5, .height = 1, .gamma = 1, .contrast = 1, .palette = palette};
    static const float values[] = {-1, 0, 1, 2, 3};
    view_draw(&view, values, pixels);
    assert_int_equal(pixels[0], 0);
    assert_int_equal(pixels[2], 127);
    assert_int_equal(pixels[4], 255);
    static const float flat[] = {7, 7, 7, 7, 7};
    view_draw(&view, flat, pixels);
    assert_int_equal(pixels[3], 0); /* a frame without a range */

    view = (struct view_reference){.width = 5,
                                   .height = 1,
                                   .mode = VIEW_OF_FIXED,
                                   .low = 0,
                                   .high = 2,
                                   .gamma = 1,
                                   .contrast = 1,
                                   .palette = palette};
    view_draw(&view, values, pixels);
    assert_int_equal(pixels[0], 0);
    assert_int_equal(pixels[2], 127);
    assert_int_equal(pixels[4], 255);

    view = (struct view_reference){.width = 5,
                                   .height = 1,
                                   .mode = VIEW_OF_SMOOTH,
                                   .gamma = 1,
                                   .contrast = 1,
                                   .palette = palette};
    view_draw(&view, values, pixels);
    assert_true(view.level[0] == -1 && view.level[1] == 3);
    static const float wider[] = {-1, 0, 1, 2, 23};
    view_draw(&view, wider, pixels);
    assert_true(view.level[1] > 3.99f && view.level[1] < 4.01f); /* a twentieth of the way */

    /* The square root and the classic contrast. */
    static const float quarter[] = {0, 0.25f, 1, 0.5f, 0.0625f};
    view = (struct view_reference){
        .width = 5, .height = 1, .gamma = 0.5f, .contrast = 1, .palette = palette};
    view_draw(&view, quarter, pixels);
    assert_int_equal(pixels[1], 127);
    assert_int_equal(pixels[4], 63);
    view.gamma = 1;
    view.contrast = 1.2f;
    view_draw(&view, quarter, pixels);
    assert_int_equal(pixels[0], 0);
    assert_int_equal(pixels[1], (uint32_t)((0.25 * 1.2 - 0.1) * 255));
    assert_int_equal(pixels[2], 255);
}

static struct vks_declaration *declare(const char *normalize, uint64_t height, uint64_t width)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    char text[64];
    snprintf(text, sizeof(text), "%s", normalize);
    assert_non_null(declaration);
    vks_declare_field(
        declaration,
        &(struct vks_field){.name = "t", .element = VKS_F32, .rank = 2, .extent = {height, width}});
    vks_declare_view(declaration, "t",
                     &(struct vks_look){.normalize = text, .gamma = 0.5, .contrast = 1}, true);
    return declaration;
}

static void test_declaration(void **state)
{
    (void)state;
    struct vks_declaration *declaration = declare("smooth", 5, 3);
    assert_int_equal(declaration->result, VKS_OK);
    int picture = vks_find_field(declaration, "picture"),
        planes = vks_find_field(declaration, "planes");
    assert_true(picture >= 0 && planes >= 0);
    assert_int_equal(declaration->fields[picture].extent[0], 5);
    assert_int_equal(declaration->fields[picture].extent[1], 3);
    assert_int_equal(declaration->fields[planes].extent[0], 8 * 6 * 3 / 2 / 4);
    free(declaration);
    declaration = declare("nonsense", 5, 3);
    assert_int_equal(declaration->result, VKS_ERROR_USAGE);
    free(declaration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greys),         cmocka_unit_test(test_colours),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_planes_repeat_edges),
        cmocka_unit_test(test_normalisation), cmocka_unit_test(test_declaration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
