/* SPDX-License-Identifier: MIT */
/* Pictures of every kind that PNG and JPEG know, written with libpng and libjpeg, and the resizing
 * against the plain formula with the C library's sine. */
#include <math.h>
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

#include "io/image.h"
#include "io/resize.h"
#include <vksim/result.h>

static char folder[256];
static char path[300];

static int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-image-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/picture", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static uint32_t random_state = 1;

static uint8_t random_byte(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint8_t)(random_state >> 24);
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static uint8_t *read_bytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void refuse(const char *words)
{
    float *brightness = (float *)&random_state;
    assert_int_equal(vks_image_brightness(path, 4, 4, VKS_IMAGE_STRETCH, &brightness),
                     VKS_ERROR_FILE);
    assert_null(brightness);
    if (!strstr(vks_error_text(), path) || !strstr(vks_error_text(), words)) {
        fail_msg("'%s' does not say '%s'", vks_error_text(), words);
    }
}

/* What is in a PNG: samples packed as the format wants them, and the transparency of a palette. */
struct drawing {
    uint32_t width, height;
    int type, depth, interlace;
    size_t row_bytes;
    uint8_t *rows;
    png_color palette[256];
    uint8_t alphas[256];
    int colours, transparent;
    const png_color_16 *key; /* the colour that is transparent, or NULL */
};

static unsigned channels_of(int type)
{
    switch (type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        return 2;
    case PNG_COLOR_TYPE_RGB:
        return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
        return 4;
    default:
        return 1;
    }
}

static struct drawing draw(uint32_t width, uint32_t height, int type, int depth, int interlace)
{
    struct drawing drawing = {
        .width = width, .height = height, .type = type, .depth = depth, .interlace = interlace};
    drawing.row_bytes = (width * channels_of(type) * (unsigned)depth + 7) / 8;
    drawing.rows = malloc(drawing.row_bytes * height);
    assert_non_null(drawing.rows);
    for (size_t i = 0; i < drawing.row_bytes * height; i++) {
        drawing.rows[i] = random_byte();
    }
    if (type == PNG_COLOR_TYPE_PALETTE) {
        drawing.colours = 1 << depth;
        for (int i = 0; i < drawing.colours; i++) {
            drawing.palette[i] = (png_color){random_byte(), random_byte(), random_byte()};
            drawing.alphas[i] = random_byte();
        }
    }
    return drawing;
}

static void write_png(const struct drawing *drawing)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) {
        fail_msg("libpng cannot write");
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, drawing->width, drawing->height, drawing->depth, drawing->type,
                 drawing->interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (drawing->colours) {
        png_set_PLTE(png, info, drawing->palette, drawing->colours);
    }
    if (drawing->transparent || drawing->key) {
        png_set_tRNS(png, info, drawing->alphas, drawing->transparent, drawing->key);
    }
    png_set_gAMA(png, info, 1.0); /* must not matter */
    png_write_info(png, info);
    png_bytep *rows = malloc(drawing->height * sizeof(*rows));
    assert_non_null(rows);
    for (uint32_t y = 0; y < drawing->height; y++) {
        rows[y] = drawing->rows + y * drawing->row_bytes;
    }
    png_write_image(png, rows);
    png_write_end(png, NULL);
    free(rows);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

/* Sample `index` of a row as the file holds it, at full depth. */
static unsigned sample(const uint8_t *row, unsigned depth, size_t index)
{
    if (depth == 16) {
        return (unsigned)row[2 * index] << 8 | row[2 * index + 1];
    }
    size_t bit = index * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1u << depth) - 1);
}

static unsigned to_byte(unsigned value, unsigned depth)
{
    return depth == 16 ? value >> 8 : value * 255 / ((1u << depth) - 1);
}

