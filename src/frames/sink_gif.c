/* SPDX-License-Identifier: MIT */
/* Animated GIF: one palette for all frames, computed after the last one. Until then the frames are
 * stored in a part file of their own, from which a later process can continue. Most pictures have
 * no more colours than a palette holds; all of them are kept, and a pixel is stored as one byte.
 * libav writes the file and stores only what changes from frame to frame. A pixel with an invisible
 * change is left unchanged, which makes files a sixth to a third smaller. libav's palette filters
 * would make vksim depend on libavfilter and some thirty libraries. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "frames/libav.h"
#include "frames/quantise.h"
#include "frames/sink_backend.h"

enum {
    MAX_COLOURS = 255, /* one of the 256 means "unchanged" */
    MAX_SIDE = 65535,  /* limit of the format */
    MAX_RATE = 50,     /* players treat a delay under 2/100 s as an error and play slowly */
    TICKS = 100,       /* per second: the unit of delays */
};

struct gif {
    struct vks_libav_file out;
    uint32_t width, height;
    struct vks_rate fps, rate;          /* requested and actual */
    struct vks_atomic_file frames_file; /* never complete */
    int spool;                          /* its descriptor */
    uint64_t frames;
    uint64_t indexed;  /* leading frames with one byte per pixel, an index in `colours` */
    uint8_t *index_of; /* of each of 2^24 colours, its index plus 1; 0: not seen */
    size_t colour_count;
    uint8_t colours[MAX_COLOURS + 1][3];
    uint64_t times[MAX_COLOURS + 1];
    struct vks_colour_counts *counts; /* once there are more colours than that */
    uint8_t *bytes;                   /* a frame as stored: at most three bytes per pixel */
    const json_t *resume;             /* until start */
};

static size_t pixels_of(const struct gif *gif)
{
    return (size_t)gif->width * gif->height;
}

static uint32_t key_of(const uint8_t *rgb)
{
    return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

/* --- the first pass: store frames, count colours ---------------------------------------------- */

/* Converts a frame to indices. False if there are too many colours. */
static bool index_frame(struct gif *gif, const uint8_t *rgba)
{
    const size_t pixels = pixels_of(gif);
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *rgb = rgba + 4 * i;
        uint8_t *index = &gif->index_of[key_of(rgb)];
        if (*index == 0) {
            if (gif->colour_count == MAX_COLOURS) {
                return false;
            }
            memcpy(gif->colours[gif->colour_count++], rgb, 3);
            *index = (uint8_t)gif->colour_count;
        }
        gif->bytes[i] = (uint8_t)(*index - 1);
    }
    return true;
}

/* Switches to counting colours in coarse steps. */
static enum vks_result start_counting(struct gif *gif)
{
    gif->counts = vks_colour_counts_create();
    if (!gif->counts) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < gif->colour_count; i++) {
        vks_colour_count(gif->counts, gif->colours[i], gif->times[i]);
    }
    return VKS_OK;
}

static void drop_alpha(struct gif *gif, const uint8_t *rgba)
{
    const size_t pixels = pixels_of(gif);
    for (size_t i = 0; i < pixels; i++) {
        memcpy(gif->bytes + 3 * i, rgba + 4 * i, 3);
    }
}

/* Counts the colours of the frame as it is stored. */
static void count_colours(struct gif *gif)
{
    const size_t pixels = pixels_of(gif);
    for (size_t i = 0; i < pixels; i++) {
        if (gif->counts) {
            vks_colour_count(gif->counts, gif->bytes + 3 * i, 1);
        } else {
            gif->times[gif->bytes[i]]++;
        }
    }
}

static enum vks_result write_gif(void *state, const struct vks_frame *frame)
{
    struct gif *gif = state;
    size_t size = pixels_of(gif);
    if (!gif->counts && !index_frame(gif, frame->planes[VKS_PLANE_RGBA])) {
        enum vks_result result = start_counting(gif);
        if (result != VKS_OK) {
            return result;
        }
    }
    if (gif->counts) {
        drop_alpha(gif, frame->planes[VKS_PLANE_RGBA]);
        size *= 3;
    } else {
        gif->indexed++;
    }
    count_colours(gif);
    int error = vks_write_all(gif->spool, gif->bytes, size);
    gif->frames++;
    return error ? vks_fail_write(gif->out.path, error) : VKS_OK;
}

