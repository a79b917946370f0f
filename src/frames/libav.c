/* SPDX-License-Identifier: MIT */
#include "frames/libav.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/library.h"
#include "base/memory.h"
#include "frames/sink_backend.h"

enum { IO_BUFFER_BYTES = 1 << 18 };

#define AVUTIL "libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR)
#define AVCODEC "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR)
#define AVFORMAT "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)

VKS_LIBRARY_NOTE(avutil, "video", "Videos, .gif and .webp files", "recommended", AVUTIL);
VKS_LIBRARY_NOTE(avcodec, "video", "Videos, .gif and .webp files", "recommended", AVCODEC);
VKS_LIBRARY_NOTE(avformat, "video", "Videos, .gif and .webp files", "recommended", AVFORMAT);

/* --- loading --------------------------------------------------------------------------------- */

struct vks_av vks_av;

static const char *const names[] = {AVFORMAT, AVCODEC, AVUTIL, NULL};
static const struct vks_library_function functions[] = {
#define VKS_AV(name) {#name, offsetof(struct vks_av, name)},
#include "frames/libav.def"
#undef VKS_AV
};

/* The first error that libav logged on this thread during the current call. */
static _Thread_local char libav_text[256];

/* By default libav logs to standard error; here its text becomes part of our message. */
static void keep_error(void *object, int level, const char *format, va_list args)
{
    (void)object;
    if (level < 0 || (level & 0xff) > AV_LOG_ERROR || libav_text[0] != '\0') {
        return;
    }
    vsnprintf(libav_text, sizeof(libav_text), format, args);
    libav_text[strcspn(libav_text, "\r\n")] = '\0';
}

/* Loads libav, to `verb` the file. */
static enum vks_result load_to(const char *verb, const char *path)
{
    static struct vks_library library = {
        .names = names,
        .functions = functions,
        .function_count = VKS_COUNT(functions),
        .table = &vks_av,
    };
    char why[512];
    if (!vks_library_load(&library, why, sizeof(why))) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot %s '%s': it needs libav (%s); install it (Debian: apt install "
                        "libavformat%d), or use .y4m or .png",
                        verb, path, why, LIBAVFORMAT_VERSION_MAJOR);
    }
    vks_av.av_log_set_callback(keep_error);
    libav_text[0] = '\0';
    return VKS_OK;
}

enum vks_result vks_libav_load(const char *path)
{
    return load_to("write", path);
}

/* --- errors ---------------------------------------------------------------------------------- */

enum vks_result vks_libav_fail(const struct vks_libav_file *out, int error)
{
    if (out->io_error != 0) {
        return vks_fail_write(out->path, out->io_error);
    }
    if (error == AVERROR(ENOMEM)) {
        return vks_fail_memory();
    }
    char text[AV_ERROR_MAX_STRING_SIZE];
    vks_av.av_strerror(error, text, sizeof(text));
    return vks_fail(VKS_ERROR_FILE, "cannot write '%s': %s%s%s", out->path, text,
                    libav_text[0] ? ": " : "", libav_text);
}

/* --- the file -------------------------------------------------------------------------------- */

/* libav writes through these callbacks, so that the errno of a failure is known. */
#if LIBAVFORMAT_VERSION_MAJOR >= 61
static int on_write(void *opaque, const uint8_t *data, int size)
#else
static int on_write(void *opaque, uint8_t *data, int size)
#endif
{
    struct vks_libav_file *out = opaque;
    int error = vks_write_all(out->fd, data, (size_t)size);
    if (error == 0) {
        return size;
    }
    if (out->io_error == 0) {
        out->io_error = error;
    }
    return AVERROR(error);
}

/* libav ignores some failures, and what it writes next would be in the wrong place. */
static int64_t on_seek(void *opaque, int64_t offset, int whence)
{
    struct vks_libav_file *out = opaque;
    if (whence & AVSEEK_SIZE) {
        struct stat info;
        return fstat(out->fd, &info) == 0 ? (int64_t)info.st_size : (int64_t)AVERROR(errno);
    }
    const off_t at = lseek(out->fd, (off_t)offset, whence & ~AVSEEK_FORCE);
    if (at >= 0) {
        return (int64_t)at;
    }
    const int error = errno;
    if (out->io_error == 0) {
        out->io_error = error;
    }
    return AVERROR(error);
}