/* L by the header's words. */
static double expected(const struct drawing *drawing, uint32_t x, uint32_t y)
{
    const uint8_t *row = drawing->rows + y * drawing->row_bytes;
    unsigned depth = (unsigned)drawing->depth, channels = channels_of(drawing->type);
    unsigned raw[4] = {0}, rgb[3], alpha = 255;
    for (unsigned c = 0; c < channels; c++) {
        raw[c] = sample(row, depth, (size_t)x * channels + c);
    }
    if (drawing->type == PNG_COLOR_TYPE_PALETTE) {
        rgb[0] = drawing->palette[raw[0]].red;
        rgb[1] = drawing->palette[raw[0]].green;
        rgb[2] = drawing->palette[raw[0]].blue;
        alpha = (int)raw[0] < drawing->transparent ? drawing->alphas[raw[0]] : 255;
    } else {
        for (unsigned c = 0; c < 3; c++) {
            rgb[c] = to_byte(raw[channels < 3 ? 0 : c], depth);
        }
        if (channels == 2 || channels == 4) {
            alpha = to_byte(raw[channels - 1], depth);
        }
        if (drawing->key && channels == 1 && raw[0] == drawing->key->gray) {
            alpha = 0;
        }
        if (drawing->key && channels == 3 && raw[0] == drawing->key->red &&
            raw[1] == drawing->key->green && raw[2] == drawing->key->blue) {
            alpha = 0;
        }
    }
    return (299.0 * rgb[0] + 587.0 * rgb[1] + 114.0 * rgb[2]) * alpha / 255.0 / 1000.0;
}

static void check_png(const struct drawing *drawing)
{
    write_png(drawing);
    float *brightness;
    if (vks_image_brightness(path, drawing->width, drawing->height, VKS_IMAGE_STRETCH,
                             &brightness) != VKS_OK) {
        fail_msg("type %d, depth %d: %s", drawing->type, drawing->depth, vks_error_text());
    }
    for (uint32_t y = 0; y < drawing->height; y++) {
        for (uint32_t x = 0; x < drawing->width; x++) {
            float wanted = (float)(expected(drawing, x, y) / 255.0);
            float got = brightness[(size_t)y * drawing->width + x];
            if (got != wanted) {
                fail_msg("type %d, depth %d, interlace %d, (%u, %u): %.9g, not %.9g", drawing->type,
                         drawing->depth, drawing->interlace, x, y, (double)got, (double)wanted);
            }
        }
    }
    free(brightness);
}

static void png_of_every_kind(void **state)
{
    (void)state;
    static const struct {
        int type, least, most;
    } kinds[] = {
        {PNG_COLOR_TYPE_GRAY, 1, 16},   {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 16},
        {PNG_COLOR_TYPE_RGB, 8, 16},    {PNG_COLOR_TYPE_RGB_ALPHA, 8, 16},
        {PNG_COLOR_TYPE_PALETTE, 1, 8},
    };
    static const uint32_t sizes[][2] = {{1, 1}, {3, 2}, {13, 21}, {67, 5}};
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        for (int depth = kinds[kind].least; depth <= kinds[kind].most; depth *= 2) {
            for (int interlace = 0; interlace < 2; interlace++) {
                for (size_t size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++) {
                    struct drawing drawing =
                        draw(sizes[size][0], sizes[size][1], kinds[kind].type, depth, interlace);
                    check_png(&drawing);
                    free(drawing.rows);
                }
            }
        }
    }
}

static void png_transparency(void **state)
{
    (void)state;
    struct drawing drawing = draw(29, 11, PNG_COLOR_TYPE_PALETTE, 4, 1);
    drawing.transparent = 9; /* the rest of the 16 is opaque */
    check_png(&drawing);
    free(drawing.rows);

    png_color_16 key = {.gray = 5};
    drawing = draw(29, 11, PNG_COLOR_TYPE_GRAY, 4, 0);
    drawing.key = &key;
    check_png(&drawing);
    free(drawing.rows);

    /* Two pixels with one high byte, of which one is the transparent colour. */
    drawing = draw(2, 1, PNG_COLOR_TYPE_RGB, 16, 0);
    memset(drawing.rows, 0x77, drawing.row_bytes);
    drawing.rows[1] = 0x12;
    key = (png_color_16){.red = 0x7777, .green = 0x7777, .blue = 0x7777};
    drawing.key = &key;
    assert_true(expected(&drawing, 0, 0) > 100.0 && expected(&drawing, 1, 0) == 0.0);
    check_png(&drawing);
    free(drawing.rows);
}

