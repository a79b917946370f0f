/* SPDX-License-Identifier: MIT */
/* Pictures: the C twin of shaders/view/ (tests/sim/view_reference.c) against ITU-R BT.709 in
 * float64 and against its own promises; on devices, test_view_gpu checks that the shaders equal the
 * twin. And the texts of a look. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "view/taps.h"
#include "view/view.h"
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

/* The same of 10 bits, from channels of 16. */
static void test_ten_bits(void **state)
{
    (void)state;
    const double kr = 0.2126, kb = 0.0722, kg = 1 - kr - kb;
    double worst = 0;
    for (int grey = 0; grey < 65536; grey++) {
        assert_int_equal(view_blue10(4 * grey, 4 * grey, 4 * grey), 512);
        assert_int_equal(view_red10(4 * grey, 4 * grey, 4 * grey), 512);
    }
    assert_int_equal(view_luma10(0, 0, 0), 64);
    assert_int_equal(view_luma10(65535, 65535, 65535), 940);
    assert_int_equal(view_blue10(0, 0, 4 * 65535), 960);
    assert_int_equal(view_blue10(4 * 65535, 4 * 65535, 0), 64);
    assert_int_equal(view_red10(4 * 65535, 0, 0), 960);
    assert_int_equal(view_red10(0, 4 * 65535, 4 * 65535), 64);
    for (int red = 0; red < 65536; red += 1285) {
        for (int green = 0; green < 65536; green += 771) {
            for (int blue = 0; blue < 65536; blue += 1285) {
                const double luma = (kr * red + kg * green + kb * blue) / 65535;
                const double u = (blue / 65535.0 - luma) / (2 * (1 - kb));
                const double v = (red / 65535.0 - luma) / (2 * (1 - kr));
                const double errors[] = {
                    view_luma10((uint32_t)red, (uint32_t)green, (uint32_t)blue) - (64 + 876 * luma),
                    view_blue10(4 * red, 4 * green, 4 * blue) - (512 + 896 * u),
                    view_red10(4 * red, 4 * green, 4 * blue) - (512 + 896 * v)};
                for (int i = 0; i < 3; i++) {
                    worst = fabs(errors[i]) > worst ? fabs(errors[i]) : worst;
                }
            }
        }
    }
    assert_true(worst < 0.6);
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
    struct view_reference view = view_of_field(5, 1, palette);
    const struct view_frame frame = {.pixels = pixels};
    static const float values[] = {-1, 0, 1, 2, 3};
    view_draw(&view, values, NULL, &frame);
    assert_int_equal(pixels[0] & 0xff, 0);
    assert_int_equal(pixels[2] & 0xff, 127);
    assert_int_equal(pixels[4] & 0xff, 255);
    static const float flat[] = {7, 7, 7, 7, 7};
    view_draw(&view, flat, NULL, &frame);
    assert_int_equal(pixels[3] & 0xff, 0);  /* a frame without a range */
    view_draw(&view, flat, values, &frame); /* which another field stands in for */
    assert_int_equal(pixels[4] & 0xff, 255);
    assert_true(view.level[3] == 2);

    view = view_of_field(5, 1, palette);
    view.mode = VIEW_OF_FIXED;
    view.high = 2;
    view_draw(&view, values, NULL, &frame);
    assert_int_equal(pixels[0] & 0xff, 0);
    assert_int_equal(pixels[2] & 0xff, 127);
    assert_int_equal(pixels[4] & 0xff, 255);

    view = view_of_field(5, 1, palette);
    view.mode = VIEW_OF_SMOOTH;
    view_draw(&view, values, NULL, &frame);
    assert_true(view.level[0] == -1 && view.level[1] == 3);
    static const float wider[] = {-1, 0, 1, 2, 23};
    view_draw(&view, wider, NULL, &frame);
    assert_true(view.level[1] > 3.99f && view.level[1] < 4.01f); /* a twentieth of the way */
    view_draw(&view, flat, wider, &frame);
    assert_true(view.level[1] == 23); /* another field starts again */

    /* The square root and the classic contrast. */
    static const float quarter[] = {0, 0.25f, 1, 0.5f, 0.0625f};
    view = view_of_field(5, 1, palette);
    view.gamma = 0.5f;
    view_draw(&view, quarter, NULL, &frame);
    assert_int_equal(pixels[1] & 0xff, 127);
    assert_int_equal(pixels[4] & 0xff, 63);
    view.gamma = 1;
    view.contrast = 1.2f;
    view_draw(&view, quarter, NULL, &frame);
    assert_int_equal(pixels[0] & 0xff, 0);
    assert_int_equal(pixels[1] & 0xff, (uint32_t)((0.25 * 1.2 - 0.1) * 255));
    assert_int_equal(pixels[2] & 0xff, 255);
}

/* Tones of logarithms: of a range, of four decades below its end at most, and of values that
 * logarithms do not have. */
