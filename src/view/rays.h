/* SPDX-License-Identifier: MIT */
/* Volumes seen by a camera: a ray per pixel. docs/pictures.md. */
#ifndef VKS_VIEW_RAYS_H
#define VKS_VIEW_RAYS_H

#include "graph/declare.h"
#include "view/look.h"

struct vks_rays {
    const struct vks_look *look; /* with a camera */
    struct vks_part part;        /* only the picture's size matters */
    uint32_t first, rows;        /* rows of the picture in the target */
    const char *volume;          /* F32 or F16, rank 3 */
    const char *target;          /* F32, rows x the picture's width */
    bool gated;                  /* only in frames in which the first field has no range */
};

/* Declares the EACH_FRAME pass that computes the declared field `target` from the declared
 * `volume`. */
void vks_declare_rays(struct vks_declaration *declaration, const struct vks_rays *rays);

#endif
