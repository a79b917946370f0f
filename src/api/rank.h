/* SPDX-License-Identifier: MIT */
/* A simulation on several ranks. */
#ifndef VKS_API_RANK_H
#define VKS_API_RANK_H

#include "api/internal.h"

/* How the settings draw a view: belongs to them (open.c). */
struct vks_view_params vks_view_of(const struct vks_settings *settings, const struct vks_view *view,
                                   unsigned planes, const struct vks_view_params *bands);
/* Declares the picture of a rank: rank 0 draws what all ranks have computed, the others nothing. */
void vks_declare_rank_picture(const struct vks_settings *settings, unsigned planes,
                              const struct vks_declaration *steps,
                              struct vks_declaration *declaration);
/* Joins the ranks with the graph of steps, and takes the planes of rank 0's frames. */
enum vks_result vks_rank_join(vks_simulation *simulation);
/* Of what all ranks have tried alike: a failure of one is one of all. Waits for ranks as long as
 * they take, since rank 0 may have files to write. */
enum vks_result vks_rank_agree(const vks_simulation *simulation, enum vks_result result);
/* Makes or updates simulation->values by the settings, if ranks draw pictures. */
enum vks_result vks_rank_update_values(vks_simulation *simulation);
/* VKS_ERROR_USAGE for what a simulation cannot do on several ranks; VKS_OK on one. */
enum vks_result vks_rank_fail(const vks_simulation *simulation, const char *what);

#endif
