/* SPDX-License-Identifier: MIT */
#include "frames/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "frames/sink_backend.h"
#include "view/planes.h"

#if VKS_HAVE_VIDEO
#define BACKEND_video &vks_sink_video
#define BACKEND_gif &vks_sink_gif
#define BACKEND_webp &vks_sink_webp
#else
#define BACKEND_webp NULL
#define BACKEND_video NULL
#define BACKEND_gif NULL
#endif
#if VKS_HAVE_EXR
#define BACKEND_exr &vks_sink_exr
#else
#define BACKEND_exr NULL
#endif
#define BACKEND_y4m &vks_sink_y4m
#define BACKEND_png &vks_sink_png
#define BACKEND_jpg &vks_sink_jpg
#define BACKEND_npy &vks_sink_npy
#define BACKEND_vti &vks_sink_vti
#define BACKEND_vtp &vks_sink_vtp
#define BACKEND_fields_npz &vks_sink_fields_npz
#define BACKEND_r16 &vks_sink_r16
#define BACKEND_glb &vks_sink_glb
#define BACKEND_stl &vks_sink_stl
#define BACKEND_ply &vks_sink_ply
#define BACKEND_csv &vks_sink_csv

#define BITS(bits, plane)              \
    {                                  \
        bits, 1U << VKS_PLANE_##plane, \
    }
#define BITS2(bits, first, second)                                \
    {                                                             \
        bits, 1U << VKS_PLANE_##first | 1U << VKS_PLANE_##second, \
    }
#define UNPACKED(...) __VA_ARGS__

static const struct vks_format formats[] = {
#define VKS_FORMAT(extension, backend, depths, flags, content) \
    {extension, BACKEND_##backend, {UNPACKED depths}, flags},
#include "frames/formats.def"
#undef VKS_FORMAT
};

static const struct vks_format stream = {
    "", &vks_sink_y4m, {BITS(8, YUV), BITS(10, YUV10)}, VKS_FORMAT_MOVES};

static const struct vks_format *find(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash + 1 : path, '.');
    if (strcmp(path, "-") == 0) {
        return &stream;
    }
    for (size_t i = 0; dot && i < VKS_COUNT(formats); i++) {
        if (strcasecmp(dot, formats[i].extension) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

enum vks_result vks_format_find(const char *path, const struct vks_format **format)
{
    char list[256];
    const char *names[VKS_COUNT(formats) + 1] = {NULL};
    *format = find(path);
    if (*format) {
        return VKS_OK;
    }
    for (size_t i = 0; i < VKS_COUNT(formats); i++) {
        names[i] = formats[i].extension;
    }
    return vks_fail(VKS_ERROR_USAGE,
                    "unknown format of output '%s': its name must end in one of %s, or be - (Y4M "
                    "on standard output)",
                    path, vks_join(names, list, sizeof(list)));
}

bool vks_format_has(const char *path, unsigned flag)
{
    const struct vks_format *format = find(path);
    return format && (format->flags & flag);
}

bool vks_format_has_caves(const struct vks_format *format)
{
    return format->backend == &vks_sink_png || format->backend == &vks_sink_npy ||
           format->backend == &vks_sink_csv;
}

bool vks_format_holds_heights(const struct vks_format *format, bool heights, bool caves)
{
    return (format->depths[0].planes & vks_plane_bit(VKS_PLANE_HEIGHTS)) ||
           (caves && vks_format_has_caves(format)) ||
           (heights && (format->flags & VKS_FORMAT_HEIGHTS));
}

bool vks_format_is_mesh(const struct vks_format *format)
{
    return format->backend == &vks_sink_glb || format->backend == &vks_sink_stl ||
           format->backend == &vks_sink_ply;
}

unsigned vks_format_planes(const struct vks_format *format, uint32_t bits)
{
    unsigned planes = bits == 0 ? format->depths[0].planes : 0;
    for (size_t i = 0; i < VKS_FORMAT_DEPTHS; i++) {
        planes = bits != 0 && format->depths[i].bits == bits ? format->depths[i].planes : planes;
    }
    return planes;
}
