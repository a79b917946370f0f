/* SPDX-License-Identifier: MIT */
/* Photographs: their orientation is undone, and they are fitted to another aspect ratio. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <jpeglib.h>
#include <png.h>

#include "io/exif.h"
#include "io/image.h"
#include "io/resize.h"
#include <vksim/result.h>

static char folder[256];
static char path[300];

static int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-photo-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/photo", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* --- Exif data -------------------------------------------------------------------------------- */

/* A directory of three entries, the second of which is the orientation. */
enum { EXIF_SIZE = 8 + 2 + 3 * 12 + 4, EXIF_TAG = 8 + 2 + 12 };

static void put(uint8_t *to, size_t count, uint32_t value, int little)
{
    for (size_t i = 0; i < count; i++) {
        to[little ? i : count - 1 - i] = (uint8_t)(value >> (8 * i));
    }
}

static void make_exif(uint8_t exif[EXIF_SIZE], unsigned orientation, int little)
{
    static const uint32_t tags[3] = {0x10f, 0x112, 0x11a};
    memset(exif, 0, EXIF_SIZE);
    memcpy(exif, little ? "II" : "MM", 2);
    put(exif + 2, 2, 42, little);
    put(exif + 4, 4, 8, little);
    put(exif + 8, 2, 3, little);
    for (size_t i = 0; i < 3; i++) {
        uint8_t *entry = exif + 10 + 12 * i;
        put(entry, 2, tags[i], little);
        put(entry + 2, 2, 3, little);
        put(entry + 4, 4, 1, little);
        put(entry + 8, 2, i == 1 ? orientation : 3, little);
    }
}

static void exif_is_read(void **state)
{
    (void)state;
    uint8_t exif[EXIF_SIZE];
    for (int little = 0; little < 2; little++) {
        for (unsigned orientation = 0; orientation < 12; orientation++) {
            make_exif(exif, orientation, little);
            const unsigned wanted = orientation >= 1 && orientation <= 8 ? orientation : 1;
            assert_int_equal(vks_exif_orientation(exif, sizeof(exif)), wanted);
        }
    }
}

/* Bytes of their own, so that a sanitizer sees a read past the end. */
static unsigned read_copy(const uint8_t *exif, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, exif, size);
    const unsigned orientation = vks_exif_orientation(copy, size);
    free(copy);
    return orientation;
}

static void damaged_exif_is_upright(void **state)
{
    (void)state;
    uint8_t exif[EXIF_SIZE];
    for (int little = 0; little < 2; little++) {
        make_exif(exif, 6, little);
        for (size_t size = 0; size <= sizeof(exif); size++) {
            assert_int_equal(read_copy(exif, size), size >= EXIF_TAG + 12 ? 6 : 1);
        }
        static const struct {
            size_t at, count;
            uint32_t value;
        } wrong[] = {{0, 2, 0x4949 + 1},
                     {2, 2, 43},
                     {4, 4, 0xffffffff},
                     {4, 4, 0xfffffff0},
                     {4, 4, EXIF_SIZE},
                     {4, 4, EXIF_SIZE - 1},
                     {4, 4, EXIF_SIZE - 2},
                     {8, 2, 0},
                     {8, 2, 1},
                     {EXIF_TAG, 2, 0x113},
                     {EXIF_TAG + 2, 2, 4},
                     {EXIF_TAG + 4, 4, 2},
                     {EXIF_TAG + 4, 4, 0},
                     {EXIF_TAG + 8, 2, 0},
                     {EXIF_TAG + 8, 2, 9},
                     {EXIF_TAG + 8, 2, 65535}};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
            make_exif(exif, 6, little);
            put(exif + wrong[i].at, wrong[i].count, wrong[i].value, little);
            assert_int_equal(read_copy(exif, sizeof(exif)), 1);
        }
        make_exif(exif, 6, little);
        put(exif + 8, 2, 65535, little); /* more entries than there are bytes */
        assert_int_equal(read_copy(exif, sizeof(exif)), 6);
        put(exif + EXIF_TAG, 2, 0x113, little);
        assert_int_equal(read_copy(exif, sizeof(exif)), 1);
    }
}

/* --- orientation ------------------------------------------------------------------------------ */

enum { BLOCK = 8, COLUMNS = 3, ROWS = 2 };

/* The upright image of "abc" above "def", by orientation: rows separated by a slash. */
static const char *const upright[9] = {NULL,       "abc/def",  "cba/fed",  "fed/cba", "def/abc",
                                       "ad/be/cf", "da/eb/fc", "fc/eb/da", "cf/be/ad"};

