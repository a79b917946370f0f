/* SPDX-License-Identifier: MIT */
/* How points become the values of a picture: each is counted in the pixel that it falls on.
 * docs/pictures.md. */
#ifndef VKS_VIEW_POINTS_H
#define VKS_VIEW_POINTS_H

#include "graph/model.h"
#include "view/look.h"

struct vks_points {
    const char *const *fields; /* positions along z, y and x, as in struct vks_view */
    const struct vks_look *look;
    struct vks_part part; /* of the plane that the look's axis shows; with a camera only the
                           * picture's size counts */
    uint32_t first, rows; /* of the picture: those in "values" */
};

/* VKS_ERROR_USAGE if a field is not there, VKS_ERROR_INTERNAL if one cannot hold positions, each
 * with a message. `fields` are three names. */
enum vks_result vks_check_points(const struct vks_declaration *declaration,
                                 const char *const *fields);

/* Declares the EACH_FRAME passes that count the points in the box of the declaration's grid into
 * the field "values" (F32, rows x the picture's width), which has been declared. Fields and look
 * have been checked. */
void vks_declare_points(struct vks_declaration *declaration, const struct vks_points *points);

#endif