static void test_logarithms(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    static const struct {
        float low, high;
        float values[COUNT];
        double tones[COUNT]; /* 0 to 1 */
    } rows[] = {
        {1, 16, {0.5f, 1, 2, 4, 16, 99}, {0, 0, 0.25, 0.5, 1, 1}},
        {0, 100, {-5, 0, 0.01f, 0.1f, 1, 100}, {0, 0, 0, 0.25, 0.5, 1}},
        {-100, 100, {-5, 0, 0.01f, 0.1f, 10, 1e30f}, {0, 0, 0, 0.25, 0.75, 1}},
        {90, 100, {0, 89, 90, 95, 100, 101}, {0, 0, 0, 0.513, 1, 1}},
        {-2, 0, {-3, -2, -1, 0, 1, 5}, {0}},
        {-2, -1, {-3, -2, -1, 0, 1, 5}, {0}},
        {0, 1e-30f, {0, 1e-30f, 1, 2, 3, 4}, {0}},
        {5, 5, {4, 5, 6, 7, 8, 9}, {0}},
    };
    uint32_t palette[256], pixels[COUNT];
    for (uint32_t i = 0; i < 256; i++) {
        palette[i] = i;
    }
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        struct view_reference view = view_of_field(COUNT, 1, palette);
        view.mode = VIEW_OF_FIXED;
        view.low = rows[i].low;
        view.high = rows[i].high;
        view.logarithmic = true;
        view_draw(&view, rows[i].values, NULL, &(struct view_frame){.pixels = pixels});
        for (size_t k = 0; k < COUNT; k++) {
            const double wanted = rows[i].tones[k] * 255;
            const bool end = rows[i].tones[k] == 0 || rows[i].tones[k] == 1;
            if (fabs((pixels[k] & 0xff) - wanted) > (end ? 0 : 1)) {
                fail_msg("row %zu, %g: entry %u, not %.1f", i, (double)rows[i].values[k],
                         pixels[k] & 0xff, wanted);
            }
        }
    }
}

/* --- volumes ---------------------------------------------------------------------------------- */

/* Whole numbers, so that sums are exact: cell (z, y, x) holds 100 z + 10 y + x. */
static void test_planes(void **state)
{
    (void)state;
    enum { D = 3, H = 4, W = 5 };
    static const uint32_t sides[] = {W, H, D};
    static const int steps[] = {1, 10, 100};
    float volume[D * H * W], plane[H * W];
    for (int i = 0; i < D * H * W; i++) {
        volume[i] = (float)(i / (H * W) * 100 + i / W % H * 10 + i % W);
    }
    for (int axis = VIEW_ALONG_X; axis <= VIEW_ALONG_Z; axis++) {
        /* The axes of the plane: the columns are those of the first other axis. */
        const int across = axis == VIEW_ALONG_X ? VIEW_ALONG_Y : VIEW_ALONG_X;
        const int down = axis == VIEW_ALONG_Z ? VIEW_ALONG_Y : VIEW_ALONG_Z;
        const int n = (int)sides[axis], last = steps[axis] * (n - 1);
        const struct {
            enum view_project project;
            double slice, offset, factor;
        } kinds[] = {
            {VIEW_SLICE, 0, 0, 1},
            {VIEW_SLICE, 0.5, steps[axis] * (n / 2), 1},
            {VIEW_SLICE, 1, last, 1},
            {VIEW_SLICE, 0.999, last, 1},
            {VIEW_MAX, 0, last, 1},
            {VIEW_MEAN, 0, last / 2.0, 1},
            {VIEW_COLUMN, 0, n * last / 2.0, n},
        };
        for (size_t k = 0; k < VKS_COUNT(kinds); k++) {
            uint32_t columns, rows;
            view_flatten(volume, D, H, W, (enum view_axis)axis, kinds[k].project, kinds[k].slice,
                         plane, &columns, &rows);
            assert_int_equal(columns, sides[across]);
            assert_int_equal(rows, sides[down]);
            for (uint32_t i = 0; i < rows * columns; i++) {
                const double first = i / columns * steps[down] + i % columns * steps[across];
                const double wanted = first * kinds[k].factor + kinds[k].offset;
                assert_true(fabs((double)plane[i] - wanted) <= wanted * 1e-6);
            }
        }
    }
}

/* --- sizes ------------------------------------------------------------------------------------ */

enum { SIDE = 23 };

/* Draws a 23 x 23 field's part as `width` x `height` values. */
static void resize(const float *cells, uint32_t x, uint32_t y, uint32_t part_width,
                   uint32_t part_height, uint32_t width, uint32_t height, float *values)
{
    uint32_t palette[256] = {0}, *pixels = malloc((size_t)width * height * 4);
    struct view_reference view = view_of_field(SIDE, SIDE, palette);
    assert_non_null(pixels);
    view.x = x;
    view.y = y;
    view.part_width = part_width;
    view.part_height = part_height;
    view.width = width;
    view.height = height;
    view_draw(&view, cells, NULL, &(struct view_frame){.values = values, .pixels = pixels});
    free(pixels);
}

