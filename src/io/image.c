/* SPDX-License-Identifier: MIT */
#include "io/image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jpeglib.h needs stdio.h first. */
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/file.h"
#include "io/exif.h"
#include "io/resize.h"

enum {
    MAX_SIDE = 65535,
    MAX_PIXELS = 1 << 28,
    MAX_CHUNK = 1 << 20,         /* bytes of Exif data in a PNG */
    MAX_SCANS = 1000,            /* of a progressive JPEG; encoders write about ten */
    BRIGHTEST = 1000 * 255 * 255 /* the value of white in struct image */
};

struct image {
    const char *path;
    bool size_only; /* the pixels are not decoded */
    uint32_t width, height;
    unsigned orientation; /* of the stored pixels, as in Exif; 0: the file has none */
    uint32_t *pixels;     /* bytes: red, green, blue, alpha */
};

static uint32_t pixel_of(uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha)
{
    uint32_t pixel;
    memcpy(&pixel, (const uint8_t[4]){red, green, blue, alpha}, sizeof(pixel));
    return pixel;
}

static enum vks_result allocate(struct image *image, uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE ||
        (uint64_t)width * height > MAX_PIXELS) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot read '%s': the image has %ux%u pixels; the limit is %d per "
                        "side and 2^28 in all",
                        image->path, (unsigned)width, (unsigned)height, MAX_SIDE);
    }
    image->width = width;
    image->height = height;
    if (image->size_only) {
        return VKS_OK;
    }
    image->pixels = malloc((size_t)width * height * sizeof(*image->pixels));
    return image->pixels ? VKS_OK : vks_fail_memory();
}

static const png_byte exif_chunk[5] = "eXIf";

/* libpng's message, set before it jumps. */
struct png_message {
    char text[200];
};

static void on_png_error(png_structp png, png_const_charp text)
{
    struct png_message *message = png_get_error_ptr(png);
    snprintf(message->text, sizeof(message->text), "%s", text);
    png_longjmp(png, 1);
}

/* Warnings concern chunks that are not used, such as colour profiles. */
static void on_png_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* Exif data may precede or follow the pixels. */
static void take_png_exif(png_structp png, png_infop info, struct image *image)
{
    png_unknown_chunkp chunks = NULL;
    const int count = png_get_unknown_chunks(png, info, &chunks);
    for (int i = 0; i < count && image->orientation == 0; i++) {
        if (memcmp(chunks[i].name, exif_chunk, sizeof(exif_chunk)) == 0) {
            image->orientation = vks_exif_orientation(chunks[i].data, chunks[i].size);
        }
    }
}

/* libpng jumps out of here on errors: nothing may be allocated but through `image`. */
static enum vks_result decode_png(png_structp png, png_infop info, FILE *file, struct image *image)
{
    png_init_io(png, file);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); /* allocate() refuses with a clear message */
    /* Of chunks that libpng knows it allocates whatever length they claim. */
    png_set_chunk_malloc_max(png, MAX_CHUNK);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, exif_chunk, 1);
    png_read_info(png, info);
    take_png_exif(png, info, image);
    enum vks_result result =
        allocate(image, png_get_image_width(png, info), png_get_image_height(png, info));
    if (result != VKS_OK || (image->size_only && image->orientation != 0)) {
        return result;
    }
    /* Converts every format to rows of red, green, blue and alpha bytes. */
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)image->width * 4) {
        return vks_fail(VKS_ERROR_FILE, "cannot read '%s': libpng gives rows of another length",
                        image->path);
    }
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < image->height; y++) {
            uint32_t *row = image->size_only ? NULL : image->pixels + (size_t)y * image->width;
            png_read_row(png, (png_bytep)row, NULL);
        }
    }
    png_read_end(png, info); /* checks the chunks after the pixels: a truncated file is an error */
    take_png_exif(png, info, image);
    return VKS_OK;
}

static enum vks_result read_png(FILE *file, struct image *image)
{
    struct png_message message = {.text = ""};
    png_structp png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, on_png_error, on_png_warning);
    if (!png) {
        return vks_fail_memory();
    }
    png_infop info = png_create_info_struct(png);
    enum vks_result result;
    if (!info) {
        result = vks_fail_memory();
    } else if (setjmp(png_jmpbuf(png)) != 0) {
        result = vks_fail(VKS_ERROR_FILE, "cannot read '%s' as a PNG file: %s", image->path,
                          message.text);
    } else {
        result = decode_png(png, info, file, image);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return result;
}

