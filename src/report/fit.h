/* SPDX-License-Identifier: MIT */
/* How a cost grows: time = a + b x^p, fitted by least squares of relative errors. */
#ifndef VKS_REPORT_FIT_H
#define VKS_REPORT_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { VKS_FIT_MIN_POINTS = 4 };

/* A value and half the width of its 95 % confidence interval (Student's t, from the scatter about
 * the fit); NaN where the points do not determine one. */
struct vks_estimate {
    double value, margin;
};

struct vks_power_fit {
    struct vks_estimate a, b,
        p;               /* a is 0 where it would be negative, or its interval would contain 0 */
    double worst;        /* largest relative deviation of a point from the fit */
    size_t first, count; /* the points fitted: `count` from number `first` */
};

/* Fits the points, whose x and y are positive and finite and whose x ascend. False, with a zeroed
 * fit, for fewer than VKS_FIT_MIN_POINTS. */
bool vks_fit_power(const double *x, const double *y, size_t count, struct vks_power_fit *fit);

/* Fits the region where the GPU is full: as many of the last points as possible such that the fit
 * deviates by at most VKS_FIT_TOLERANCE from each and, with `small_constant`, such that a is at
 * most VKS_FIT_CONSTANT of each y. False if no VKS_FIT_MIN_POINTS points are such; then the fit, if
 * fit->count is not 0, is that of all points. */
#define VKS_FIT_TOLERANCE 0.05
#define VKS_FIT_CONSTANT 0.1
bool vks_fit_full(const double *x, const double *y, size_t count, bool small_constant,
                  struct vks_power_fit *fit);

/* The fit's time at x. */
double vks_fit_at(const struct vks_power_fit *fit, double x);

#endif
