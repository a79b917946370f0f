/* SPDX-License-Identifier: MIT */
/* OpenEXR: the picture in linear light with associated alpha, as the format requires, and the
 * displayed values in a channel named after the view, or in one per plane, NAME.1 and so on. The
 * picture has halves or floats, the values always floats. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openexr.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/file.h"
#include "frames/still.h"

enum { VALUE = 4 /* after R, G, B, A */ };
static const char *const colours[] = {"R", "G", "B", "A"};

struct exr {
    const struct vks_still *still;
    const struct vks_frame *frame;
    exr_context_t context;
    int error; /* errno of the first failing write */
    bool halves;
    uint8_t *lines; /* the channels of a chunk, planar */
};

/* --- colours --------------------------------------------------------------------------------- */

static float linear[65536];
static pthread_once_t linear_made = PTHREAD_ONCE_INIT;

/* The inverse of sRGB's transfer function (IEC 61966-2-1), bit-exact on every machine. */
static void make_linear(void)
{
    for (int i = 0; i < 65536; i++) {
        const float v = vks_divide((float)i, 65535.0f);
        linear[i] =
            v <= 0.04045f ? vks_divide(v, 12.92f) : vks_pow(vks_divide(v + 0.055f, 1.055f), 2.4f);
    }
    linear[65535] = 1.0f;
}

static void put(const struct exr *exr, uint8_t *to, float value)
{
    if (exr->halves) {
        const uint16_t half = (uint16_t)vks_half(value);
        memcpy(to, &half, sizeof(half));
    } else {
        memcpy(to, &value, sizeof(value));
    }
}

/* Converts one colour channel of `count` rows starting at `row`. */
static void convert(const struct exr *exr, int channel, uint32_t row, uint32_t count, uint8_t *to)
{
    const uint32_t width = exr->frame->width;
    const uint16_t *pixels = exr->frame->planes[VKS_PLANE_RGBA16];
    const size_t bytes = exr->halves ? 2 : 4;
    pixels += (size_t)row * width * 4;
    for (size_t i = 0; i < (size_t)count * width; i++, pixels += 4, to += bytes) {
        const float alpha = vks_divide((float)pixels[3], 65535.0f);
        put(exr, to, channel == 3 ? alpha : linear[pixels[channel]] * alpha);
    }
}

/* --- the file -------------------------------------------------------------------------------- */

/* OpenEXR may hold the mutex of its context when it calls the next two, so they call nothing that
 * takes the context. */
static void on_error(exr_const_context_t context, exr_result_t code, const char *text)
{
    (void)context;
    (void)code; /* the calls return it, too */
    (void)text;
}

static int64_t on_write(exr_const_context_t context, void *user, const void *data, uint64_t size,
                        uint64_t offset, exr_stream_error_func_ptr_t report)
{
    struct exr *exr = user;
    (void)context;
    (void)report;
    if (exr->error == 0) {
        exr->error = lseek(exr->still->fd, (off_t)offset, SEEK_SET) < 0
                         ? errno
                         : vks_write_all(exr->still->fd, data, size);
    }
    return exr->error == 0 ? (int64_t)size : -1;
}

static enum vks_result failure(const struct exr *exr, exr_result_t code)
{
    if (exr->error != 0) {
        return vks_fail_write(exr->still->path, exr->error);
    }
    return code == EXR_ERR_OUT_OF_MEMORY
               ? vks_fail_memory()
               : vks_fail(VKS_ERROR_FILE, "cannot write '%s': OpenEXR: %s", exr->still->path,
                          exr_get_default_error_message(code));
}

static uint32_t planes_of(const struct exr *exr)
{
    return exr->frame->value_planes > 1 ? exr->frame->value_planes : 1;
}

/* The name of the channel with a plane's values. */
static const char *channel_of(const struct exr *exr, uint32_t plane, char name[256])
{
    const char *field = exr->still->params->field;
    if (planes_of(exr) == 1) {
        return field;
    }
    snprintf(name, 256, "%s.%u", field, plane + 1);
    return name;
}

/* The plane whose values a channel has. */
static uint32_t plane_of(const struct exr *exr, const char *channel)
{
    char name[256];
    uint32_t plane = 0;
    while (plane + 1 < planes_of(exr) && strcmp(channel, channel_of(exr, plane, name)) != 0) {
        plane++;
    }
    return plane;
}