/* What any honest resizing keeps: an even field, the mean when it shrinks, the cells when it does
 * not change, a slope when it grows; and no value leaves the range of the field. */
static void test_resizing(void **state)
{
    (void)state;
    static float cells[SIDE * SIDE], values[100 * 100];
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        cells[i] = 1234.567f;
    }
    static const uint32_t sizes[][2] = {{7, 5}, {1, 1}, {23, 4}, {100, 3}, {3, 100}, {46, 99}};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        resize(cells, 0, 0, SIDE, SIDE, sizes[s][0], sizes[s][1], values);
        for (size_t i = 0; i < (size_t)sizes[s][0] * sizes[s][1]; i++) {
            assert_true(values[i] == 1234.567f);
        }
    }
    double mean = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        cells[i] = (float)((i * 7919 % 1009) / 16.0);
        mean += (double)cells[i] / (SIDE * SIDE);
    }
    resize(cells, 0, 0, SIDE, SIDE, 1, 1, values);
    assert_true(fabs((double)values[0] - mean) < 1e-4);
    resize(cells, 3, 5, 10, 11, 10, 11, values);
    assert_true(values[0] == cells[5 * SIDE + 3] && values[109] == cells[15 * SIDE + 12]);
    /* Means of means: the whole from its parts. */
    resize(cells, 0, 0, SIDE, SIDE, 7, 9, values);
    double again = 0;
    for (size_t i = 0; i < 63; i++) {
        again += (double)values[i] / 63;
    }
    assert_true(fabs(again - mean) < 1e-4);
    resize(cells, 0, 0, SIDE, SIDE, 92, 69, values);
    for (size_t i = 0; i < 92 * 69; i++) {
        assert_true(values[i] >= 0 && values[i] <= 1008 / 16.0f);
    }
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        cells[i] = (float)(i % SIDE);
    }
    resize(cells, 0, 0, SIDE, SIDE, 92, SIDE, values);
    for (uint32_t x = 12; x < 80; x++) {
        assert_true(fabs((double)values[x] - ((x + 0.5) / 4 - 0.5)) < 0.02);
    }
    /* A part that grows is cut out of the whole that grows. */
    static float part[40 * 40];
    resize(cells, 0, 0, SIDE, SIDE, 92, 92, values);
    resize(cells, 6, 9, 10, 10, 40, 40, part);
    for (uint32_t y = 0; y < 40; y++) {
        for (uint32_t x = 0; x < 40; x++) {
            assert_true(fabs((double)part[y * 40 + x] - (double)values[(y + 36) * 92 + x + 24]) <
                        1e-5);
        }
    }
}

/* Tables of any axis: lines that the field has, no more than there is room for, weights of 1 in
 * all; a mean from the part alone. */
static void test_taps(void **state)
{
    (void)state;
    static const struct vks_resized_axis axes[] = {
        {1, 0, 1, 1},
        {1, 0, 1, 65536},
        {65536, 0, 65536, 1},
        {65536, 0, 65536, 65535},
        {65536, 65535, 1, 65536},
        {65536, 7, 65529, 65530},
        {16384, 0, 16384, 1080},
        {16384, 3000, 9216, 1080},
        {1080, 0, 1080, 16384},
        {23, 5, 11, 12},
        {23, 5, 12, 11},
        {23, 5, 11, 11},
        {3, 0, 3, 4},
        {2, 1, 1, 3},
        {7, 0, 7, 3},
    };
    for (size_t a = 0; a < sizeof(axes) / sizeof(axes[0]); a++) {
        const struct vks_resized_axis *axis = &axes[a];
        uint32_t *words = calloc(vks_taps_words(axis), sizeof(*words)), before = 0;
        assert_non_null(words);
        vks_fill_taps(axis, words);
        for (uint32_t i = 0; i < axis->size; i++) {
            const uint32_t first = words[i], count = words[axis->size + i];
            double sum = 0;
            assert_in_range(count, 1, vks_max_taps(axis));
            assert_true(first >= before && (uint64_t)first + count <= axis->side);
            if (axis->size <= axis->length) {
                assert_true(first >= axis->from && first + count <= axis->from + axis->length);
            }
            for (uint32_t k = 0; k < count; k++) {
                float weight;
                memcpy(&weight, &words[(size_t)(2 + k) * axis->size + i], sizeof(weight));
                assert_true(weight > -0.5f && weight < 1.5f);
                sum += (double)weight;
            }
            assert_true(fabs(sum - 1) < 1e-5);
            before = first;
        }
        free(words);
    }
}

/* --- texts ------------------------------------------------------------------------------------ */

/* A look owns its texts; these functions only read them. */
static char *loose(const char *text)
{
    return (char *)(uintptr_t)text;
}

static struct vks_look plain_look(void)
{
    return (struct vks_look){.normalize = loose("frame"), .gamma = 1, .contrast = 1, .zoom = 1};
}

