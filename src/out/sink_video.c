/* SPDX-License-Identifier: MIT */
/* H.264 in .mp4 through libav (FFmpeg 5.1 or later). */
#include <errno.h>
#include <inttypes.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "out/sink_backend.h"

enum {
    IO_BUFFER_BYTES = 1 << 18,
    KEY_FRAME_SECONDS = 2, /* the most that a player decodes to seek */
};

struct video {
    const char *path;
    struct vks_new_file file;
    int fd;
    int io_error;           /* errno of the first write that failed */
    uint32_t width, height; /* even */
    int64_t frames;
    AVCodecContext *codec;
    AVFormatContext *format;
    AVIOContext *io;
    AVStream *stream; /* the format's */
    AVFrame *frame;   /* borrows the planes of the frame being written */
    AVPacket *packet;
};

/* --- errors ---------------------------------------------------------------------------------- */

/* The first error libav reported on this thread since the current call began. */
static _Thread_local char libav_text[256];

/* libav prints to standard error unless told otherwise; its words go into our sentence instead. */
static void keep_error(void *object, int level, const char *format, va_list args)
{
    (void)object;
    if (level < 0 || (level & 0xff) > AV_LOG_ERROR || libav_text[0] != '\0') {
        return;
    }
    vsnprintf(libav_text, sizeof(libav_text), format, args);
    libav_text[strcspn(libav_text, "\r\n")] = '\0';
}

/* `error`: a libav error number. */
static enum vks_result fail_video(const struct video *video, int error)
{
    if (video->io_error != 0) {
        return vks_fail_write(video->path, video->io_error);
    }
    if (error == AVERROR(ENOMEM)) {
        return vks_fail_memory();
    }
    char text[AV_ERROR_MAX_STRING_SIZE];
    av_strerror(error, text, sizeof(text));
    return vks_fail(VKS_ERROR_FILE, "cannot write '%s': %s%s%s", video->path, text,
                    libav_text[0] ? ": " : "", libav_text);
}

/* --- the file -------------------------------------------------------------------------------- */

/* libav writes through these, so that the reason of a failure stays exact. */
#if LIBAVFORMAT_VERSION_MAJOR >= 61
static int on_write(void *opaque, const uint8_t *data, int size)
#else
static int on_write(void *opaque, uint8_t *data, int size)
#endif
{
    struct video *video = opaque;
    int error = vks_write_all(video->fd, data, (size_t)size);
    if (error == 0) {
        return size;
    }
    if (video->io_error == 0) {
        video->io_error = error;
    }
    return AVERROR(error);
}

static int64_t on_seek(void *opaque, int64_t offset, int whence)
{
    const struct video *video = opaque;
    if (whence & AVSEEK_SIZE) {
        struct stat info;
        return fstat(video->fd, &info) == 0 ? (int64_t)info.st_size : (int64_t)AVERROR(errno);
    }
    off_t at = lseek(video->fd, (off_t)offset, whence & ~AVSEEK_FORCE);
    return at >= 0 ? (int64_t)at : (int64_t)AVERROR(errno);
}

static enum vks_result open_io(struct video *video)
{
    uint8_t *buffer = av_malloc(IO_BUFFER_BYTES);
    if (!buffer) {
        return vks_fail_memory();
    }
    video->io = avio_alloc_context(buffer, IO_BUFFER_BYTES, 1, video, NULL, on_write, on_seek);
    if (!video->io) {
        av_free(buffer);
        return vks_fail_memory();
    }
    return VKS_OK;
}

/* --- the encoder ----------------------------------------------------------------------------- */

static void set_up_codec(AVCodecContext *codec, const struct video *video, uint32_t fps)
{
    codec->width = (int)video->width;
    codec->height = (int)video->height;
    codec->pix_fmt = AV_PIX_FMT_YUV420P;
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
    codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER; /* mp4 keeps the parameter sets outside */
}

