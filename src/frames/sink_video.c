/* SPDX-License-Identifier: MIT */
/* Videos in .mp4, .webm and .mkv through libav (FFmpeg 5.1 or later). */
#include <math.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "frames/libav.h"
#include "frames/loop.h"
#include "frames/segments.h"
#include "frames/sink_backend.h"

enum { KEY_FRAME_SECONDS = 2 /* limits what a player decodes to seek */ };

struct video {
    struct vks_libav_file out; /* the file, or the segment that is being written */
    struct vks_segments segments;
    struct vks_libav_file joined; /* the file of a continuable video */
    char headers[33];             /* the digest of what the encoder puts in front of all segments */
    struct vks_sink_params params;
    const struct container *container;
    enum vks_encoder encoder;
    uint32_t width, height;             /* even */
    uint32_t coded_width, coded_height; /* of the last frame */
    bool deep;                          /* 10 bits */
    int64_t frames;                     /* in the file or the segment */
    struct vks_digest *digest; /* of all samples; NULL: the container has no place for it */
    AVFrame *frame;            /* borrows the planes of the frame being written */
    struct vks_loop *loop;     /* NULL: it is none */
};

/* --- containers and encoders ----------------------------------------------------------------- */

static const struct container {
    const char *extension, *muxer;
    enum vks_encoder encoders[2]; /* the defaults for 8 and for 10 bits */
    unsigned takes;               /* one bit per enum vks_encoder */
    const char *options;          /* NAME=VALUE:NAME=VALUE... */
    bool ends_with_texts;         /* texts are written at the end */
} containers[] = {
    {".mp4",
     "mp4",
     {VKS_ENCODER_H264, VKS_ENCODER_H265},
     1U << VKS_ENCODER_H264 | 1U << VKS_ENCODER_H265 | 1U << VKS_ENCODER_AV1,
     "movflags=+faststart",
     true},
    {".webm",
     "webm",
     {VKS_ENCODER_VP9, VKS_ENCODER_VP9},
     1U << VKS_ENCODER_VP9 | 1U << VKS_ENCODER_AV1,
     "",
     false},
    {".mkv",
     "matroska",
     {VKS_ENCODER_H264, VKS_ENCODER_H265},
     1U << VKS_ENCODER_H264 | 1U << VKS_ENCODER_H265 | 1U << VKS_ENCODER_VP9 |
         1U << VKS_ENCODER_AV1,
     "",
     false},
};

/* Quality: these pictures consist of fine grain, which a low rate factor preserves. All encoders
 * give similar fidelity (docs/outputs.md has figures). Speed: a preset that keeps up with a small
 * GPU. With trellis, libx264's veryfast at 15 is within 10 % of the size and 0.3 dB of fast at 16,
 * in half the time. */
static const struct compressor {
    const char *name; /* libav's */
    enum vks_encoder encoder;
    uint32_t min_side, max_width, max_height; /* as found by trying */
    int crf;                                  /* the default; -1: no constant quality */
    uint32_t min_crf, max_crf;
    const char *options;
} compressors[] = {
    {"libx264", VKS_ENCODER_H264, 2, 16384, 16384, 15, 0, 51, "preset=veryfast:trellis=1"},
    {"libopenh264", VKS_ENCODER_H264, 16, 3840, 2160, -1, 0, 0, ""},
    /* Keeps x265 from printing to stderr (for SVT-AV1 see main.c), and from storing the number of
     * threads and the processor in its headers, which another machine would not continue. */
    {"libx265", VKS_ENCODER_H265, 16, 16384, 16384, 16, 0, 51,
     "preset=fast:x265-params=log-level=none\\:info=0"},
    {"libvpx-vp9", VKS_ENCODER_VP9, 2, 16384, 16384, 28, 0, 63,
     "deadline=good:cpu-used=4:row-mt=1:tile-columns=2"},
    {"libsvtav1", VKS_ENCODER_AV1, 64, 16384, 8704, 22, 1, 63, "preset=8"},
    {"libaom-av1", VKS_ENCODER_AV1, 2, 16384, 16384, 22, 1, 63, "cpu-used=6:row-mt=1"},
};