static uint8_t shade(char letter)
{
    return (uint8_t)(20 + 40 * (letter - 'a'));
}

/* Grey pixels [ROWS * BLOCK][COLUMNS * BLOCK]: a block per letter, so that a JPEG keeps them. */
static void draw(uint8_t *pixels)
{
    for (int y = 0; y < ROWS * BLOCK; y++) {
        for (int x = 0; x < COLUMNS * BLOCK; x++) {
            pixels[y * COLUMNS * BLOCK + x] = shade((char)('a' + y / BLOCK * COLUMNS + x / BLOCK));
        }
    }
}

static void write_jpeg(const uint8_t *exif, size_t size)
{
    static const uint8_t other[] = "http://ns.adobe.com/xap/1.0/\0<x/>";
    uint8_t pixels[ROWS * BLOCK * COLUMNS * BLOCK], marker[6 + EXIF_SIZE] = "Exif\0";
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    draw(pixels);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = COLUMNS * BLOCK;
    jpeg.image_height = ROWS * BLOCK;
    jpeg.input_components = 1;
    jpeg.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, other, sizeof(other));
    memcpy(marker + 6, exif, size);
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, marker, (unsigned)(6 + size));
    for (int y = 0; y < ROWS * BLOCK; y++) {
        JSAMPROW row = pixels + y * COLUMNS * BLOCK;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(file), 0);
}

/* Exif data before the pixels, or after them. */
static void write_png(const uint8_t *exif, size_t size, int after, int interlace)
{
    uint8_t pixels[ROWS * BLOCK * COLUMNS * BLOCK];
    png_bytep rows[ROWS * BLOCK];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    draw(pixels);
    for (int y = 0; y < ROWS * BLOCK; y++) {
        rows[y] = pixels + y * COLUMNS * BLOCK;
    }
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) {
        fail_msg("libpng cannot write");
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, COLUMNS * BLOCK, ROWS * BLOCK, 8, PNG_COLOR_TYPE_GRAY, interlace,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (!after) {
        png_write_chunk(png, (png_const_bytep) "eXIf", exif, size);
    }
    png_write_image(png, rows);
    if (after) {
        png_write_chunk(png, (png_const_bytep) "eXIf", exif, size);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

static void assert_seen(const char *wanted)
{
    uint32_t width, height, other_width = 0, other_height = 0;
    uint8_t *rgba;
    if (vks_image_rgba(path, &width, &height, &rgba) != VKS_OK ||
        vks_image_size(path, &other_width, &other_height) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    const size_t columns = strcspn(wanted, "/");
    assert_int_equal(width, columns * BLOCK);
    assert_int_equal(height, COLUMNS * ROWS / columns * BLOCK);
    assert_int_equal(other_width, width);
    assert_int_equal(other_height, height);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const int letter = shade(wanted[y / BLOCK * (columns + 1) + x / BLOCK]);
            const int got = rgba[4 * ((size_t)y * width + x)];
            if (abs(got - letter) > 2) {
                fail_msg("%s: (%u, %u) is %d, not %d", wanted, x, y, got, letter);
            }
        }
    }
    free(rgba);
}

static void orientation_is_applied(void **state)
{
    (void)state;
    uint8_t exif[EXIF_SIZE];
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        for (int little = 0; little < 2; little++) {
            make_exif(exif, orientation, little);
            write_jpeg(exif, sizeof(exif));
            assert_seen(upright[orientation]);
            for (int kind = 0; kind < 4; kind++) {
                write_png(exif, sizeof(exif), kind & 1,
                          kind & 2 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE);
                assert_seen(upright[orientation]);
            }
        }
    }
    make_exif(exif, 9, 0);
    write_jpeg(exif, sizeof(exif));
    assert_seen(upright[1]);
    write_png(exif, 9, 0, PNG_INTERLACE_NONE);
    assert_seen(upright[1]);
}

static void size_of_no_image(void **state)
{
    (void)state;
    uint32_t width, height;
    unlink(path);
    assert_int_equal(vks_image_size(path, &width, &height), VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), path));
}

/* --- fits ------------------------------------------------------------------------------------- */

static void write_noise(uint32_t width, uint32_t height)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_GRAY};
    uint8_t *pixels = malloc((size_t)width * height);
    assert_non_null(pixels);
    uint32_t random = 7;
    for (size_t i = 0; i < (size_t)width * height; i++) {
        random = random * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)(150 + (random >> 24) % 106); /* the filter makes nothing black */
    }
    assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
    free(pixels);
}