static void write_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, int channels,
                       J_COLOR_SPACE space, int progressive)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr trouble;
    jpeg.err = jpeg_std_error(&trouble);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = channels;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    if (progressive) {
        jpeg_simple_progression(&jpeg);
    }
    jpeg_start_compress(&jpeg, TRUE);
    for (uint32_t y = 0; y < height; y++) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)y * width * (unsigned)channels;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(file), 0);
}

enum { JPEG_WIDTH = 45, JPEG_HEIGHT = 37 };

/* Smooth, so that little is lost. */
static uint8_t *smooth_pixels(int channels)
{
    uint8_t *pixels = malloc((size_t)JPEG_WIDTH * JPEG_HEIGHT * (unsigned)channels);
    assert_non_null(pixels);
    for (int y = 0; y < JPEG_HEIGHT; y++) {
        for (int x = 0; x < JPEG_WIDTH; x++) {
            for (int c = 0; c < channels; c++) {
                pixels[(y * JPEG_WIDTH + x) * channels + c] =
                    (uint8_t)(20 + 3 * x * (c != 1) + 2 * y * (c != 2) + 10 * c);
            }
        }
    }
    return pixels;
}

static float *check_jpeg(const uint8_t *pixels, int channels)
{
    float *brightness;
    if (vks_image_brightness(path, JPEG_WIDTH, JPEG_HEIGHT, VKS_IMAGE_STRETCH, &brightness) !=
        VKS_OK) {
        fail_msg("%s", vks_error_text());
    }
    for (int i = 0; i < JPEG_WIDTH * JPEG_HEIGHT; i++) {
        const uint8_t *p = pixels + i * channels;
        double wanted = channels == 1 ? p[0] : 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
        assert_true(fabs((double)brightness[i] * 255.0 - wanted) < 3.0);
    }
    return brightness;
}

static void jpeg_of_every_kind(void **state)
{
    (void)state;
    for (int channels = 1; channels <= 3; channels += 2) {
        uint8_t *pixels = smooth_pixels(channels);
        J_COLOR_SPACE space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        write_jpeg(pixels, JPEG_WIDTH, JPEG_HEIGHT, channels, space, 0);
        float *plain = check_jpeg(pixels, channels);
        write_jpeg(pixels, JPEG_WIDTH, JPEG_HEIGHT, channels, space, 1);
        float *progressive = check_jpeg(pixels, channels);
        /* The same coefficients in another order. */
        assert_memory_equal(plain, progressive, sizeof(*plain) * JPEG_WIDTH * JPEG_HEIGHT);
        free(progressive);
        free(plain);
        free(pixels);
    }
    uint8_t *pixels = smooth_pixels(4);
    write_jpeg(pixels, JPEG_WIDTH, JPEG_HEIGHT, 4, JCS_CMYK, 0);
    refuse("CMYK");
    free(pixels);
}

/* Every shorter version of the file in `path` must be refused. */
static void cut_everywhere(void)
{
    size_t size;
    uint8_t *bytes = read_bytes(&size);
    for (size_t length = 0; length < size; length++) {
        write_bytes(bytes, length);
        float *brightness;
        if (vks_image_brightness(path, 4, 4, VKS_IMAGE_STRETCH, &brightness) != VKS_ERROR_FILE ||
            brightness) {
            fail_msg("%zu of %zu bytes are taken for a picture", length, size);
        }
    }
    free(bytes);
}

static void cut_files(void **state)
{
    (void)state;
    for (int interlace = 0; interlace < 2; interlace++) {
        struct drawing drawing = draw(9, 9, PNG_COLOR_TYPE_RGB, 8, interlace);
        write_png(&drawing);
        free(drawing.rows);
        cut_everywhere();
    }
    for (int progressive = 0; progressive < 2; progressive++) {
        uint8_t *pixels = smooth_pixels(3);
        write_jpeg(pixels, JPEG_WIDTH, JPEG_HEIGHT, 3, JCS_RGB, progressive);
        free(pixels);
        cut_everywhere();
    }
}

static void damaged_png(void **state)
{
    (void)state;
    struct drawing drawing = draw(9, 9, PNG_COLOR_TYPE_GRAY, 8, 0);
    write_png(&drawing);
    free(drawing.rows);
    size_t size;
    uint8_t *bytes = read_bytes(&size);
    bytes[size - 12 - 8] ^= 1; /* in the pixels, 4 bytes before their checksum */
    write_bytes(bytes, size);
    refuse("as a PNG file");
    free(bytes);
}

