/* SPDX-License-Identifier: MIT */
/* Access pictures: what the lanes of one workgroup of a rung read and write (ladder/access.h),
 * drawn over the cells of buffers and the banks of shared memory. */
#ifndef VKS_LADDER_ACCESS_PICTURE_H
#define VKS_LADDER_ACCESS_PICTURE_H

#include "ladder/access.h"
#include "ladder/occupancy.h"

/* A picture of a rung. */
struct vks_access_figure {
    struct vks_ladder_task task;
    struct vks_access_trace trace;
    struct vks_spread seconds; /* its time, for the page; no samples: not measured */
    /* vks_occupancy_describe() */
    char resources[TRACE_PASSES][VKS_OCCUPANCY_TEXT];
};

/* The pictures below each other in one SVG, a NUL-terminated string to be freed. */
enum vks_result vks_access_svg(const struct vks_access_figure *figures, size_t count,
                               const struct vks_device_info *device, char **svg);
/* The same in a file, or as an HTML page if its name ends in .html. */
enum vks_result vks_access_write(const struct vks_access_figure *figures, size_t count,
                                 const struct vks_device_info *device, const char *path,
                                 bool overwrite);
/* Checks that the option's file can be written and is .svg or .html, before anything runs. */
enum vks_result vks_access_check(const char *option, const char *path, bool overwrite);

#endif
