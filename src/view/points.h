/* SPDX-License-Identifier: MIT */
/* Views of points: each is counted in the pixel that it falls on or, with a tint, distributed over
 * the pixels around it. docs/pictures.md. */
#ifndef VKS_VIEW_POINTS_H
#define VKS_VIEW_POINTS_H

#include "graph/declare.h"
#include "view/look.h"

struct vks_points {
    const char *const *fields; /* positions along z, y and x, as in struct vks_view */
    const char *const *tint;   /* or NULL */
    const struct vks_look *look;
    struct vks_part part; /* of the plane along the look's axis; with a camera only the picture's
                           * size matters */
    uint32_t first, rows; /* rows of the picture in "values" */
};

/* VKS_ERROR_USAGE if a field is missing or the look magnifies soft points too much,
 * VKS_ERROR_INTERNAL if a field cannot hold positions or the tint. */
enum vks_result vks_check_points(const struct vks_declaration *declaration,
                                 const struct vks_points *points);

/* Bytes of the largest plane of soft points for that many rows of values. */
uint64_t vks_points_bytes(uint64_t rows, uint64_t width);

/* Declares the EACH_FRAME passes that count the points in the box of the declaration's grid into
 * the declared field "values" (F32, rows x the picture's width); with a tint also the field
 * "view_tints" of that shape (U32, 0 to 65535). Fields and look must be valid. */
void vks_declare_points(struct vks_declaration *declaration, const struct vks_points *points);

#endif