/* A PNG that is no more than its header. */
static void write_png_header(uint32_t width, uint32_t height)
{
    uint8_t bytes[33] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                         0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    for (int i = 0; i < 4; i++) {
        bytes[16 + i] = (uint8_t)(width >> (24 - 8 * i));
        bytes[20 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    bytes[24] = 8;
    uint32_t crc = 0xffffffff;
    for (int i = 12; i < 29; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    for (int i = 0; i < 4; i++) {
        bytes[29 + i] = (uint8_t)(~crc >> (24 - 8 * i));
    }
    /* The pixels begin, so that the header is taken for whole. */
    static const uint8_t data[8] = {0, 0, 0, 4, 'I', 'D', 'A', 'T'};
    uint8_t file[sizeof(bytes) + sizeof(data)];
    memcpy(file, bytes, sizeof(bytes));
    memcpy(file + sizeof(bytes), data, sizeof(data));
    write_bytes(file, sizeof(file));
}

static void too_large(void **state)
{
    (void)state;
    write_png_header(65536, 1);
    refuse("65536x1 pixels");
    write_png_header(1, 70000);
    refuse("1x70000 pixels");
    write_png_header(16385, 16384);
    refuse("2^28");
    write_png_header(0x7fffffff, 0x7fffffff);
    refuse("2^28");
    write_png_header(0, 5);
    refuse("PNG");

    /* The height of a JPEG stands 5 bytes after the marker of its frame. */
    uint8_t *pixels = smooth_pixels(1);
    write_jpeg(pixels, JPEG_WIDTH, JPEG_HEIGHT, 1, JCS_GRAYSCALE, 0);
    free(pixels);
    size_t size;
    uint8_t *bytes = read_bytes(&size);
    size_t frame = 0;
    while (frame + 9 < size && !(bytes[frame] == 0xff && bytes[frame + 1] == 0xc0)) {
        frame++;
    }
    memcpy(bytes + frame + 5, (uint8_t[]){0xff, 0x00, 0xff, 0x00}, 4);
    write_bytes(bytes, size);
    refuse("65280x65280 pixels");
    free(bytes);
}

static void not_pictures(void **state)
{
    (void)state;
    write_bytes("", 0);
    refuse("neither");
    write_bytes("GIF89a and more", 15);
    refuse("neither");
    write_bytes("\xff\xd8\xff", 3);
    refuse("JPEG");
    write_bytes("\x89PNG\r\n\x1a\n", 8);
    refuse("PNG");
    unlink(path);
    refuse("no such file");

    float *brightness;
    assert_int_equal(vks_image_brightness(folder, 4, 4, VKS_IMAGE_STRETCH, &brightness),
                     VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), "not a regular file"));
    assert_int_equal(vks_image_brightness(path, 0, 4, VKS_IMAGE_STRETCH, &brightness),
                     VKS_ERROR_FILE);
    assert_int_equal(
        vks_image_brightness(path, UINT32_MAX, UINT32_MAX, VKS_IMAGE_STRETCH, &brightness),
        VKS_ERROR_FILE);
}

static double plain_lanczos(double x)
{
    const double pi = acos(-1.0);
    if (x == 0.0) {
        return 1.0;
    }
    return fabs(x) < 3.0 ? 3.0 * sin(pi * x) * sin(pi * x / 3.0) / (pi * pi * x * x) : 0.0;
}

/* Over the whole picture and both axes at once. */
static double plain_pixel(const uint32_t *pixels, const uint32_t size[2],
                          const uint32_t new_size[2], uint32_t x, uint32_t y)
{
    double scale[2], widening[2];
    for (int i = 0; i < 2; i++) {
        scale[i] = (double)size[i] / (double)new_size[i];
        widening[i] = fmax(scale[i], 1.0);
    }
    double sum = 0.0, weights = 0.0;
    for (uint32_t j = 0; j < size[1]; j++) {
        for (uint32_t i = 0; i < size[0]; i++) {
            double weight = plain_lanczos((i + 0.5 - (x + 0.5) * scale[0]) / widening[0]) *
                            plain_lanczos((j + 0.5 - (y + 0.5) * scale[1]) / widening[1]);
            sum += weight * pixels[j * size[0] + i];
            weights += weight;
        }
    }
    return fmin(fmax(sum / weights / 255.0, 0.0), 1.0);
}

static uint32_t *noise(const uint32_t size[2])
{
    uint32_t *pixels = malloc(sizeof(*pixels) * size[0] * size[1]);
    assert_non_null(pixels);
    for (uint32_t i = 0; i < size[0] * size[1]; i++) {
        pixels[i] = random_byte();
    }
    return pixels;
}

static float *resize(const uint32_t *pixels, const uint32_t size[2], const uint32_t new_size[2])
{
    float *resized = malloc(sizeof(*resized) * new_size[0] * new_size[1]);
    assert_non_null(resized);
    assert_int_equal(vks_resize(pixels, size[0], size[1], 255.0, resized, new_size[0], new_size[1],
                                0, new_size[1]),
                     VKS_OK);
    return resized;
}

static void resize_is_lanczos(void **state)
{
    (void)state;
    static const uint32_t sizes[][2][2] = {
        {{16, 12}, {32, 24}}, {{16, 12}, {8, 6}},   {{17, 31}, {40, 7}}, {{40, 7}, {17, 31}},
        {{1, 1}, {5, 3}},     {{5, 3}, {1, 1}},     {{2, 50}, {3, 49}},  {{64, 48}, {5, 2}},
        {{7, 7}, {100, 100}}, {{100, 100}, {7, 7}}, {{3, 1}, {1, 9}},    {{61, 59}, {60, 60}},
    };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const uint32_t *size = sizes[i][0], *new_size = sizes[i][1];
        uint32_t *pixels = noise(size);
        float *resized = resize(pixels, size, new_size);
        for (uint32_t y = 0; y < new_size[1]; y++) {
            for (uint32_t x = 0; x < new_size[0]; x++) {
                double wanted = plain_pixel(pixels, size, new_size, x, y);
                double got = (double)resized[y * new_size[0] + x];
                if (fabs(got - wanted) > 6.1e-8) { /* half a float's last place, and a little */
                    fail_msg("%ux%u to %ux%u, (%u, %u): %.17g, not %.17g", size[0], size[1],
                             new_size[0], new_size[1], x, y, got, wanted);
                }
            }
        }
        free(resized);
        free(pixels);
    }
}

