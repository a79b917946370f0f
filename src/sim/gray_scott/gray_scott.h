/* SPDX-License-Identifier: MIT */
/* Shared by the files of Gray-Scott: docs/sims/gray-scott.md. */
#ifndef VKS_SIM_GRAY_SCOTT_GRAY_SCOTT_H
#define VKS_SIM_GRAY_SCOTT_GRAY_SCOTT_H

#include "graph/model.h"
#include "gray_scott/params.h"

struct gray_scott_settings {
    double feed, kill, du, dv, dt;
    uint32_t stencil, boundary, precision;
    char *map, *feed_map, *kill_map, *feed_range, *kill_range, *fuse;
    double start_radius, start_share, start_noise;
    uint64_t start_count, start_grain;
};

enum { FLOAT32, FLOAT16 };

/* Names of the choices of these options. */
extern const char *const vks_gray_scott_stencils[];
extern const char *const vks_gray_scott_boundaries[];
extern const char *const vks_gray_scott_precisions[];

struct gray_scott_range {
    double low, high;
};

/* Feed and kill over the field. */
struct gray_scott_ranges {
    bool varied;
    struct gray_scott_range feed, kill; /* from black or bottom to white or top, left to right */
};

/* True if a text option has a value. */
bool vks_gray_scott_is_given(const char *text);
/* Parses the options of feed and kill. VKS_ERROR_USAGE: an invalid map or range. */
enum vks_result vks_gray_scott_ranges(const struct gray_scott_settings *s,
                                      struct gray_scott_ranges *ranges);

/* --- steps.c: variants of the step -------------------------------------------------------------
 */

/* The model's `variants`. */
void vks_gray_scott_variants(const struct vks_config *config, struct vks_variants *variants);
/* VKS_ERROR_USAGE if --fuse is invalid or does not fit the device or the field. */
enum vks_result vks_gray_scott_check_fuse(const struct vks_config *config);
/* Declares the step in the variant of the run. */
void vks_gray_scott_declare_steps(const struct vks_config *config,
                                  const struct gray_scott_ranges *ranges,
                                  struct vks_declaration *declaration);

#endif
