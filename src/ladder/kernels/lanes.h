/* SPDX-License-Identifier: MIT */
/* Rungs that keep rows of a matrix in the registers of some lanes
 * (shaders/ladder/subgroup_row.glsl): how many lanes share a row. */
#ifndef VKS_LADDER_KERNELS_LANES_H
#define VKS_LADDER_KERNELS_LANES_H

#include "ladder/ladder.h"

/* 256 lanes per row and workgroup, with as many registers as the row needs: the shader's constant
 * FOURS, vectors of four per lane. */
void vks_lanes_declare_row(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                           struct vks_declaration *declaration);
/* The same for shaders with the constant LANES. */
void vks_lanes_declare_subgroup(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                                struct vks_declaration *declaration);

/* From the tuner: lanes per row, rows per workgroup, and rows that they compute one after the
 * other, while they keep two vectors of a row's length in registers. */
extern const struct vks_rung_space vks_lanes_space;
void vks_lanes_declare_tuned(const struct vks_gpu *gpu, const struct vks_ladder_task *task,
                             struct vks_declaration *declaration);

/* Vectors of four that each of `lanes` lanes keeps of a row; at most 16, and the rest of a longer
 * row is read twice. */
uint32_t vks_lanes_fours(uint32_t width, uint32_t lanes);

#endif