static void test_parts(void **state)
{
    (void)state;
    static const struct {
        const char *crop, *size;
        uint32_t fit;
        struct vks_part part;
    } rows[] = {
        {NULL, NULL, 0, {0, 0, 640, 480, 640, 480}},
        {"0,0,640x480", NULL, 0, {0, 0, 640, 480, 640, 480}},
        {"639,479,1x1", NULL, 0, {639, 479, 1, 1, 1, 1}},
        {NULL, "320x0", 0, {0, 0, 640, 480, 320, 240}},
        {NULL, "0x241", 0, {0, 0, 640, 480, 321, 241}},
        {NULL, "1x0", 0, {0, 0, 640, 480, 1, 1}},
        {"10,20,300x7", "0x14", 0, {10, 20, 300, 7, 600, 14}},
        {NULL, "1920x1080", VKS_FIT_STRETCH, {0, 0, 640, 480, 1920, 1080}},
        {NULL, "1920x1080", VKS_FIT_CROP, {0, 60, 640, 360, 1920, 1080}},
        {NULL, "90x160", VKS_FIT_CROP, {185, 0, 270, 480, 90, 160}},
        {"100,100,200x100", "50x50", VKS_FIT_CROP, {150, 100, 100, 100, 50, 50}},
        {NULL, "65536x1", VKS_FIT_CROP, {0, 239, 640, 1, 65536, 1}},
        {NULL, NULL, VKS_FIT_CROP, {0, 0, 640, 480, 640, 480}},
        {NULL, "90x161", VKS_FIT_CELLS, {275, 159, 90, 161, 90, 161}},
        {"100,100,200x100", "50x50", VKS_FIT_CELLS, {175, 125, 50, 50, 50, 50}},
        {NULL, "640x480", VKS_FIT_CELLS, {0, 0, 640, 480, 640, 480}},
        {NULL, "641x100", VKS_FIT_CELLS, {0, 0, 640, 480, 641, 100}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct vks_look look = plain_look();
        struct vks_part part;
        look.crop = loose(rows[i].crop);
        look.output_size = loose(rows[i].size);
        look.fit = rows[i].fit;
        const enum vks_result result =
            vks_look_finish(&look, (struct vks_size){640, 480, 1}, false);
        part = look.values.part;
        if (result != VKS_OK || memcmp(&part, &rows[i].part, sizeof(part)) != 0) {
            fail_msg("row %zu: %u,%u,%ux%u as %ux%u", i, part.x, part.y, part.width, part.height,
                     part.out_width, part.out_height);
        }
    }
}

static void test_bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *normalize, *crop, *size, *background, *words;
    } rows[] = {
        {"", NULL, NULL, NULL, "normalize ''"},
        {"fixed:1", NULL, NULL, NULL, "fixed:LOW:HIGH"},
        {"fixed:2:1", NULL, NULL, NULL, "LOW below HIGH"},
        {"fixed:0:nan", NULL, NULL, NULL, "LOW below HIGH"},
        {"frame", "", NULL, NULL, "crop ''"},
        {"frame", "1,2,3", NULL, NULL, "is not X,Y,WIDTHxHEIGHT"},
        {"frame", "1,2,3x", NULL, NULL, "is not X,Y,WIDTHxHEIGHT"},
        {"frame", "1,2,3x4 ", NULL, NULL, "is not X,Y,WIDTHxHEIGHT"},
        {"frame", "-1,2,3x4", NULL, NULL, "is not X,Y,WIDTHxHEIGHT"},
        {"frame", "1,2,0x4", NULL, NULL, "is not X,Y,WIDTHxHEIGHT"},
        {"frame", "1,2,99999999999999999999x4", NULL, NULL, "is not X,Y,WIDTHxHEIGHT"},
        {"frame", "630,0,11x4", NULL, NULL, "the field, which has 640x480"},
        {"frame", "0,480,1x1", NULL, NULL, "reaches outside"},
        {"frame", "4294967295,4294967295,4294967295x1", NULL, NULL, "reaches outside"},
        {"frame", NULL, "", NULL, "output-size ''"},
        {"frame", NULL, "0x0", NULL, "output-size '0x0'"},
        {"frame", NULL, "100", NULL, "is not WIDTHxHEIGHT"},
        {"frame", NULL, "1e3x1000", NULL, "is not WIDTHxHEIGHT"},
        {"frame", NULL, "65537x1", NULL, "from 1 to 65536"},
        {"frame", NULL, "65536x65536", NULL, "2^32 - 1 in all"},
        {"frame", "0,0,1x480", "3000x0", NULL, "a picture of 3000x1440000"},
        {"frame", NULL, NULL, "", "background ''"},
        {"frame", NULL, NULL, "#12345", "six hexadecimal digits"},
        {"frame", NULL, NULL, "#12345g", "six hexadecimal digits"},
        {"frame", NULL, NULL, "#1234567", "six hexadecimal digits"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct vks_look look = plain_look();
        look.normalize = loose(rows[i].normalize);
        look.crop = loose(rows[i].crop);
        look.output_size = loose(rows[i].size);
        look.background = loose(rows[i].background);
        if (vks_look_finish(&look, (struct vks_size){640, 480, 1}, false) != VKS_ERROR_USAGE ||
            !strstr(vks_error_text(), rows[i].words)) {
            fail_msg("row %zu: '%s' does not say '%s'", i, vks_error_text(), rows[i].words);
        }
    }
}