static exr_result_t write_header(struct exr *exr)
{
    static const exr_attr_chromaticities_t rec709 = {0.64f, 0.33f, 0.30f,   0.60f,
                                                     0.15f, 0.06f, 0.3127f, 0.3290f};
    const exr_pixel_type_t type = exr->halves ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT;
    int part = 0;
    exr_result_t result = exr_add_part(exr->context, NULL, EXR_STORAGE_SCANLINE, &part);
    if (result != EXR_ERR_SUCCESS) {
        return result;
    }
    result = exr_initialize_required_attr_simple(exr->context, part, (int32_t)exr->frame->width,
                                                 (int32_t)exr->frame->height, EXR_COMPRESSION_ZIP);
    for (int i = 0; i < VALUE && result == EXR_ERR_SUCCESS; i++) {
        result = exr_add_channel(exr->context, part, colours[i], type, EXR_PERCEPTUALLY_LOGARITHMIC,
                                 1, 1);
    }
    if (result != EXR_ERR_SUCCESS) {
        return result;
    }
    for (uint32_t plane = 0; plane < planes_of(exr) && result == EXR_ERR_SUCCESS; plane++) {
        char name[256];
        result = exr_add_channel(exr->context, part, channel_of(exr, plane, name), EXR_PIXEL_FLOAT,
                                 EXR_PERCEPTUALLY_LINEAR, 1, 1);
    }
    if (result != EXR_ERR_SUCCESS) {
        return result;
    }
    result = exr_attr_set_chromaticities(exr->context, part, "chromaticities", &rec709);
    if (result != EXR_ERR_SUCCESS) {
        return result;
    }
    result = exr_attr_set_string(exr->context, part, "software", "vksim " VKS_VERSION);
    return result == EXR_ERR_SUCCESS ? exr_write_header(exr->context) : result;
}

/* Sets the encoder's input to the channels of the chunk. */
static void fill_chunk(const struct exr *exr, exr_encode_pipeline_t *pipeline)
{
    const uint32_t width = exr->frame->width, row = (uint32_t)pipeline->chunk.start_y;
    const uint32_t count = (uint32_t)pipeline->chunk.height;
    uint8_t *to = exr->lines;
    for (int i = 0; i < pipeline->channel_count; i++) {
        exr_coding_channel_info_t *channel = &pipeline->channels[i];
        int colour = 0;
        while (colour < VALUE && strcmp(channel->channel_name, colours[colour]) != 0) {
            colour++;
        }
        const int bytes = colour == VALUE || !exr->halves ? 4 : 2;
        channel->user_bytes_per_element = (int16_t)bytes;
        channel->user_data_type = channel->data_type;
        channel->user_pixel_stride = bytes;
        channel->user_line_stride = bytes * (int32_t)width;
        if (colour == VALUE) {
            const float *values = exr->frame->planes[VKS_PLANE_VALUES];
            const size_t first = plane_of(exr, channel->channel_name) * (size_t)exr->frame->height;
            channel->encode_from_ptr = (const uint8_t *)(values + (first + row) * width);
        } else {
            convert(exr, colour, row, count, to);
            channel->encode_from_ptr = to;
            to += (size_t)bytes * width * count;
        }
    }
}

static exr_result_t write_chunks(struct exr *exr, exr_encode_pipeline_t *pipeline, int32_t rows)
{
    exr_result_t result = EXR_ERR_SUCCESS;
    for (int32_t row = 0; row < (int32_t)exr->frame->height && result == EXR_ERR_SUCCESS;
         row += rows) {
        exr_chunk_info_t chunk = {0};
        result = exr_write_scanline_chunk_info(exr->context, 0, row, &chunk);
        if (result == EXR_ERR_SUCCESS) {
            result = row == 0 ? exr_encoding_initialize(exr->context, 0, &chunk, pipeline)
                              : exr_encoding_update(exr->context, 0, &chunk, pipeline);
        }
        if (result == EXR_ERR_SUCCESS) {
            fill_chunk(exr, pipeline);
            result = row == 0 ? exr_encoding_choose_default_routines(exr->context, 0, pipeline)
                              : EXR_ERR_SUCCESS;
        }
        if (result == EXR_ERR_SUCCESS) {
            result = exr_encoding_run(exr->context, 0, pipeline);
        }
    }
    return result;
}

enum vks_result vks_exr_still(const struct vks_still *still, const struct vks_frame *frame)
{
    struct exr exr = {.still = still, .frame = frame, .halves = still->params->depth != 32};
    exr_context_initializer_t own = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t rows = 0;
    own.error_handler_fn = on_error;
    own.user_data = &exr;
    own.write_fn = on_write;
    (void)pthread_once(&linear_made, make_linear);
    exr_result_t result = exr_start_write(&exr.context, still->path, EXR_WRITE_FILE_DIRECTLY, &own);
    if (result != EXR_ERR_SUCCESS) {
        return failure(&exr, result);
    }
    result = write_header(&exr);
    if (result == EXR_ERR_SUCCESS) {
        result = exr_get_scanlines_per_chunk(exr.context, 0, &rows);
    }
    if (result == EXR_ERR_SUCCESS) {
        exr.lines = malloc((size_t)frame->width * (size_t)rows * 4 * sizeof(float));
        result = exr.lines ? write_chunks(&exr, &pipeline, rows) : EXR_ERR_OUT_OF_MEMORY;
    }
    (void)exr_encoding_destroy(exr.context, &pipeline);
    const exr_result_t finished = exr_finish(&exr.context);
    result = result == EXR_ERR_SUCCESS ? finished : result;
    free(exr.lines);
    return result == EXR_ERR_SUCCESS && exr.error == 0 ? VKS_OK : failure(&exr, result);
}
