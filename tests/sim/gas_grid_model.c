/* SPDX-License-Identifier: MIT */
#include "gas_grid_model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RHO, MZ, MY, MX, ENERGY, INTERNAL };

/* One node or face state along a line: density, velocities with the one along the line first,
 * pressure. */
typedef double state5[5];

struct flux {
    double of[5], internal, velocity;
};

/* --- set-up ------------------------------------------------------------------------------- */

struct gas_model *gas_model_create(size_t depth, size_t height, size_t width,
                                   const struct gas_model_parameters *parameters)
{
    struct gas_model *model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    model->side[0] = depth;
    model->side[1] = height;
    model->side[2] = width;
    model->nodes = depth * height * width;
    model->h = 1.0 / fmax((double)depth, fmax((double)height, (double)width));
    model->parameters = *parameters;
    bool complete = true;
    for (int f = 0; f < GAS_MODEL_FIELDS; f++) {
        model->field[f] = calloc(model->nodes, sizeof(double));
        model->rates[f] = calloc(model->nodes, sizeof(double));
        model->save[f] = calloc(model->nodes, sizeof(double));
        complete = complete && model->field[f] != NULL && model->rates[f] != NULL &&
                   model->save[f] != NULL;
    }
    for (int i = 0; i < 5; i++) {
        model->primitive[i] = calloc(model->nodes, sizeof(double));
        complete = complete && model->primitive[i] != NULL;
    }
    if (!complete) {
        gas_model_free(model);
        return NULL;
    }
    return model;
}

void gas_model_free(struct gas_model *model)
{
    if (model == NULL) {
        return;
    }
    for (int f = 0; f < GAS_MODEL_FIELDS; f++) {
        free(model->field[f]);
        free(model->rates[f]);
        free(model->save[f]);
    }
    for (int i = 0; i < 5; i++) {
        free(model->primitive[i]);
    }
    free(model);
}

/* --- nodes -------------------------------------------------------------------------------- */

static bool is_gas(const struct gas_model *model, double rho)
{
    return rho > model->parameters.vacuum;
}

static double thermal_energy(const struct gas_model *model, size_t n)
{
    double *const *u = model->field;
    double rho = u[RHO][n];
    if (!is_gas(model, rho)) {
        return u[ENERGY][n];
    }
    double m2 = u[MZ][n] * u[MZ][n] + u[MY][n] * u[MY][n] + u[MX][n] * u[MX][n];
    return u[ENERGY][n] - 0.5 * m2 / rho;
}

static void find_primitives(struct gas_model *model)
{
    double *const *u = model->field;
    for (size_t n = 0; n < model->nodes; n++) {
        double rho = u[RHO][n];
        for (int i = 0; i < 5; i++) {
            model->primitive[i][n] = 0.0;
        }
        if (!is_gas(model, rho)) {
            continue;
        }
        double thermal = thermal_energy(model, n);
        double heat = thermal > 1e-3 * u[ENERGY][n] ? thermal : u[INTERNAL][n];
        model->primitive[0][n] = rho;
        model->primitive[1][n] = u[MZ][n] / rho;
        model->primitive[2][n] = u[MY][n] / rho;
        model->primitive[3][n] = u[MX][n] / rho;
        model->primitive[4][n] = (model->parameters.gamma - 1.0) * fmax(heat, 0.0);
    }
}

static double sound_speed(const struct gas_model *model, double rho, double p)
{
    return rho > 0.0 ? sqrt(model->parameters.gamma * p / rho) : 0.0;
}

