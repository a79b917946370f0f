/* SPDX-License-Identifier: MIT */
/* Caption text: every character has a glyph, stays within its bounds, and has identical bytes
 * everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/digest.h"
#include "view/text.h"

enum { WIDTH = 640, HEIGHT = 160 };

static uint8_t *blank(uint32_t width, uint32_t height)
{
    uint8_t *rgba = calloc((size_t)width * height, 4);
    assert_non_null(rgba);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        rgba[4 * i + 3] = 255;
    }
    return rgba;
}

/* Bounding box of white text; false if there is none. */
struct bounds {
    int64_t left, right, top, bottom;
};

static bool find_bounds(const uint8_t *rgba, uint32_t width, uint32_t height, struct bounds *bounds)
{
    *bounds = (struct bounds){width, -1, height, -1};
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            if (rgba[((size_t)y * width + x) * 4] > 0) {
                bounds->left = x < bounds->left ? x : bounds->left;
                bounds->right = x > bounds->right ? x : bounds->right;
                bounds->top = y < bounds->top ? y : bounds->top;
                bounds->bottom = y > bounds->bottom ? y : bounds->bottom;
            }
        }
    }
    return bounds->right >= 0;
}

static void test_every_character(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {6, 9, 12, 14, 17, 24, 48, 100};
    uint8_t *before = blank(WIDTH, HEIGHT);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        const uint32_t size = sizes[s];
        for (int c = '!'; c <= '~'; c++) {
            const char text[] = {(char)c, '\0'};
            uint8_t *rgba = blank(WIDTH, HEIGHT);
            const struct vks_canvas canvas = {rgba, WIDTH, HEIGHT};
            struct bounds bounds;
            const int64_t end = vks_text_draw(&canvas, 200, 110, text, size, 0xffffff);
            assert_int_equal(end - 200, vks_text_width(text, size));
            assert_true(find_bounds(rgba, WIDTH, HEIGHT, &bounds));
            /* Antialiased edges of dots and slopes may extend by one pixel. */
            assert_true(bounds.left >= 199 && bounds.right <= end);
            assert_true(bounds.top >= 110 - (int64_t)size &&
                        bounds.bottom < 110 + (int64_t)size / 3);
            /* No two consecutive characters look alike. */
            assert_true(memcmp(rgba, before, (size_t)WIDTH * HEIGHT * 4) != 0);
            memcpy(before, rgba, (size_t)WIDTH * HEIGHT * 4);
            free(rgba);
        }
    }
    free(before);
}

/* At every size, horizontal strokes at the baseline and at the height of capitals cover whole
 * pixels. */
static void test_hinting(void **state)
{
    (void)state;
    for (uint32_t size = 10; size <= 40; size++) {
        uint8_t *rgba = blank(WIDTH, HEIGHT);
        const struct vks_canvas canvas = {rgba, WIDTH, HEIGHT};
        vks_text_draw(&canvas, 10, 100, "E", size, 0xffffff);
        const uint32_t top = 100 - vks_text_ascent(size);
        struct bounds bounds;
        assert_true(find_bounds(rgba, WIDTH, HEIGHT, &bounds));
        const size_t middle = (size_t)((bounds.left + bounds.right) / 2);
        assert_true(rgba[((size_t)99 * WIDTH + middle) * 4] >= 190);
        assert_true(rgba[((size_t)top * WIDTH + middle) * 4] >= 190);
        assert_true(rgba[((size_t)(top - 1) * WIDTH + middle) * 4] < 140);
        assert_true(rgba[((size_t)100 * WIDTH + middle) * 4] < 140);
        free(rgba);
    }
}

static void test_widths(void **state)
{
    (void)state;
    assert_int_equal(vks_text_width("", 20), 0);
    assert_true(vks_text_width("m", 20) > vks_text_width("n", 20));
    assert_true(vks_text_width("n", 20) > vks_text_width("i", 20));
    assert_int_equal(vks_text_width("ab c", 20),
                     vks_text_width("ab", 20) + vks_text_width(" ", 20) + vks_text_width("c", 20));
    for (uint32_t size = VKS_MIN_TEXT_SIZE; size < 64; size++) {
        assert_true(vks_text_width("Physarum 0.0367", size + 1) >=
                    vks_text_width("Physarum 0.0367", size));
        assert_true(vks_text_ascent(size) > vks_text_descent(size));
    }
    assert_int_equal(vks_text_width("x", 0), vks_text_width("x", VKS_MIN_TEXT_SIZE));
    assert_int_equal(vks_text_width("x", 100000), vks_text_width("x", VKS_MAX_TEXT_SIZE));
}

