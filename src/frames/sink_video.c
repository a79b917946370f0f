/* SPDX-License-Identifier: MIT */
/* Videos in .mp4, .webm and .mkv through libav (FFmpeg 5.1 or later). */
#include <errno.h>
#include <inttypes.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "frames/libav.h"
#include "frames/sink_backend.h"

enum { KEY_FRAME_SECONDS = 2 /* the most that a player decodes to seek */ };

struct video {
    struct vks_libav_file out;
    uint32_t picture_width, picture_height;
    uint32_t width, height; /* even */
    bool deep;              /* 10 bits */
    int64_t frames;
    AVFrame *frame; /* borrows the planes of the frame being written */
};

/* --- what there is --------------------------------------------------------------------------- */

static const struct container {
    const char *extension, *muxer;
    enum vks_encoder encoders[2]; /* unless another is chosen: for 8 and for 10 bits */
    unsigned takes;               /* a bit per enum vks_encoder */
    const char *options;          /* NAME=VALUE, with ':' between */
} containers[] = {
    {".mp4",
     "mp4",
     {VKS_ENCODER_H264, VKS_ENCODER_H265},
     1U << VKS_ENCODER_H264 | 1U << VKS_ENCODER_H265 | 1U << VKS_ENCODER_AV1,
     "movflags=+faststart"},
    {".webm",
     "webm",
     {VKS_ENCODER_VP9, VKS_ENCODER_VP9},
     1U << VKS_ENCODER_VP9 | 1U << VKS_ENCODER_AV1,
     ""},
    {".mkv",
     "matroska",
     {VKS_ENCODER_H264, VKS_ENCODER_H265},
     1U << VKS_ENCODER_H264 | 1U << VKS_ENCODER_H265 | 1U << VKS_ENCODER_VP9 |
         1U << VKS_ENCODER_AV1,
     ""},
};

/* Quality: fine grain is what these pictures are made of, and a low rate factor keeps it. Those of
 * the others were set so that three presets of Physarum came out as near to their frames as with
 * libx264 at 16 (docs/outputs.md). Speed: a step that still keeps up with a small GPU. */
static const struct compressor {
    const char *name; /* libav's */
    enum vks_encoder encoder;
    uint32_t least, most_width, most_height; /* sides it takes, as tried */
    int crf;                                 /* -1: it knows no constant quality */
    uint32_t least_crf, most_crf;
    const char *options;
} compressors[] = {
    {"libx264", VKS_ENCODER_H264, 2, 16384, 16384, 16, 0, 51, "preset=fast"},
    {"libopenh264", VKS_ENCODER_H264, 16, 3840, 2160, -1, 0, 0, ""},
    /* x265 and SVT-AV1 would print on their own; for SVT-AV1 see main.c. */
    {"libx265", VKS_ENCODER_H265, 16, 16384, 16384, 16, 0, 51,
     "preset=fast:x265-params=log-level=none"},
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

/* What is right for an encoder that the table does not know: a graphics card's, say. */
static struct compressor unknown_compressor(enum vks_encoder encoder)
{
    return (struct compressor){"", encoder, 2, 16384, 16384, -1, 0, 0, ""};
}

static const struct container *find_container(const char *path)
{
    const char *extension = strrchr(path, '.'); /* sink.c knows it */
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
        set |= avcodec_find_encoder(codec_ids[i]) ? 1U << i : 0;
    }
    return set;
}

static enum vks_result check_encoder(const struct vks_sink_params *params,
                                     const struct container *container, enum vks_encoder encoder)
{
    char list[64];
    const unsigned bit = 1U << encoder;
    if (!(container->takes & bit)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' cannot hold --encoder %s; %s files take %s",
                        params->path, vks_encoder_names[encoder], container->extension,
                        list_encoders(container->takes, list, sizeof(list)));
    }
    if (params->depth == 10 && encoder == VKS_ENCODER_H264) { /* few players decode it */
        return vks_fail(VKS_ERROR_USAGE, "'%s' cannot have --depth 10 with --encoder h264; use %s",
                        params->path, list_encoders(container->takes & ~bit, list, sizeof(list)));
    }
    const unsigned there = encoders_of_libav();
    if (!(there & bit)) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': this libav has no %s encoder; for %s files it has %s, "
                        "and .y4m and .png need none",
                        params->path, vks_encoder_names[encoder], container->extension,
                        list_encoders(container->takes & there, list, sizeof(list)));
    }
    return VKS_OK;
}