/* How a volume is seen, and the size of its plane. */
static void test_sights(void **state)
{
    (void)state;
    static const struct {
        const char *axis, *project, *slice;
        struct vks_plane plane;
        uint32_t width, height;
        const char *words; /* NULL: taken */
    } rows[] = {
        {NULL, NULL, NULL, {VKS_SIGHT_Z, VKS_PROJECT_SLICE, 0.5}, 7, 5, NULL},
        {"z", "slice", "0.5", {VKS_SIGHT_Z, VKS_PROJECT_SLICE, 0.5}, 7, 5, NULL},
        {"y", "mean", NULL, {VKS_SIGHT_Y, VKS_PROJECT_MEAN, 0.5}, 7, 3, NULL},
        {"x", "max", NULL, {VKS_SIGHT_X, VKS_PROJECT_MAX, 0.5}, 5, 3, NULL},
        {NULL, "column", NULL, {VKS_SIGHT_Z, VKS_PROJECT_COLUMN, 0.5}, 7, 5, NULL},
        {NULL, NULL, "0", {VKS_SIGHT_Z, VKS_PROJECT_SLICE, 0}, 7, 5, NULL},
        {"x", NULL, "1", {VKS_SIGHT_X, VKS_PROJECT_SLICE, 1}, 5, 3, NULL},
        {"", NULL, NULL, {0}, 0, 0, "axis '' is not one of: x, y, z"},
        {"xy", NULL, NULL, {0}, 0, 0, "axis 'xy' is not one of: x, y, z"},
        {NULL, "sum", NULL, {0}, 0, 0, "'sum' is not one of: slice, mean, max, column, soft"},
        {NULL, "soft", NULL, {0}, 0, 0, "project 'soft' requires camera"},
        {NULL, NULL, "", {0}, 0, 0, "slice '' is not a number from 0 to 1"},
        {NULL, NULL, "-0.1", {0}, 0, 0, "slice '-0.1' is not a number from 0 to 1"},
        {NULL, NULL, "1.01", {0}, 0, 0, "slice '1.01' is not a number from 0 to 1"},
        {NULL, NULL, "nan", {0}, 0, 0, "slice 'nan' is not a number from 0 to 1"},
        {NULL, NULL, "0.5 ", {0}, 0, 0, "slice '0.5 ' is not a number from 0 to 1"},
        {NULL, "max", "0.5", {0}, 0, 0, "requires project slice, not project max"},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        struct vks_look look = plain_look();
        uint32_t width, height;
        look.axis = loose(rows[i].axis);
        look.project = loose(rows[i].project);
        look.slice = loose(rows[i].slice);
        const enum vks_result result = vks_look_finish(&look, (struct vks_size){7, 5, 3}, false);
        if (rows[i].words) {
            if (result != VKS_ERROR_USAGE || !strstr(vks_error_text(), rows[i].words)) {
                fail_msg("row %zu: '%s' does not say '%s'", i, vks_error_text(), rows[i].words);
            }
            continue;
        }
        assert_int_equal(result, VKS_OK);
        const struct vks_plane plane = look.values.plane;
        vks_look_size(&look, (struct vks_size){7, 5, 3}, &width, &height);
        if (plane.sight != rows[i].plane.sight || plane.project != rows[i].plane.project ||
            plane.slice != rows[i].plane.slice || width != rows[i].width ||
            height != rows[i].height) {
            fail_msg("row %zu: axis %d, project %d, slice %g, %ux%u", i, plane.sight, plane.project,
                     plane.slice, width, height);
        }
        /* A flat grid takes only projections, for it is its own. */
        const bool given = rows[i].axis || rows[i].slice;
        assert_int_equal(vks_look_finish(&look, (struct vks_size){7, 5, 1}, false),
                         given ? VKS_ERROR_USAGE : VKS_OK);
    }
    /* Parts are those of the plane. */
    struct vks_look look = plain_look();
    look.axis = loose("x");
    look.crop = loose("0,0,5x3");
    assert_int_equal(vks_look_finish(&look, (struct vks_size){7, 5, 3}, false), VKS_OK);
    look.crop = loose("0,0,5x4");
    assert_int_equal(vks_look_finish(&look, (struct vks_size){7, 5, 3}, false), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "5x3"));
}

/* The option of the last failure is a name, with which the sentence begins. */
static void assert_names_option(void)
{
    const struct vks_error *error = vks_error_last();
    const size_t length = strlen(error->option);
    assert_true(length > 0 && strcspn(error->text, " ") == length);
    assert_memory_equal(error->option, error->text, length);
}