/* 0 or a libav error number. */
static int open_encoder(struct video *video, const AVCodec *encoder, uint32_t fps)
{
    AVDictionary *options = NULL;
    int error = 0;
    video->codec = avcodec_alloc_context3(encoder);
    if (!video->codec) {
        return AVERROR(ENOMEM);
    }
    set_up_codec(video->codec, video, fps);
    if (strcmp(encoder->name, "libx264") == 0) {
        /* Fine grain is what these pictures are made of: a low rate factor keeps it. */
        error = av_dict_set(&options, "crf", "16", 0);
        if (error >= 0) {
            error = av_dict_set(&options, "preset", "fast", 0);
        }
    } else {
        /* A fifth of a bit a pixel is about what libx264 spends. */
        double bits = 0.2 * video->width * video->height * fps;
        video->codec->bit_rate = bits < 1e9 ? (int64_t)bits : 1000000000;
    }
    if (error >= 0) {
        error = avcodec_open2(video->codec, encoder, &options);
    }
    av_dict_free(&options);
    if (error < 0) {
        avcodec_free_context(&video->codec);
    }
    return error;
}

static enum vks_result open_codec(struct video *video, uint32_t fps)
{
    const AVCodec *const encoders[] = {
        avcodec_find_encoder_by_name("libx264"),
        avcodec_find_encoder_by_name("libopenh264"),
        avcodec_find_encoder(AV_CODEC_ID_H264),
    };
    int error = AVERROR_ENCODER_NOT_FOUND;
    for (size_t i = 0; i < VKS_COUNT(encoders); i++) {
        if (encoders[i]) {
            error = open_encoder(video, encoders[i], fps);
        }
        if (error >= 0) {
            return VKS_OK;
        }
    }
    if (error == AVERROR_ENCODER_NOT_FOUND) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': this libav has no H.264 encoder; install one with "
                        "libx264, or write .y4m or .png",
                        video->path);
    }
    return fail_video(video, error);
}

static enum vks_result open_format(struct video *video, uint32_t fps)
{
    /* "file:" keeps a colon in the name from looking like a protocol. +faststart reads the file
     * again under this address. */
    char *url = vks_format("file:%s", video->file.part);
    if (!url) {
        return vks_fail_memory();
    }
    int error = avformat_alloc_output_context2(&video->format, NULL, "mp4", url);
    free(url);
    if (error < 0) {
        return fail_video(video, error);
    }
    video->format->pb = video->io;
    video->stream = avformat_new_stream(video->format, NULL);
    if (!video->stream) {
        return vks_fail_memory();
    }
    video->stream->time_base = video->codec->time_base;
    video->stream->avg_frame_rate = (AVRational){(int)fps, 1};
    error = avcodec_parameters_from_context(video->stream->codecpar, video->codec);
    AVDictionary *options = NULL;
    if (error >= 0) {
        error = av_dict_set(&options, "movflags", "+faststart", 0);
    }
    if (error >= 0) {
        error = avformat_write_header(video->format, &options);
    }
    av_dict_free(&options);
    return error < 0 || video->io_error != 0 ? fail_video(video, error) : VKS_OK;
}

static enum vks_result open_frame(struct video *video)
{
    video->frame = av_frame_alloc();
    video->packet = av_packet_alloc();
    if (!video->frame || !video->packet) {
        return vks_fail_memory();
    }
    video->frame->format = video->codec->pix_fmt;
    video->frame->width = video->codec->width;
    video->frame->height = video->codec->height;
    video->frame->color_range = video->codec->color_range;
    video->frame->colorspace = video->codec->colorspace;
    video->frame->color_primaries = video->codec->color_primaries;
    video->frame->color_trc = video->codec->color_trc;
    video->frame->chroma_location = video->codec->chroma_sample_location;
    return VKS_OK;
}

/* --- the sink -------------------------------------------------------------------------------- */

static void close_video(struct video *video)
{
    if (video->frame) {
        memset(video->frame->data, 0, sizeof(video->frame->data)); /* not its own */
    }
    av_frame_free(&video->frame);
    av_packet_free(&video->packet);
    avcodec_free_context(&video->codec);
    avformat_free_context(video->format);
    if (video->io) {
        av_freep(&video->io->buffer);
    }
    avio_context_free(&video->io);
    if (video->fd >= 0) {
        close(video->fd);
    }
    vks_new_file_abort(&video->file);
    free(video);
}

