/* SPDX-License-Identifier: MIT */
/* How a field becomes a picture: the passes that draw it. docs/pictures.md. */
#ifndef VKS_VIEW_VIEW_H
#define VKS_VIEW_VIEW_H

#include "graph/graph.h"
#include "view/look.h"
#include "view/planes.h"

/* Flags in the set of planes (view/planes.h) that a caller needs of each frame. */
enum {
    /* Pictures that are too large for a buffer may be drawn in bands. */
    VKS_VIEW_BANDS = 1 << VKS_PLANES,
    /* A background that is transparent anywhere is refused, as it is with YUV. */
    VKS_VIEW_OPAQUE = 2 << VKS_PLANES,
};

/* A picture with planes that are larger than a buffer may be is drawn in bands of whole rows: frame
 * after frame of the graph, each declared with its part and, for parts done band by band, the
 * band's first row (view/bands.h does it). */
enum vks_view_part {
    VKS_VIEW_MEASURE,      /* by band: the range of the first field */
    VKS_VIEW_MEASURE_ELSE, /* by band: that of the second */
    VKS_VIEW_LEVEL,        /* the range that colours are made with */
    VKS_VIEW_GLOW,         /* by band: what glows */
    VKS_VIEW_BLUR,         /* the whole glow */
    VKS_VIEW_DRAW,         /* by band: the picture */
};

struct vks_view_params {
    const char *shown;      /* F32 or F16 field: (H, W), or (D, H, W), of which the look's plane is
                             * shown */
    const char *shown_else; /* another of that shape, drawn in frames in which `shown` has no range;
                             * or NULL */
    const char *const *points; /* instead: three names as in struct vks_view, of points in the box
                                * of the declaration's grid; or NULL */
    const struct vks_look *look;
    unsigned planes; /* a set of them, with VKS_VIEW_OPAQUE */
    /* Bands, where a plane of the whole picture ("picture", "picture16", "values" and what they are
     * made from) is larger than this; 0: never. The fields have the rows of a band then, and the
     * rest counts. Not with YUV or cells. */
    uint64_t max_bytes;
    enum vks_view_part part;
    uint32_t row;
};

/* RGBA8 pixels as RGB24, without the alpha. */
void vks_rgb_from_rgba(uint8_t *rgb, const uint8_t *rgba, size_t pixels);

/* Declares the EACH_FRAME passes that convert the field "picture" to YUV, or "picture16" to YUV of
 * 10 bits, where `planes` has them. The pictures have been declared with that size. */
void vks_declare_yuv(struct vks_declaration *declaration, unsigned planes, uint32_t width,
                     uint32_t height);

/* Declares the EACH_FRAME passes that draw the shown part of the field as a picture, whose size
 * vks_look_part() gives, and what else is wanted. The look must outlive the declaration.
 * vks_graph_fill() then fails with VKS_ERROR_FILE for a colour map or background that cannot be
 * read, with VKS_ERROR_USAGE for a background that is transparent where none is taken. */
void vks_declare_view(struct vks_declaration *declaration, const struct vks_view_params *params);

/* Bands have `rows` rows in "picture" and `value_rows` in "values": the row of the picture that the
 * latter begins with, for a band that begins with `row`. */
uint32_t vks_view_first_value(uint32_t height, uint32_t rows, uint32_t value_rows, uint32_t row);

/* The field "palette" for a colour map; `discrete`: it has nothing between its entries. */
void vks_view_palette(const struct vks_look *look, const uint32_t colours[256], bool discrete,
                      uint32_t palette[257]);

#endif
