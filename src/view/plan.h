/* SPDX-License-Identifier: MIT */
/* Shared by the files that declare the passes of a picture: docs/pictures.md. */
#ifndef VKS_VIEW_PLAN_H
#define VKS_VIEW_PLAN_H

#include "view/params.h"
#include "view/taps.h"
#include "view/view.h"

/* The rows of the picture that one frame of the graph draws: all, or a band. */
struct vks_plan_rows {
    bool whole;           /* not drawn in bands */
    uint32_t rows;        /* of a band; the last one may have fewer */
    uint32_t value_rows;  /* of "values" */
    uint32_t first, end;  /* this band's first row, and the row after its last */
    uint32_t first_value; /* row of the picture for the first row of "values" */
};

/* Everything that the passes depend on. */
struct vks_plan {
    struct vks_declaration *declaration;
    const struct vks_view_params *params;
    struct vks_part part;
    struct vks_range range;
    struct vks_background background;
    uint64_t shape[2]; /* of the field: (H, W) */
    uint32_t planes;   /* of the displayed field, mixed; 1: no mix */
    double pixels;     /* per frame of the graph */
    bool rays;         /* of a camera through the displayed volume */
    bool plain;        /* "colour" can draw this look, else "paint" */
    bool direct;       /* from the field itself, else from "values" */
    struct vks_plan_rows band;
    uint32_t origin; /* row of the grid that is the first of the field, modulo 2^32 */
    struct view_params view;
};

/* The parts of a banded picture in which a pass runs. */
enum {
    IN_MEASURE = 1 << VKS_VIEW_MEASURE,
    IN_MEASURE_FALLBACK = 1 << VKS_VIEW_MEASURE_FALLBACK,
    IN_LEVEL = 1 << VKS_VIEW_LEVEL,
    IN_GLOW = 1 << VKS_VIEW_GLOW,
    IN_BLUR = 1 << VKS_VIEW_BLUR,
    IN_DRAW = 1 << VKS_VIEW_DRAW,
    ONCE = 1 << 16, /* only with the first band */
};

/* --- plan.c ---------------------------------------------------------------------------------- */

/* RESAMPLE_ACROSS or RESAMPLE_DOWN: the axis of the displayed part of a field of shape (H, W). */
struct vks_resized_axis vks_plan_axis(const struct vks_part *part, const uint64_t shape[2],
                                      int which);
/* A declared field, or NULL. */
const struct vks_field *vks_plan_field(const struct vks_plan *plan, const char *name);
/* Specialization constants: 1 for a field of float16, else 0; 1 for --tone log, else 0. */
uint32_t vks_plan_has_halves(const struct vks_plan *plan, const char *name);
uint32_t vks_plan_is_logarithmic(const struct vks_plan *plan);
/* 1 for a range that is symmetric about 0, else 0. */
uint32_t vks_plan_is_symmetric(const struct vks_plan *plan);
/* 1 if the strongest plane of a mix is shown, else 0. */
uint32_t vks_plan_is_strongest(const struct vks_plan *plan);
/* TONE_ROOT and so on, for the look's gamma. */
uint32_t vks_plan_curve(const struct vks_plan *plan);
/* Declares a list or a plane. */
void vks_plan_buffer(const struct vks_plan *plan, const char *name, enum vks_element element,
                     uint64_t count);
void vks_plan_plane(const struct vks_plan *plan, const char *name, enum vks_element element,
                    uint64_t height, uint64_t width);
/* Declares float32 values for each plane of the displayed field: (H, W), or (planes, H, W). */
void vks_plan_values(const struct vks_plan *plan, const char *name, uint64_t height,
                     uint64_t width);
/* Elements per plane of a declared field. */
uint32_t vks_plan_stride(const struct vks_plan *plan, const char *name);
/* Declares a list of words that `fill` computes from a copy of `data`; `made_from` is `data` as
 * text. */
void vks_plan_table(const struct vks_plan *plan, const char *name, uint64_t words,
                    enum vks_result (*fill)(const void *user, const struct vks_field *field,
                                            const struct vks_source *source, void *out),
                    const void *data, size_t size, const char *made_from);

/* Sets left_out for the frame's passes from index `from` on, unless they run in this part. */
void vks_plan_run_in(const struct vks_plan *plan, size_t from, unsigned parts);
/* IN_MEASURE, or 0: a fixed range is not measured, except to choose between two fields. */
unsigned vks_plan_parts_to_measure(const struct vks_plan *plan);
/* The number of the field's lines that contribute to results `from` to `last`, and the first
 * one. */
uint32_t vks_plan_lines(const struct vks_resized_axis *axis, uint32_t from, uint32_t last,
                        uint32_t *begin);
/* True if the rows are resized before the columns. */
bool vks_plan_is_across_first(const struct vks_resized_axis *down,
                              const struct vks_resized_axis *across);
/* Shape of "halfway" for that many rows of values; zero if one axis keeps its size. */
void vks_plan_shape_halfway(const struct vks_plan *plan, uint32_t value_rows, uint64_t shape[2]);
/* Sets `band`: as many rows as the device allows. */
void vks_plan_band(struct vks_plan *plan);

/* --- planes.c -------------------------------------------------------------------------------- */

/* Declares a pass that copies a field of floats as float32. */
void vks_plan_copy(const struct vks_plan *plan, const char *name, const char *from, const char *to);
/* Declares the plane VKS_PLANE_CELLS, where it is wanted; VKS_ERROR_USAGE for a view of points
 * without fields, and for fields that differ in shape. */
enum vks_result vks_plan_cells(const struct vks_plan *plan);
/* Declares the plane VKS_PLANE_ITEMS, where it is wanted. VKS_ERROR_INTERNAL for a field that is
 * not declared. */
enum vks_result vks_plan_items(const struct vks_plan *plan);

/* --- resample.c ------------------------------------------------------------------------------ */

/* Declares the table of filter weights for one axis. */
void vks_plan_taps(const struct vks_plan *plan, const char *name,
                   const struct vks_resized_axis *axis);
/* Declares the passes that resize the displayed part of a field into `target`, a declared plane;
 * with `gated` they only run if the first field has no range. */
void vks_plan_resampling(const struct vks_plan *plan, const char *source, const char *target,
                         bool gated);

/* --- mask.c ---------------------------------------------------------------------------------- */

/* Declares the pass that draws the look's mask over the picture, if it has one. */
void vks_plan_mask(const struct vks_plan *plan);

/* --- annotate.c ------------------------------------------------------------------------------ */

/* Declares the passes that write the time, colour bars and a scale bar over the picture, if the
 * look has them. */
void vks_plan_annotation(const struct vks_plan *plan);

/* --- bloom.c --------------------------------------------------------------------------------- */

/* A block of the glow has 2^shift x 2^shift pixels. */
uint32_t vks_plan_glow_shift(const struct vks_part *part);
/* Blocks along a side. */
uint32_t vks_plan_blocks(uint32_t side, uint32_t shift);
/* Declares "glow", its blurs "glow_tight" and "glow_wide", and their passes. */
void vks_plan_bloom(const struct vks_plan *plan, const char *source);

#endif
