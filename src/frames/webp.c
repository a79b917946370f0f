/* SPDX-License-Identifier: MIT */
/* Pictures as WebP, without loss, through libav. */
#include <stdlib.h>

#include "base/error.h"
#include "frames/libav.h"
#include "frames/still.h"

static const char encoder_name[] = "libwebp";

enum vks_result vks_webp_load(const char *path)
{
    const enum vks_result result = vks_libav_load(path);
    return result != VKS_OK || vks_av.avcodec_find_encoder_by_name(encoder_name)
               ? result
               : vks_fail(VKS_ERROR_FILE,
                          "cannot write '%s': libav has no webp encoder; .png and .jpg need none",
                          path);
}

/* libav's RGB32 is the bytes B, G, R, A of a little-endian word. */
static void fill(AVFrame *picture, const struct vks_frame *frame)
{
    const uint8_t *rgba = frame->planes[VKS_PLANE_RGBA];
    for (size_t y = 0; y < frame->height; y++) {
        uint32_t *row = (uint32_t *)(void *)(picture->data[0] + y * (size_t)picture->linesize[0]);
        for (size_t x = 0; x < frame->width; x++, rgba += 4) {
            row[x] = (uint32_t)rgba[3] << 24 | (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 |
                     rgba[2];
        }
    }
}

/* 0 or a libav error number. The packet is the file. */
static int encode(AVCodecContext *codec, AVFrame *picture, AVPacket *packet,
                  const struct vks_frame *frame)
{
    AVDictionary *options = NULL;
    codec->width = picture->width = (int)frame->width;
    codec->height = picture->height = (int)frame->height;
    codec->pix_fmt = AV_PIX_FMT_RGB32;
    codec->time_base = (AVRational){1, 1};
    picture->format = codec->pix_fmt;
    int error =
        vks_av.av_dict_parse_string(&options, "lossless=1:compression_level=4", "=", ":", 0);
    if (error >= 0) {
        error = vks_av.avcodec_open2(codec, vks_av.avcodec_find_encoder_by_name(encoder_name),
                                     &options);
    }
    vks_av.av_dict_free(&options);
    if (error >= 0) {
        error = vks_av.av_frame_get_buffer(picture, 0);
    }
    if (error >= 0) {
        fill(picture, frame);
        error = vks_av.avcodec_send_frame(codec, picture);
    }
    if (error >= 0) {
        error = vks_av.avcodec_send_frame(codec, NULL);
    }
    return error >= 0 ? vks_av.avcodec_receive_packet(codec, packet) : error;
}

enum vks_result vks_webp_still(const struct vks_still *still, const struct vks_frame *frame)
{
    const AVCodec *encoder = vks_av.avcodec_find_encoder_by_name(encoder_name);
    const struct vks_libav_file file = {.path = still->path};
    AVCodecContext *codec = vks_av.avcodec_alloc_context3(encoder);
    AVFrame *picture = vks_av.av_frame_alloc();
    AVPacket *packet = vks_av.av_packet_alloc();
    enum vks_result result = codec && picture && packet ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK) {
        const int error = encode(codec, picture, packet, frame);
        result = error < 0 ? vks_libav_fail(&file, error) : VKS_OK;
    }
    if (result == VKS_OK) {
        const int error = vks_write_all(still->fd, packet->data, (size_t)packet->size);
        result = error ? vks_fail_write(still->path, error) : VKS_OK;
    }
    vks_av.av_packet_free(&packet);
    vks_av.av_frame_free(&picture);
    vks_av.avcodec_free_context(&codec);
    return result;
}
