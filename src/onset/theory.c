/* SPDX-License-Identifier: MIT */
#include "onset/theory.h"

#include <math.h>
#include <string.h>

#include "onset/eigen.h"

#define PI 3.14159265358979323846

enum { N = VKS_ONSET_HEADINGS, ORDER = VKS_ONSET_ORDER };

static double sinc(double x)
{
    return x == 0 ? 1 : sin(x) / x;
}

/* --- turns ----------------------------------------------------------------------------------- */

bool vks_onset_gains_of(double c[VKS_ONSET_SENSORS][VKS_ONSET_SENSORS],
                        struct vks_onset_gains *gains)
{
    enum { F = VKS_ONSET_FRONT, L = VKS_ONSET_LEFT, R = VKS_ONSET_RIGHT };
    c[L][L] = c[R][R] = 0.5 * (c[L][L] + c[R][R]);
    c[F][L] = c[L][F] = c[F][R] = c[R][F] = 0.5 * (c[F][L] + c[F][R]);
    c[L][R] = c[R][L] = 0.5 * (c[L][R] + c[R][L]);
    const double front = c[L][L] + c[F][F] - 2 * c[F][L]; /* variance of left - front */
    const double right = 2 * (c[L][L] - c[L][R]);         /* of left - right */
    const double smallest = 1e-12 * (c[F][F] + c[L][L]);
    if (!(front > smallest && right > smallest)) {
        return false;
    }
    double correlation = (c[L][L] - c[F][L] - c[L][R] + c[F][R]) / sqrt(front * right);
    correlation = fmin(fmax(correlation, -1), 1);
    gains->left = 0.25 + asin(correlation) / (2 * PI);
    gains->derivatives[F] = -1 / sqrt(8 * PI * front);
    gains->derivatives[R] = -1 / sqrt(8 * PI * right);
    gains->derivatives[L] = -gains->derivatives[F] - gains->derivatives[R];
    return true;
}

/* --- the matrix ------------------------------------------------------------------------------ */

/* A circulant matrix multiplies harmonic m by a factor: its first column, from the factors in the
 * order 0, 1 .. N/2 - 1, -N/2 .. -1. */
static void column_of(const double complex factors[N], double complex column[N])
{
    for (int d = 0; d < N; d++) {
        column[d] = 0;
        for (int m = 0; m < N; m++) {
            column[d] += factors[m] * cexp(2 * PI * I * (m * d % N) / N) / N;
        }
    }
}

/* Harmonics of the jitter, and of a turn by an angle to the left followed by it. */
static void turn_factors(const struct vks_onset_model *model, double complex jitter[N],
                         double complex left[N])
{
    for (int i = 0; i < N; i++) {
        const double m = i < N / 2 ? i : i - N;
        jitter[i] = sinc(m * model->jitter);
        left[i] = jitter[i] * cexp(-I * m * model->turn_angle);
    }
}

/* Adds `scale` times the circulant matrix times the vector. */
static void add_product(const double complex column[N], const double complex vector[N],
                        double scale, double complex sum[N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            sum[i] += scale * column[(i - j + N) % N] * vector[j];
        }
    }
}

/* What a wave of the trail adds to the probabilities of turns to the left and to the right. */
static void steering(const struct vks_onset_model *model, const struct vks_onset_gains *gains,
                     double k, double complex left[N], double complex right[N])
{
    const double *g = gains->derivatives;
    const double angle = model->sensor_angle, reach = k * model->sensor_distance;
    /* What a sensor reads of cells: their width; interpolated, a triangle that begins at the cell's
     * edge and not in its middle. */
    const double width = sinc(k / 2);
    const double complex cell = model->bilinear ? width * width * cexp(0.5 * I * k) : width;
    for (int j = 0; j < N; j++) {
        const double heading = 2 * PI * j / N;
        const double complex to_left = cell * cexp(I * reach * cos(heading + angle));
        const double complex to_right = cell * cexp(I * reach * cos(heading - angle));
        const double complex ahead = cell * cexp(I * reach * cos(heading));
        left[j] = g[VKS_ONSET_LEFT] * to_left + g[VKS_ONSET_FRONT] * ahead +
                  g[VKS_ONSET_RIGHT] * to_right;
        right[j] = g[VKS_ONSET_LEFT] * to_right + g[VKS_ONSET_FRONT] * ahead +
                   g[VKS_ONSET_RIGHT] * to_left;
    }
}