/* --- the encoder ----------------------------------------------------------------------------- */

static void set_up_codec(AVCodecContext *codec, const struct video *video, uint32_t fps)
{
    codec->width = (int)video->width;
    codec->height = (int)video->height;
    codec->pix_fmt = video->deep ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P;
    codec->time_base = (AVRational){1, (int)fps};
    codec->framerate = (AVRational){(int)fps, 1};
    codec->sample_aspect_ratio = (AVRational){1, 1};
    codec->gop_size = KEY_FRAME_SECONDS * (int)fps;
    codec->color_range = AVCOL_RANGE_MPEG;
    codec->colorspace = AVCOL_SPC_BT709;
    codec->color_primaries = AVCOL_PRI_BT709;
    codec->color_trc = AVCOL_TRC_BT709;
    codec->chroma_sample_location = AVCHROMA_LOC_CENTER;
    codec->thread_count = 0;                     /* as many as suit the machine */
    codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER; /* these files keep them outside the frames */
}

/* 0 or a libav error number. */
static int open_encoder(struct video *video, const AVCodec *encoder,
                        const struct compressor *compressor, const struct vks_sink_params *params)
{
    AVDictionary *options = NULL;
    video->out.codec = avcodec_alloc_context3(encoder);
    if (!video->out.codec) {
        return AVERROR(ENOMEM);
    }
    set_up_codec(video->out.codec, video, params->fps);
    int error = av_dict_parse_string(&options, compressor->options, "=", ":", 0);
    if (compressor->crf >= 0) {
        const int64_t crf = params->has_crf ? (int64_t)params->crf : compressor->crf;
        error = error < 0 ? error : av_dict_set_int(&options, "crf", crf, 0);
    } else {
        /* A fifth of a bit a pixel is about what libx264 spends. */
        const double bits = 0.2 * video->width * video->height * params->fps;
        video->out.codec->bit_rate = bits < 1e9 ? (int64_t)bits : 1000000000;
    }
    if (error >= 0) {
        error = avcodec_open2(video->out.codec, encoder, &options);
    }
    av_dict_free(&options);
    if (error < 0) {
        avcodec_free_context(&video->out.codec);
    }
    return error;
}

static bool takes_size(const struct compressor *compressor, const struct video *video)
{
    return video->width >= compressor->least && video->height >= compressor->least &&
           video->width <= compressor->most_width && video->height <= compressor->most_height;
}

static enum vks_result fail_size(const struct vks_sink_params *params, enum vks_encoder encoder,
                                 uint32_t least)
{
    return vks_fail(VKS_ERROR_USAGE,
                    "'%s': %s takes %" PRIu32
                    " to 16384 pixels a side and 268 million in all, not %" PRIu32 "x%" PRIu32
                    "; use .png, .npy or .y4m",
                    params->path, vks_encoder_names[encoder], least, params->width, params->height);
}

/* Tries one of libav's encoders. VKS_OK also when it was not right: *error says so then. */
static enum vks_result try_compressor(struct video *video, const AVCodec *encoder,
                                      const struct compressor *compressor,
                                      const struct vks_sink_params *params, int *error)
{
    if (params->has_crf && compressor->crf < 0) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' cannot have --crf: the %s encoder of this libav, %s, has no constant "
                        "quality",
                        params->path, vks_encoder_names[compressor->encoder], encoder->name);
    }
    if (params->has_crf &&
        (params->crf < compressor->least_crf || params->crf > compressor->most_crf)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--crf %" PRIu32 " is not from %" PRIu32 " (best) to %" PRIu32
                        " (smallest), as %s takes it",
                        params->crf, compressor->least_crf, compressor->most_crf,
                        vks_encoder_names[compressor->encoder]);
    }
    *error = open_encoder(video, encoder, compressor, params);
    return VKS_OK;
}