static const enum AVCodecID codec_ids[] = {
    [VKS_ENCODER_AUTO] = AV_CODEC_ID_NONE, [VKS_ENCODER_H264] = AV_CODEC_ID_H264,
    [VKS_ENCODER_H265] = AV_CODEC_ID_HEVC, [VKS_ENCODER_VP9] = AV_CODEC_ID_VP9,
    [VKS_ENCODER_AV1] = AV_CODEC_ID_AV1,
};

/* Assumptions about an encoder outside the table, such as a GPU's. */
static struct compressor unknown_compressor(enum vks_encoder encoder)
{
    return (struct compressor){"", encoder, 2, 16384, 16384, -1, 0, 0, ""};
}

static const struct container *find_container(const char *path)
{
    const char *extension = strrchr(path, '.'); /* sink.c has checked it */
    size_t i = 0;
    while (strcasecmp(extension, containers[i].extension) != 0) {
        i++;
    }
    return &containers[i];
}

/* "a, b and c" of the encoders in the set, or "none". */
static const char *list_encoders(unsigned set, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (unsigned i = 1; vks_encoder_names[i]; i++) {
        if (set >> i & 1) {
            const unsigned rest = set >> (i + 1);
            used += (size_t)snprintf(text + used, size - used, "%s%s", vks_encoder_names[i],
                                     rest == 0                  ? ""
                                     : (rest & (rest - 1)) == 0 ? " and "
                                                                : ", ");
        }
    }
    return text;
}

static unsigned encoders_of_libav(void)
{
    unsigned set = 0;
    for (unsigned i = 1; i < VKS_COUNT(codec_ids); i++) {
        set |= vks_av.avcodec_find_encoder(codec_ids[i]) ? 1U << i : 0;
    }
    return set;
}

static enum vks_result fail_size(const struct vks_sink_params *params, enum vks_encoder encoder,
                                 uint32_t min_side)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "'%s': %s supports %" PRIu32
                    " to 16384 pixels per side and 268 million in total, not %" PRIu32 "x%" PRIu32
                    "; use .png, .npy or .y4m",
                    params->path, vks_encoder_names[encoder], min_side, params->width,
                    params->height);
}

static bool takes_size(const struct compressor *compressor, const struct video *video)
{
    return video->width >= compressor->min_side && video->height >= compressor->min_side &&
           video->width <= compressor->max_width && video->height <= compressor->max_height;
}

static bool takes_crf(const struct compressor *compressor, const struct vks_sink_params *params)
{
    return !params->has_crf || (compressor->crf >= 0 && params->crf >= compressor->min_crf &&
                                params->crf <= compressor->max_crf);
}

static enum vks_result fail_crf(const struct vks_sink_params *params,
                                const struct compressor *compressor)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "--crf %" PRIu32 " is out of range: %s supports %" PRIu32 " (best) to %" PRIu32
                    " (smallest)",
                    params->crf, vks_encoder_names[compressor->encoder], compressor->min_crf,
                    compressor->max_crf);
}

/* Whether one of the known encoders, which need not be installed, supports the size and the
 * quality. */
static enum vks_result check_limits(const struct video *video)
{
    enum { MARGIN = 128, MAX_PIXELS = INT32_MAX / 8 }; /* libav's own limit, of any codec */
    const struct compressor *first = NULL;
    uint32_t min_side = UINT32_MAX;
    bool sized = false, rated = false;
    for (size_t i = 0; i < VKS_COUNT(compressors); i++) {
        const struct compressor *compressor = &compressors[i];
        if (compressor->encoder == video->encoder) {
            first = first ? first : compressor;
            min_side = compressor->min_side < min_side ? compressor->min_side : min_side;
            sized = sized || takes_size(compressor, video);
            rated = rated || takes_crf(compressor, &video->params);
        }
    }
    if (!sized ||
        ((uint64_t)video->width + MARGIN) * ((uint64_t)video->height + MARGIN) >= MAX_PIXELS) {
        return fail_size(&video->params, video->encoder, min_side);
    }
    return rated ? VKS_OK : fail_crf(&video->params, first);
}

