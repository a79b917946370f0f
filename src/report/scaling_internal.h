/* SPDX-License-Identifier: MIT */
/* Shared by the table and the plot of vksim scale. */
#ifndef VKS_REPORT_SCALING_INTERNAL_H
#define VKS_REPORT_SCALING_INTERNAL_H

#include "report/scaling.h"

/* The time that the fit is of: a step's, or that of all `x` steps. */
double vks_scaling_time(const struct vks_scaling_sweep *sweep, double step_seconds, uint64_t x);
/* The bytes of a step at its time, as a share of the copy bandwidth; 0 if that is unknown. */
double vks_scaling_share(const struct vks_scaling *scaling, const struct vks_scaling_point *point);

#endif