/* Where points are seen from, and what goes with it. */
static void test_cameras(void **state)
{
    (void)state;
    static const struct vks_size deep = {7, 5, 3}, flat = {7, 5, 1};
    static const struct {
        const char *camera;
        double spin, zoom;
        const char *axis, *project, *slice, *crop;
        struct vks_camera seen;
        const char *words; /* NULL: taken */
    } rows[] = {
        {.zoom = 1, .axis = "x", .crop = "1,1,2x2"},
        {"none", .zoom = 1, .axis = "x"},
        {"none", .zoom = 1, .project = "column"},
        {"0,0", .zoom = 1, .seen = {true, 0, 0, 0}},
        {"90,45", .zoom = 2.5, .seen = {true, 0x40000000, 0x20000000, 0}},
        {"-90,-45", .zoom = 1, .seen = {true, 0xc0000000, 0xe0000000, 0}},
        {"450.5,-90", 0.5, 1, .seen = {true, 0x405b05b0, 0xc0000000, 0x005b05b0}},
        {"-1e-12,90", -0.5, 1, .seen = {true, 0, 0x40000000, 0xffa4fa50}},
        {"1000000020,1", .zoom = 1, .seen = {true, 0xd5555555, 0x00b60b61, 0}},
        {.spin = 360, .zoom = 1, .seen = {true, 0, 0x0e38e38e, 0}},
        {"", .zoom = 1, .words = "camera '' is not none or AZIMUTH,ELEVATION in degrees"},
        {"30", .zoom = 1, .words = "camera '30' is not none or AZIMUTH,ELEVATION"},
        {"30,", .zoom = 1, .words = "camera '30,' is not none or AZIMUTH,ELEVATION"},
        {",30", .zoom = 1, .words = "camera ',30' is not none or AZIMUTH,ELEVATION"},
        {"30,20,10", .zoom = 1, .words = "is not none or AZIMUTH,ELEVATION"},
        {"30,20 ", .zoom = 1, .words = "is not none or AZIMUTH,ELEVATION"},
        {"30,90.5", .zoom = 1, .words = "with an elevation from -90 to 90"},
        {"nan,20", .zoom = 1, .words = "is not none or AZIMUTH,ELEVATION"},
        {"30,nan", .zoom = 1, .words = "is not none or AZIMUTH,ELEVATION"},
        {"inf,20", .zoom = 1, .words = "is not none or AZIMUTH,ELEVATION"},
        {"none", 2, 1, .words = "spin 2 needs a camera, and camera is 'none'"},
        {.zoom = 2, .words = "zoom 2 requires camera; without one, crop enlarges a part"},
        {"0,0", .zoom = 1, .axis = "x", .words = "camera '0,0' and axis 'x' exclude each"},
        {.spin = 1, .zoom = 1, .axis = "x", .words = "spin 1 and axis 'x' exclude each other"},
        {"0,0", .zoom = 1, .crop = "0,0,1x1", .words = "crop '0,0,1x1' is in cells, which a"},
        {.zoom = 1, .project = "max", .words = "project 'max' is for fields; all points along"},
        {.zoom = 1, .slice = "0.5", .words = "slice '0.5' is for fields; all points along"},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        struct vks_look look = plain_look();
        look.camera = loose(rows[i].camera);
        look.spin = rows[i].spin;
        look.zoom = rows[i].zoom;
        look.axis = loose(rows[i].axis);
        look.project = loose(rows[i].project);
        look.slice = loose(rows[i].slice);
        look.crop = loose(rows[i].crop);
        if (rows[i].words) {
            if (vks_look_finish(&look, deep, true) != VKS_ERROR_USAGE ||
                !strstr(vks_error_text(), rows[i].words)) {
                fail_msg("row %zu: '%s' does not say '%s'", i, vks_error_text(), rows[i].words);
            }
            assert_names_option();
            continue;
        }
        assert_int_equal(vks_look_finish(&look, deep, true), VKS_OK);
        const struct vks_camera camera = look.values.camera;
        if (camera.given != rows[i].seen.given || camera.azimuth != rows[i].seen.azimuth ||
            camera.elevation != rows[i].seen.elevation || camera.spin != rows[i].seen.spin) {
            fail_msg("row %zu: %d, %#x, %#x, %#x", i, camera.given, camera.azimuth,
                     camera.elevation, camera.spin);
        }
        /* Fields take one too, flat boxes do not. */
        look.axis = look.project = NULL;
        assert_int_equal(vks_look_finish(&look, deep, false), VKS_OK);
        assert_memory_equal(&look.values.camera, &camera, sizeof(camera));
        assert_int_equal(look.values.plane.project,
                         camera.given ? VKS_PROJECT_SOFT : VKS_PROJECT_SLICE);
        assert_int_equal(vks_look_finish(&look, flat, true),
                         camera.given ? VKS_ERROR_USAGE : VKS_OK);
        if (camera.given) {
            assert_non_null(strstr(vks_error_text(), "requires a volume, and this"));
            assert_names_option();
        }
    }
}