void vks_onset_matrix(const struct vks_onset_model *model, const struct vks_onset_gains *gains,
                      double k, double complex matrix[ORDER * ORDER])
{
    double complex jitter[N], left[N], right[N], stay[N], source[N] = {0}, moved[N];
    double complex to_left[N], to_right[N];
    turn_factors(model, jitter, left);
    for (int m = 0; m < N; m++) {
        const double harmonic = m < N / 2 ? m : m - N;
        right[m] = jitter[m] * cexp(I * harmonic * model->turn_angle);
        stay[m] = (1 - 2 * gains->left) * jitter[m] + gains->left * (left[m] + right[m]);
    }
    double complex circulant[N];
    steering(model, gains, k, to_left, to_right);
    const double uniform = model->density / (2 * PI);
    column_of(left, circulant);
    add_product(circulant, to_left, uniform, source);
    column_of(right, circulant);
    add_product(circulant, to_right, uniform, source);
    column_of(jitter, circulant);
    add_product(circulant, to_left, -uniform, source);
    add_product(circulant, to_right, -uniform, source);
    column_of(stay, circulant);

    const double blur = 1 - model->diffuse + model->diffuse * (1 + 2 * cos(k)) / 3;
    const double keep = model->keep * blur;
    const double deposit = keep * model->deposit * sinc(k / 2) * 2 * PI / N;
    double complex *trail = matrix + N * ORDER;
    memset(trail, 0, ORDER * sizeof(*trail));
    for (int i = 0; i < N; i++) {
        moved[i] = cexp(-I * k * model->step_size * cos(2 * PI * i / N));
        for (int j = 0; j < N; j++) {
            matrix[i * ORDER + j] = moved[i] * circulant[(i - j + N) % N];
            trail[j] += deposit * matrix[i * ORDER + j];
        }
        matrix[i * ORDER + N] = moved[i] * source[i];
        trail[N] += deposit * matrix[i * ORDER + N];
    }
    trail[N] += keep;
}

bool vks_onset_resolves(const struct vks_onset_model *model, double k)
{
    /* exp(i z cos(heading)) has about z harmonics, of which there are N / 2. */
    return k * (model->sensor_distance + model->step_size) < N / 2 - 8;
}

/* --- growth ---------------------------------------------------------------------------------- */

/* The averages over headings: what becomes of a uniform density, and of the trail. */
static void average(const double complex *matrix, double complex small[2][2])
{
    small[0][0] = matrix[N * ORDER + N];
    small[0][1] = small[1][0] = small[1][1] = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            small[1][1] += matrix[i * ORDER + j] / N;
        }
        small[0][1] += matrix[N * ORDER + i] / (2 * PI);
        small[1][0] += matrix[i * ORDER + N] * (2 * PI / N);
    }
}

bool vks_onset_mode_of(const double complex matrix[ORDER * ORDER], struct vks_onset_mode *mode)
{
    double complex copy[ORDER * ORDER], values[ORDER], small[2][2], largest = 0;
    memcpy(copy, matrix, sizeof(copy));
    if (!vks_eigenvalues(copy, ORDER, values)) {
        return false;
    }
    for (int i = 0; i < ORDER; i++) {
        largest = cabs(values[i]) > cabs(largest) ? values[i] : largest;
    }
    average(matrix, small);
    const double complex half = 0.5 * (small[0][0] + small[1][1]);
    const double complex part = 0.5 * (small[0][0] - small[1][1]);
    const double complex root = csqrt(part * part + small[0][1] * small[1][0]);
    const double angle = fabs(carg(largest));
    *mode = (struct vks_onset_mode){
        .rate = log(cabs(largest)),
        .period = angle > 1e-6 ? 2 * PI / angle : 0,
        .alpha = creal(small[0][1]),
        .beta = 1 - creal(small[0][0]),
        .gamma = creal(small[1][0]),
        .kappa = 1 - creal(small[1][1]),
        .toy_rate = log(fmax(cabs(half + root), cabs(half - root))),
    };
    return true;
}

void vks_onset_response(const double complex matrix[ORDER * ORDER], const unsigned *steps,
                        size_t count, double *amplitudes)
{
    double complex now[ORDER] = {0}, next[ORDER];
    unsigned done = 0;
    now[N] = 1;
    for (size_t s = 0; s < count; s++) {
        for (; done < steps[s]; done++) {
            for (int i = 0; i < ORDER; i++) {
                next[i] = 0;
                for (int j = 0; j < ORDER; j++) {
                    next[i] += matrix[i * ORDER + j] * now[j];
                }
            }
            memcpy(now, next, sizeof(now));
        }
        amplitudes[s] = creal(now[N]);
    }
}

void vks_onset_toy_response(const struct vks_onset_mode *mode, const unsigned *steps, size_t count,
                            double *amplitudes)
{
    double trail = 1, agents = 0;
    unsigned done = 0;
    for (size_t s = 0; s < count; s++) {
        for (; done < steps[s]; done++) {
            const double next = (1 - mode->beta) * trail + mode->alpha * agents;
            agents = mode->gamma * trail + (1 - mode->kappa) * agents;
            trail = next;
        }
        amplitudes[s] = trail;
    }
}
