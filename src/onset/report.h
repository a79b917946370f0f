/* SPDX-License-Identifier: MIT */
/* The linear theory beside what was measured: as a table, JSON or a plot. */
#ifndef VKS_ONSET_REPORT_H
#define VKS_ONSET_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include <vksim/vksim.h>

#include "onset/measure.h"
#include "onset/theory.h"

/* A Fourier mode. */
struct vks_onset_row {
    uint32_t mode;
    double wavelength; /* cells */
    bool resolved;     /* false: the theory says nothing, see vks_onset_resolves() */
    struct vks_onset_mode theory;
    double responses[VKS_ONSET_TIMES];     /* of the trail, by the theory */
    double toy_responses[VKS_ONSET_TIMES]; /* by the model of two variables */
};

struct vks_onset_report {
    struct vks_device_info device;
    const struct vks_onset_plan *plan;
    const struct vks_onset_measured *measured;
    struct vks_onset_row *rows; /* one per mode of the plan */
    json_t *options;            /* of the simulation; borrowed */
    json_t *command;            /* the words of the command line; borrowed */
};

/* Fills the rows, which are allocated, from the plan and the gains. */
enum vks_result vks_onset_predict(struct vks_onset_report *report);

void vks_onset_table(FILE *out, const struct vks_onset_report *report);
/* A new value; NULL or not *complete when memory ran out. */
json_t *vks_onset_json(const struct vks_onset_report *report, bool *complete);
/* Draws into a file, see vks_plot_write(). */
enum vks_result vks_onset_plot(const struct vks_onset_report *report, const char *path,
                               bool overwrite);

#endif