static enum vks_result read_back(struct gif *gif, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t count = read(gif->spool, gif->bytes + at, size - at);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return vks_fail(VKS_ERROR_FILE, "cannot write '%s': cannot read its frames back: %s",
                            gif->out.path,
                            count < 0 ? vks_errno_text(errno) : "unexpected end of file");
        }
        at += (size_t)count;
    }
    return VKS_OK;
}

/* --- continuing ------------------------------------------------------------------------------ */

static enum vks_result hold_gif(void *state, json_t *position)
{
    struct gif *gif = state;
    char colours[6 * MAX_COLOURS + 1] = "";
    for (size_t i = 0; i < gif->colour_count; i++) {
        snprintf(colours + 6 * i, 7, "%06" PRIx32, key_of(gif->colours[i]));
    }
    const bool set =
        json_object_set_new(position, "indexed", json_integer((json_int_t)gif->indexed)) == 0 &&
        json_object_set_new(position, "colours", json_string(colours)) == 0;
    return set ? vks_atomic_file_hold(&gif->frames_file, position) : vks_fail_memory();
}

static void read_colours(struct gif *gif, const char *text)
{
    unsigned rgb[3];
    for (; gif->colour_count < MAX_COLOURS && strlen(text) >= 6 &&
           sscanf(text, "%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]) == 3;
         text += 6) {
        uint8_t *colour = gif->colours[gif->colour_count++];
        for (size_t i = 0; i < 3; i++) {
            colour[i] = (uint8_t)rgb[i];
        }
        gif->index_of[key_of(colour)] = (uint8_t)gif->colour_count;
    }
}

/* Counts the colours of the frames that an earlier process has stored. */
static enum vks_result count_stored(struct gif *gif)
{
    const json_t *resume = gif->resume;
    const uint64_t frames = vks_json_count(resume, "frames");
    const char *colours = json_string_value(json_object_get(resume, "colours"));
    enum vks_result result = VKS_OK;
    if (lseek(gif->spool, 0, SEEK_SET) < 0) {
        return vks_fail_write(gif->out.path, errno);
    }
    read_colours(gif, colours ? colours : "");
    gif->indexed = vks_json_count(resume, "indexed");
    for (; result == VKS_OK && gif->frames < frames; gif->frames++) {
        const bool indexed = gif->frames < gif->indexed;
        if (!indexed && !gif->counts) {
            result = start_counting(gif);
        }
        result = result == VKS_OK ? read_back(gif, pixels_of(gif) * (indexed ? 1 : 3)) : result;
        if (result == VKS_OK) {
            count_colours(gif);
        }
    }
    return result;
}

/* --- the second pass ------------------------------------------------------------------------- */

/* The palette of the file, and the mixture that replaces each colour. */
struct second_pass {
    struct vks_mixer mixer;
    struct vks_mixture *mixtures; /* of each of 2^24 colours; NULL: pixels are already indices */
    uint8_t *known;               /* one bit per colour: its mixture is computed */
    bool alike[MAX_COLOURS + 1][MAX_COLOURS + 1];
    uint8_t *canvas; /* the displayed frame */
};

static void find_alike(struct second_pass *second)
{
    for (size_t i = 0; i < second->mixer.count; i++) {
        for (size_t j = 0; j < second->mixer.count; j++) {
            second->alike[i][j] = vks_mixer_alike(&second->mixer, i, j);
        }
    }
}

static enum vks_result prepare(const struct gif *gif, struct second_pass *second)
{
    second->canvas = malloc(pixels_of(gif));
    if (gif->counts) {
        second->mixer.count = vks_palette_make(gif->counts, MAX_COLOURS, second->mixer.palette);
        second->mixtures = calloc(1 << 24, sizeof(*second->mixtures));
        second->known = calloc(1 << 21, 1);
    } else {
        second->mixer.count = gif->colour_count;
        memcpy(second->mixer.palette, gif->colours, sizeof(gif->colours));
    }
    if (!second->canvas || second->mixer.count == 0 ||
        (gif->counts && (!second->mixtures || !second->known))) {
        return vks_fail_memory();
    }
    vks_mixer_prepare(&second->mixer);
    find_alike(second);
    return VKS_OK;
}

static uint8_t mix(struct second_pass *second, const uint8_t *rgb, uint32_t x, uint32_t y)
{
    const uint32_t key = key_of(rgb);
    struct vks_mixture *mixture = &second->mixtures[key];
    const uint8_t bit = (uint8_t)(1U << (key & 7));
    if (!(second->known[key >> 3] & bit)) {
        *mixture = vks_mixer_find(&second->mixer, rgb);
        second->known[key >> 3] |= bit;
    }
    return vks_mixture_at(mixture, x, y);
}

/* The index of a pixel of the frame; `at` counts pixels. */
static uint8_t index_at(const struct gif *gif, struct second_pass *second, uint64_t frame,
                        size_t at)
{
    const bool indexed = frame < gif->indexed;
    if (!second->mixtures) {
        return gif->bytes[at];
    }
    return mix(second, indexed ? gif->colours[gif->bytes[at]] : gif->bytes + 3 * at,
               (uint32_t)(at % gif->width), (uint32_t)(at / gif->width));
}

/* Updates the canvas to a frame from its stored bytes. */
static void paint(const struct gif *gif, struct second_pass *second, uint64_t frame)
{
    const size_t pixels = pixels_of(gif);
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t index = index_at(gif, second, frame, i);
        if (frame == 0 || !second->alike[index][second->canvas[i]]) {
            second->canvas[i] = index;
        }
    }
}

