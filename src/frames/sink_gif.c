/* SPDX-License-Identifier: MIT */
/* Animated GIF: one palette for all frames, found when all have been seen. Until then they wait in
 * a file without a name beside the output. Most looks have no more colours than a palette: they
 * keep them all, and their pixels wait as a byte each. libav writes the file: it stores only what
 * changes from frame to frame, and a pixel whose change is not seen stays as it was, which makes
 * files a sixth to a third smaller. libav's palette filters (libavfilter) would draw some thirty
 * libraries into every start of vksim. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "frames/libav.h"
#include "frames/quantise.h"
#include "frames/sink_backend.h"

enum {
    MAX_COLOURS = 255, /* one of the 256 stands for "as before" */
    MAX_SIDE = 65535,  /* of the format */
    MAX_RATE = 50,     /* players take a pause under 2/100 s for a mistake, and play slowly */
    TICKS = 100,       /* of a pause, a second */
};

struct gif {
    struct vks_libav_file out;
    uint32_t width, height;
    uint32_t fps, rate; /* frames a second: as asked, and as they will play */
    int waiting;        /* the file of frames */
    uint64_t frames;
    uint64_t
        plain; /* frames at the file's beginning that have a byte a pixel: index in `colours` */
    uint8_t *index_of; /* of each of 2^24 colours, its index plus 1; 0: not met */
    size_t colour_count;
    uint8_t colours[MAX_COLOURS + 1][3];
    uint64_t times[MAX_COLOURS + 1];
    struct vks_colour_counts *counts; /* once there were more colours than that */
    uint8_t *bytes;                   /* a frame as it waits: three bytes a pixel at most */
};

static size_t pixels_of(const struct gif *gif)
{
    return (size_t)gif->width * gif->height;
}

static uint32_t key_of(const uint8_t *rgb)
{
    return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

/* --- the first pass: frames are kept, colours counted ----------------------------------------- */

/* Turns a frame into indices. False when it has a colour too many. */
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
        gif->times[*index - 1]++;
    }
    return true;
}

/* From now on colours are counted in coarse steps. */
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

static void count_frame(struct gif *gif, const uint8_t *rgba)
{
    const size_t pixels = pixels_of(gif);
    for (size_t i = 0; i < pixels; i++) {
        memcpy(gif->bytes + 3 * i, rgba + 4 * i, 3);
        vks_colour_count(gif->counts, rgba + 4 * i, 1);
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
        count_frame(gif, frame->planes[VKS_PLANE_RGBA]);
        size *= 3;
    } else {
        gif->plain++;
    }
    int error = vks_write_all(gif->waiting, gif->bytes, size);
    gif->frames++;
    return error ? vks_fail_write(gif->out.path, error) : VKS_OK;
}

/* --- the second pass ------------------------------------------------------------------------- */

static enum vks_result read_back(struct gif *gif, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t count = read(gif->waiting, gif->bytes + at, size - at);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return vks_fail(VKS_ERROR_FILE, "cannot write '%s': its frames cannot be read back: %s",
                            gif->out.path, count < 0 ? vks_errno_text(errno) : "the file ends");
        }
        at += (size_t)count;
    }
    return VKS_OK;
}

/* The colours of the file, and what becomes of each colour that was met. */
struct second_pass {
    struct vks_mixer mixer;
    struct vks_mixture *mixtures; /* of each of 2^24 colours; NULL: pixels are indices already */
    uint8_t *known;               /* a bit each: it has been found */
    bool alike[MAX_COLOURS + 1][MAX_COLOURS + 1];
    uint8_t *canvas; /* the frame as it is shown */
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

/* The index that a pixel should have; `at` counts pixels. */
static uint8_t wanted(const struct gif *gif, struct second_pass *second, uint64_t frame, size_t at)
{
    const bool plain = frame < gif->plain;
    if (!second->mixtures) {
        return gif->bytes[at];
    }
    return mix(second, plain ? gif->colours[gif->bytes[at]] : gif->bytes + 3 * at,
               (uint32_t)(at % gif->width), (uint32_t)(at / gif->width));
}

/* Brings the canvas to a frame, from the bytes that waited. */
static void paint(const struct gif *gif, struct second_pass *second, uint64_t frame)
{
    const size_t pixels = pixels_of(gif);
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t index = wanted(gif, second, frame, i);
        if (frame == 0 || !second->alike[index][second->canvas[i]]) {
            second->canvas[i] = index;
        }
    }
}

static void fill(const struct gif *gif, const struct second_pass *second, AVFrame *frame)
{
    uint32_t *palette = (uint32_t *)(void *)frame->data[1];
    memset(palette, 0, AVPALETTE_SIZE); /* what is not used is transparent: "as before" */
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
        result = read_back(gif, pixels_of(gif) * (n < gif->plain ? 1 : 3));
        av_frame_unref(frame); /* libav keeps the one before */
        frame->format = AV_PIX_FMT_PAL8;
        frame->width = (int)gif->width;
        frame->height = (int)gif->height;
        if (result == VKS_OK && av_frame_get_buffer(frame, 0) < 0) {
            result = vks_fail_memory();
        }
        if (result == VKS_OK) {
            paint(gif, second, n);
            fill(gif, second, frame);
            frame->pts = (int64_t)((n * TICKS + gif->rate / 2) / gif->rate);
            result = vks_libav_encode(&gif->out, frame);
        }
    }
    return result;
}