void gas_model_synchronise(struct gas_model *model)
{
    const size_t stride[3] = {model->side[1] * model->side[2], model->side[2], 1};
    double *const *u = model->field;
    for (size_t n = 0; n < model->nodes; n++) {
        double max = u[ENERGY][n];
        for (int axis = 0; axis < 3; axis++) {
            size_t at = n / stride[axis] % model->side[axis], line = n - at * stride[axis];
            size_t up = (at + 1) % model->side[axis];
            size_t down = (at + model->side[axis] - 1) % model->side[axis];
            max = fmax(max, u[ENERGY][line + up * stride[axis]]);
            max = fmax(max, u[ENERGY][line + down * stride[axis]]);
        }
        double thermal = thermal_energy(model, n);
        if (thermal > 0.1 * max) {
            u[INTERNAL][n] = thermal;
        } else if (!(u[INTERNAL][n] > 0.0)) {
            u[INTERNAL][n] = fmax(thermal, 0.0);
        }
    }
}

double gas_model_longest_dt(struct gas_model *model)
{
    const struct gas_model_parameters *p = &model->parameters;
    find_primitives(model);
    double mean = 0.0;
    for (size_t n = 0; n < model->nodes; n++) {
        mean += model->field[RHO][n] / (double)model->nodes;
    }
    memset(model->fastest, 0, sizeof(model->fastest));
    double diffusivity = 0.0;
    for (size_t n = 0; n < model->nodes; n++) {
        double rho = model->primitive[0][n];
        double c = sound_speed(model, rho, model->primitive[4][n]);
        for (int axis = 0; axis < 3; axis++) {
            if (model->side[axis] > 1) {
                model->fastest[axis] =
                    fmax(model->fastest[axis], fabs(model->primitive[1 + axis][n]) + c);
            }
        }
        if (rho > 0.0 && rho >= 0.01 * mean) {
            diffusivity = fmax(diffusivity, p->conductivity / rho);
        }
    }
    double sum = model->fastest[0] + model->fastest[1] + model->fastest[2];
    double inverse = sum / (p->cfl * model->h) + diffusivity / (0.15 * model->h * model->h);
    return inverse * p->longest > 1.0 ? 1.0 / inverse : p->longest;
}

/* --- faces -------------------------------------------------------------------------------- */

static double limited(double below, double at, double above)
{
    double a = at - below, b = above - at;
    if (a * b <= 0.0) {
        return 0.0;
    }
    return copysign(fmin(0.5 * fabs(a + b), 2.0 * fmin(fabs(a), fabs(b))), a);
}

static void conserved(const struct gas_model *model, const state5 w, double u[5], double f[5])
{
    double kinetic = 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    u[0] = w[0];
    for (int i = 1; i < 4; i++) {
        u[i] = w[0] * w[i];
    }
    u[4] = w[4] / (model->parameters.gamma - 1.0) + kinetic;
    for (int i = 0; i < 5; i++) {
        f[i] = u[i] * w[1];
    }
    f[1] += w[4];
    f[4] += w[4] * w[1];
}

static struct flux first_order(const struct gas_model *model, const state5 l, const state5 r)
{
    double u_l[5], u_r[5], f_l[5], f_r[5];
    conserved(model, l, u_l, f_l);
    conserved(model, r, u_r, f_r);
    double s = fmax(fabs(l[1]) + sound_speed(model, l[0], l[4]),
                    fabs(r[1]) + sound_speed(model, r[0], r[4]));
    struct flux flux = {.velocity = 0.5 * (l[1] + r[1])};
    for (int i = 0; i < 5; i++) {
        flux.of[i] = 0.5 * (f_l[i] + f_r[i]) - 0.5 * s * (u_r[i] - u_l[i]);
    }
    return flux;
}