static enum vks_result open_video(const struct vks_sink_params *params, void **state)
{
    enum { MOST_SIDE = 16384 }; /* of H.264 as libx264 takes it */
    if (params->width > MOST_SIDE || params->height > MOST_SIDE) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s': an .mp4 has at most %d pixels a side, not %ux%u; use .png or .y4m",
                        params->path, MOST_SIDE, params->width, params->height);
    }
    struct video *video = calloc(1, sizeof(*video));
    if (!video) {
        return vks_fail_memory();
    }
    av_log_set_callback(keep_error);
    libav_text[0] = '\0';
    video->path = params->path;
    video->fd = -1;
    video->width = vks_even(params->width);
    video->height = vks_even(params->height);
    /* The file first: a wrong name is told at once, the encoder takes a while. */
    enum vks_result result = vks_new_file_begin(&video->file, params->path, params->overwrite);
    if (result == VKS_OK) {
        result = vks_sink_open_part(&video->file, &video->fd);
    }
    if (result == VKS_OK) {
        result = open_codec(video, params->fps);
    }
    if (result == VKS_OK) {
        result = open_io(video);
    }
    if (result == VKS_OK) {
        result = open_format(video, params->fps);
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

/* Hands a frame, or NULL for the end, to the encoder and writes the packets that come out. */
static enum vks_result encode(struct video *video, const AVFrame *frame)
{
    libav_text[0] = '\0';
    int error = avcodec_send_frame(video->codec, frame);
    while (error >= 0) {
        error = avcodec_receive_packet(video->codec, video->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) {
            return VKS_OK;
        }
        if (error >= 0) {
            /* Not every encoder says so, and the last frame's cannot be told from a next one. */
            video->packet->duration = 1;
            video->packet->stream_index = video->stream->index;
            av_packet_rescale_ts(video->packet, video->codec->time_base, video->stream->time_base);
            error = av_interleaved_write_frame(video->format, video->packet);
        }
        if (error >= 0 && video->io_error != 0) {
            error = AVERROR(video->io_error);
        }
    }
    return fail_video(video, error);
}

static enum vks_result write_video(void *state, const struct vks_frame *frame)
{
    struct video *video = state;
    size_t plane = (size_t)frame->coded_width * frame->coded_height;
    /* libav does not write to an input frame and copies one that it has no reference on. */
    uint8_t *yuv = (uint8_t *)frame->yuv;
    video->frame->data[0] = yuv;
    video->frame->data[1] = yuv + plane;
    video->frame->data[2] = yuv + plane + plane / 4;
    video->frame->linesize[0] = (int)frame->coded_width;
    video->frame->linesize[1] = (int)frame->coded_width / 2;
    video->frame->linesize[2] = (int)frame->coded_width / 2;
    video->frame->pts = video->frames++;
    return encode(video, video->frame);
}

static enum vks_result finish_video(void *state)
{
    struct video *video = state;
    enum vks_result result = encode(video, NULL);
    if (result == VKS_OK) {
        libav_text[0] = '\0';
        /* Moves the index to the front (faststart); its own result does not tell of every write. */
        int error = av_write_trailer(video->format);
        avio_flush(video->io);
        if (error >= 0) {
            error = video->io->error;
        }
        if (error < 0 || video->io_error != 0) {
            result = fail_video(video, error);
        }
    }
    int closed = close(video->fd);
    if (closed != 0 && errno != EINTR && result == VKS_OK) {
        result = vks_fail_write(video->path, errno);
    }
    video->fd = -1;
    if (result == VKS_OK) {
        result = vks_new_file_commit(&video->file);
    }
    close_video(video);
    return result;
}

static void abort_video(void *state, bool keep_whole)
{
    (void)keep_whole; /* there is only the part file */
    close_video(state);
}

const struct vks_sink_backend vks_sink_video = {
    .wants = VKS_SINK_WANTS_YUV,
    .open = open_video,
    .write = write_video,
    .finish = finish_video,
    .abort = abort_video,
};