/* libjpeg's error state, with its message, set before it jumps. */
struct jpeg_trouble {
    struct jpeg_error_mgr base; /* first member: libjpeg passes pointers to it */
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

static void on_jpeg_error(j_common_ptr jpeg)
{
    struct jpeg_trouble *trouble = (struct jpeg_trouble *)jpeg->err;
    trouble->base.format_message(jpeg, trouble->text);
    longjmp(trouble->back, 1);
}

/* Levels from 0 are traces. libjpeg replaces missing or wrong data by grey and only warns; such
 * images are refused. Warnings that affect no pixel are ignored. */
static void on_jpeg_message(j_common_ptr jpeg, int level)
{
    int code = jpeg->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR &&
        code != JWRN_ADOBE_XFORM) {
        on_jpeg_error(jpeg);
    }
}

/* A small file can request many scans over a huge image. */
static void on_jpeg_progress(j_common_ptr jpeg)
{
    if (jpeg->is_decompressor && ((j_decompress_ptr)jpeg)->input_scan_number > MAX_SCANS) {
        struct jpeg_trouble *trouble = (struct jpeg_trouble *)jpeg->err;
        snprintf(trouble->text, sizeof(trouble->text), "it has more than %d scans", MAX_SCANS);
        longjmp(trouble->back, 1);
    }
}

/* Exif data are in the first such segment. */
static void take_jpeg_exif(j_decompress_ptr jpeg, struct image *image)
{
    static const uint8_t start[6] = "Exif\0";
    const struct jpeg_marker_struct *marker = jpeg->marker_list;
    while (marker && (marker->data_length < sizeof(start) ||
                      memcmp(marker->data, start, sizeof(start)) != 0)) {
        marker = marker->next;
    }
    if (marker) {
        image->orientation =
            vks_exif_orientation(marker->data + sizeof(start), marker->data_length - sizeof(start));
    }
}

/* libjpeg jumps out of here on errors: nothing may be allocated but through `image` and the
 * decoder's own pool. */
static enum vks_result decode_jpeg(j_decompress_ptr jpeg, FILE *file, struct image *image)
{
    jpeg_stdio_src(jpeg, file);
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    (void)jpeg_read_header(jpeg, TRUE);
    take_jpeg_exif(jpeg, image);
    bool grey = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    if (!grey && jpeg->jpeg_color_space != JCS_YCbCr && jpeg->jpeg_color_space != JCS_RGB) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot read '%s': its colours are CMYK or unknown; save it as RGB or grey",
                        image->path);
    }
    enum vks_result result = allocate(image, jpeg->image_width, jpeg->image_height);
    if (result != VKS_OK || image->size_only) {
        return result;
    }
    jpeg->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg->do_block_smoothing = FALSE;
    (void)jpeg_start_decompress(jpeg);
    JSAMPARRAY rows = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE,
                                              image->width * (grey ? 1u : 3u), 1);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint32_t *to = image->pixels + (size_t)jpeg->output_scanline * image->width;
        (void)jpeg_read_scanlines(jpeg, rows, 1);
        const JSAMPLE *from = rows[0];
        for (uint32_t x = 0; x < image->width; x++) {
            const JSAMPLE *rgb = from + (size_t)x * (grey ? 1 : 3);
            to[x] = grey ? pixel_of(rgb[0], rgb[0], rgb[0], 255)
                         : pixel_of(rgb[0], rgb[1], rgb[2], 255);
        }
    }
    (void)jpeg_finish_decompress(jpeg);
    return VKS_OK;
}

static enum vks_result read_jpeg(FILE *file, struct image *image)
{
    struct jpeg_decompress_struct jpeg = {0};
    struct jpeg_trouble trouble = {.text = ""};
    jpeg.err = jpeg_std_error(&trouble.base);
    trouble.base.error_exit = on_jpeg_error;
    trouble.base.emit_message = on_jpeg_message;
    trouble.progress.progress_monitor = on_jpeg_progress;
    enum vks_result result;
    if (setjmp(trouble.back) != 0) {
        result = vks_fail(VKS_ERROR_FILE, "cannot read '%s' as a JPEG file: %s", image->path,
                          trouble.text);
    } else {
        jpeg_create_decompress(&jpeg);
        jpeg.progress = &trouble.progress;
        result = decode_jpeg(&jpeg, file, image);
    }
    jpeg_destroy_decompress(&jpeg);
    return result;
}