static void even_stays_even(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {9, 5}, {30, 30}, {100, 3}, {31, 97}};
    const uint32_t size[2] = {31, 23};
    for (uint32_t level = 0; level < 256; level += 5) {
        uint32_t pixels[31 * 23];
        for (size_t i = 0; i < 31 * 23; i++) {
            pixels[i] = level;
        }
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            float *resized = resize(pixels, size, sizes[i]);
            for (size_t k = 0; k < (size_t)sizes[i][0] * sizes[i][1]; k++) {
                assert_true(resized[k] == (float)level / 255.0f);
            }
            free(resized);
        }
    }
}

static void own_size_is_exact(void **state)
{
    (void)state;
    const uint32_t size[2] = {97, 61};
    uint32_t *pixels = noise(size);
    float *resized = resize(pixels, size, size);
    for (size_t i = 0; i < 97 * 61; i++) {
        assert_true(resized[i] == (float)(pixels[i] / 255.0));
    }
    free(resized);
    free(pixels);
}

/* The bytes that every machine must make of this. */
static void known_bytes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{64, 48}, {31, 77}, {200, 150}, {7, 200}};
    const uint32_t size[2] = {64, 48};
    uint32_t pixels[64 * 48];
    for (uint32_t i = 0; i < 64 * 48; i++) {
        pixels[i] = (i * 2654435761u >> 24) ^ (i / 64 * 5 & 255);
    }
    uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        float *resized = resize(pixels, size, sizes[i]);
        for (size_t k = 0; k < (size_t)sizes[i][0] * sizes[i][1]; k++) {
            uint32_t bits;
            memcpy(&bits, &resized[k], sizeof(bits));
            for (int byte = 0; byte < 4; byte++) {
                digest = (digest ^ (bits >> (8 * byte) & 255)) * UINT64_C(0x100000001b3);
            }
        }
        free(resized);
    }
    assert_int_equal(digest, UINT64_C(0xa85b825b58219fc0));
}

