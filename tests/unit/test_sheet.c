/* SPDX-License-Identifier: MIT */
/* Sheets of pictures and contact sheets of a run: layout, captions, choice of frames, file names.
 */
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
#include "frames/collage.h"
#include "frames/sheet.h"

enum { MAX_CAPTIONS = 64 };

static void plan(struct vks_sheet *sheet, struct vks_caption *captions, uint32_t columns,
                 uint32_t rows, uint32_t width, uint32_t height)
{
    *sheet = (struct vks_sheet){.columns = columns,
                                .rows = rows,
                                .cell_width = width,
                                .cell_height = height,
                                .count = (size_t)columns * rows};
    assert_int_equal(vks_sheet_plan(sheet, captions), VKS_OK);
}

/* Pictures never overlap each other or a caption, whatever the size. */
static void test_layout(void **state)
{
    (void)state;
    static const uint32_t shapes[][4] = {{1, 1, 1, 1},     {2, 2, 512, 300}, {3, 2, 33, 17},
                                         {7, 4, 320, 320}, {1, 5, 1001, 3},  {4, 1, 3, 999}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        struct vks_caption captions[MAX_CAPTIONS] = {{.run_count = 0}};
        struct vks_sheet sheet;
        for (size_t i = 0; i < MAX_CAPTIONS; i++) {
            vks_caption_add(&captions[i], "gj", false);
            snprintf(captions[i].note, sizeof(captions[i].note), "y");
        }
        plan(&sheet, captions, shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3]);
        assert_int_equal(sheet.width % 2, 0);
        assert_int_equal(sheet.height % 2, 0);
        const size_t pixels = (size_t)sheet.width * sheet.height;
        uint8_t *drawn = vks_sheet_background(&sheet);
        uint8_t *picture = malloc((size_t)sheet.cell_width * sheet.cell_height * 4);
        assert_non_null(drawn);
        assert_non_null(picture);
        const uint8_t background[4] = {drawn[0], drawn[1], drawn[2], drawn[3]};
        for (size_t i = 0; i < pixels; i++) {
            assert_memory_equal(drawn + 4 * i, background, 4);
        }
        for (size_t i = 0; i < sheet.count; i++) {
            vks_sheet_draw_caption(&sheet, drawn, i, &captions[i]);
        }
        /* Captions leave the places of pictures untouched. */
        for (size_t i = 0; i < sheet.count; i++) {
            uint32_t left, top;
            vks_sheet_at(&sheet, i, &left, &top);
            assert_true(left > 0 && left + sheet.cell_width < sheet.width);
            assert_true(top > 0 && top + sheet.cell_height < sheet.height);
            for (uint32_t y = 0; y < sheet.cell_height; y++) {
                for (uint32_t x = 0; x < sheet.cell_width; x++) {
                    const size_t at = (size_t)(top + y) * sheet.width + left + x;
                    assert_memory_equal(drawn + 4 * at, background, 4);
                    drawn[4 * at] = 1; /* marked as taken by this picture */
                }
            }
        }
        memset(picture, 200, (size_t)sheet.cell_width * sheet.cell_height * 4);
        vks_sheet_place(&sheet, drawn, sheet.count - 1, picture);
        uint32_t left, top;
        vks_sheet_at(&sheet, sheet.count - 1, &left, &top);
        const size_t corner =
            (size_t)(top + sheet.cell_height - 1) * sheet.width + left + sheet.cell_width - 1;
        assert_int_equal(drawn[4 * corner], 200);
        assert_int_not_equal(drawn[4 * (corner + 1)], 200);
        free(picture);
        free(drawn);
    }
}

/* The first and last column with text under the only picture. */
static void caption_extent(const struct vks_sheet *sheet, const struct vks_caption *caption,
                           int64_t *left, int64_t *right)
{
    uint8_t *pixels = vks_sheet_background(sheet);
    assert_non_null(pixels);
    const uint8_t background[4] = {pixels[0], pixels[1], pixels[2], pixels[3]};
    vks_sheet_draw_caption(sheet, pixels, 0, caption);
    *left = sheet->width;
    *right = -1;
    for (size_t i = 0; i < (size_t)sheet->width * sheet->height; i++) {
        if (memcmp(pixels + 4 * i, background, 4) != 0) {
            const int64_t x = (int64_t)(i % sheet->width);
            *left = x < *left ? x : *left;
            *right = x > *right ? x : *right;
        }
    }
    free(pixels);
}