static enum vks_result read_image(FILE *file, struct image *image)
{
    static const uint8_t jpeg_start[3] = {0xff, 0xd8, 0xff};
    uint8_t start[8] = {0};
    size_t got = fread(start, 1, sizeof(start), file);
    if (ferror(file) || fseek(file, 0, SEEK_SET) != 0) {
        return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", image->path, vks_errno_text(errno));
    }
    if (got == sizeof(start) && png_sig_cmp(start, 0, sizeof(start)) == 0) {
        return read_png(file, image);
    }
    if (got >= sizeof(jpeg_start) && memcmp(start, jpeg_start, sizeof(jpeg_start)) == 0) {
        return read_jpeg(file, image);
    }
    return vks_fail(VKS_ERROR_FILE, "cannot read '%s': it is neither a PNG nor a JPEG file",
                    image->path);
}

/* The upright image of a file, which is closed. On success the pixels are the caller's; on failure
 * there are none. */
static enum vks_result take_image(FILE *file, struct image *image)
{
    enum vks_result result = read_image(file, image);
    fclose(file); /* read only: no error matters */
    if (result == VKS_OK && !image->size_only && image->orientation != 0) {
        result = vks_exif_apply(image->orientation, &image->pixels, &image->width, &image->height);
    }
    if (result != VKS_OK) {
        free(image->pixels);
        image->pixels = NULL;
    }
    return result;
}

static enum vks_result load_image(struct image *image)
{
    FILE *file;
    enum vks_result result = vks_open_regular(image->path, &file);
    if (result == VKS_OK) {
        result = take_image(file, image);
    }
    return vks_fail_file(result, image->path);
}

const char *const vks_image_fit_names[] = {"cover", "contain", "stretch", NULL};

enum vks_result vks_image_size(const char *path, uint32_t *width, uint32_t *height)
{
    struct image image = {.path = path, .size_only = true};
    const enum vks_result result = load_image(&image);
    const bool turned = vks_exif_is_turned(image.orientation);
    *width = turned ? image.height : image.width;
    *height = turned ? image.width : image.height;
    return result;
}

enum vks_result vks_image_rgba(const char *path, uint32_t *width, uint32_t *height, uint8_t **rgba)
{
    struct image image = {.path = path};
    enum vks_result result = load_image(&image);
    *width = image.width;
    *height = image.height;
    *rgba = (uint8_t *)image.pixels;
    return result;
}

enum vks_result vks_image_decode(const void *bytes, size_t size, const char *name, uint32_t *width,
                                 uint32_t *height, uint8_t **rgba)
{
    struct image image = {.path = name};
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
    const enum vks_result result = file ? take_image(file, &image) : vks_fail_memory();
    *width = image.width;
    *height = image.height;
    *rgba = (uint8_t *)image.pixels;
    return result;
}

/* Limits a side of a window so that the image covers at least one of its `cells`. */
static double limited(double side, uint32_t image_side, uint32_t cells)
{
    const double most = (double)image_side * (double)cells;
    return side < most ? side : most;
}

/* The window of the image that fills the new size. With equal aspect ratios it is exactly the whole
 * image. */
static struct vks_window fitted(const struct image *image, uint32_t width, uint32_t height,
                                enum vks_image_fit fit)
{
    struct vks_window window = {0, 0, image->width, image->height};
    const uint64_t image_aspect = (uint64_t)image->width * height;
    const uint64_t aspect = (uint64_t)width * image->height;
    if (fit == VKS_IMAGE_STRETCH || image_aspect == aspect) {
        return window;
    }
    if ((image_aspect > aspect) == (fit == VKS_IMAGE_COVER)) { /* its height fits exactly */
        window.width = limited((double)aspect / (double)height, image->width, width);
        window.x = ((double)image->width - window.width) / 2;
    } else {
        window.height = limited((double)image_aspect / (double)width, image->height, height);
        window.y = ((double)image->height - window.height) / 2;
    }
    return window;
}