/* The first encoder that is there, takes the size and opens. */
static enum vks_result open_codec(struct video *video, const struct vks_sink_params *params,
                                  enum vks_encoder encoder)
{
    int error = AVERROR_ENCODER_NOT_FOUND;
    uint32_t least = UINT32_MAX;
    bool known = false;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < VKS_COUNT(compressors); i++) {
        const struct compressor *compressor = &compressors[i];
        const AVCodec *found =
            compressor->encoder == encoder ? avcodec_find_encoder_by_name(compressor->name) : NULL;
        if (!found) {
            continue;
        }
        known = true;
        least = compressor->least < least ? compressor->least : least;
        if (takes_size(compressor, video)) {
            result = try_compressor(video, found, compressor, params, &error);
            if (error >= 0) {
                return result;
            }
        }
    }
    if (result == VKS_OK && !known) {
        const struct compressor other = unknown_compressor(encoder);
        const AVCodec *found = avcodec_find_encoder(codec_ids[encoder]);
        result = try_compressor(video, found, &other, params, &error);
    } else if (result == VKS_OK && error == AVERROR_ENCODER_NOT_FOUND) {
        return fail_size(params, encoder, least);
    }
    return result == VKS_OK && error < 0 ? vks_libav_fail(&video->out, error) : result;
}

static enum vks_result open_frame(struct video *video)
{
    const AVCodecContext *codec = video->out.codec;
    video->frame = av_frame_alloc();
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
        memset(video->frame->data, 0, sizeof(video->frame->data)); /* not its own */
    }
    av_frame_free(&video->frame);
    vks_libav_close(&video->out);
    free(video);
}

static enum vks_result open_video(const struct vks_sink_params *params, void **state)
{
    const struct container *container = find_container(params->path);
    const bool deep = params->depth == 10;
    const enum vks_encoder encoder =
        params->encoder == VKS_ENCODER_AUTO ? container->encoders[deep] : params->encoder;
    struct video *video = calloc(1, sizeof(*video));
    if (!video) {
        return vks_fail_memory();
    }
    vks_libav_begin(&video->out, params->path);
    video->deep = deep;
    video->picture_width = params->width;
    video->picture_height = params->height;
    video->width = vks_even(params->width);
    video->height = vks_even(params->height);
    enum vks_result result = check_encoder(params, container, encoder);
    if (result == VKS_OK &&
        av_image_check_size(video->width, video->height, 0, NULL) < 0) { /* libav's own limit */
        result = fail_size(params, encoder, 2);
    }
    /* The file first: a wrong name is told at once, the encoder takes a while. */
    if (result == VKS_OK) {
        result = vks_libav_open_file(&video->out, params->overwrite);
    }
    if (result == VKS_OK) {
        result = open_codec(video, params, encoder);
    }
    if (result == VKS_OK) {
        result = vks_libav_open_format(&video->out, container->muxer, container->options);
    }
    if (result == VKS_OK) {
        result = open_frame(video);
    }
    if (result != VKS_OK) {
        close_video(video);
        return result;
    }
    *state = video;
    return VKS_OK;
}

static enum vks_result write_video(void *state, const struct vks_frame *frame)
{
    struct video *video = state;
    const enum vks_frame_plane plane = video->deep ? VKS_PLANE_YUV10 : VKS_PLANE_YUV;
    const size_t sample = vks_plane_formats[plane].sample_bytes;
    const size_t luma = (size_t)frame->coded_width * frame->coded_height * sample;
    /* libav does not write to an input frame and copies one that it has no reference on. */
    uint8_t *yuv = (uint8_t *)(uintptr_t)frame->planes[plane];
    video->frame->data[0] = yuv;
    video->frame->data[1] = yuv + luma;
    video->frame->data[2] = yuv + luma + luma / 4;
    video->frame->linesize[0] = (int)(frame->coded_width * sample);
    video->frame->linesize[1] = (int)(frame->coded_width * sample / 2);
    video->frame->linesize[2] = (int)(frame->coded_width * sample / 2);
    video->frame->pts = video->frames++;
    return vks_libav_encode(&video->out, video->frame);
}

static enum vks_result finish_video(void *state)
{
    struct video *video = state;
    enum vks_result result = vks_libav_finish(&video->out);
    close_video(video);
    return result;
}

static void abort_video(void *state, bool keep_whole)
{
    (void)keep_whole; /* there is only the part file */
    close_video(state);
}

static char *note_on_video(const void *state)
{
    const struct video *video = state;
    return vks_padding_note(video->picture_width, video->picture_height);
}

const struct vks_sink_backend vks_sink_video = {
    .open = open_video,
    .write = write_video,
    .finish = finish_video,
    .abort = abort_video,
    .note = note_on_video,
};