static void fill(const struct gif *gif, const struct second_pass *second, AVFrame *frame)
{
    uint32_t *palette = (uint32_t *)(void *)frame->data[1];
    memset(palette, 0,
           AVPALETTE_SIZE); /* unused entries are transparent, which means "unchanged" */
    for (size_t i = 0; i < second->mixer.count; i++) {
        palette[i] = UINT32_C(0xff000000) | key_of(second->mixer.palette[i]);
    }
    for (uint32_t y = 0; y < gif->height; y++) {
        memcpy(frame->data[0] + (ptrdiff_t)y * frame->linesize[0],
               second->canvas + (size_t)y * gif->width, gif->width);
    }
}

static enum vks_result put_frames(struct gif *gif, struct second_pass *second, AVFrame *frame)
{
    enum vks_result result = VKS_OK;
    for (uint64_t n = 0; n < gif->frames && result == VKS_OK; n++) {
        result = read_back(gif, pixels_of(gif) * (n < gif->indexed ? 1 : 3));
        vks_av.av_frame_unref(frame); /* libav keeps the previous one */
        frame->format = AV_PIX_FMT_PAL8;
        frame->width = (int)gif->width;
        frame->height = (int)gif->height;
        if (result == VKS_OK && vks_av.av_frame_get_buffer(frame, 0) < 0) {
            result = vks_fail_memory();
        }
        if (result == VKS_OK) {
            paint(gif, second, n);
            fill(gif, second, frame);
            frame->pts = (int64_t)((n * TICKS * gif->rate.seconds + gif->rate.frames / 2) /
                                   gif->rate.frames);
            result = vks_libav_encode(&gif->out, frame);
        }
    }
    return result;
}

static enum vks_result put_all(struct gif *gif)
{
    struct second_pass *second = calloc(1, sizeof(*second));
    AVFrame *frame = vks_av.av_frame_alloc();
    enum vks_result result = second && frame ? prepare(gif, second) : vks_fail_memory();
    if (result == VKS_OK && lseek(gif->spool, 0, SEEK_SET) < 0) {
        result = vks_fail_write(gif->out.path, errno);
    }
    if (result == VKS_OK) {
        result = put_frames(gif, second, frame);
    }
    vks_av.av_frame_free(&frame);
    if (second) {
        free(second->mixtures);
        free(second->known);
        free(second->canvas);
    }
    free(second);
    return result;
}

/* --- the sink -------------------------------------------------------------------------------- */

static void close_gif(struct gif *gif)
{
    if (gif->spool >= 0) {
        close(gif->spool);
    }
    vks_colour_counts_destroy(gif->counts);
    free(gif->index_of);
    free(gif->bytes);
    vks_libav_close(&gif->out);
    vks_atomic_file_abort(&gif->frames_file);
    free(gif);
}

