/* SPDX-License-Identifier: MIT */
/* For a given p, a and b follow from linear least squares, so only p is searched (variable
 * projection): first on a grid, which finds the right valley, then by golden section. */
#include "report/fit.h"

#include <math.h>

/* The powers searched. */
#define LOW_P 0.01
#define HIGH_P 8.0

/* A fit with x divided by `scale`, the geometric mean of its ends, so that powers stay near 1. */
struct trial {
    const double *x, *y;
    size_t count;
    double scale;
    bool has_a;
    double a, b; /* best for the power tried last */
};

/* Solves for a and b; returns the sum of the squared relative errors. */
static double try_power(struct trial *trial, double p)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const double u = 1 / trial->y[i]; /* y = a + b z^p, divided by y: 1 = a u + b v */
        const double v = pow(trial->x[i] / trial->scale, p) / trial->y[i];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    const double determinant = uu * vv - uv * uv;
    trial->a = trial->has_a && determinant > 0 ? (u1 * vv - v1 * uv) / determinant : 0;
    trial->b = (v1 - trial->a * uv) / vv;
    double sum = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const double fitted = trial->a + trial->b * pow(trial->x[i] / trial->scale, p);
        const double error = fitted / trial->y[i] - 1;
        sum += error * error;
    }
    return sum;
}

/* The power with the smallest sum. */
static double best_power(struct trial *trial)
{
    enum { GRID = 800, HALVINGS = 120 };
    const double golden = 0.6180339887498949, step = (HIGH_P - LOW_P) / (double)GRID;
    double best = LOW_P, min_error = INFINITY;
    for (int i = 0; i <= GRID; i++) {
        const double p = LOW_P + step * i, sum = try_power(trial, p);
        if (sum < min_error) {
            min_error = sum;
            best = p;
        }
    }
    double low = fmax(best - step, LOW_P), high = fmin(best + step, HIGH_P);
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = try_power(trial, left), at_right = try_power(trial, right);
    for (int i = 0; i < HALVINGS; i++) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = try_power(trial, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = try_power(trial, right);
        }
    }
    return (low + high) / 2;
}

/* --- confidence ------------------------------------------------------------------------------ */

/* The 97.5 % quantile of Student's t. */
static double quantile(size_t freedom)
{
    static const double table[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                   2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                   2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                   2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    const size_t rows = sizeof(table) / sizeof(table[0]);
    const double normal = 1.959964;
    return freedom == 0      ? (double)NAN
           : freedom <= rows ? table[freedom - 1]
                             : normal + (normal * normal * normal + normal) / (4 * (double)freedom);
}

/* Inverts a symmetric matrix of `size` rows in place; false if it is singular. */
static bool invert(double m[3][3], size_t size)
{
    double inverse[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (size_t i = 0; i < size; i++) {
        const double pivot = m[i][i]; /* positive in a positive definite matrix */
        if (!(pivot > 1e-13)) {
            return false;
        }
        for (size_t k = 0; k < size; k++) {
            m[i][k] /= pivot;
            inverse[i][k] /= pivot;
        }
        for (size_t r = 0; r < size; r++) {
            const double factor = m[r][i];
            for (size_t k = 0; k < size && r != i; k++) {
                m[r][k] -= factor * m[i][k];
                inverse[r][k] -= factor * inverse[i][k];
            }
        }
    }
    for (size_t i = 0; i < size * 3; i++) {
        m[i / 3][i % 3] = inverse[i / 3][i % 3];
    }
    return true;
}

/* The margins from the linearised model, in the parameters p, log b and a; the columns are divided
 * by their lengths, so that the matrix is well scaled. */
static void set_margins(const struct trial *trial, double sum, struct vks_power_fit *fit)
{
    const size_t size = trial->has_a ? 3 : 2;
    const size_t freedom = trial->count > size ? trial->count - size : 0;
    double normal[3][3] = {{0}}, length[3] = {0};
    fit->a.margin = fit->b.margin = fit->p.margin = (double)NAN;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < trial->count; i++) {
            const double power = fit->b.value * pow(trial->x[i], fit->p.value) / trial->y[i];
            const double row[] = {power * log(trial->x[i]), power, 1 / trial->y[i]};
            for (size_t r = 0; r < size; r++) {
                length[r] += pass == 0 ? row[r] * row[r] : 0;
                for (size_t k = 0; k < size && pass == 1; k++) {
                    normal[r][k] += row[r] * row[k] / sqrt(length[r] * length[k]);
                }
            }
        }
    }
    if (freedom == 0 || !invert(normal, size)) {
        return;
    }
    const double spread = quantile(freedom) * sqrt(sum / (double)freedom);
    fit->p.margin = spread * sqrt(normal[0][0] / length[0]);
    fit->b.margin = spread * sqrt(normal[1][1] / length[1]) * fit->b.value;
    if (trial->has_a) {
        fit->a.margin = spread * sqrt(normal[2][2] / length[2]);
    }
}

/* --- fits ------------------------------------------------------------------------------------ */

double vks_fit_at(const struct vks_power_fit *fit, double x)
{
    return fit->a.value + fit->b.value * pow(x, fit->p.value);
}

/* The best fit, with or without a. */
static void fit_model(const double *x, const double *y, size_t count, bool has_a,
                      struct vks_power_fit *fit)
{
    struct trial trial = {
        .x = x, .y = y, .count = count, .scale = sqrt(x[0]) * sqrt(x[count - 1]), .has_a = has_a};
    const double p = best_power(&trial);
    const double sum = try_power(&trial, p);
    *fit = (struct vks_power_fit){.count = count};
    fit->a.value = trial.a;
    fit->b.value = trial.b * pow(trial.scale, -p);
    fit->p.value = p;
    for (size_t i = 0; i < count; i++) {
        fit->worst = fmax(fit->worst, fabs(vks_fit_at(fit, x[i]) / y[i] - 1));
    }
    set_margins(&trial, sum, fit);
}

bool vks_fit_power(const double *x, const double *y, size_t count, struct vks_power_fit *fit)
{
    *fit = (struct vks_power_fit){.count = 0};
    if (count < VKS_FIT_MIN_POINTS) {
        return false;
    }
    fit_model(x, y, count, true, fit);
    /* A constant that the points cannot tell from 0 would only blur the power. */
    if (fit->a.value < 0 || fit->a.margin > fit->a.value) {
        fit_model(x, y, count, false, fit);
    }
    return true;
}

bool vks_fit_full(const double *x, const double *y, size_t count, bool small_constant,
                  struct vks_power_fit *fit)
{
    for (size_t first = 0; first + VKS_FIT_MIN_POINTS <= count; first++) {
        (void)vks_fit_power(x + first, y + first, count - first, fit); /* enough points */
        bool full = fit->worst <= VKS_FIT_TOLERANCE;
        for (size_t i = first; i < count && small_constant; i++) {
            full = full && fit->a.value <= VKS_FIT_CONSTANT * y[i];
        }
        if (full) {
            fit->first = first;
            return true;
        }
    }
    (void)vks_fit_power(x, y, count, fit); /* none for too few points */
    return false;
}
