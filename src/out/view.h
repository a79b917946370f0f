/* SPDX-License-Identifier: MIT */
/* How a field becomes a picture: options, and the passes that draw it. */
#ifndef VKS_OUT_VIEW_H
#define VKS_OUT_VIEW_H

#include "graph/model.h"

struct vks_look {
    char *normalize;
    double gamma, contrast;
    char *colormap; /* a name or a file, see vks_colormap_load() */
};

/* Checks what the table cannot: the text of `normalize`. */
enum vks_result vks_look_check(const struct vks_look *look);

/* Size of the YUV planes for a picture: width to a multiple of 8, height to one of 2. */
void vks_coded_size(uint32_t width, uint32_t height, uint32_t *coded_width, uint32_t *coded_height);

/* RGBA8 pixels as RGB24, without the alpha. */
void vks_rgb_from_rgba(uint8_t *rgb, const uint8_t *rgba, size_t pixels);

/* Declares the EACH_FRAME passes that draw F32 field `shown` (H x W) into the field "picture"
 * (u32, H x W, RGBA8), and with `yuv` also into "planes" (struct vks_frame's yuv). The field
 * "palette" (256 u32) must be filled with the entries of `colormap`. */
void vks_declare_view(struct vks_declaration *declaration, const char *shown,
                      const struct vks_look *look, bool yuv);

#endif
