/* SPDX-License-Identifier: MIT */
/* A file that libav encodes into: errors, writing, muxing and ending, the same for every codec.
 * Included by sink_video.c and sink_gif.c only. */
#ifndef VKS_FRAMES_LIBAV_H
#define VKS_FRAMES_LIBAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "base/file.h"

/* Zeroed before vks_libav_begin(). */
struct vks_libav_file {
    const char *path; /* the caller's */
    struct vks_atomic_file file;
    int fd;
    int io_error;          /* errno of the first write that failed */
    AVCodecContext *codec; /* opened by the caller, freed by vks_libav_close() */
    AVFormatContext *format;
    AVIOContext *io;
    AVStream *stream; /* the format's */
    AVPacket *packet;
};

void vks_libav_begin(struct vks_libav_file *out, const char *path);
/* Checks the name and makes the part file. */
enum vks_result vks_libav_open_file(struct vks_libav_file *out, bool overwrite);
/* Once the codec is open: starts the container. `options` are NAME=VALUE with ':' between. */
enum vks_result vks_libav_open_format(struct vks_libav_file *out, const char *muxer,
                                      const char *options);
/* Hands a frame, or NULL for the end, to the encoder and writes the packets that come out. Each
 * lasts one tick of the codec's time base unless the encoder says how long. */
enum vks_result vks_libav_encode(struct vks_libav_file *out, const AVFrame *frame);
/* Ends the stream and the container and gives the file its name; vks_libav_close() is still due. */
enum vks_result vks_libav_finish(struct vks_libav_file *out);
/* Frees everything and removes a part file that has not got its name. */
void vks_libav_close(struct vks_libav_file *out);

/* A sentence for a libav error number, or for the write that failed. */
enum vks_result vks_libav_fail(const struct vks_libav_file *out, int error);

#endif
