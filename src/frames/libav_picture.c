/* SPDX-License-Identifier: MIT */
/* A picture of a video. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "frames/libav.h"

enum { MAX_PIXELS = 1 << 26 };

struct reader {
    AVFormatContext *format;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;
    int stream;
};

static void close_reader(struct reader *reader)
{
    if (reader->packet) {
        vks_av.av_packet_free(&reader->packet);
    }
    if (reader->frame) {
        vks_av.av_frame_free(&reader->frame);
    }
    if (reader->codec) {
        vks_av.avcodec_free_context(&reader->codec);
    }
    if (reader->format) {
        vks_av.avformat_close_input(&reader->format);
    }
}

/* Opens the decoder of the first stream with pictures. Returns 0 or a libav error number. */
static int open_decoder(struct reader *reader)
{
    const AVFormatContext *format = reader->format;
    unsigned i = 0;
    while (i < format->nb_streams &&
           format->streams[i]->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) {
        i++;
    }
    if (i == format->nb_streams) {
        return AVERROR_STREAM_NOT_FOUND;
    }
    const AVCodecParameters *parameters = format->streams[i]->codecpar;
    const AVCodec *decoder = vks_av.avcodec_find_decoder(parameters->codec_id);
    reader->stream = (int)i;
    if (!decoder || parameters->width < 1 || parameters->height < 1 ||
        (int64_t)parameters->width * parameters->height > MAX_PIXELS) {
        return AVERROR_DECODER_NOT_FOUND;
    }
    reader->codec = vks_av.avcodec_alloc_context3(decoder);
    reader->packet = vks_av.av_packet_alloc();
    reader->frame = vks_av.av_frame_alloc();
    if (!reader->codec || !reader->packet || !reader->frame) {
        return AVERROR(ENOMEM);
    }
    const int error = vks_av.avcodec_parameters_to_context(reader->codec, parameters);
    return error < 0 ? error : vks_av.avcodec_open2(reader->codec, decoder, NULL);
}

/* Gives the decoder the next packet, or says that there is none. */
static int feed(struct reader *reader)
{
    const int error = vks_av.av_read_frame(reader->format, reader->packet);
    if (error == AVERROR_EOF) {
        return vks_av.avcodec_send_packet(reader->codec, NULL);
    }
    if (error < 0) {
        return error;
    }
    const int sent = reader->packet->stream_index == reader->stream
                         ? vks_av.avcodec_send_packet(reader->codec, reader->packet)
                         : 0;
    vks_av.av_packet_unref(reader->packet);
    return sent;
}

/* Decodes the last frame that depends on no other, or, where that cannot be found, the first. */
static int decode(struct reader *reader)
{
    const AVStream *stream = reader->format->streams[reader->stream];
    if (stream->duration > 0) {
        (void)vks_av.av_seek_frame(reader->format, reader->stream, stream->duration,
                                   AVSEEK_FLAG_BACKWARD);
    }
    int error = AVERROR(EAGAIN);
    while (error == AVERROR(EAGAIN)) {
        error = feed(reader);
        error = error < 0 ? error : vks_av.avcodec_receive_frame(reader->codec, reader->frame);
    }
    return error;
}

static uint8_t to_byte(int32_t value)
{
    value = (value + (1 << 15)) >> 16;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* A sample of 8 bits. */
static int32_t sample(const AVFrame *frame, int plane, uint32_t x, uint32_t y, bool deep)
{
    const uint8_t *row = frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane];
    return deep ? (row[2 * x] | row[2 * x + 1] << 8) >> 2 : row[x];
}

/* BT.709 with studio levels, which vksim writes, in 2^-16. NULL: another format, or no memory. */
static uint8_t *to_rgba(const AVFrame *frame)
{
    const bool deep = frame->format == AV_PIX_FMT_YUV420P10;
    const uint32_t width = (uint32_t)frame->width, height = (uint32_t)frame->height;
    uint8_t *rgba =
        deep || frame->format == AV_PIX_FMT_YUV420P ? malloc((size_t)width * height * 4) : NULL;
    for (uint32_t y = 0; rgba && y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *pixel = rgba + ((size_t)y * width + x) * 4;
            const int32_t luma = 76309 * (sample(frame, 0, x, y, deep) - 16);
            const int32_t blue = sample(frame, 1, x / 2, y / 2, deep) - 128;
            const int32_t red = sample(frame, 2, x / 2, y / 2, deep) - 128;
            pixel[0] = to_byte(luma + 117489 * red);
            pixel[1] = to_byte(luma - 13975 * blue - 34925 * red);
            pixel[2] = to_byte(luma + 138438 * blue);
            pixel[3] = 255;
        }
    }
    return rgba;
}

enum vks_result vks_libav_picture(const char *path, uint32_t *width, uint32_t *height,
                                  uint8_t **rgba)
{
    struct reader reader = {0};
    enum vks_result result = vks_libav_open_input(path, &reader.format);
    if (result != VKS_OK) {
        return result;
    }
    int error = open_decoder(&reader);
    error = error < 0 ? error : decode(&reader);
    *rgba = error < 0 ? NULL : to_rgba(reader.frame);
    if (*rgba) {
        *width = (uint32_t)reader.frame->width;
        *height = (uint32_t)reader.frame->height;
    } else {
        result = vks_fail(VKS_ERROR_FILE, "'%s' has no picture that can be decoded", path);
    }
    close_reader(&reader);
    return result;
}