/* One box per character, however many bytes it has; invalid UTF-8 neither crashes nor hangs. */
static void test_foreign(void **state)
{
    (void)state;
    const uint32_t box = vks_text_width("\t", 20);
    assert_true(box > 0);
    assert_int_equal(vks_text_width("\xc3\xa9", 20), box);
    assert_int_equal(vks_text_width("\xe2\x88\x9e", 20), box);
    assert_int_equal(vks_text_width("\xf0\x9f\x8d\x84", 20), box);
    assert_int_equal(vks_text_width("\xc3", 20), box);
    assert_int_equal(vks_text_width("\xc3\xa9n", 20), box + vks_text_width("n", 20));
}

/* Text beyond every edge of the canvas; the sanitizers check for stray writes. */
static void test_outside(void **state)
{
    (void)state;
    static const int64_t places[][2] = {{-30, 12},  {15, 12},      {2, -3},         {2, 40},
                                        {-999, 10}, {1 << 20, 10}, {2, -(1 << 20)}, {2, 1 << 20}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        uint8_t *rgba = blank(20, 14);
        const struct vks_canvas canvas = {rgba, 20, 14};
        vks_text_draw(&canvas, places[i][0], places[i][1], "Wj@{g", 30, 0xffffff);
        free(rgba);
    }
}

static void test_colour(void **state)
{
    (void)state;
    uint8_t *rgba = calloc(40 * 40, 4); /* transparent */
    assert_non_null(rgba);
    const struct vks_canvas canvas = {rgba, 40, 40};
    vks_text_draw(&canvas, 4, 32, "I", 40, 0x3264c8);
    bool full = false;
    for (size_t i = 0; i < 40 * 40; i++) {
        const uint8_t *pixel = rgba + 4 * i;
        full = full || memcmp(pixel, "\x32\x64\xc8\xff", 4) == 0;
        assert_true(pixel[0] <= 0x32 && pixel[1] <= 0x64 && pixel[2] <= 0xc8);
    }
    assert_true(full);
    free(rgba);
}

static void test_fit(void **state)
{
    (void)state;
    char out[64], small[6];
    const char *text = "a rather long caption";
    const uint32_t whole = vks_text_width(text, 14);
    assert_string_equal(vks_text_fit(text, 14, whole, out, sizeof(out)), text);
    vks_text_fit(text, 14, whole - 1, out, sizeof(out));
    assert_string_equal(out + strlen(out) - 3, "...");
    assert_true(vks_text_width(out, 14) < whole);
    assert_memory_equal(out, text, strlen(out) - 3);
    assert_true(out[strlen(out) - 4] != ' ');
    for (uint32_t most = 0; most < whole; most++) {
        vks_text_fit(text, 14, most, out, sizeof(out));
        assert_true(vks_text_width(out, 14) <= most);
    }
    assert_string_equal(vks_text_fit(text, 14, 0, out, sizeof(out)), "");
    assert_string_equal(vks_text_fit(text, 14, whole, small, sizeof(small)), "a...");
    /* Never splits a character. */
    const char *foreign = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";
    vks_text_fit(foreign, 14, vks_text_width(foreign, 14) - 1, out, sizeof(out));
    assert_true(strlen(out) % 2 == 1 && strlen(out) >= 3);
}

/* The bytes themselves. A change to the font changes them and every picture with captions. */
static void test_same_everywhere(void **state)
{
    (void)state;
    struct vks_digest *digest = vks_digest_create();
    char hex[33], all[128];
    size_t length = 0;
    assert_non_null(digest);
    for (char c = ' '; c <= '~'; c++) {
        all[length++] = c;
    }
    all[length] = '\0';
    for (uint32_t size = 8; size <= 60; size += 4) {
        const uint32_t width = vks_text_width(all, size) + 2;
        uint8_t *rgba = blank(width, HEIGHT);
        const struct vks_canvas canvas = {rgba, width, HEIGHT};
        vks_text_draw(&canvas, 1, 100, all, size, 0xdad7ce);
        vks_digest_update(digest, rgba, (size_t)width * HEIGHT * 4);
        free(rgba);
    }
    vks_digest_hex(digest, hex);
    vks_digest_destroy(digest);
    assert_string_equal(hex, "bede5cd2cd062e57e2c2c2f17fab5f6b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_character),
        cmocka_unit_test(test_hinting),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
