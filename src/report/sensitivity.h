/* SPDX-License-Identifier: MIT */
/* How sensitive a simulation is to small changes: the results of `vksim sensitivity` as a table,
 * JSON, CSV, plots and a map. docs/sensitivity.md defines the numbers. */
#ifndef VKS_REPORT_SENSITIVITY_H
#define VKS_REPORT_SENSITIVITY_H

#include <jansson.h>
#include <stdio.h>

#include <vksim/vksim.h>

#include "view/colormap.h"

/* Distances, one after another: each is the step since the perturbation and the quantities
 * (api/twins.h). */
struct vks_distances {
    double *rows; /* count x (1 + quantities) */
    size_t count, capacity;
};

/* What one seed has shown. Rates are per step, NaN where they could not be measured. */
struct vks_sensitivity_seed {
    uint64_t seed;
    /* The twin that is contracted: */
    uint64_t *cycles; /* steps between contractions; the first is that from the perturbation */
    size_t cycle_count, cycle_capacity;
    double rate;
    /* The free twin; none in a map: */
    struct vks_distances free;
    double free_rate;
    uint64_t free_from, free_to; /* the steps of its fit */
    double largest;              /* its largest relative distance; in a map the contracted one's */
};

/* A mean over seeds and its standard error, NaN for fewer than 1 and 2 of them. */
struct vks_sensitivity_mean {
    double value, error;
    size_t count;
};

/* An option that varies in a map; count 0: none. */
struct vks_sensitivity_axis {
    const char *option;
    const char *const *values;
    size_t count;
};

struct vks_sensitivity {
    const char *model;
    struct vks_device_info device;
    char size[48];
    json_t *options; /* borrowed, as the next */
    json_t *command;
    char perturbation[96];
    uint64_t spin_up, steps, every;
    uint32_t shrink, limit;
    const char *const *names;       /* of the quantities */
    size_t quantities, main, items; /* `items`: 1 if the first two are about items, else 0 */
    struct vks_sensitivity_seed *seeds;
    size_t seed_count; /* that were measured; in a map per cell */
    bool interrupted;
    /* A map: cells in reading order, each with `seed_count` seeds in `seeds`. */
    struct vks_sensitivity_axis across, down;
    size_t cells; /* that were measured; 0: no map */
};

/* The distance of twins in a row, relative to the total; 0 if that is 0. */
double vks_sensitivity_relative(const struct vks_sensitivity *sensitivity, const double *row);
/* The slope of the logarithm of the free twin's distance, from its last rise through 1e-4 to its
 * first rise through 3e-2, by least squares: sets the seed's free_rate, free_from and free_to. */
void vks_sensitivity_fit(const struct vks_sensitivity *sensitivity,
                         struct vks_sensitivity_seed *seed);
/* The rate by the cycles: shrink ln 2 per cycle, without the first. */
double vks_sensitivity_rate(const struct vks_sensitivity_seed *seed, uint32_t shrink);

/* Over seeds that have a rate: those of a map's cell, or all. */
struct vks_sensitivity_mean vks_sensitivity_mean(const struct vks_sensitivity *sensitivity,
                                                 size_t cell);
struct vks_sensitivity_mean vks_sensitivity_free_mean(const struct vks_sensitivity *sensitivity);

void vks_sensitivity_table(FILE *out, const struct vks_sensitivity *sensitivity);
/* A new value; NULL if memory ran out. */
json_t *vks_sensitivity_json(const struct vks_sensitivity *sensitivity);
/* The distances of the free twins per step, as CSV. */
enum vks_result vks_sensitivity_curve(const struct vks_sensitivity *sensitivity, const char *path,
                                      bool overwrite);
/* Draws the relative distances of the free twins, see vks_plot_write(). */
enum vks_result vks_sensitivity_plot(const struct vks_sensitivity *sensitivity, const char *path,
                                     bool overwrite);
/* Draws the map as PNG, and writes its numbers as CSV. */
enum vks_result vks_sensitivity_map(const struct vks_sensitivity *sensitivity,
                                    const struct vks_colormap *colours, const char *path,
                                    const char *csv, bool overwrite);
/* Writes everything into one HTML page; see vks_html_available(). */
enum vks_result vks_sensitivity_html(const struct vks_sensitivity *sensitivity,
                                     const struct vks_colormap *colours, const char *path,
                                     bool overwrite);

#endif
