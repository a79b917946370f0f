/* SPDX-License-Identifier: MIT */
/* The cells of a grid compared by their settings: which share a state, how their steps relate, and
 * their captions. `cells` is an array of `count` finished settings of one model. */
#ifndef VKS_RUNS_CELLS_H
#define VKS_RUNS_CELLS_H

#include "runs/vary.h"

/* The owner of each cell: the first cell whose settings lead to the same state in every frame, as
 * they differ only in their look; often the cell itself. A heap array, the caller's; NULL if memory
 * ran out. */
size_t *vks_cells_owners(const struct vks_settings *cells, size_t count);

/* The most steps per frame of any cell. */
uint64_t vks_cells_max_steps(const struct vks_settings *cells, size_t count);
/* Steps per frame if all cells have the same number; else 0. */
uint64_t vks_cells_common_steps(const struct vks_settings *cells, size_t count);

/* True if the pictures of a cell depend on the frames drawn before. */
bool vks_cells_follow(const struct vks_settings *cells, size_t count);

struct vks_size vks_cell_picture(const struct vks_settings *cell);
/* VKS_ERROR_USAGE unless all cells have pictures of the same size. */
enum vks_result vks_cells_check_pictures(const struct vks_settings *cells, size_t count);

/* The captions of a sheet, with a note of the steps per frame where they differ. */
enum vks_result vks_cells_captions(const struct vks_settings *cells, const struct vks_vary *vary,
                                   struct vks_caption *captions);

#endif
