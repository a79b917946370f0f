/* SPDX-License-Identifier: MIT */
/* A video that is written in segments, PATH.parts/00001.mp4 and so on, so that a later process can
 * continue it. Each is a complete video, which any player plays. They are joined at the end without
 * encoding them again. They are .mp4 for all formats, because times in Matroska are rounded to
 * milliseconds. Included by sink_video.c only. */
#ifndef VKS_FRAMES_SEGMENTS_H
#define VKS_FRAMES_SEGMENTS_H

#include <jansson.h>

#include "frames/libav.h"

/* Zeroed before vks_segments_open(). */
struct vks_segments {
    const char *path; /* of the video; the caller's */
    char *folder;
    json_t *list; /* what vks_file_describe() says of each, and "frames"; later ones do not count */
};

/* Makes the folder, or checks the segments of a position of an earlier process (`resume`, else
 * NULL): VKS_ERROR_FILE if one is missing or has been changed. vks_segments_close() must be called
 * also after a failure. */
enum vks_result vks_segments_open(struct vks_segments *segments, const char *path,
                                  const json_t *resume);
/* The name of the next segment, to be freed; NULL if memory ran out. */
char *vks_segments_next(const struct vks_segments *segments);
/* The next segment is complete, and has that many frames. */
enum vks_result vks_segments_add(struct vks_segments *segments, uint64_t frames);
/* Starts the container of a video without a codec, as vks_libav_open_format() does, and copies all
 * segments into it. A frame's time is its number times the duration of a frame. */
enum vks_result vks_segments_join(const struct vks_segments *segments, struct vks_rate fps,
                                  const char *muxer, const char *options,
                                  const struct vks_origin *origin, struct vks_libav_file *out);
/* The segments stay; without any, the folder is removed. */
void vks_segments_close(struct vks_segments *segments);

#endif