static float *fit(uint32_t width, uint32_t height, enum vks_image_fit how)
{
    float *brightness;
    if (vks_image_brightness(path, width, height, how, &brightness) != VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    return brightness;
}

/* Cover: the middle of the image at the scale of the side that fits, to the last bit. */
static void cover_cuts_evenly(void **state)
{
    (void)state;
    write_noise(40, 20);
    float *own = fit(40, 20, VKS_IMAGE_STRETCH), *cut = fit(20, 20, VKS_IMAGE_COVER);
    for (size_t y = 0; y < 20; y++) {
        assert_memory_equal(cut + 20 * y, own + 40 * y + 10, 20 * sizeof(*own));
    }
    free(cut);
    free(own);
    float *whole = fit(120, 60, VKS_IMAGE_STRETCH); /* enlarged, and taller than wide */
    cut = fit(30, 60, VKS_IMAGE_COVER);
    for (size_t y = 0; y < 60; y++) {
        assert_memory_equal(cut + 30 * y, whole + 120 * y + 45, 30 * sizeof(*whole));
    }
    free(cut);
    free(whole);
    whole = fit(20, 10, VKS_IMAGE_STRETCH); /* reduced, and cut above and below */
    cut = fit(20, 4, VKS_IMAGE_COVER);
    assert_memory_equal(cut, whole + 20 * 3, 20 * 4 * sizeof(*whole));
    free(cut);
    free(whole);
}

/* Contain: all of the image in the middle, and exactly black around it. */
static void contain_keeps_all(void **state)
{
    (void)state;
    write_noise(40, 20);
    float *whole = fit(20, 10, VKS_IMAGE_STRETCH), *all = fit(20, 20, VKS_IMAGE_CONTAIN);
    for (size_t i = 0; i < 400; i++) {
        const size_t y = i / 20;
        assert_true(y < 5 || y >= 15 ? all[i] == 0 : all[i] == whole[i - 100]);
    }
    free(all);
    free(whole);
    whole = fit(80, 40, VKS_IMAGE_STRETCH);
    all = fit(200, 40, VKS_IMAGE_CONTAIN); /* enlarged, with black to the left and right */
    for (size_t i = 0; i < 200 * 40; i++) {
        const size_t x = i % 200, y = i / 200;
        assert_true(x < 60 || x >= 140 ? all[i] == 0 : all[i] == whole[80 * y + x - 60]);
    }
    free(all);
    free(whole);
}

static void equal_aspects_need_no_fit(void **state)
{
    (void)state;
    write_noise(30, 21);
    static const uint32_t sizes[][2] = {{30, 21}, {10, 7}, {100, 70}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const size_t bytes = sizes[i][0] * sizes[i][1] * sizeof(float);
        float *stretched = fit(sizes[i][0], sizes[i][1], VKS_IMAGE_STRETCH);
        for (int how = VKS_IMAGE_COVER; how <= VKS_IMAGE_CONTAIN; how++) {
            float *fitted = fit(sizes[i][0], sizes[i][1], (enum vks_image_fit)how);
            assert_memory_equal(fitted, stretched, bytes);
            free(fitted);
        }
        free(stretched);
    }
}

/* Sides that differ as far as they can. */
static void extreme_fits(void **state)
{
    (void)state;
    static const uint32_t images[][2] = {{1, 1}, {1, 4000}, {4000, 1}, {3, 2}};
    static const uint32_t sizes[][2] = {{1, 1}, {1, 700}, {700, 1}, {7, 5}};
    for (size_t i = 0; i < 4; i++) {
        write_noise(images[i][0], images[i][1]);
        for (size_t k = 0; k < 4; k++) {
            for (int how = VKS_IMAGE_COVER; how <= VKS_IMAGE_STRETCH; how++) {
                float *fitted = fit(sizes[k][0], sizes[k][1], (enum vks_image_fit)how);
                float most = 0;
                for (size_t n = 0; n < (size_t)sizes[k][0] * sizes[k][1]; n++) {
                    assert_true(fitted[n] >= 0 && fitted[n] <= 1);
                    assert_true(how == VKS_IMAGE_CONTAIN || fitted[n] > 0);
                    most = fitted[n] > most ? fitted[n] : most;
                }
                assert_true(most > 0);
                free(fitted);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exif_is_read),
        cmocka_unit_test(damaged_exif_is_upright),
        cmocka_unit_test(orientation_is_applied),
        cmocka_unit_test(size_of_no_image),
        cmocka_unit_test(cover_cuts_evenly),
        cmocka_unit_test(contain_keeps_all),
        cmocka_unit_test(equal_aspects_need_no_fit),
        cmocka_unit_test(extreme_fits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