enum vks_result vks_image_brightness(const char *path, uint32_t width, uint32_t height,
                                     enum vks_image_fit fit, float **brightness)
{
    *brightness = NULL;
    uint64_t bytes;
    if (width == 0 || height == 0 ||
        !vks_multiply((uint64_t)width * height, sizeof(float), &bytes) || bytes > SIZE_MAX) {
        return vks_fail(VKS_ERROR_FILE, "'%s' cannot be resized to %ux%u pixels", path,
                        (unsigned)width, (unsigned)height);
    }
    struct image image = {.path = path};
    enum vks_result result = load_image(&image);
    if (result != VKS_OK) {
        return result;
    }
    /* Integers, (299 R + 587 G + 114 B) x alpha: nothing is rounded before the filter. */
    for (size_t i = 0; i < (size_t)image.width * image.height; i++) {
        uint8_t rgba[4];
        memcpy(rgba, &image.pixels[i], sizeof(rgba));
        image.pixels[i] = (299u * rgba[0] + 587u * rgba[1] + 114u * rgba[2]) * rgba[3];
    }
    const struct vks_window window = fitted(&image, width, height, fit);
    float *resized = malloc((size_t)bytes);
    result = resized ? vks_resize_window(image.pixels, image.width, image.height, BRIGHTEST,
                                         resized, width, height, 0, height, &window)
                     : vks_fail_memory();
    free(image.pixels);
    if (result != VKS_OK) {
        free(resized);
        return result;
    }
    *brightness = resized;
    return VKS_OK;
}

/* A fraction as the nearest byte. */
static uint8_t byte_of(double share)
{
    return share <= 0 ? 0 : share >= 1 ? 255 : (uint8_t)(share * 255 + 0.5);
}

/* Integers, so that nothing is rounded before the filter: alpha, or a channel x alpha. */
static void fill_plane(const struct image *image, size_t channel, uint32_t *plane)
{
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        uint8_t rgba[4];
        memcpy(rgba, &image->pixels[i], sizeof(rgba));
        plane[i] = channel == 3 ? rgba[3] : (uint32_t)rgba[channel] * rgba[3];
    }
}

/* All planes are scaled by 1/2: the filter exceeds 1 near edges, and clipping only alpha would
 * brighten the colours there. */
static enum vks_result resize_rgba(const struct image *image, uint32_t width, uint32_t height,
                                   uint32_t first, uint32_t rows, uint8_t *rgba)
{
    const size_t count = (size_t)width * rows;
    uint32_t *plane = malloc((size_t)image->width * image->height * sizeof(*plane));
    float *alpha = malloc(count * sizeof(*alpha)), *resized = malloc(count * sizeof(*resized));
    enum vks_result result = plane && alpha && resized ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        fill_plane(image, 3, plane);
        result = vks_resize(plane, image->width, image->height, 2 * 255, alpha, width, height,
                            first, rows);
    }
    for (size_t i = 0; result == VKS_OK && i < count; i++) {
        rgba[4 * i + 3] = byte_of(2 * (double)alpha[i]);
    }
    for (size_t channel = 0; result == VKS_OK && channel < 3; channel++) {
        fill_plane(image, channel, plane);
        result = vks_resize(plane, image->width, image->height, 2 * 255 * 255, resized, width,
                            height, first, rows);
        for (size_t i = 0; result == VKS_OK && i < count; i++) {
            rgba[4 * i + channel] =
                alpha[i] > 0 ? byte_of((double)resized[i] / (double)alpha[i]) : 0;
        }
    }
    free(resized);
    free(alpha);
    free(plane);
    return result;
}

enum vks_result vks_image_resized(const char *path, uint32_t width, uint32_t height, uint32_t first,
                                  uint32_t rows, uint8_t **rgba)
{
    struct image image = {.path = path};
    *rgba = NULL;
    enum vks_result result = load_image(&image);
    if (result != VKS_OK) {
        return result;
    }
    uint8_t *pixels = malloc((size_t)width * rows * 4);
    result = pixels ? resize_rgba(&image, width, height, first, rows, pixels) : vks_fail_memory();
    free(image.pixels);
    if (result != VKS_OK) {
        free(pixels);
        return result;
    }
    *rgba = pixels;
    return VKS_OK;
}
