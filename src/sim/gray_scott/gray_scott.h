/* SPDX-License-Identifier: MIT */
/* Shared by the files of Gray-Scott: docs/sims/gray-scott.md. */
#ifndef VKS_SIM_GRAY_SCOTT_GRAY_SCOTT_H
#define VKS_SIM_GRAY_SCOTT_GRAY_SCOTT_H

#include <vksim/model.h>

#include "gray_scott/params.h"

struct gray_scott_range {
    double low, high;
};

/* Feed and kill over the field. */
struct gray_scott_ranges {
    bool varied;                        /* over the field, or painted */
    struct gray_scott_range feed, kill; /* from black or bottom to white or top, left to right */
};

/* How steps are computed. TILE, QUAD and BLOCK keep a tile in registers: some strips of some rows,
 * two columns per lane, four in QUAD. MARCH processes strips in segments of some rows, some strips
 * per workgroup. ANY is the fastest of these four. docs/sims/gray-scott.md. */
enum gray_scott_path { PLAIN, TILE, QUAD, BLOCK, MARCH, ANY };

struct gray_scott_settings {
    double feed, kill, du, dv, dt;
    uint32_t stencil, boundary, precision, painting;
    char *map, *feed_map, *kill_map, *feed_range, *kill_range;
    double start_radius, start_share, start_noise;
    uint64_t start_count, start_grain;
    /* Parsed texts. */
    struct gray_scott_ranges rates;
};

enum { FLOAT32, FLOAT16 };
enum { UNPAINTED, PAINTED };

/* Names of the choices of these options. */
extern const char *const vks_gray_scott_stencils[];
extern const char *const vks_gray_scott_boundaries[];
extern const char *const vks_gray_scott_precisions[];

/* --- steps.c: variants of the step ---------------------------------------------------------- */

/* The model's `variants` and `candidates`. */
extern const struct vks_variant_row vks_gray_scott_variants[];
void vks_gray_scott_candidates(const struct vks_config *config, struct vks_candidates *candidates);
/* VKS_ERROR_USAGE if the variant does not fit the device or the field. */
enum vks_result vks_gray_scott_check_variant(const struct vks_config *config);
/* Declares the step in the variant of the run. */
void vks_gray_scott_declare_steps(const struct vks_config *config,
                                  struct vks_declaration *declaration);

#endif
