/* SPDX-License-Identifier: MIT */
/* The table of output formats (formats.def): what each file is called, holds and takes. */
#ifndef VKS_FRAMES_FORMAT_H
#define VKS_FRAMES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

enum {
    VKS_FORMAT_ENCODED = 1, /* an encoder and its quality can be chosen */
    VKS_FORMAT_MOVES = 2,   /* holds all frames as pictures: a still can stand next to it */
    VKS_FORMAT_ALPHA = 4,   /* holds transparency */
    VKS_FORMAT_DEPTHS = 2,  /* at most */
};

struct vks_sink_backend;

struct vks_format {
    const char *extension;                  /* with its dot; "" for standard output */
    const struct vks_sink_backend *backend; /* NULL: not in this build */
    struct {
        uint32_t bits; /* 0: no more */
        unsigned planes;
    } depths[VKS_FORMAT_DEPTHS];
    unsigned flags;
};

/* The format of an output's name, "-" for standard output included. VKS_ERROR_USAGE with a message
 * that lists the extensions. */
enum vks_result vks_format_find(const char *path, const struct vks_format **format);
/* The same; false where there is none. */
bool vks_format_has(const char *path, unsigned flag);
/* The planes of a depth, 0 bits for the default; 0: the format does not have that depth. */
unsigned vks_format_planes(const struct vks_format *format, uint32_t bits);

#endif