static enum vks_result put_all(struct gif *gif)
{
    struct second_pass *second = calloc(1, sizeof(*second));
    AVFrame *frame = av_frame_alloc();
    enum vks_result result = second && frame ? prepare(gif, second) : vks_fail_memory();
    if (result == VKS_OK && lseek(gif->waiting, 0, SEEK_SET) < 0) {
        result = vks_fail_write(gif->out.path, errno);
    }
    if (result == VKS_OK) {
        result = put_frames(gif, second, frame);
    }
    av_frame_free(&frame);
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
    if (gif->waiting >= 0) {
        close(gif->waiting);
    }
    vks_colour_counts_destroy(gif->counts);
    free(gif->index_of);
    free(gif->bytes);
    vks_libav_close(&gif->out);
    free(gif);
}

/* A file that has no name any more and goes when it is closed, on the disk of the output. */
static enum vks_result open_waiting(struct gif *gif)
{
    char *name = vks_format("%s-frames-XXXXXX", gif->out.file.part);
    if (!name) {
        return vks_fail_memory();
    }
    gif->waiting = mkstemp(name);
    int error = gif->waiting < 0 ? errno : 0;
    if (error == 0) {
        unlink(name);
        fcntl(gif->waiting, F_SETFD, FD_CLOEXEC);
    }
    free(name);
    return error ? vks_fail_write(gif->out.path, error) : VKS_OK;
}

static enum vks_result open_codec(struct gif *gif)
{
    const AVCodec *encoder = avcodec_find_encoder(AV_CODEC_ID_GIF);
    if (!encoder) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': this libav has no GIF encoder; use .mp4, .webm or .png",
                        gif->out.path);
    }
    gif->out.codec = avcodec_alloc_context3(encoder);
    if (!gif->out.codec) {
        return vks_fail_memory();
    }
    gif->out.codec->width = (int)gif->width;
    gif->out.codec->height = (int)gif->height;
    gif->out.codec->pix_fmt = AV_PIX_FMT_PAL8;
    gif->out.codec->time_base = (AVRational){1, TICKS};
    gif->out.codec->framerate = (AVRational){(int)gif->rate, 1};
    int error = avcodec_open2(gif->out.codec, encoder, NULL);
    return error < 0 ? vks_libav_fail(&gif->out, error) : VKS_OK;
}

static enum vks_result open_gif(const struct vks_sink_params *params, void **state)
{
    if (params->width > MAX_SIDE || params->height > MAX_SIDE) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s': a .gif has at most %d pixels a side, not %" PRIu32 "x%" PRIu32
                        "; use .png",
                        params->path, MAX_SIDE, params->width, params->height);
    }
    struct gif *gif = calloc(1, sizeof(*gif));
    if (!gif) {
        return vks_fail_memory();
    }
    vks_libav_begin(&gif->out, params->path);
    gif->waiting = -1;
    gif->width = params->width;
    gif->height = params->height;
    gif->fps = params->fps;
    gif->rate = params->fps < MAX_RATE ? params->fps : MAX_RATE;
    gif->bytes = malloc(pixels_of(gif) * 3);
    gif->index_of = calloc(1 << 24, 1);
    enum vks_result result = gif->bytes && gif->index_of ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_libav_open_file(&gif->out, params->overwrite);
    }
    if (result == VKS_OK) {
        result = open_waiting(gif);
    }
    if (result == VKS_OK) {
        result = open_codec(gif);
    }
    if (result == VKS_OK) {
        result = vks_libav_open_format(&gif->out, "gif", "");
    }
    if (result != VKS_OK) {
        close_gif(gif);
        return result;
    }
    *state = gif;
    return VKS_OK;
}

static enum vks_result finish_gif(void *state)
{
    struct gif *gif = state;
    enum vks_result result = put_all(gif);
    if (result == VKS_OK) {
        result = vks_libav_finish(&gif->out);
    }
    close_gif(gif);
    return result;
}

static void abort_gif(void *state, bool keep_whole)
{
    (void)keep_whole; /* there is only the part file */
    close_gif(state);
}

static char *note_on_gif(const void *state)
{
    const struct gif *gif = state;
    return gif->rate == gif->fps ? NULL
                                 : vks_format("'%s' will play at %d frames a second, not %" PRIu32
                                              ": players take no .gif that is faster",
                                              gif->out.path, MAX_RATE, gif->fps);
}

const struct vks_sink_backend vks_sink_gif = {
    .open = open_gif,
    .write = write_gif,
    .finish = finish_gif,
    .abort = abort_gif,
    .note = note_on_gif,
};