static void test_captions(void **state)
{
    (void)state;
    struct vks_caption caption = {.run_count = 0};
    struct vks_sheet sheet;
    char text[64];
    int64_t left, right;
    vks_caption_add(&caption, "feed", true);
    vks_caption_add(&caption, "0.0367", false);
    assert_string_equal(vks_caption_text(&caption, text, sizeof(text)), "feed 0.0367");
    plan(&sheet, &caption, 1, 1, 480, 100);
    const uint32_t usual = sheet.text;
    assert_true(sheet.notes);
    caption_extent(&sheet, &caption, &left, &right);
    assert_in_range(left, sheet.left - 1, sheet.left + 3);
    assert_true(right < sheet.left + 240);
    /* A note ends where the picture does. */
    snprintf(caption.note, sizeof(caption.note), "2 steps/frame");
    plan(&sheet, &caption, 1, 1, 480, 100);
    caption_extent(&sheet, &caption, &left, &right);
    assert_in_range(right, sheet.left + 480 - 4, sheet.left + 480);
    /* Without room the note goes first, then the text shrinks, then it is truncated. */
    snprintf(caption.note, sizeof(caption.note),
             "a note that is far too long to fit next to the caption here");
    plan(&sheet, &caption, 1, 1, 480, 100);
    assert_false(sheet.notes);
    assert_int_equal(sheet.text, usual);
    caption.note[0] = '\0';
    for (uint32_t width = 480; width > 0; width--) {
        plan(&sheet, &caption, 1, 1, width, 100);
        caption_extent(&sheet, &caption, &left, &right);
        assert_true(right <= sheet.left + width);
        assert_true(sheet.text <= usual && sheet.text >= 9);
    }
    /* Runs over VKS_MAX_RUNS are dropped. */
    for (int i = 0; i < 9; i++) {
        vks_caption_add(&caption, "x", false);
    }
    assert_int_equal(caption.run_count, VKS_MAX_RUNS);
}

static void test_too_large(void **state)
{
    (void)state;
    struct vks_caption *captions = calloc(65536, sizeof(*captions));
    assert_non_null(captions);
    static const uint32_t shapes[][4] = {
        {256, 1, 65536, 1}, {1, 256, 1, 65536}, {2, 2, 65536, 65536}, {256, 256, 65536, 65536}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct vks_sheet sheet = {.columns = shapes[i][0],
                                  .rows = shapes[i][1],
                                  .cell_width = shapes[i][2],
                                  .cell_height = shapes[i][3],
                                  .count = (size_t)shapes[i][0] * shapes[i][1]};
        assert_int_equal(vks_sheet_plan(&sheet, captions), VKS_ERROR_USAGE);
        assert_non_null(strstr(vks_error_text(), "choose fewer or smaller ones"));
    }
    free(captions);
}

/* --- contact sheets -------------------------------------------------------------------------- */

static void assert_path(const char *out, const char *expected)
{
    char *path = NULL;
    assert_int_equal(vks_collage_path(out, &path), VKS_OK);
    assert_string_equal(path, expected);
    free(path);
}

static void test_paths(void **state)
{
    (void)state;
    static const char *const refused[] = {"-", "none", "a%03d.png", "d.png/%d.PNG", "x", "a.b/x"};
    assert_path("a.png", "a.png");
    assert_path("b/c.PNG", "b/c.PNG");
    assert_path("a.mp4", "a-sheet.png");
    assert_path("x.y/a.b.webm", "x.y/a.b-sheet.png");
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        char *path = NULL;
        assert_int_equal(vks_collage_path(refused[i], &path), VKS_ERROR_USAGE);
        assert_non_null(strstr(vks_error_text(), refused[i]));
        assert_null(path);
    }
}

/* Lists the frames of a run that a collage takes; each is a grey picture of 8 x 8 pixels. */
static size_t take_all(uint32_t columns, uint32_t rows, uint64_t frames, uint64_t *taken)
{
    struct vks_collage *collage = NULL;
    const struct vks_collage_params params = {.path = "test_sheet.png",
                                              .columns = columns,
                                              .rows = rows,
                                              .width = 8,
                                              .height = 8,
                                              .frames = frames,
                                              .steps_per_frame = 1,
                                              .overwrite = true};
    static const uint8_t picture[8 * 8 * 4];
    assert_int_equal(vks_collage_open(&params, &collage), VKS_OK);
    for (uint64_t i = 0; i < frames; i++) {
        if (vks_collage_takes(collage, i)) {
            taken[vks_collage_count(collage)] = i;
        }
        const struct vks_frame frame = {
            .index = i, .width = 8, .height = 8, .planes = {[VKS_PLANE_RGBA] = picture}};
        assert_int_equal(vks_collage_add(collage, &frame), VKS_OK);
    }
    const size_t count = vks_collage_count(collage);
    vks_collage_destroy(collage);
    return count;
}