static enum vks_result check_encoder(const struct video *video)
{
    char list[64];
    const struct vks_sink_params *params = &video->params;
    const struct container *container = video->container;
    const enum vks_encoder encoder = video->encoder;
    const unsigned bit = 1U << encoder;
    if (!(container->takes & bit)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' does not support --encoder %s; %s files support %s",
                        params->path, vks_encoder_names[encoder], container->extension,
                        list_encoders(container->takes, list, sizeof(list)));
    }
    if (params->depth == 10 && encoder == VKS_ENCODER_H264) { /* few players decode it */
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' does not support --depth 10 with --encoder h264; %s do", params->path,
                        list_encoders(container->takes & ~bit, list, sizeof(list)));
    }
    return check_limits(video);
}

static enum vks_result check_installed(const struct video *video)
{
    char list[64];
    const unsigned available = encoders_of_libav();
    return available & 1U << video->encoder
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE,
                          "cannot write '%s': libav has no %s encoder; for %s files it has %s; "
                          ".y4m and .png need none",
                          video->params.path, vks_encoder_names[video->encoder],
                          video->container->extension,
                          list_encoders(video->container->takes & available, list, sizeof(list)));
}

/* --- the encoder ----------------------------------------------------------------------------- */

static void set_up_codec(AVCodecContext *codec, const struct video *video, struct vks_rate fps)
{
    codec->width = (int)video->width;
    codec->height = (int)video->height;
    codec->pix_fmt = video->deep ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P;
    codec->time_base = (AVRational){(int)fps.seconds, (int)fps.frames};
    codec->framerate = (AVRational){(int)fps.frames, (int)fps.seconds};
    codec->sample_aspect_ratio = (AVRational){1, 1};
    codec->gop_size = (int)ceil(KEY_FRAME_SECONDS * vks_rate_real(fps));
    codec->color_range = AVCOL_RANGE_MPEG;
    codec->colorspace = AVCOL_SPC_BT709;
    codec->color_primaries = AVCOL_PRI_BT709;
    codec->color_trc = AVCOL_TRC_BT709;
    codec->chroma_sample_location = AVCHROMA_LOC_CENTER;
    codec->thread_count = 0; /* chosen by libav */
    codec->flags |=
        AV_CODEC_FLAG_GLOBAL_HEADER; /* the containers store headers outside the frames */
}

/* 0 or a libav error number. */
static int open_encoder(struct video *video, const AVCodec *encoder,
                        const struct compressor *compressor)
{
    const struct vks_sink_params *params = &video->params;
    AVDictionary *options = NULL;
    video->out.codec = vks_av.avcodec_alloc_context3(encoder);
    if (!video->out.codec) {
        return AVERROR(ENOMEM);
    }
    set_up_codec(video->out.codec, video, params->fps);
    int error = vks_av.av_dict_parse_string(&options, compressor->options, "=", ":", 0);
    if (compressor->crf >= 0) {
        const int64_t crf = params->has_crf ? (int64_t)params->crf : compressor->crf;
        error = error < 0 ? error : vks_av.av_dict_set_int(&options, "crf", crf, 0);
    } else {
        /* About as much as libx264: 0.2 bits per pixel. */
        const double bits = 0.2 * video->width * video->height * vks_rate_real(params->fps);
        video->out.codec->bit_rate = bits < 1e9 ? (int64_t)bits : 1000000000;
    }
    if (error >= 0) {
        error = vks_av.avcodec_open2(video->out.codec, encoder, &options);
    }
    vks_av.av_dict_free(&options);
    if (error < 0) {
        vks_av.avcodec_free_context(&video->out.codec);
    }
    return error;
}

/* Tries one of libav's encoders. An encoder that does not open is not a failure: *error is its
 * libav error then. */
