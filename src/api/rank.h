/* SPDX-License-Identifier: MIT */
/* A simulation on several ranks. */
#ifndef VKS_API_RANK_H
#define VKS_API_RANK_H

#include "api/internal.h"

/* The rows that a rank of several has, with these finished settings, whose own slab is that of one
 * rank. `every`: steps between exchanges; 0: as many as are probably fastest. VKS_ERROR_USAGE: the
 * simulation does not run on several ranks, or the slabs would be too small. */
enum vks_result vks_rank_slab(const struct vks_settings *settings, uint32_t index, uint32_t count,
                              uint64_t every, struct vks_slab *slab);
/* VKS_ERROR_USAGE for what a simulation cannot do on several ranks; VKS_OK on one. */
enum vks_result vks_rank_fail(const vks_simulation *simulation, const char *what);

#endif