/* HLL between two signal speeds, u_f from the momentum and density of its state. */
static struct flux two_waves(const double u_l[5], const double u_r[5], const double f_l[5],
                             const double f_r[5], double slow, double fast)
{
    struct flux flux = {0};
    if (slow >= 0.0) {
        memcpy(flux.of, f_l, sizeof(flux.of));
        flux.velocity = u_l[0] > 0.0 ? u_l[1] / u_l[0] : 0.0;
    } else if (fast <= 0.0) {
        memcpy(flux.of, f_r, sizeof(flux.of));
        flux.velocity = u_r[0] > 0.0 ? u_r[1] / u_r[0] : 0.0;
    } else {
        double width = fast - slow;
        for (int i = 0; i < 5; i++) {
            flux.of[i] = (fast * f_l[i] - slow * f_r[i] + slow * fast * (u_r[i] - u_l[i])) / width;
        }
        double rho = fast * u_r[0] - slow * u_l[0] + f_l[0] - f_r[0];
        double momentum = fast * u_r[1] - slow * u_l[1] + f_l[1] - f_r[1];
        flux.velocity = rho > 0.0 ? momentum / rho : 0.0;
    }
    return flux;
}

static struct flux riemann(const struct gas_model *model, const state5 l, const state5 r)
{
    double g = model->parameters.gamma;
    double u_l[5], u_r[5], f_l[5], f_r[5];
    conserved(model, l, u_l, f_l);
    conserved(model, r, u_r, f_r);
    double c_l = sound_speed(model, l[0], l[4]), c_r = sound_speed(model, r[0], r[4]);
    if (l[0] <= 0.0 && r[0] <= 0.0) {
        return (struct flux){0};
    }
    if (r[0] <= 0.0) {
        return two_waves(u_l, u_r, f_l, f_r, l[1] - c_l, l[1] + 2.0 * c_l / (g - 1.0));
    }
    if (l[0] <= 0.0) {
        return two_waves(u_l, u_r, f_l, f_r, r[1] - 2.0 * c_r / (g - 1.0), r[1] + c_r);
    }
    double a = sqrt(l[0]), b = sqrt(r[0]), mean[3], square = 0.0;
    for (int i = 0; i < 3; i++) {
        mean[i] = (a * l[1 + i] + b * r[1 + i]) / (a + b);
        square += mean[i] * mean[i];
    }
    double enthalpy = (a * (u_l[4] + l[4]) / l[0] + b * (u_r[4] + r[4]) / r[0]) / (a + b);
    double c = sqrt(fmax(0.0, (g - 1.0) * (enthalpy - 0.5 * square)));
    double slow = fmin(l[1] - c_l, mean[0] - c), fast = fmax(r[1] + c_r, mean[0] + c);
    struct flux flux = {0};
    if (slow >= 0.0 || fast <= 0.0) {
        memcpy(flux.of, slow >= 0.0 ? f_l : f_r, sizeof(flux.of));
        flux.velocity = slow >= 0.0 ? l[1] : r[1];
        return flux;
    }
    double max = 0x1p-40 * fmax(fabs(slow), fabs(fast));
    double a_l = l[0] * (slow - l[1]), a_r = r[0] * (fast - r[1]);
    if (fabs(a_l - a_r) <= max * fmax(l[0], r[0])) {
        return first_order(model, l, r);
    }
    double star = (r[4] - l[4] + a_l * l[1] - a_r * r[1]) / (a_l - a_r);
    const double *w = star >= 0.0 ? l : r, *u = star >= 0.0 ? u_l : u_r;
    const double *f = star >= 0.0 ? f_l : f_r;
    double speed = star >= 0.0 ? slow : fast;
    if (fabs(speed - star) <= max) {
        return first_order(model, l, r);
    }
    double rho = w[0] * (speed - w[1]) / (speed - star);
    double work = (star - w[1]) * (star + w[4] / (w[0] * (speed - w[1])));
    const double inside[5] = {rho, rho * star, rho * w[2], rho * w[3], rho * (u[4] / w[0] + work)};
    for (int i = 0; i < 5; i++) {
        flux.of[i] = f[i] + speed * (inside[i] - u[i]);
    }
    flux.velocity = star;
    return flux;
}

/* 1.001 E less the kinetic energy, of one share. */
static double surplus(const double share[5])
{
    double m2 = share[1] * share[1] + share[2] * share[2] + share[3] * share[3];
    return share[0] > 0.0 ? 1.001 * share[4] - 0.5 * m2 / share[0]
                          : (m2 > 0.0 ? -HUGE_VAL : 1.001 * share[4]);
}

