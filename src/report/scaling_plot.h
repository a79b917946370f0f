/* SPDX-License-Identifier: MIT */
#ifndef VKS_REPORT_SCALING_PLOT_H
#define VKS_REPORT_SCALING_PLOT_H

#include "report/scaling.h"

/* The time that the fit is of: a step's, or that of all `x` steps. */
double vks_scaling_time(const struct vks_scaling_sweep *sweep, double step_seconds, uint64_t x);

#endif
