/* SPDX-License-Identifier: MIT */
/* The linear theory of Physarum's uniform state: how a small wave of the trail grows. A report, so
 * float64 and libm, unlike the simulation itself. docs/onset.md derives it. */
#ifndef VKS_ONSET_THEORY_H
#define VKS_ONSET_THEORY_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/* Headings that the density is known at, and with the trail the order of the matrix. */
enum { VKS_ONSET_HEADINGS = 64, VKS_ONSET_ORDER = VKS_ONSET_HEADINGS + 1 };

/* A model of one species with max steering. Lengths in cells, angles in radians. */
struct vks_onset_model {
    double density; /* agents per cell */
    double sensor_distance, sensor_angle, turn_angle, step_size, jitter;
    double keep;    /* 1 - decay */
    double diffuse; /* over 3 x 3 cells; 0: none */
    double deposit;
    bool bilinear; /* sensors interpolate */
};

/* The sensors, as rows and columns of the covariance and in lists. */
enum { VKS_ONSET_FRONT, VKS_ONSET_LEFT, VKS_ONSET_RIGHT, VKS_ONSET_SENSORS };

/* The probability of a left turn in the uniform state, and its derivatives by the means of what the
 * sensors read. Those of a right turn are the same with left and right exchanged. */
struct vks_onset_gains {
    double left;
    double derivatives[VKS_ONSET_SENSORS];
};

/* From the covariance of what agents' sensors read, which is made symmetric in left and right.
 * False if two sensors always read the same: agents do not turn then. */
bool vks_onset_gains_of(double covariance[VKS_ONSET_SENSORS][VKS_ONSET_SENSORS],
                        struct vks_onset_gains *gains);

/* The matrix of one step of a wave exp(i k x), k in radians per cell: amplitudes of the density at
 * each heading, and last of the trail. In C order. */
void vks_onset_matrix(const struct vks_onset_model *model, const struct vks_onset_gains *gains,
                      double k, double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER]);

/* False for waves so short that what agents do within a wavelength needs more headings. */
bool vks_onset_resolves(const struct vks_onset_model *model, double k);

/* What becomes of a wave. */
struct vks_onset_mode {
    double rate;   /* ln of the largest growth factor per step */
    double period; /* steps in which a wave that oscillates does so once; 0: it does not */
    /* The model of two variables: trail p, density of agents y. p' = (1 - beta) p + alpha y,
     * y' = gamma p + (1 - kappa) y. */
    double alpha, beta, gamma, kappa;
    double toy_rate;
};

/* False if the matrix has numbers that are not finite, or its eigenvalues do not converge. */
bool vks_onset_mode_of(const double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER],
                       struct vks_onset_mode *mode);

/* The amplitude of the trail after each of `count` ascending numbers of steps, of one that begins
 * as 1, with a uniform density of agents. */
void vks_onset_response(const double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER],
                        const unsigned *steps, size_t count, double *amplitudes);
/* The same by the model of two variables. */
void vks_onset_toy_response(const struct vks_onset_mode *mode, const unsigned *steps, size_t count,
                            double *amplitudes);

#endif
