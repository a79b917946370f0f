/* SPDX-License-Identifier: MIT */
/* Which rows each rank has. */
#ifndef VKS_RANKS_SLAB_H
#define VKS_RANKS_SLAB_H

#include <stdbool.h>

#include <vksim/model.h>

/* The slab of rank `index` of `count`, of a grid with that many rows: multiples of `grain`, but for
 * the last slab, as equal as possible and in order of ranks, with `halo` rows on each side.
 * `closed`: the grid is no torus, so the ends have none. VKS_ERROR_USAGE if slabs would be smaller
 * than their neighbours' halos. */
enum vks_result vks_slab_of(uint32_t rows, uint32_t grain, uint32_t halo, bool closed,
                            uint32_t index, uint32_t count, struct vks_slab *slab);

#endif