static void test_chosen(void **state)
{
    (void)state;
    uint64_t taken[16];
    for (uint64_t frames = 4; frames < 60; frames++) {
        assert_int_equal(take_all(2, 2, frames, taken), 4);
        assert_int_equal(taken[0], 0);
        assert_int_equal(taken[3], frames - 1);
        const int64_t gaps[] = {(int64_t)(taken[1] - taken[0]), (int64_t)(taken[2] - taken[1]),
                                (int64_t)(taken[3] - taken[2])};
        assert_true(gaps[0] >= 1 && llabs(gaps[0] - gaps[1]) <= 1 && llabs(gaps[1] - gaps[2]) <= 1);
    }
    assert_int_equal(take_all(4, 3, 12, taken), 12);
    assert_int_equal(take_all(1, 1, 7, taken), 1);
    assert_int_equal(taken[0], 6);
}

/* Three frames of a run in memory: red on the left, green on the right, brighter from frame to
 * frame, of which the run's end is missing. */
static void test_thumbnails(void **state)
{
    (void)state;
    enum { WIDTH = 64, HEIGHT = 16, FRAMES = 9 };
    static uint8_t picture[WIDTH * HEIGHT * 4];
    struct vks_collage *collage = NULL;
    struct vks_thumbnail thumbnail;
    const struct vks_collage_params params = {.columns = 3,
                                              .rows = 1,
                                              .width = WIDTH,
                                              .height = HEIGHT,
                                              .max_side = 32,
                                              .frames = FRAMES,
                                              .first_step = 1000,
                                              .steps_per_frame = 50,
                                              .steps = 390};
    assert_int_equal(vks_collage_open(&params, &collage), VKS_OK);
    assert_false(vks_collage_thumbnail(collage, 0, &thumbnail));
    for (uint64_t i = 0; i + 1 < FRAMES; i++) {
        for (size_t p = 0; p < (size_t)WIDTH * HEIGHT; p++) {
            const bool left = p % WIDTH < WIDTH / 2;
            memcpy(picture + 4 * p,
                   (const uint8_t[]){left ? 100 + i : 0, left ? 0 : 100 + i, 7, 255}, 4);
        }
        const struct vks_frame frame = {
            .index = i, .width = WIDTH, .height = HEIGHT, .planes = {[VKS_PLANE_RGBA] = picture}};
        assert_int_equal(vks_collage_add(collage, &frame), VKS_OK);
    }
    assert_int_equal(vks_collage_count(collage), 2);
    for (size_t t = 0; t < 2; t++) {
        assert_true(vks_collage_thumbnail(collage, t, &thumbnail));
        assert_int_equal(thumbnail.width, 32);
        assert_int_equal(thumbnail.height, 8);
        assert_string_equal(thumbnail.caption, t ? "step 1,200" : "step 1,000");
        for (size_t y = 0; y < 8; y++) {
            const uint8_t *row = thumbnail.pixels + y * thumbnail.stride;
            const uint8_t ends[][4] = {{100 + 4 * t, 0, 7, 255}, {0, 100 + 4 * t, 7, 255}};
            assert_memory_equal(row, ends[0], 4);
            assert_memory_equal(row + 31 * 4, ends[1], 4);
        }
    }
    assert_false(vks_collage_thumbnail(collage, 2, &thumbnail));
    assert_false(vks_collage_thumbnail(collage, 3, &thumbnail));
    const struct vks_frame last = {.index = FRAMES - 1,
                                   .width = WIDTH,
                                   .height = HEIGHT,
                                   .planes = {[VKS_PLANE_RGBA] = picture}};
    assert_int_equal(vks_collage_add(collage, &last), VKS_OK);
    assert_true(vks_collage_thumbnail(collage, 2, &thumbnail));
    assert_string_equal(thumbnail.caption, "step 1,390"); /* of the last step */
    vks_collage_destroy(collage);
}

static void test_collage_refused(void **state)
{
    (void)state;
    struct vks_collage *collage = NULL;
    struct vks_collage_params params = {
        .path = "test_sheet.png", .columns = 3, .rows = 2, .width = 8, .height = 8, .frames = 5};
    assert_int_equal(vks_collage_open(&params, &collage), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "--collage 3x2 shows 6 frames, and the run has 5");
    params.frames = 6;
    params.path = "no/such/folder/x.png";
    assert_int_equal(vks_collage_open(&params, &collage), VKS_ERROR_FILE);
    params.path = "x.png";
    params.width = params.height = 1 << 19;
    assert_int_equal(vks_collage_open(&params, &collage), VKS_ERROR_USAGE);
    assert_null(collage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),     cmocka_unit_test(test_captions),
        cmocka_unit_test(test_too_large),  cmocka_unit_test(test_paths),
        cmocka_unit_test(test_chosen),     cmocka_unit_test(test_collage_refused),
        cmocka_unit_test(test_thumbnails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