static enum vks_result try_compressor(struct video *video, const AVCodec *encoder,
                                      const struct compressor *compressor, int *error)
{
    const struct vks_sink_params *params = &video->params;
    if (params->has_crf && compressor->crf < 0) {
        return vks_fail(
            VKS_ERROR_USAGE,
            "'%s' does not support --crf: libav's %s encoder, %s, has no constant quality",
            params->path, vks_encoder_names[compressor->encoder], encoder->name);
    }
    if (!takes_crf(compressor, params)) {
        return fail_crf(params, compressor);
    }
    *error = open_encoder(video, encoder, compressor);
    return VKS_OK;
}

/* Opens the first available encoder that supports the size. */
static enum vks_result open_codec(struct video *video)
{
    const enum vks_encoder encoder = video->encoder;
    int error = AVERROR_ENCODER_NOT_FOUND;
    uint32_t min_side = UINT32_MAX;
    bool known = false;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < VKS_COUNT(compressors); i++) {
        const struct compressor *compressor = &compressors[i];
        const AVCodec *found = compressor->encoder == encoder
                                   ? vks_av.avcodec_find_encoder_by_name(compressor->name)
                                   : NULL;
        if (!found) {
            continue;
        }
        known = true;
        min_side = compressor->min_side < min_side ? compressor->min_side : min_side;
        if (takes_size(compressor, video)) {
            result = try_compressor(video, found, compressor, &error);
            if (error >= 0) {
                return result;
            }
        }
    }
    if (result == VKS_OK && !known) {
        const struct compressor other = unknown_compressor(encoder);
        const AVCodec *found = vks_av.avcodec_find_encoder(codec_ids[encoder]);
        result = try_compressor(video, found, &other, &error);
    } else if (result == VKS_OK && error == AVERROR_ENCODER_NOT_FOUND) {
        return fail_size(&video->params, encoder, min_side);
    }
    return result == VKS_OK && error < 0 ? vks_libav_fail(&video->out, error) : result;
}

static enum vks_result open_frame(struct video *video)
{
    const AVCodecContext *codec = video->out.codec;
    video->frame = vks_av.av_frame_alloc();
    if (!video->frame) {
        return vks_fail_memory();
    }
    video->frame->format = codec->pix_fmt;
    video->frame->width = codec->width;
    video->frame->height = codec->height;
    video->frame->color_range = codec->color_range;
    video->frame->colorspace = codec->colorspace;
    video->frame->color_primaries = codec->color_primaries;
    video->frame->color_trc = codec->color_trc;
    video->frame->chroma_location = codec->chroma_sample_location;
    return VKS_OK;
}

/* --- the sink -------------------------------------------------------------------------------- */

static void close_video(struct video *video)
{
    if (video->frame) {
        memset(video->frame->data, 0, sizeof(video->frame->data)); /* borrowed */
        vks_av.av_frame_free(&video->frame);
    }
    vks_libav_close(&video->out);
    vks_libav_close(&video->joined);
    vks_segments_close(&video->segments);
    vks_loop_destroy(video->loop);
    vks_digest_destroy(video->digest);
    free(video);
}

static enum vks_result open_files(struct video *video)
{
    const struct vks_sink_params *params = &video->params;
    /* A process that continues may have been killed after the file was complete. */
    const bool overwrite = params->overwrite || params->resume;
    struct vks_libav_file *file = params->continuable ? &video->joined : &video->out;
    const enum vks_result result = vks_libav_open_file(file, params->path, overwrite);
    return result == VKS_OK && params->continuable
               ? vks_segments_open(&video->segments, params->path, params->resume)
               : result;
}

static enum vks_result open_video(const struct vks_sink_params *params, void **state)
{
    struct video *video = calloc(1, sizeof(*video));
    if (!video) {
        return vks_fail_memory();
    }
    video->params = *params;
    video->container = find_container(params->path);
    video->deep = params->depth == 10;
    video->encoder = params->encoder == VKS_ENCODER_AUTO ? video->container->encoders[video->deep]
                                                         : params->encoder;
    video->width = vks_even(params->width);
    video->height = vks_even(params->height);
    enum vks_result result = check_encoder(video);
    if (result != VKS_OK) {
        free(video);
        return result;
    }
    video->out.fd = video->joined.fd = -1;
    result = open_files(video);
    if (result != VKS_OK) {
        close_video(video);
        return result;
    }
    *state = video;
    return VKS_OK;
}