/* libav opens the part file once more for +faststart. */
static int on_open(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                   AVDictionary **options)
{
    const struct vks_libav_file *out = format->opaque;
    int error;
    do {
        error = out->io_open(format, io, url, flags, options);
    } while (error == AVERROR(EINTR));
    return error;
}

static enum vks_result open_io(struct vks_libav_file *out)
{
    uint8_t *buffer = vks_av.av_malloc(IO_BUFFER_BYTES);
    if (!buffer) {
        return vks_fail_memory();
    }
    out->io = vks_av.avio_alloc_context(buffer, IO_BUFFER_BYTES, 1, out, NULL, on_write, on_seek);
    if (!out->io) {
        vks_av.av_free(buffer);
        return vks_fail_memory();
    }
    return VKS_OK;
}

/* --- opening, encoding, closing -------------------------------------------------------------- */

enum vks_result vks_libav_open_file(struct vks_libav_file *out, const char *path, bool overwrite)
{
    out->path = path;
    out->fd = -1;
    enum vks_result result = vks_atomic_file_begin(&out->file, out->path, overwrite);
    return result == VKS_OK ? vks_sink_open_part(&out->file, &out->fd) : result;
}

enum vks_result vks_libav_set_scene(struct vks_libav_file *out, const struct vks_origin *origin)
{
    char *scene = vks_origin_scene(origin, origin->steps, origin->frames);
    const int error =
        scene ? vks_av.av_dict_set(&out->format->metadata, "comment", scene, 0) : AVERROR(ENOMEM);
    free(scene);
    return error < 0 ? vks_libav_fail(out, error) : VKS_OK;
}

/* 0 or a libav error number. */
static int set_up_stream(struct vks_libav_file *out)
{
    AVStream *stream = out->stream;
    if (out->codec) {
        stream->time_base = out->codec->time_base;
        stream->avg_frame_rate = out->codec->framerate;
        return vks_av.avcodec_parameters_from_context(stream->codecpar, out->codec);
    }
    stream->time_base = (AVRational){(int)out->fps.seconds, (int)out->fps.frames};
    stream->avg_frame_rate = (AVRational){(int)out->fps.frames, (int)out->fps.seconds};
    const int error = vks_av.avcodec_parameters_copy(stream->codecpar, out->copied);
    stream->codecpar->codec_tag = 0; /* of the container that they were in, */
    stream->codecpar->chroma_location = AVCHROMA_LOC_CENTER; /* which has no place for it */
    return error;
}

