/* SPDX-License-Identifier: MIT */
/* The table of output formats (formats.def): extension, backend, depths and capabilities. */
#ifndef VKS_FRAMES_FORMAT_H
#define VKS_FRAMES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

enum {
    VKS_FORMAT_ENCODED = 1, /* an encoder and its quality can be chosen */
    VKS_FORMAT_MOVES = 2,   /* a video or animation of all frames */
    VKS_FORMAT_ALPHA = 4,   /* supports transparency */
    VKS_FORMAT_HEIGHTS = 8, /* can hold heights instead of colours */
    VKS_FORMAT_ARRAY = 16,  /* numbers for programs rather than a picture */
    VKS_FORMAT_JOINED = 32, /* made at the end of the run from parts, which are then removed */
    VKS_FORMAT_DEPTHS = 2,  /* maximum number of depths */
};

struct vks_sink_backend;

struct vks_format {
    const char *extension;                  /* with the dot; "" for standard output */
    const struct vks_sink_backend *backend; /* NULL: not in this build */
    struct {
        uint32_t bits; /* 0: end of the list */
        unsigned planes;
    } depths[VKS_FORMAT_DEPTHS];
    unsigned flags;
};

/* The format of an output, by its extension; "-" is standard output. VKS_ERROR_USAGE with a message
 * that lists the extensions. */
enum vks_result vks_format_find(const char *path, const struct vks_format **format);
/* Whether the format of an output has a flag; false for an unknown format. */
bool vks_format_has(const char *path, unsigned flag);
/* Whether files of that format hold caves, if these are asked for. */
bool vks_format_has_caves(const struct vks_format *format);
/* Whether they hold heights, or caves made from them, with these options. */
bool vks_format_holds_heights(const struct vks_format *format, bool heights, bool caves);
/* Whether they hold a mesh. */
bool vks_format_is_mesh(const struct vks_format *format);
/* The planes of a depth (0: the default depth); 0 if the format does not have that depth. */
unsigned vks_format_planes(const struct vks_format *format, uint32_t bits);

#endif