/* The projections of a field that a camera takes. */
static void test_camera_projections(void **state)
{
    (void)state;
    static const struct {
        const char *project, *slice, *words; /* NULL: taken */
    } rows[] = {
        {NULL, NULL, NULL},
        {"soft", NULL, NULL},
        {"column", NULL, NULL},
        {"slice", NULL,
         "project 'slice' projects along an axis; with camera, choose soft or column"},
        {"mean", NULL, "project 'mean' projects along an axis; with camera, choose soft or column"},
        {"max", NULL, "project 'max' projects along an axis; with camera, choose soft or column"},
        {NULL, "0.3", "slice '0.3' requires project slice, not project soft"},
    };
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        struct vks_look look = plain_look();
        look.zoom = 1;
        look.camera = loose("30,20");
        look.project = loose(rows[i].project);
        look.slice = loose(rows[i].slice);
        const enum vks_result result = vks_look_finish(&look, (struct vks_size){7, 5, 3}, false);
        if ((result == VKS_OK) != (rows[i].words == NULL) ||
            (rows[i].words && !strstr(vks_error_text(), rows[i].words))) {
            fail_msg("row %zu: '%s' does not say '%s'", i, vks_error_text(), rows[i].words);
        }
    }
}

static struct vks_background background_of(const char *text)
{
    struct vks_look look = plain_look();
    look.background = loose(text);
    assert_int_equal(vks_look_finish(&look, (struct vks_size){7, 5, 1}, false), VKS_OK);
    return look.values.background;
}

static void test_grounds(void **state)
{
    (void)state;
    assert_int_equal(background_of(NULL).kind, VKS_BACKGROUND_NONE);
    assert_int_equal(background_of("none").kind, VKS_BACKGROUND_NONE);
    assert_int_equal(background_of("#Ab0012").kind, VKS_BACKGROUND_COLOUR);
    assert_int_equal(background_of("#Ab0012").colour, 0xff1200ab);
    static const struct {
        const char *text;
        uint32_t colour; /* 0xAABBGGRR */
    } colours[] = {{"#fff", 0xffffffff},   {"#1aF", 0xffffaa11},      {"white", 0xffffffff},
                   {"Black", 0xff000000},  {"red", 0xff0000ff},       {"GREEN", 0xff008000},
                   {"orange", 0xff00a5ff}, {"grey", 0xff808080},      {"gray", 0xff808080},
                   {"cyan", 0xffffff00},   {"aliceblue", 0xfffff8f0}, {"yellowgreen", 0xff32cd9a}};
    for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
        assert_int_equal(background_of(colours[i].text).kind, VKS_BACKGROUND_COLOUR);
        assert_int_equal(background_of(colours[i].text).colour, colours[i].colour);
    }
    assert_int_equal(background_of("./white").kind, VKS_BACKGROUND_FILE);
    assert_int_equal(background_of("whit").kind, VKS_BACKGROUND_FILE);
    assert_int_equal(background_of("transparent").kind, VKS_BACKGROUND_TRANSPARENT);
    assert_int_equal(background_of("a.png").kind, VKS_BACKGROUND_FILE);
}

/* --invert turns the map around and keeps what it says of itself. */
static void test_palette(void **state)
{
    (void)state;
    uint32_t map[256], palette[257];
    struct vks_look look = plain_look();
    for (uint32_t i = 0; i < 256; i++) {
        map[i] = i * 3;
    }
    vks_view_palette(&look, map, true, palette);
    assert_memory_equal(map, palette, sizeof(map));
    assert_int_equal(palette[256], 1);
    look.invert = true;
    vks_view_palette(&look, map, false, palette);
    assert_int_equal(palette[0], 765);
    assert_int_equal(palette[255], 0);
    assert_int_equal(palette[256], 0);
}

/* A heap declaration and what it holds. */
static void free_declaration(struct vks_declaration *declaration)
{
    vks_declaration_free(declaration);
    free(declaration);
}

static struct vks_declaration *declare(const char *normalize, uint64_t height, uint64_t width)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    char text[64];
    snprintf(text, sizeof(text), "%s", normalize);
    assert_non_null(declaration);
    vks_declare_field(
        declaration,
        &(struct vks_field){.name = "t", .element = VKS_F32, .rank = 2, .shape = {height, width}});
    struct vks_look look = {.normalize = text, .gamma = 0.5, .contrast = 1, .zoom = 1};
    const enum vks_result result =
        vks_look_finish(&look, (struct vks_size){(uint32_t)width, (uint32_t)height, 1}, false);
    assert_int_equal(result, strcmp(normalize, "nonsense") == 0 ? VKS_ERROR_USAGE : VKS_OK);
    vks_declare_view(declaration,
                     &(struct vks_view_params){
                         .displayed = "t", .look = &look, .planes = vks_plane_bit(VKS_PLANE_YUV)});
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
    assert_int_equal(declaration->fields[picture].shape[0], 5);
    assert_int_equal(declaration->fields[picture].shape[1], 3);
    assert_int_equal(declaration->fields[planes].shape[0], 8 * 6 * 3 / 2 / 4);
    free_declaration(declaration);
    declaration = declare("nonsense", 5, 3);
    assert_int_equal(declaration->result, VKS_ERROR_INTERNAL); /* the look is not finished */
    free_declaration(declaration);
}