static enum vks_result resume_encoder(struct video *video)
{
    const json_t *resume = video->params.resume;
    const char *headers = json_string_value(json_object_get(resume, "headers"));
    const char *samples = json_string_value(json_object_get(resume, "samples"));
    if (!headers || strcmp(headers, video->headers) != 0) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot continue '%s': it was begun with other settings or another version "
                        "of the encoder",
                        video->params.path);
    }
    if (video->digest && !(samples && vks_digest_load(video->digest, samples))) {
        vks_digest_destroy(video->digest); /* it was begun without */
        video->digest = NULL;
    }
    return VKS_OK;
}

static enum vks_result start_video(void *state)
{
    struct video *video = state;
    enum vks_result result = check_installed(video);
    if (result == VKS_OK) {
        result = open_codec(video);
    }
    if (result == VKS_OK && !video->params.continuable) {
        result = vks_libav_open_format(&video->out, video->container->muxer,
                                       video->container->options, &video->params.origin);
    }
    if (result == VKS_OK && video->container->ends_with_texts && video->params.origin.scene) {
        video->digest = vks_digest_create();
        result = video->digest ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK) {
        const AVCodecContext *codec = video->out.codec;
        const uint8_t none = 0;
        vks_digest_of(codec->extradata ? codec->extradata : &none, (size_t)codec->extradata_size,
                      video->headers);
    }
    if (result == VKS_OK && video->params.resume) {
        result = resume_encoder(video);
    }
    return result == VKS_OK ? open_frame(video) : result;
}

static size_t luma_bytes(const struct video *video)
{
    return (size_t)video->coded_width * video->coded_height * (video->deep ? 2 : 1);
}

/* The first segment has the encoder that start has opened. */
static enum vks_result begin_segment(struct video *video)
{
    char *name = vks_segments_next(&video->segments);
    AVCodecContext *codec = video->out.codec;
    video->out = (struct vks_libav_file){.fd = -1};
    enum vks_result result =
        name ? vks_libav_open_file(&video->out, name, true) : vks_fail_memory();
    free(name);
    video->out.codec = codec;
    video->out.path = video->params.path;
    if (result == VKS_OK && !codec) {
        result = open_codec(video);
    }
    return result == VKS_OK ? vks_libav_open_format(&video->out, "mp4", "", &(struct vks_origin){0})
                            : result;
}

static enum vks_result end_segment(struct video *video)
{
    const uint64_t frames = (uint64_t)video->frames;
    if (frames == 0) {
        return VKS_OK;
    }
    const enum vks_result result = vks_libav_finish(&video->out, NULL);
    vks_libav_close(&video->out);
    video->out = (struct vks_libav_file){.fd = -1};
    video->frames = 0;
    return result == VKS_OK ? vks_segments_add(&video->segments, frames) : result;
}

static enum vks_result encode(struct video *video, const void *samples)
{
    if (video->params.continuable && video->frames == 0) {
        const enum vks_result result = begin_segment(video);
        if (result != VKS_OK) {
            return result;
        }
    }
    const size_t luma = luma_bytes(video);
    const int row = (int)(luma / video->coded_height);
    /* libav does not write to an input frame, and copies it if it is not reference-counted. */
    uint8_t *yuv = (uint8_t *)(uintptr_t)samples;
    video->frame->data[0] = yuv;
    video->frame->data[1] = yuv + luma;
    video->frame->data[2] = yuv + luma + luma / 4;
    video->frame->linesize[0] = row;
    video->frame->linesize[1] = row / 2;
    video->frame->linesize[2] = row / 2;
    video->frame->pts = video->frames++;
    if (video->digest) {
        vks_digest_update(video->digest, yuv, luma + luma / 2);
    }
    return vks_libav_encode(&video->out, video->frame);
}

