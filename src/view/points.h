/* SPDX-License-Identifier: MIT */
/* Views of points: each is counted in the pixel that it falls on. docs/pictures.md. */
#ifndef VKS_VIEW_POINTS_H
#define VKS_VIEW_POINTS_H

#include "graph/declare.h"
#include "view/look.h"

struct vks_points {
    const char *const *fields; /* positions along z, y and x, as in struct vks_view */
    const struct vks_look *look;
    struct vks_part part; /* of the plane along the look's axis; with a camera only the picture's
                           * size matters */
    uint32_t first, rows; /* rows of the picture in "values" */
};

/* VKS_ERROR_USAGE if a field is missing, VKS_ERROR_INTERNAL if one cannot hold positions. `fields`
 * are three names. */
enum vks_result vks_check_points(const struct vks_declaration *declaration,
                                 const char *const *fields);

/* Declares the EACH_FRAME passes that count the points in the box of the declaration's grid into
 * the declared field "values" (F32, rows x the picture's width). Fields and look must be valid. */
void vks_declare_points(struct vks_declaration *declaration, const struct vks_points *points);

#endif
