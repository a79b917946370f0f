/* SPDX-License-Identifier: MIT */
/* The passes that draw a field as a picture. docs/pictures.md. */
#ifndef VKS_VIEW_VIEW_H
#define VKS_VIEW_VIEW_H

#include "graph/graph.h"
#include "view/look.h"
#include "view/planes.h"

/* What a caller needs of each frame: a set of planes (view/planes.h) and these flags. */
enum {
    /* Pictures that are too large for a buffer may be drawn in bands. */
    VKS_VIEW_BANDS = 1 << VKS_PLANES,
    /* A background that is transparent anywhere is refused, as it is with YUV. */
    VKS_VIEW_OPAQUE = 2 << VKS_PLANES,
};

/* A picture with planes larger than a buffer's limit is drawn in bands of whole rows, over several
 * frames of the graph, each declared with its part and, for parts done band by band, the band's
 * first row (view/bands.h). */
enum vks_view_part {
    VKS_VIEW_MEASURE,          /* by band: the range of the first field */
    VKS_VIEW_MEASURE_FALLBACK, /* by band: that of the second */
    VKS_VIEW_LEVEL,            /* the range used for colours */
    VKS_VIEW_GLOW,             /* by band: the glow's source */
    VKS_VIEW_BLUR,             /* the whole glow */
    VKS_VIEW_DRAW,             /* by band: the picture */
};

/* What an annotation says; texts live as long as the declaration. */
struct vks_labels {
    const char *title, *unit; /* of the quantity; NULL: none */
    const char *fallback;     /* title of the fallback */
    const char *time;  /* U32X2 field of the time, in units of 2^-40; NULL: steps are shown */
    const char *steps; /* U32 field whose first word is their number; NULL: the clock has it */
    uint32_t box;      /* cells of a unit of length; 0: lengths are in cells */
};

struct vks_view_params {
    const char *name;      /* of the view: a smoothed range continues while it stays; or NULL */
    const char *displayed; /* F32 or F16 field: (H, W), or (D, H, W), reduced to the look's plane,
                            * or (planes, H, W) with the look's mix */
    const char *fallback;  /* another of that shape, drawn in frames in which `displayed` has no
                            * range; or NULL, as with a mix. VKS_PLANE_VALUES has `displayed` in
                            * every frame */
    const char *const *points; /* instead: three field names as in struct vks_view, of points in the
                                * box of the declaration's grid; or NULL */
    const char *const *tint;   /* of `points`, as in struct vks_view; or NULL */
    /* The shape (H, W) of a field that is elsewhere: "values", and "values_fallback" where there is
     * a fallback, are declared and not computed, and the caller uploads them before each frame.
     * NULL: the field is `displayed`. */
    const uint64_t *given;
    const struct vks_exports *cells; /* of VKS_PLANE_CELLS; NULL or none: `displayed` */
    const struct vks_exports *items; /* of VKS_PLANE_ITEMS */
    const struct vks_look *look;
    struct vks_labels labels;
    unsigned planes; /* a set of view/planes.h, and VKS_VIEW_OPAQUE */
    /* Draws in bands if a plane of the whole picture ("picture", "picture16", "values" and their
     * sources) is larger than this; 0: never. Then the fields have the rows of a band, and `part`
     * and `row` apply. Not with YUV or cells, and values of a mix are never in bands. */
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

/* Declares the EACH_FRAME passes that draw the displayed part of the field as a picture of the size
 * of the look, and its other outputs, after all others. The look is finished and must outlive the
 * declaration.
 * vks_graph_fill() fails with VKS_ERROR_FILE if a background cannot be read, with
 * VKS_ERROR_USAGE if a background is transparent and that is refused. */
void vks_declare_view(struct vks_declaration *declaration, const struct vks_view_params *params);

/* Of the rows of a picture of a field with that shape (H, W), the first whose middle is not above a
 * row of the field. The rows of a picture from one rank's to the next one's are that rank's. */
uint32_t vks_view_row_at(const struct vks_look *look, const uint64_t shape[2], uint32_t field_row);
/* Rows of the field beyond that middle which a row of the picture reads at most. */
uint32_t vks_view_reach(const struct vks_look *look, const uint64_t shape[2]);
/* Declares "values" for the picture's rows from `first` to before `end`, which others upload as
 * `given`, and its passes. `displayed` has the rows of the slab, of a field with the shape (H, W).
 */
void vks_declare_values(struct vks_declaration *declaration, const struct vks_view_params *params,
                        const struct vks_slab *slab, uint32_t first, uint32_t end);

/* Planes of "values" in a picture's declaration: those of a mix, or 1. */
uint32_t vks_view_value_planes(const struct vks_declaration *declaration);

/* The row of the picture in the first row of "values", for a band that begins with `row` and has
 * `rows` rows in "picture" and `value_rows` in "values". */
uint32_t vks_view_first_value(uint32_t height, uint32_t rows, uint32_t value_rows, uint32_t row);

/* The field "palette" for a colour map; `discrete`: not interpolated. */
void vks_view_palette(const struct vks_look *look, const uint32_t colours[256], bool discrete,
                      uint32_t palette[257]);
/* Makes the colours of a palette hues: the largest channel is 255. Black becomes white. */
void vks_view_hues(uint32_t palette[257]);

#endif
