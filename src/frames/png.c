/* SPDX-License-Identifier: MIT */
/* Pictures as PNG. */
#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "frames/sink_backend.h"
#include "frames/still.h"

struct vks_png {
    struct vks_png_params params;
    png_structp png;
    png_infop info;
    int error;     /* errno of a failing write */
    char text[96]; /* libpng's message */
    char step[24];
    char *scene; /* NULL: unknown */
    struct vks_digest *digest;
    char hex[33];
};

static void on_error(png_structp png, png_const_charp text)
{
    struct vks_png *own = png_get_error_ptr(png);
    snprintf(own->text, sizeof(own->text), "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep data, size_t size)
{
    struct vks_png *own = png_get_io_ptr(png);
    own->error = vks_write_all(own->params.fd, data, size);
    if (own->error != 0) {
        png_error(png, "write failed");
    }
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* The keys of texts. Those of colours also have "vksim-digest", after the pixels. */
static char software[] = "Software", version[] = "vksim " VKS_VERSION, step_key[] = "vksim-step",
            scene_key[] = "vksim-scene", digest_key[] = "vksim-digest";

/* libpng's errors longjmp() back into these three functions, so they change no local variable
 * after setjmp(). */

static bool write_start(struct vks_png *own)
{
    png_structp png = own->png;
    const struct vks_png_params *params = &own->params;
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_write_fn(png, own, on_write, on_flush);
    png_set_compression_buffer_size(png, 1 << 18); /* bytes; the default is 8 KiB per write */
    /* With 8 bits, a colour map yields few distinct colours, which compress best without a filter.
     * With 16 bits, colours are smooth and their differences small. Level 2 comes within 15 % of
     * the size of level 6 in a quarter of its time. */
    png_set_compression_level(png, 2);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, params->deep ? PNG_FILTER_UP : PNG_FILTER_NONE);
    png_set_IHDR(png, own->info, params->width, params->height, params->deep ? 16 : 8,
                 params->grey    ? PNG_COLOR_TYPE_GRAY
                 : params->alpha ? PNG_COLOR_TYPE_RGB_ALPHA
                                 : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (own->scene) {
        const png_text texts[] = {
            {.compression = PNG_TEXT_COMPRESSION_NONE, .key = software, .text = version},
            {.compression = PNG_TEXT_COMPRESSION_NONE, .key = step_key, .text = own->step},
            {.compression = PNG_TEXT_COMPRESSION_NONE, .key = scene_key, .text = own->scene},
        };
        png_set_text(png, own->info, texts, (int)VKS_COUNT(texts));
    }
    png_write_info(png, own->info);
    if (params->deep && !vks_is_big_endian()) {
        png_set_swap(png);
    }
    if (!params->alpha && !params->grey) {
        png_set_filler(png, 0, PNG_FILLER_AFTER); /* drops it */
    }
    return true;
}

static bool write_rows(struct vks_png *own, const uint8_t *pixels, uint32_t rows)
{
    const size_t stride =
        (size_t)own->params.width * (own->params.deep ? 2 : 1) * (own->params.grey ? 1 : 4);
    if (setjmp(png_jmpbuf(own->png))) {
        return false;
    }
    for (uint32_t row = 0; row < rows; row++) {
        png_write_row(own->png, pixels + row * stride);
    }
    return true;
}

static bool write_end(struct vks_png *own)
{
    const png_text text = {
        .compression = PNG_TEXT_COMPRESSION_NONE, .key = digest_key, .text = own->hex};
    if (setjmp(png_jmpbuf(own->png))) {
        return false;
    }
    if (own->digest) {
        vks_digest_hex(own->digest, own->hex);
        png_set_text(own->png, own->info, &text, 1);
    }
    png_write_end(own->png, own->info);
    return true;
}

/* The scene, and for colours the digest of their RGB bytes, as of --digest. */
static bool take_origin(struct vks_png *own)
{
    const struct vks_png_params *params = &own->params;
    if (!params->origin || !params->origin->scene) {
        return true;
    }
    snprintf(own->step, sizeof(own->step), "%" PRIu64, params->step);
    own->scene = vks_origin_scene(params->origin, params->step - params->origin->first_step,
                                  params->index + 1);
    own->digest = params->grey || params->deep ? NULL : vks_digest_create();
    return own->scene && (own->digest || params->grey || params->deep);
}

static void digest_rows(struct vks_png *own, const uint8_t *rgba, size_t pixels)
{
    enum { BLOCK = 4096 };
    uint8_t rgb[3 * BLOCK];
    for (size_t at = 0; own->digest && at < pixels; at += BLOCK) {
        const size_t count = pixels - at < BLOCK ? pixels - at : BLOCK;
        for (size_t i = 0; i < count; i++) {
            memcpy(&rgb[3 * i], &rgba[4 * (at + i)], 3);
        }
        vks_digest_update(own->digest, rgb, 3 * count);
    }
}

static enum vks_result failure(const struct vks_png *own)
{
    return own->error != 0 ? vks_fail_write(own->params.path, own->error)
                           : vks_fail(VKS_ERROR_FILE, "cannot write '%s': libpng: %s",
                                      own->params.path, own->text);
}

enum vks_result vks_png_begin(const struct vks_png_params *params, struct vks_png **png)
{
    struct vks_png *own = calloc(1, sizeof(*own));
    if (!own) {
        return vks_fail_memory();
    }
    own->params = *params;
    own->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, own, on_error, on_warning);
    own->info = own->png ? png_create_info_struct(own->png) : NULL;
    enum vks_result result = own->info && take_origin(own) ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && !write_start(own)) {
        result = failure(own);
    }
    if (result != VKS_OK) {
        vks_png_free(own);
        return result;
    }
    *png = own;
    return VKS_OK;
}

enum vks_result vks_png_write(struct vks_png *png, const void *pixels, uint32_t rows)
{
    digest_rows(png, pixels, (size_t)rows * png->params.width);
    return write_rows(png, pixels, rows) ? VKS_OK : failure(png);
}

enum vks_result vks_png_end(struct vks_png *png)
{
    return write_end(png) ? VKS_OK : failure(png);
}

void vks_png_free(struct vks_png *png)
{
    if (png) {
        png_destroy_write_struct(&png->png, &png->info);
        vks_digest_destroy(png->digest);
        free(png->scene);
        free(png);
    }
}

const void *vks_png_pixels(const struct vks_frame *frame)
{
    const void *deep = frame->planes[VKS_PLANE_RGBA16];
    return deep ? deep : frame->planes[VKS_PLANE_RGBA];
}

bool vks_has_alpha(const struct vks_frame *frame)
{
    const uint16_t *rgba16 = frame->planes[VKS_PLANE_RGBA16];
    const uint8_t *rgba = frame->planes[VKS_PLANE_RGBA];
    const size_t pixels = (size_t)frame->width * (frame->rows ? frame->rows : frame->height);
    for (size_t i = 0; i < pixels; i++) {
        if (rgba16 ? rgba16[4 * i + 3] != 65535 : rgba[4 * i + 3] != 255) {
            return true;
        }
    }
    return false;
}

struct vks_png_params vks_png_params_of(const struct vks_still *still,
                                        const struct vks_frame *frame)
{
    return (struct vks_png_params){
        .path = still->path,
        .fd = still->fd,
        .width = frame->width,
        .height = frame->height,
        .deep = frame->planes[VKS_PLANE_RGBA16] != NULL,
        .alpha = still->alpha,
        .origin = &still->params->origin,
        .step = frame->step,
        .index = frame->index,
    };
}

enum vks_result vks_png_still(const struct vks_still *still, const struct vks_frame *frame)
{
    struct vks_png_params params = vks_png_params_of(still, frame);
    struct vks_png *png = NULL;
    params.alpha = params.alpha || vks_has_alpha(frame);
    enum vks_result result = vks_png_begin(&params, &png);
    if (result == VKS_OK) {
        result = vks_png_write(png, vks_png_pixels(frame), frame->height);
    }
    if (result == VKS_OK) {
        result = vks_png_end(png);
    }
    vks_png_free(png);
    return result;
}

enum vks_result vks_write_png(const char *path, const uint8_t *rgba, uint32_t width,
                              uint32_t height, const struct vks_origin *origin, bool overwrite)
{
    const struct vks_sink_params params = {.origin = origin ? *origin : (struct vks_origin){0}};
    const struct vks_frame frame = {.index = params.origin.frames - 1,
                                    .step = params.origin.first_step + params.origin.steps,
                                    .width = width,
                                    .height = height,
                                    .planes = {[VKS_PLANE_RGBA] = rgba}};
    struct vks_atomic_file file;
    int fd = -1;
    enum vks_result result = vks_atomic_file_begin(&file, path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    result = vks_sink_open_part(&file, &fd);
    if (result == VKS_OK) {
        result =
            vks_png_still(&(struct vks_still){.path = path, .fd = fd, .params = &params}, &frame);
        if (close(fd) != 0 && errno != EINTR && result == VKS_OK) {
            result = vks_fail_write(path, errno);
        }
    }
    if (result == VKS_OK) {
        return vks_atomic_file_commit(&file);
    }
    vks_atomic_file_abort(&file);
    return result;
}

/* --- the scene of a PNG ---------------------------------------------------------------------- */

char *vks_origin_scene(const struct vks_origin *origin, uint64_t steps, uint64_t frames)
{
    if ((origin->by_frames ? frames : steps) == UINT64_MAX) { /* its end-time is the length */
        return vks_strdup(origin->scene);
    }
    return vks_format("%.*s,\"%s\":%" PRIu64 "}", (int)strlen(origin->scene) - 1, origin->scene,
                      origin->by_frames ? "frames" : "steps", origin->by_frames ? frames : steps);
}

/* The text of the chunk at the file's position, from its kind on, if it is that of a scene; NULL:
 * it is not, or it is damaged. */
static char *read_scene(FILE *file, uint32_t length)
{
    enum { MAX_LENGTH = 1 << 24, KIND = 4, CHECKSUM = 4 };
    const size_t size = KIND + (size_t)length + CHECKSUM;
    uint8_t *chunk = length < MAX_LENGTH ? malloc(size) : NULL;
    char *scene = NULL;
    if (chunk && fread(chunk, 1, size, file) == size && length > sizeof(scene_key) &&
        memcmp(chunk + KIND, scene_key, sizeof(scene_key)) == 0 &&
        crc32(0, chunk, (uInt)(size - CHECKSUM)) == png_get_uint_32(chunk + size - CHECKSUM)) {
        chunk[size - CHECKSUM] = '\0';
        scene = vks_strdup((char *)chunk + KIND + sizeof(scene_key));
    }
    free(chunk);
    return scene;
}

enum vks_result vks_png_scene(const char *path, char **scene)
{
    uint8_t head[8];
    FILE *file;
    *scene = NULL;
    const enum vks_result result = vks_open_regular(path, &file);
    if (result != VKS_OK) {
        return result;
    }
    const bool is_png = fread(head, 1, sizeof(head), file) == sizeof(head) &&
                        png_sig_cmp(head, 0, sizeof(head)) == 0;
    while (is_png && !*scene && fread(head, 1, sizeof(head), file) == sizeof(head)) {
        const uint32_t length = png_get_uint_32(head);
        const long begin = ftell(file);
        if (memcmp(&head[4], "IDAT", 4) == 0 || begin < 0 || length > PNG_UINT_31_MAX) {
            break;
        }
        if (memcmp(&head[4], "tEXt", 4) == 0 && fseek(file, -4, SEEK_CUR) == 0) {
            *scene = read_scene(file, length);
        }
        if (fseek(file, begin + (long)length + 4, SEEK_SET) != 0) {
            break;
        }
    }
    fclose(file);
    if (*scene) {
        return VKS_OK;
    }
    return is_png ? vks_fail_no_scene(path)
                  : vks_fail(VKS_ERROR_FILE, "'%s' is not a PNG file", path);
}
