/* SPDX-License-Identifier: MIT */
/* One picture as PNG. */
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "out/sink_backend.h"

struct picture {
    const uint8_t *pixels; /* 4 channels, of two bytes if `deep` */
    size_t stride;         /* bytes a row */
    uint32_t width, height;
    bool deep, alpha;
};

struct encoder {
    int fd;
    int error;     /* errno of a failing write */
    char text[96]; /* what libpng says */
};

static void on_error(png_structp png, png_const_charp text)
{
    struct encoder *encoder = png_get_error_ptr(png);
    snprintf(encoder->text, sizeof(encoder->text), "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep data, size_t size)
{
    struct encoder *encoder = png_get_io_ptr(png);
    encoder->error = vks_write_all(encoder->fd, data, size);
    if (encoder->error != 0) {
        png_error(png, "write failed");
    }
}

static void on_flush(png_structp png)
{
    (void)png;
}

static bool is_big_endian(void)
{
    return *(const uint8_t *)&(uint16_t){1} == 0;
}

/* libpng's errors jump back here, so nothing in this function changes after setjmp(). */
static bool write_picture(png_structp png, png_infop info, struct encoder *encoder,
                          const struct picture *picture)
{
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_write_fn(png, encoder, on_write, on_flush);
    png_set_compression_buffer_size(png, 1 << 18); /* bytes; its standard is 8 KiB a write */
    /* Eight bits: a colour map leaves few colours, which filters would only hide. Sixteen: smooth
     * colours, of which a filter leaves small differences. Level 2 is within 15 % of level 6 at a
     * quarter of its time. */
    png_set_compression_level(png, 2);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, picture->deep ? PNG_FILTER_UP : PNG_FILTER_NONE);
    png_set_IHDR(png, info, picture->width, picture->height, picture->deep ? 16 : 8,
                 picture->alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (picture->deep && !is_big_endian()) {
        png_set_swap(png);
    }
    if (!picture->alpha) {
        png_set_filler(png, 0, PNG_FILLER_AFTER); /* drops it */
    }
    for (uint32_t row = 0; row < picture->height; row++) {
        png_write_row(png, picture->pixels + row * picture->stride);
    }
    png_write_end(png, info);
    return true;
}

static bool has_alpha(const struct vks_frame *frame, bool deep)
{
    const size_t pixels = (size_t)frame->width * frame->height;
    for (size_t i = 0; i < pixels; i++) {
        if (deep ? frame->rgba16[4 * i + 3] != 65535 : frame->rgba[4 * i + 3] != 255) {
            return true;
        }
    }
    return false;
}

enum vks_result vks_png_encode(const char *path, int fd, const struct vks_frame *frame, bool deep,
                               bool alpha)
{
    const struct picture picture = {
        .pixels = deep ? (const uint8_t *)frame->rgba16 : frame->rgba,
        .stride = (size_t)frame->width * (deep ? 8 : 4),
        .width = frame->width,
        .height = frame->height,
        .deep = deep,
        .alpha = alpha || has_alpha(frame, deep),
    };
    struct encoder encoder = {.fd = fd};
    png_infop info = NULL;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, on_error, on_warning);
    if (png) {
        info = png_create_info_struct(png);
    }
    enum vks_result result = VKS_OK;
    if (!png || !info) {
        result = vks_fail_memory();
    } else if (!write_picture(png, info, &encoder, &picture)) {
        result = encoder.error != 0 ? vks_fail_write(path, encoder.error)
                                    : vks_fail(VKS_ERROR_FILE, "cannot write '%s': libpng: %s",
                                               path, encoder.text);
    }
    png_destroy_write_struct(&png, &info);
    return result;
}

enum vks_result vks_write_png(const char *path, const uint8_t *rgba, uint32_t width,
                              uint32_t height, bool overwrite)
{
    const struct vks_frame frame = {.width = width, .height = height, .rgba = rgba};
    struct vks_new_file file;
    int fd = -1;
    enum vks_result result = vks_new_file_begin(&file, path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    result = vks_sink_open_part(&file, &fd);
    if (result == VKS_OK) {
        result = vks_png_encode(path, fd, &frame, false, false);
        if (close(fd) != 0 && errno != EINTR && result == VKS_OK) {
            result = vks_fail_write(path, errno);
        }
    }
    if (result == VKS_OK) {
        return vks_new_file_commit(&file);
    }
    vks_new_file_abort(&file);
    return result;
}