static void share_of(const double u[5], double k, const struct flux *flux, double share[5])
{
    for (int i = 0; i < 5; i++) {
        share[i] = u[i] + k * flux->of[i];
    }
}

static void mix(struct flux *flux, const struct flux *low, double theta)
{
    for (int i = 0; i < 5; i++) {
        flux->of[i] = low->of[i] + theta * (flux->of[i] - low->of[i]);
    }
    flux->velocity = low->velocity + theta * (flux->velocity - low->velocity);
}

static void keep_positive(const struct gas_model *model, const state5 w[2], const double energy[2],
                          double k, struct flux *flux)
{
    double u[2][5], unused[5];
    for (int i = 0; i < 2; i++) {
        conserved(model, w[i], u[i], unused);
        u[i][4] = w[i][0] > 0.0 ? energy[i] : 0.0;
    }
    struct flux low = first_order(model, w[0], w[1]);
    double theta = 1.0;
    for (int i = 0; i < 2; i++) {
        double high[5], first[5];
        share_of(u[i], i == 0 ? -k : k, flux, high);
        share_of(u[i], i == 0 ? -k : k, &low, first);
        if (high[0] < 0.0) {
            theta = fmin(theta, first[0] > 0.0 ? first[0] / (first[0] - high[0]) : 0.0);
        }
    }
    if (theta < 1.0) {
        mix(flux, &low, theta);
    }
    theta = 1.0;
    for (int i = 0; i < 2; i++) {
        double high[5], first[5];
        share_of(u[i], i == 0 ? -k : k, flux, high);
        share_of(u[i], i == 0 ? -k : k, &low, first);
        double now = surplus(high), then = surplus(first);
        if (now < 0.0) {
            theta = fmin(theta, then > 0.0 ? then / (then - now) : 0.0);
        }
    }
    if (theta < 1.0) {
        mix(flux, &low, theta);
    }
}

/* --- rates and steps ---------------------------------------------------------------------- */

/* Faces of one line of `count` nodes: flux[i] is between the nodes i and i + 1. */
static void line_fluxes(const struct gas_model *model, size_t count, state5 *w,
                        const double *energy, double k, double dt, struct flux *flux)
{
    const struct gas_model_parameters *p = &model->parameters;
    for (size_t i = 0; i < count; i++) {
        const size_t four[4] = {(i + count - 1) % count, i, (i + 1) % count, (i + 2) % count};
        state5 face[2];
        for (size_t side = 0; side < 2; side++) {
            const double *below = w[four[side]], *at = w[four[side + 1]],
                         *above = w[four[side + 2]];
            bool sloped = below[0] > 0.0 && at[0] > 0.0 && above[0] > 0.0;
            for (int q = 0; q < 5; q++) {
                double half = sloped ? 0.5 * limited(below[q], at[q], above[q]) : 0.0;
                face[side][q] = side == 0 ? at[q] + half : at[q] - half;
            }
        }
        const double *l = w[four[1]], *r = w[four[2]];
        flux[i] = riemann(model, face[0], face[1]);
        const state5 nodes[2] = {{l[0], l[1], l[2], l[3], l[4]}, {r[0], r[1], r[2], r[3], r[4]}};
        keep_positive(model, nodes, (const double[2]){energy[four[1]], energy[four[2]]}, k,
                      &flux[i]);
        const double *up = flux[i].of[0] >= 0.0 ? face[0] : face[1];
        flux[i].internal = up[0] > 0.0 ? flux[i].of[0] * up[4] / ((p->gamma - 1.0) * up[0]) : 0.0;
        if (l[0] > 0.0 && r[0] > 0.0) {
            double kappa =
                fmin(p->conductivity, 0.15 * fmin(l[0], r[0]) * model->h * model->h / dt);
            double q = -kappa * (r[4] / r[0] - l[4] / l[0]) / ((p->gamma - 1.0) * model->h);
            flux[i].of[4] += q;
            flux[i].internal += q;
        }
    }
}

