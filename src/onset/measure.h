/* SPDX-License-Identifier: MIT */
/* Measures what the linear theory predicts, in runs of Physarum. */
#ifndef VKS_ONSET_MEASURE_H
#define VKS_ONSET_MEASURE_H

#include <vksim/vksim.h>

#include "onset/theory.h"

/* Steps after which the response to a wave is measured, and those after which the wavelength of the
 * pattern is. */
enum { VKS_ONSET_TIMES = 4, VKS_ONSET_PATTERN = 30 };
extern const unsigned vks_onset_times[VKS_ONSET_TIMES];

/* Waves q are exp(2 pi i q x / W): `modes` has the numbers, in ascending order. */
struct vks_onset_plan {
    uint32_t width, height; /* cells */
    uint64_t agents;
    uint32_t seed, seeds; /* the first, and how many; 0: nothing is measured */
    uint64_t spin_up;     /* steps */
    const uint32_t *modes;
    size_t mode_count;
    const struct vks_onset_model *model;
};

/* The mean over seeds and axes, and its standard error. */
struct vks_onset_mean {
    double value, error;
};

struct vks_onset_measured {
    double covariance[VKS_ONSET_SENSORS][VKS_ONSET_SENSORS]; /* of the first seed */
    struct vks_onset_gains gains;                            /* from it */
    /* Only with seeds: */
    struct vks_onset_mean (*responses)[VKS_ONSET_TIMES]; /* to each mode, relative to its start */
    struct vks_onset_mean *rates; /* per step, between the first two times; NaN: no growth factor */
    uint32_t pattern;      /* the mode, among all between the first and the last, whose power has
                            * grown most by then, in all directions; 0: none */
    double pattern_growth; /* of its power, as a factor */
};

/* Runs a simulation, whose initial condition is uniform, without steering for the spin-up, and
 * measures. The simulation has periodic boundaries and a square field where there are seeds. Free
 * the results either way. VKS_ERROR_USAGE where sensors do not differ, VKS_INTERRUPTED after an
 * interruption. */
enum vks_result vks_onset_measure(vks_simulation *simulation, const struct vks_onset_plan *plan,
                                  struct vks_onset_measured *measured);
void vks_onset_measured_free(struct vks_onset_measured *measured);

#endif