/* Passes a frame through the loop. */
static enum vks_result encode_loop(struct video *video, const void *samples)
{
    const size_t luma = luma_bytes(video) / (video->deep ? 2 : 1);
    const void *ready = NULL;
    if (!video->loop) {
        video->loop = vks_loop_create(luma + luma / 2, video->deep, video->params.fade);
    }
    const enum vks_result result =
        video->loop ? vks_loop_add(video->loop, samples, &ready) : vks_fail_memory();
    return result == VKS_OK && ready ? encode(video, ready) : result;
}

static enum vks_result write_video(void *state, const struct vks_frame *frame)
{
    struct video *video = state;
    const void *samples = frame->planes[video->deep ? VKS_PLANE_YUV10 : VKS_PLANE_YUV];
    video->coded_width = frame->coded_width;
    video->coded_height = frame->coded_height;
    return video->params.fade > 0 ? encode_loop(video, samples) : encode(video, samples);
}

static enum vks_result set_origin_of_video(void *state, const struct vks_origin *origin)
{
    struct video *video = state;
    return video->container->ends_with_texts && !video->params.continuable
               ? vks_libav_set_scene(&video->out, origin)
               : VKS_OK;
}

static enum vks_result finish_loop(struct video *video)
{
    const void *ready = NULL;
    enum vks_result result = vks_loop_next(video->loop, &ready);
    while (result == VKS_OK && ready) {
        result = encode(video, ready);
        result = result == VKS_OK ? vks_loop_next(video->loop, &ready) : result;
    }
    return result;
}

static enum vks_result hold_video(void *state, json_t *position)
{
    struct video *video = state;
    const enum vks_result result = end_segment(video);
    if (result != VKS_OK) {
        return result;
    }
    char samples[VKS_DIGEST_STATE_CHARS + 1];
    bool set = json_object_set_new(position, "segments", json_copy(video->segments.list)) == 0 &&
               json_object_set_new(position, "headers", json_string(video->headers)) == 0;
    if (video->digest) {
        vks_digest_save(video->digest, samples);
        set = set && json_object_set_new(position, "samples", json_string(samples)) == 0;
    }
    return set ? VKS_OK : vks_fail_memory();
}

static enum vks_result join_segments(struct video *video)
{
    const enum vks_result result = end_segment(video);
    return result == VKS_OK
               ? vks_segments_join(&video->segments, video->params.fps, video->container->muxer,
                                   video->container->options, &video->params.origin, &video->joined)
               : result;
}

static enum vks_result finish_video(void *state)
{
    struct video *video = state;
    char text[] = "vksim-digest 00000000000000000000000000000000";
    enum vks_result result = video->loop                 ? finish_loop(video)
                             : video->params.continuable ? join_segments(video)
                                                         : VKS_OK;
    if (video->digest) {
        vks_digest_hex(video->digest, strchr(text, ' ') + 1);
    }
    if (result == VKS_OK) {
        result = vks_libav_finish(video->params.continuable ? &video->joined : &video->out,
                                  video->digest ? text : NULL);
    }
    close_video(video);
    return result;
}

static enum vks_result keep_old_video(void *state, const char **name)
{
    struct video *video = state;
    return vks_libav_keep_old(video->params.continuable ? &video->joined : &video->out, name);
}

static void abort_video(void *state, bool keep_complete)
{
    (void)keep_complete; /* available is only the part file */
    close_video(state);
}

static char *note_on_video(const void *state)
{
    const struct video *video = state;
    return vks_padding_note(video->params.width, video->params.height);
}

const struct vks_sink_backend vks_sink_video = {
    .load = vks_libav_load,
    .open = open_video,
    .start = start_video,
    .write = write_video,
    .hold = hold_video,
    .finish = finish_video,
    .abort = abort_video,
    .keep_old = keep_old_video,
    .note = note_on_video,
    .set_origin = set_origin_of_video,
    .scene = vks_libav_scene,
    .picture = vks_libav_picture,
};
