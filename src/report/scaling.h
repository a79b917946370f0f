/* SPDX-License-Identifier: MIT */
/* How a simulation's cost grows, as a table, JSON or a plot: docs/timing.md, "Scaling". */
#ifndef VKS_REPORT_SCALING_H
#define VKS_REPORT_SCALING_H

#include <jansson.h>
#include <stdio.h>

#include <vksim/vksim.h>

#include "bench/spread.h"
#include "report/fit.h"

/* One value of the quantity. */
struct vks_scaling_point {
    uint64_t x;
    double cells;           /* of the field */
    char *left_out;         /* why it was not measured; NULL: it was, and the rest is valid */
    struct vks_spread gpu;  /* seconds of the GPU per step */
    struct vks_spread host; /* seconds of the host's clock per step */
    uint64_t steps;         /* per repeat */
    double startup;         /* seconds to create the simulation */
    double bytes;           /* minimum per step; 0: unknown */
};

struct vks_scaling_sweep {
    const char *quantity; /* "size", "steps" or an option that counts items */
    bool is_size;         /* its values are sides of the field: work is cells */
    bool is_steps;        /* its values are steps: the time is that of all of them */
    struct vks_scaling_point *points;
    size_t count;
    /* Set by vks_scaling_fit(), from the points that were measured: */
    struct vks_power_fit fit;
    uint64_t fit_from, fit_to; /* its first and last x */
    bool full; /* the fit meets the rules: with sizes, its region is where the GPU is full */
};

struct vks_scaling {
    const char *model;
    struct vks_device_info device;
    double copy_bandwidth; /* measured, bytes read and written per second */
    uint32_t repeats;
    json_t *options; /* of the simulation, before the sweeps; borrowed */
    json_t *command; /* the words of the command line; borrowed */
    struct vks_scaling_sweep *sweeps;
    size_t count;
    size_t points_left; /* that were not measured because of an interruption */
};

/* Fits the measured points of a sweep: time = a + b x^p. */
enum vks_result vks_scaling_fit(struct vks_scaling_sweep *sweep);
/* The time that the fit is of: a step's, or that of all `x` steps. */
double vks_scaling_time(const struct vks_scaling_sweep *sweep, double step_seconds, uint64_t x);

void vks_scaling_table(FILE *out, const struct vks_scaling *scaling);
/* A new value; NULL or not *complete when memory ran out. */
json_t *vks_scaling_json(const struct vks_scaling *scaling, bool *complete);
/* Draws one plot per sweep into an SVG file, see vks_plot_write(). */
enum vks_result vks_scaling_plot(const struct vks_scaling *scaling, const char *path,
                                 bool overwrite);
/* Writes everything into one HTML page; see vks_html_available(). */
enum vks_result vks_scaling_html(const struct vks_scaling *scaling, const char *path,
                                 bool overwrite);

#endif