static enum vks_result open_codec(struct gif *gif)
{
    const AVCodec *encoder = vks_av.avcodec_find_encoder(AV_CODEC_ID_GIF);
    if (!encoder) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': libav has no GIF encoder; use .mp4, .webm or .png",
                        gif->out.path);
    }
    gif->out.codec = vks_av.avcodec_alloc_context3(encoder);
    if (!gif->out.codec) {
        return vks_fail_memory();
    }
    gif->out.codec->width = (int)gif->width;
    gif->out.codec->height = (int)gif->height;
    gif->out.codec->pix_fmt = AV_PIX_FMT_PAL8;
    gif->out.codec->time_base = (AVRational){1, TICKS};
    gif->out.codec->framerate = (AVRational){(int)gif->rate.frames, (int)gif->rate.seconds};
    int error = vks_av.avcodec_open2(gif->out.codec, encoder, NULL);
    return error < 0 ? vks_libav_fail(&gif->out, error) : VKS_OK;
}

static enum vks_result open_gif(const struct vks_sink_params *params, void **state)
{
    if (params->width > MAX_SIDE || params->height > MAX_SIDE) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s': a .gif has at most %d pixels per side, not %" PRIu32 "x%" PRIu32
                        "; use .png",
                        params->path, MAX_SIDE, params->width, params->height);
    }
    struct gif *gif = calloc(1, sizeof(*gif));
    if (!gif) {
        return vks_fail_memory();
    }
    gif->spool = -1;
    gif->width = params->width;
    gif->height = params->height;
    gif->fps = params->fps;
    gif->rate =
        vks_rate_real(params->fps) < MAX_RATE ? params->fps : (struct vks_rate){MAX_RATE, 1};
    /* A process that continues may have been killed after the file was complete. */
    const bool overwrite = params->overwrite || params->resume;
    gif->resume = params->resume;
    enum vks_result result = vks_libav_open_file(&gif->out, params->path, overwrite);
    if (result == VKS_OK) {
        result = vks_atomic_file_resume(&gif->frames_file, params->path, overwrite, params->resume);
    }
    if (result == VKS_OK) {
        result = vks_sink_open_part(&gif->frames_file, &gif->spool);
    }
    if (result != VKS_OK) {
        close_gif(gif);
        return result;
    }
    *state = gif;
    return VKS_OK;
}

static enum vks_result start_gif(void *state)
{
    struct gif *gif = state;
    gif->bytes = malloc(pixels_of(gif) * 3);
    gif->index_of = calloc(1 << 24, 1);
    enum vks_result result = gif->bytes && gif->index_of ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && gif->resume) {
        result = count_stored(gif);
    }
    if (result == VKS_OK) {
        result = open_codec(gif);
    }
    return result == VKS_OK ? vks_libav_open_format(&gif->out, "gif", "", &(struct vks_origin){0})
                            : result;
}

static enum vks_result finish_gif(void *state)
{
    struct gif *gif = state;
    enum vks_result result = put_all(gif);
    if (result == VKS_OK) {
        result = vks_libav_finish(&gif->out, NULL);
    }
    close_gif(gif);
    return result;
}

static enum vks_result keep_old_gif(void *state, const char **name)
{
    return vks_libav_keep_old(&((struct gif *)state)->out, name);
}

static void abort_gif(void *state, bool keep_complete)
{
    (void)keep_complete; /* there is only the part file */
    close_gif(state);
}

static char *note_on_gif(const void *state)
{
    const struct gif *gif = state;
    const double fps = vks_rate_real(gif->fps);
    return fps <= MAX_RATE ? NULL
                           : vks_format("'%s' will play at %d frames per second, not %.6g: players "
                                        "do not support a faster .gif",
                                        gif->out.path, MAX_RATE, fps);
}

const struct vks_sink_backend vks_sink_gif = {
    .load = vks_libav_load,
    .open = open_gif,
    .start = start_gif,
    .write = write_gif,
    .hold = hold_gif,
    .finish = finish_gif,
    .abort = abort_gif,
    .keep_old = keep_old_gif,
    .note = note_on_gif,
};
