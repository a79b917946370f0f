/* SPDX-License-Identifier: MIT */
#include "frames/segments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

/* The name of a segment, counted from 0; to be freed. */
static char *name_of(const struct vks_segments *segments, size_t index)
{
    return vks_format("%s/%05zu.mp4", segments->folder, index + 1);
}

static enum vks_result check(const struct vks_segments *segments)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < json_array_size(segments->list) && result == VKS_OK; i++) {
        char *name = name_of(segments, i);
        result = name ? vks_file_verify(segments->path, name, json_array_get(segments->list, i))
                      : vks_fail_memory();
        free(name);
    }
    return result;
}

enum vks_result vks_segments_open(struct vks_segments *segments, const char *path,
                                  const json_t *resume)
{
    const json_t *held = json_object_get(resume, "segments");
    char *target = vks_follow_links(path);
    segments->path = path;
    segments->folder = target ? vks_format("%s.parts", target) : NULL;
    segments->list = held ? json_copy((json_t *)(uintptr_t)held) : json_array();
    free(target);
    if (!segments->folder || !segments->list) {
        return vks_fail_memory();
    }
    const enum vks_result result = check(segments);
    if (result != VKS_OK) {
        return result;
    }
    int error = mkdir(segments->folder, 0777) == 0 || errno == EEXIST ? 0 : errno;
    error = error ? error : vks_sync_folder_of(segments->folder);
    return error ? vks_fail_write(segments->folder, error) : VKS_OK;
}

char *vks_segments_next(const struct vks_segments *segments)
{
    return name_of(segments, json_array_size(segments->list));
}

enum vks_result vks_segments_add(struct vks_segments *segments, uint64_t frames)
{
    char *name = vks_segments_next(segments);
    json_t *segment = json_pack("{s:I}", "frames", (json_int_t)frames);
    enum vks_result result = name && segment ? vks_file_describe(name, segment) : vks_fail_memory();
    free(name);
    if (result != VKS_OK) {
        json_decref(segment);
        return result;
    }
    return json_array_append_new(segments->list, segment) == 0 ? VKS_OK : vks_fail_memory();
}

/* --- joining --------------------------------------------------------------------------------- */

/* Copies the packets of a segment whose first frame has that number. `last` is the time at which
 * the last packet is decoded, in the time base of the segments. */
static enum vks_result copy_packets(AVFormatContext *in, AVRational frame, uint64_t first,
                                    int64_t *last, struct vks_libav_file *out)
{
    const AVRational base = in->streams[0]->time_base;
    const int64_t shift = vks_av.av_rescale_q((int64_t)first, frame, base);
    enum vks_result result = VKS_OK;
    int error = 0;
    while (result == VKS_OK && (error = vks_av.av_read_frame(in, out->packet)) >= 0) {
        AVPacket *packet = out->packet;
        packet->pts += shift;
        packet->dts += shift;
        /* An encoder may decode the first frames of a segment earlier than others. */
        packet->dts = packet->dts > *last ? packet->dts : *last + 1;
        *last = packet->dts;
        result = vks_libav_put(out, base);
    }
    return result != VKS_OK || error == AVERROR_EOF ? result : vks_libav_fail(out, error);
}

enum vks_result vks_segments_join(const struct vks_segments *segments, struct vks_rate fps,
                                  const char *muxer, const char *options,
                                  const struct vks_origin *origin, struct vks_libav_file *out)
{
    uint64_t first = 0;
    int64_t last = INT64_MIN;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < json_array_size(segments->list) && result == VKS_OK; i++) {
        char *name = name_of(segments, i);
        AVFormatContext *in = NULL;
        result = name ? vks_libav_open_input(name, &in) : vks_fail_memory();
        if (result == VKS_OK && in->nb_streams != 1) {
            result =
                vks_fail(VKS_ERROR_FILE, "cannot write '%s': '%s' is not a video of one stream",
                         segments->path, name);
        }
        if (result == VKS_OK && i == 0) {
            out->copied = in->streams[0]->codecpar;
            out->fps = fps;
            result = vks_libav_open_format(out, muxer, options, origin);
            out->copied = NULL;
        }
        if (result == VKS_OK) {
            result = copy_packets(in, (AVRational){(int)fps.seconds, (int)fps.frames}, first, &last,
                                  out);
        }
        first += vks_json_count(json_array_get(segments->list, i), "frames");
        vks_av.avformat_close_input(&in);
        free(name);
    }
    return result;
}

void vks_segments_close(struct vks_segments *segments)
{
    if (segments->folder && json_array_size(segments->list) == 0) {
        rmdir(segments->folder);
    }
    free(segments->folder);
    json_decref(segments->list);
    *segments = (struct vks_segments){0};
}