/* Adds what one line contributes. */
static void add_line(struct gas_model *model, int axis, size_t start, size_t stride, double dt,
                     state5 *w, double *energy, struct flux *flux)
{
    size_t count = model->side[axis];
    int order[5] = {0, 1 + axis, axis == 0 ? 2 : 1, axis == 2 ? 2 : 3, 4};
    for (size_t i = 0; i < count; i++) {
        size_t n = start + i * stride;
        for (int q = 0; q < 5; q++) {
            w[i][q] = model->primitive[order[q]][n];
        }
        energy[i] = model->field[ENERGY][n];
    }
    double sum = model->fastest[0] + model->fastest[1] + model->fastest[2];
    double k = model->fastest[axis] > 0.0 ? 2.0 * dt / model->h * sum / model->fastest[axis] : 0.0;
    line_fluxes(model, count, w, energy, k, dt, flux);
    for (size_t i = 0; i < count; i++) {
        const struct flux *high = &flux[i], *low = &flux[(i + count - 1) % count];
        size_t n = start + i * stride;
        for (int q = 0; q < 5; q++) {
            model->rates[order[q]][n] -= (high->of[q] - low->of[q]) / model->h;
        }
        double work = w[i][4] * (high->velocity - low->velocity);
        model->rates[INTERNAL][n] -= (high->internal - low->internal + work) / model->h;
    }
}

void gas_model_find_rates(struct gas_model *model, double dt)
{
    find_primitives(model);
    for (int f = 0; f < GAS_MODEL_FIELDS; f++) {
        memset(model->rates[f], 0, model->nodes * sizeof(double));
    }
    const size_t stride[3] = {model->side[1] * model->side[2], model->side[2], 1};
    for (int axis = 0; axis < 3; axis++) {
        size_t count = model->side[axis];
        if (count == 1) {
            continue;
        }
        state5 *w = calloc(count, sizeof(*w));
        double *energy = calloc(count, sizeof(*energy));
        struct flux *flux = calloc(count, sizeof(*flux));
        if (w == NULL || energy == NULL || flux == NULL) {
            abort();
        }
        for (size_t n = 0; n < model->nodes; n++) {
            if (n / stride[axis] % count == 0) {
                add_line(model, axis, n, stride[axis], dt, w, energy, flux);
            }
        }
        free(w);
        free(energy);
        free(flux);
    }
}

static void kick(struct gas_model *model, double *const g[3], double half)
{
    double *const *u = model->field;
    for (size_t n = 0; n < model->nodes; n++) {
        double rho = u[RHO][n];
        for (int axis = 0; axis < 3 && is_gas(model, rho); axis++) {
            double dm = rho * g[axis][n] * half;
            u[ENERGY][n] += dm * (u[MZ + axis][n] + 0.5 * dm) / rho;
            u[MZ + axis][n] += dm;
        }
    }
}

void gas_model_step(struct gas_model *model, double dt, double *const g[3], double half)
{
    gas_model_longest_dt(model);
    if (g != NULL) {
        kick(model, g, half);
    }
    size_t size = model->nodes * sizeof(double);
    for (int f = 0; f < GAS_MODEL_FIELDS; f++) {
        memcpy(model->save[f], model->field[f], size);
    }
    for (int stage = 0; stage < 2; stage++) {
        gas_model_find_rates(model, dt);
        for (int f = 0; f < GAS_MODEL_FIELDS; f++) {
            for (size_t n = 0; n < model->nodes; n++) {
                double after = model->field[f][n] + dt * model->rates[f][n];
                model->field[f][n] = stage == 0 ? after : 0.5 * model->save[f][n] + 0.5 * after;
            }
        }
        gas_model_synchronise(model);
    }
}