/* Names of the passes that draw a part of a picture, in order. The fields are 40 x 60 cells, or
 * 40 x 7 x 60 of which y is the axis of the look. */
static const char *passes_of(const struct vks_view_params *params, enum vks_view_part part,
                             uint32_t row)
{
    const bool deep = params->look->axis != NULL;
    struct vks_look look = *params->look;
    assert_int_equal(
        vks_look_finish(&look, deep ? (struct vks_size){40, 7, 60} : (struct vks_size){40, 60, 1},
                        false),
        VKS_OK);
    static char names[512];
    struct vks_view_params with = *params;
    struct vks_declaration declaration = {0};
    with.part = part;
    with.row = row;
    with.look = &look;
    for (int i = 0; i < 2; i++) {
        VKS_FIELD(&declaration, .name = i ? "b" : "a", .element = VKS_F32, .rank = deep ? 3 : 2,
                  .shape = {60, deep ? 7 : 40, deep ? 40 : 0});
    }
    VKS_PASS(&declaration, .name = "own", .shader = "view/level", .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"a", VKS_READ}), .items = {1});
    vks_declare_view(&declaration, &with);
    assert_int_equal(declaration.result, VKS_OK);
    assert_int_equal(declaration.continues, part != VKS_VIEW_MEASURE || row > 0);
    names[0] = '\0';
    for (size_t i = 0; i < declaration.pass_count; i++) {
        const size_t used = strlen(names);
        if (!declaration.passes[i].left_out) {
            snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                     declaration.passes[i].name);
        }
    }
    vks_declaration_free(&declaration);
    return names;
}

/* A picture in bands: the model's own pass, the range and the glow are those of the whole. */
static void test_bands(void **state)
{
    (void)state;
    struct vks_look look = {.normalize = (char *)(uintptr_t) "frame",
                            .gamma = 1,
                            .contrast = 1,
                            .colormap = (char *)(uintptr_t) "viridis",
                            .zoom = 1,
                            .bloom = 1,
                            .output_size = (char *)(uintptr_t) "80x30"};
    struct vks_view_params params = {
        .displayed = "a", .fallback = "b", .look = &look, .max_bytes = 80 * 4 * 10};
    static const struct {
        enum vks_view_part part;
        uint32_t row;
        const char *passes;
    } expected[] = {
        {VKS_VIEW_MEASURE, 0,
         "own, range, resize down, resize across, range b, widen view_range, range c"},
        {VKS_VIEW_MEASURE, 10, "resize down, resize across, range b, widen view_range"},
        {VKS_VIEW_MEASURE_FALLBACK, 0,
         "fallback down, fallback across, range d, widen view_range_fallback"},
        {VKS_VIEW_MEASURE_FALLBACK, 20,
         "fallback down, fallback across, range d, widen view_range_fallback"},
        {VKS_VIEW_LEVEL, 0, "level"},
        {VKS_VIEW_LEVEL, 10, ""},
        {VKS_VIEW_GLOW, 10, "resize down, resize across, fallback down, fallback across, glow"},
        {VKS_VIEW_BLUR, 0, "glow 1 across, glow 1 down, glow 2 across, glow 2 down"},
        {VKS_VIEW_BLUR, 10, ""},
        {VKS_VIEW_DRAW, 20, "resize down, resize across, fallback down, fallback across, paint"},
    };
    for (size_t i = 0; i < VKS_COUNT(expected); i++) {
        assert_string_equal(passes_of(&params, expected[i].part, expected[i].row),
                            expected[i].passes);
    }
    /* A volume becomes a plane once. */
    look.axis = loose("y");
    assert_string_equal(
        passes_of(&params, VKS_VIEW_MEASURE, 0),
        "own, project, fallback project, range, resize down, resize across, range b, "
        "widen view_range, range c");
    for (size_t i = 1; i < VKS_COUNT(expected); i++) {
        assert_string_equal(passes_of(&params, expected[i].part, expected[i].row),
                            expected[i].passes);
    }
    look.axis = NULL;
    /* A fixed range is not measured. */
    look.normalize = (char *)(uintptr_t) "fixed:0:1";
    params.fallback = NULL;
    assert_string_equal(passes_of(&params, VKS_VIEW_MEASURE, 0), "own, range");
    assert_string_equal(passes_of(&params, VKS_VIEW_MEASURE, 10), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greys),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_ten_bits),
        cmocka_unit_test(test_planes_repeat_edges),
        cmocka_unit_test(test_normalisation),
        cmocka_unit_test(test_declaration),
        cmocka_unit_test(test_resizing),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_bad_texts),
        cmocka_unit_test(test_grounds),
        cmocka_unit_test(test_palette),
        cmocka_unit_test(test_taps),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_sights),
        cmocka_unit_test(test_cameras),
        cmocka_unit_test(test_camera_projections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
