/* SPDX-License-Identifier: MIT */
/* A file encoded by libav: errors, writing, muxing and completion, common to all codecs. Included
 * by sink_video.c, segments.c, sink_gif.c, webp.c and libav_picture.c only. libav is loaded for the
 * first such file; its functions are called as vks_av.NAME(). */
#ifndef VKS_FRAMES_LIBAV_H
#define VKS_FRAMES_LIBAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>

#include "base/file.h"
#include "frames/sink.h"

struct vks_av {
#define VKS_AV(name) __typeof__(name) *name;
#include "frames/libav.def"
#undef VKS_AV
};

/* Filled by vks_libav_load(). */
extern struct vks_av vks_av;

/* Zeroed before vks_libav_open_file(). */
struct vks_libav_file {
    const char *path; /* the caller's */
    struct vks_atomic_file file;
    int fd;
    int io_error;          /* errno of the first write or seek that failed */
    AVCodecContext *codec; /* opened by the caller, freed by vks_libav_close(); or NULL, and: */
    const AVCodecParameters *copied; /* of packets that are encoded already */
    struct vks_rate fps;             /* of those */
    AVFormatContext *format;
    int (*io_open)(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                   AVDictionary **options); /* libav's own */
    AVIOContext *io;
    AVStream *stream; /* the format's */
    AVPacket *packet;
};

/* Loads libav, for writing `path`; VKS_ERROR_FILE with a message if it is not installed. */
enum vks_result vks_libav_load(const char *path);
/* Checks the name and creates the part file, without libav. vks_libav_close() must be called also
 * after a failure. */
enum vks_result vks_libav_open_file(struct vks_libav_file *out, const char *path, bool overwrite);
/* Starts the container, once the codec is open or the parameters of packets are known. `options` is
 * NAME=VALUE:NAME=VALUE... The container's comment becomes the scene of the origin. */
enum vks_result vks_libav_open_format(struct vks_libav_file *out, const char *muxer,
                                      const char *options, const struct vks_origin *origin);
/* Makes its scene the comment; of containers that write their texts at the end, at any time. */
enum vks_result vks_libav_set_scene(struct vks_libav_file *out, const struct vks_origin *origin);
/* Passes a frame to the encoder, or NULL to flush it, and writes the resulting packets. A packet
 * without a duration gets one tick of the codec's time base. */
enum vks_result vks_libav_encode(struct vks_libav_file *out, const AVFrame *frame);
/* Writes `packet`, whose times are in that time base. */
enum vks_result vks_libav_put(struct vks_libav_file *out, AVRational time_base);
/* Calls vks_atomic_file_keep_old(); *name becomes the file's final name. */
enum vks_result vks_libav_keep_old(struct vks_libav_file *out, const char **name);
/* Flushes the encoder, completes the container and renames the file to its final name.
 * `description`: a text for containers that write theirs at the end, or NULL. vks_libav_close()
 * must still be called. */
enum vks_result vks_libav_finish(struct vks_libav_file *out, const char *description);
/* Frees everything and removes the part file if it was not renamed. */
void vks_libav_close(struct vks_libav_file *out);

/* Opens a file for reading, to be closed by avformat_close_input(). */
enum vks_result vks_libav_open_input(const char *path, AVFormatContext **format);
/* The scene in a container's comment, a heap string; VKS_ERROR_FILE with a message if there is
 * none. */
enum vks_result vks_libav_scene(const char *path, char **scene);
/* As vks_sink_picture(). */
enum vks_result vks_libav_picture(const char *path, uint32_t *width, uint32_t *height,
                                  uint8_t **rgba);

/* Fails with a message for a libav error number, or for the write that failed. */
enum vks_result vks_libav_fail(const struct vks_libav_file *out, int error);

#endif