/* Colours in another size are weighted by their alpha: what is not seen does not shine through. */
static void resized_colours(void **state)
{
    (void)state;
    static const uint8_t pixels[2][4] = {{200, 40, 7, 255}, {10, 250, 90, 0}};
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = 2, .height = 1, .format = PNG_FORMAT_RGBA};
    uint8_t *rgba = NULL;
    assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
    assert_int_equal(vks_image_resized(path, 1, 1, 0, 1, &rgba), VKS_OK);
    assert_memory_equal(rgba, ((uint8_t[]){200, 40, 7, 128}), 4);
    free(rgba);
    assert_int_equal(vks_image_resized(path, 2, 1, 0, 1, &rgba), VKS_OK);
    assert_memory_equal(rgba, ((uint8_t[]){200, 40, 7, 255, 0, 0, 0, 0}), 8);
    free(rgba);
    assert_int_equal(vks_image_resized(path, 40, 3, 0, 3, &rgba), VKS_OK);
    for (size_t i = 0; i < 40; i++) { /* also where the filter goes over 1 */
        assert_memory_equal(rgba + 4 * i, i < 30 ? "\xc8\x28\x07" : "\0\0\0", 3);
    }
    assert_int_equal(rgba[3], 255);
    assert_int_equal(rgba[4 * 39 + 3], 0);
    free(rgba);
    unlink(path);
    assert_int_equal(vks_image_resized(path, 1, 1, 0, 1, &rgba), VKS_ERROR_FILE);
    assert_null(rgba);
}

/* A band of a resized picture has the rows that the whole has there. */
static void resized_rows(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{7, 11}, {3, 40}, {9, 4}};
    const uint32_t width = 7, height = 11;
    uint32_t *pixels = noise((const uint32_t[]){width, height});
    for (size_t i = 0; i < 3; i++) {
        const uint32_t *size = sizes[i];
        float *whole = resize(pixels, (const uint32_t[]){width, height}, size);
        float band[3 * 9];
        for (uint32_t first = 0; first + 3 <= size[1]; first++) {
            assert_int_equal(
                vks_resize(pixels, width, height, 255.0, band, size[0], size[1], first, 3), VKS_OK);
            assert_memory_equal(band, whole + (size_t)first * size[0], 3 * size[0] * sizeof(*band));
        }
        free(whole);
    }
    free(pixels);
}

/* An image in memory has the pixels of the same file. */
static void in_memory(void **state)
{
    (void)state;
    uint32_t width, height;
    uint8_t *pixels = smooth_pixels(3), *wanted, *rgba;
    size_t size;
    write_jpeg(pixels, JPEG_WIDTH, JPEG_HEIGHT, 3, JCS_RGB, 0);
    free(pixels);
    assert_int_equal(vks_image_rgba(path, &width, &height, &wanted), VKS_OK);
    uint8_t *bytes = read_bytes(&size);
    assert_int_equal(vks_image_decode(bytes, size, "a picture", &width, &height, &rgba), VKS_OK);
    assert_int_equal(width, JPEG_WIDTH);
    assert_int_equal(height, JPEG_HEIGHT);
    assert_memory_equal(rgba, wanted, (size_t)JPEG_WIDTH * JPEG_HEIGHT * 4);
    free(rgba);
    assert_int_equal(vks_image_decode(bytes, size / 2, "a picture", &width, &height, &rgba),
                     VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), "cannot read 'a picture' as a JPEG file"));
    assert_null(rgba);
    free(bytes);
    free(wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_of_every_kind),  cmocka_unit_test(png_transparency),
        cmocka_unit_test(jpeg_of_every_kind), cmocka_unit_test(cut_files),
        cmocka_unit_test(damaged_png),        cmocka_unit_test(too_large),
        cmocka_unit_test(not_pictures),       cmocka_unit_test(resize_is_lanczos),
        cmocka_unit_test(even_stays_even),    cmocka_unit_test(own_size_is_exact),
        cmocka_unit_test(known_bytes),        cmocka_unit_test(resized_colours),
        cmocka_unit_test(resized_rows),       cmocka_unit_test(in_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
