/* SPDX-License-Identifier: MIT */
/* Shared by the table, the plot and the page of vksim scale. */
#ifndef VKS_REPORT_SCALING_INTERNAL_H
#define VKS_REPORT_SCALING_INTERNAL_H

#include "report/scaling.h"

/* The time that the fit is of: a step's, or that of all `x` steps. */
double vks_scaling_time(const struct vks_scaling_sweep *sweep, double step_seconds, uint64_t x);
/* The bytes of a step at its time, as a share of the copy bandwidth; 0 if that is unknown. */
double vks_scaling_share(const struct vks_scaling *scaling, const struct vks_scaling_point *point);
/* The fit in words, some lines. */
void vks_scaling_print_fit(FILE *out, const struct vks_scaling_sweep *sweep);
/* Plots of `count` sweeps, the first of which is number `first`: see vks_plot_svg(). */
enum vks_result vks_scaling_svg(const struct vks_scaling *scaling, size_t first, size_t count,
                                char **svg);

#endif
