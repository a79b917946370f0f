/* SPDX-License-Identifier: MIT */
/* How a volume becomes the plane that a picture is made from. docs/pictures.md. */
#ifndef VKS_VIEW_PLANE_H
#define VKS_VIEW_PLANE_H

#include "graph/model.h"
#include "view/look.h"

/* Declares the field `name` (F32, rank 2) and the EACH_FRAME pass `pass` that makes it of a
 * declared F32 or F16 field of rank 3, by the look's axis, project and slice. The look is
 * finished. */
void vks_declare_plane(struct vks_declaration *declaration, const struct vks_look *look,
                       const char *volume, const char *name, const char *pass);

#endif
