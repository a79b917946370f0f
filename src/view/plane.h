/* SPDX-License-Identifier: MIT */
/* The reduction of a volume to a plane. docs/pictures.md. */
#ifndef VKS_VIEW_PLANE_H
#define VKS_VIEW_PLANE_H

#include "graph/declare.h"
#include "view/look.h"

/* Declares the field `name` (F32, rank 2) and the EACH_FRAME pass `pass` that computes it from a
 * declared F32 or F16 field of rank 3. */
void vks_declare_plane(struct vks_declaration *declaration, struct vks_plane plane,
                       const char *volume, const char *name, const char *pass);

#endif