enum vks_result vks_libav_open_format(struct vks_libav_file *out, const char *muxer,
                                      const char *options, const struct vks_origin *origin)
{
    enum vks_result result = open_io(out);
    out->packet = vks_av.av_packet_alloc();
    if (result != VKS_OK || !out->packet) {
        return vks_fail_memory();
    }
    /* "file:" prevents a colon in the name from being parsed as a protocol. +faststart reopens the
     * file under this URL. */
    char *url = vks_format("file:%s", out->file.part.path);
    if (!url) {
        return vks_fail_memory();
    }
    int error = vks_av.avformat_alloc_output_context2(&out->format, NULL, muxer, url);
    free(url);
    if (error < 0) {
        return vks_libav_fail(out, error);
    }
    out->format->pb = out->io;
    out->format->opaque = out;
    out->format->flags |= AVFMT_FLAG_BITEXACT; /* no random ids, so equal runs have equal files */
    out->io_open = out->format->io_open;
    out->format->io_open = on_open;
    out->stream = vks_av.avformat_new_stream(out->format, NULL);
    if (!out->stream) {
        return vks_fail_memory();
    }
    error = set_up_stream(out);
    AVDictionary *dictionary = NULL;
    if (error >= 0 && origin->scene) {
        result = vks_libav_set_scene(out, origin);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (error >= 0) {
        error = vks_av.av_dict_parse_string(&dictionary, options, "=", ":", 0);
    }
    if (error >= 0) {
        error = vks_av.avformat_write_header(out->format, &dictionary);
    }
    vks_av.av_dict_free(&dictionary);
    return error < 0 || out->io_error != 0 ? vks_libav_fail(out, error) : VKS_OK;
}

enum vks_result vks_libav_put(struct vks_libav_file *out, AVRational time_base)
{
    out->packet->stream_index = out->stream->index;
    vks_av.av_packet_rescale_ts(out->packet, time_base, out->stream->time_base);
    const int error = vks_av.av_interleaved_write_frame(out->format, out->packet);
    return error < 0 || out->io_error != 0 ? vks_libav_fail(out, error) : VKS_OK;
}

enum { MAX_DELAY = 64 }; /* frames between the decoding of one and its time */

enum vks_result vks_libav_encode(struct vks_libav_file *out, const AVFrame *frame)
{
    libav_text[0] = '\0';
    int error = vks_av.avcodec_send_frame(out->codec, frame);
    while (error >= 0) {
        error = vks_av.avcodec_receive_packet(out->codec, out->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) {
            return VKS_OK;
        }
        if (error >= 0) {
            AVPacket *packet = out->packet;
            /* Not every encoder sets it, and the last frame has no successor to derive it from. */
            packet->duration = packet->duration > 0 ? packet->duration : 1;
            /* x265 3.5 has any time of decoding in a video that is shorter than its delay. */
            if (packet->dts > packet->pts || packet->dts < packet->pts - MAX_DELAY) {
                packet->dts = packet->pts;
            }
            const enum vks_result result = vks_libav_put(out, out->codec->time_base);
            if (result != VKS_OK) {
                return result;
            }
        }
    }
    return vks_libav_fail(out, error);
}

enum vks_result vks_libav_keep_old(struct vks_libav_file *out, const char **name)
{
    const enum vks_result result = vks_atomic_file_keep_old(&out->file);
    *name = out->file.path;
    return result;
}

enum vks_result vks_libav_finish(struct vks_libav_file *out, const char *description)
{
    enum vks_result result = out->codec ? vks_libav_encode(out, NULL) : VKS_OK;
    if (result == VKS_OK) {
        libav_text[0] = '\0';
        int error = vks_av.av_dict_set(&out->format->metadata, "description", description, 0);
        /* May move the index to the front (faststart); its result does not cover every write. */
        error = error < 0 ? error : vks_av.av_write_trailer(out->format);
        vks_av.avio_flush(out->io);
        if (error >= 0) {
            error = out->io->error;
        }
        if (error < 0 || out->io_error != 0) {
            result = vks_libav_fail(out, error);
        }
    }
    int closed = close(out->fd);
    if (closed != 0 && errno != EINTR && result == VKS_OK) {
        result = vks_fail_write(out->path, errno);
    }
    out->fd = -1;
    return result == VKS_OK ? vks_atomic_file_commit(&out->file) : result;
}

void vks_libav_close(struct vks_libav_file *out)
{
    if (out->packet) {
        vks_av.av_packet_free(&out->packet);
    }
    if (out->codec) {
        vks_av.avcodec_free_context(&out->codec);
    }
    if (out->format) {
        vks_av.avformat_free_context(out->format);
    }
    if (out->io) {
        vks_av.av_freep(&out->io->buffer);
        vks_av.avio_context_free(&out->io);
    }
    if (out->fd >= 0) {
        close(out->fd);
    }
    vks_atomic_file_abort(&out->file);
}

/* --- reading --------------------------------------------------------------------------------- */

enum vks_result vks_libav_open_input(const char *path, AVFormatContext **format)
{
    enum vks_result result = load_to("read", path);
    char *url = vks_format("file:%s", path);
    *format = NULL;
    if (result == VKS_OK && !url) {
        result = vks_fail_memory();
    }
    const int error = result == VKS_OK ? vks_av.avformat_open_input(format, url, NULL, NULL) : 0;
    free(url);
    if (error < 0) {
        char text[AV_ERROR_MAX_STRING_SIZE];
        vks_av.av_strerror(error, text, sizeof(text));
        result = vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", path, text);
    }
    return result;
}

enum vks_result vks_libav_scene(const char *path, char **scene)
{
    AVFormatContext *format;
    enum vks_result result = vks_libav_open_input(path, &format);
    *scene = NULL;
    if (result != VKS_OK) {
        return result;
    }
    const AVDictionaryEntry *comment = vks_av.av_dict_get(format->metadata, "comment", NULL, 0);
    if (!comment || comment->value[0] != '{') {
        result = vks_fail_no_scene(path);
    } else {
        *scene = vks_strdup(comment->value);
        result = *scene ? VKS_OK : vks_fail_memory();
    }
    vks_av.avformat_close_input(&format);
    return result;
}
