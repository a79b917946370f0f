/* SPDX-License-Identifier: MIT */
/* Which rows each rank has. */
#ifndef VKS_RANKS_SLAB_H
#define VKS_RANKS_SLAB_H

#include <stdbool.h>

#include <vksim/model.h>

/* The first row of a rank's slab; that of rank `count` is the end of the last. */
uint32_t vks_slab_first(uint32_t rows, uint32_t grain, uint32_t index, uint32_t count);

/* Rows of a slab's halos: those of both sides are equal, or one side has none. */
static inline uint32_t vks_slab_halo(const struct vks_slab *slab)
{
    return slab->before > slab->after ? slab->before : slab->after;
}

/* The slab of rank `index` of `count`, of a grid with that many rows: multiples of `grain`, but for
 * the last slab, as equal as possible and in order of ranks, with `halo` rows on each side.
 * `closed`: the grid is not a torus, so the ends have none. VKS_ERROR_USAGE if slabs would be
 * smaller than their neighbours' halos. */
enum vks_result vks_slab_of(uint32_t rows, uint32_t grain, uint32_t halo, bool closed,
                            uint32_t index, uint32_t count, struct vks_slab *slab);

#endif
