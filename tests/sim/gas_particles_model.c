/* SPDX-License-Identifier: MIT */
#include "gas_particles_model.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gas_exchange_model.h"

static const double pi = 3.14159265358979323846;

static uint64_t nodes_of(const struct gas_particles_model *model)
{
    return (uint64_t)model->side[GAS_Z] * model->side[GAS_Y] * model->side[GAS_X];
}

static double h_of(const struct gas_particles_model *model)
{
    return 1.0 / fmax(model->side[GAS_Z], fmax(model->side[GAS_Y], model->side[GAS_X]));
}

static bool active(const struct gas_particles_model *model, int axis)
{
    return model->side[axis] > 1;
}

static uint64_t node_at(const struct gas_particles_model *model, const uint32_t place[3])
{
    return ((uint64_t)place[GAS_Z] * model->side[GAS_Y] + place[GAS_Y]) * model->side[GAS_X] +
           place[GAS_X];
}

/* The neighbour along an axis, by -1 or 1. */
static uint64_t neighbour(const struct gas_particles_model *model, uint64_t node, int axis, int by)
{
    uint32_t place[3] = {
        (uint32_t)(node / model->side[GAS_X] / model->side[GAS_Y]),
        (uint32_t)(node / model->side[GAS_X] % model->side[GAS_Y]),
        (uint32_t)(node % model->side[GAS_X]),
    };
    place[axis] = (place[axis] + model->side[axis] + (uint32_t)by) % model->side[axis];
    return node_at(model, place);
}

/* --- create and free -------------------------------------------------------------------------- */

static bool allocate(struct gas_particles_model *model)
{
    double **of_nodes[] = {
        &model->density,
        &model->heat_at,
        &model->kinetic_at,
        &model->dispersion_at,
        &model->share,
        &model->potential,
        &model->p,
        &model->c,
        &model->predicted_p,
        &model->change,
        &model->velocity_at[0],
        &model->velocity_at[1],
        &model->velocity_at[2],
        &model->acceleration[0],
        &model->acceleration[1],
        &model->acceleration[2],
        &model->predicted_u[0],
        &model->predicted_u[1],
        &model->predicted_u[2],
        &model->slope_u[0],
        &model->slope_u[1],
        &model->slope_u[2],
        &model->slope_p[0],
        &model->slope_p[1],
        &model->slope_p[2],
        &model->new_u[0],
        &model->new_u[1],
        &model->new_u[2],
    };
    double **of_particles[] = {
        &model->position[0], &model->position[1], &model->position[2], &model->velocity[0],
        &model->velocity[1], &model->velocity[2], &model->mass,        &model->heat,
        &model->oscillator,  &model->frequency,
    };
    bool complete = true;
    for (size_t i = 0; i < sizeof(of_nodes) / sizeof(of_nodes[0]); i++) {
        *of_nodes[i] = calloc((size_t)nodes_of(model), sizeof(double));
        complete = complete && *of_nodes[i] != NULL;
    }
    for (size_t i = 0; i < sizeof(of_particles) / sizeof(of_particles[0]); i++) {
        *of_particles[i] = calloc((size_t)model->count, sizeof(double));
        complete = complete && *of_particles[i] != NULL;
    }
    model->occupied = calloc((size_t)nodes_of(model), sizeof(bool));
    return complete && model->occupied != NULL;
}

struct gas_particles_model *gas_particles_model_create(const struct gas_particles_state *state)
{
    struct gas_particles_model *model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    memcpy(model->side, state->side, sizeof(model->side));
    model->count = state->count;
    model->settings = state->settings;
    model->smooth = state->constants.smooth;
    if (!allocate(model)) {
        gas_particles_model_free(model);
        return NULL;
    }
    double total = 0.0;
    for (uint64_t i = 0; i < model->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            model->position[axis][i] = state->position[axis][i] * 0x1p-32;
            model->velocity[axis][i] = state->velocity[axis][i];
        }
        model->mass[i] = state->mass[i];
        model->heat[i] = state->heat[i];
        model->oscillator[i] = state->oscillator[i];
        model->frequency[i] = state->frequency[i];
        total += model->mass[i];
    }
    /* 256 units, of which the total has at most 2^61. */
    model->empty = ldexp(256.0, -(int)floor(61.0 - log2(total)));
    model->boltzmann = model->settings.boltzmann * total / (double)model->count;
    model->planck = model->settings.planck * total / (double)model->count;
    model->time = (double)gas_particles_time(state) * 0x1p-40;
    float dt;
    memcpy(&dt, &state->clockwork[GAS_LAST_DT], sizeof(dt));
    model->dt = dt;
    return model;
}

void gas_particles_model_free(struct gas_particles_model *model)
{
    if (model == NULL) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        free(model->position[axis]);
        free(model->velocity[axis]);
        free(model->velocity_at[axis]);
        free(model->acceleration[axis]);
        free(model->predicted_u[axis]);
        free(model->slope_u[axis]);
        free(model->slope_p[axis]);
        free(model->new_u[axis]);
    }
    free(model->mass);
    free(model->heat);
    free(model->oscillator);
    free(model->frequency);
    free(model->occupied);
    free(model->density);
    free(model->heat_at);
    free(model->kinetic_at);
    free(model->dispersion_at);
    free(model->share);
    free(model->potential);
    free(model->p);
    free(model->c);
    free(model->predicted_p);
    free(model->change);
    free(model);
}

/* --- node states ------------------------------------------------------------------------------ */

struct corners {
    uint64_t node[8];
    double weight[8];
};

static struct corners corners_of(const struct gas_particles_model *model, uint64_t particle)
{
    uint32_t lower[3];
    double f[3];
    for (int axis = 0; axis < 3; axis++) {
        double cells = model->position[axis][particle] * model->side[axis];
        lower[axis] = (uint32_t)fmin(floor(cells), model->side[axis] - 1.0);
        f[axis] = active(model, axis) ? cells - lower[axis] : 0.0;
    }
    struct corners corners;
    for (unsigned corner = 0; corner < 8; corner++) {
        uint32_t place[3];
        corners.weight[corner] = 1.0;
        for (int axis = 0; axis < 3; axis++) {
            bool upper = (corner >> (2 - axis) & 1) != 0;
            place[axis] = (lower[axis] + upper) % model->side[axis];
            corners.weight[corner] *= upper ? f[axis] : 1.0 - f[axis];
        }
        corners.node[corner] = node_at(model, place);
    }
    return corners;
}

static double velocity2_of(const struct gas_particles_model *model, uint64_t i)
{
    return pow(model->velocity[0][i], 2) + pow(model->velocity[1][i], 2) +
           pow(model->velocity[2][i], 2);
}

static void deposit(struct gas_particles_model *model)
{
    uint64_t nodes = nodes_of(model);
    double per_volume = pow(h_of(model), -3);
    for (uint64_t n = 0; n < nodes; n++) {
        model->density[n] = model->heat_at[n] = model->kinetic_at[n] = 0.0;
        model->dispersion_at[n] = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            model->velocity_at[axis][n] = 0.0;
        }
    }
    for (uint64_t i = 0; i < model->count; i++) {
        const struct corners corners = corners_of(model, i);
        for (unsigned corner = 0; corner < 8; corner++) {
            uint64_t n = corners.node[corner];
            double mass = corners.weight[corner] * model->mass[i] * per_volume;
            model->density[n] += mass;
            model->heat_at[n] += mass * model->heat[i];
            model->kinetic_at[n] += 0.5 * mass * velocity2_of(model, i);
            for (int axis = 0; axis < 3; axis++) {
                model->velocity_at[axis][n] += mass * model->velocity[axis][i];
            }
        }
    }
    for (uint64_t n = 0; n < nodes; n++) {
        model->occupied[n] =
            model->density[n] > 0.0 && model->density[n] >= model->empty * per_volume;
        for (int axis = 0; axis < 3; axis++) {
            model->velocity_at[axis][n] =
                model->occupied[n] ? model->velocity_at[axis][n] / model->density[n] : 0.0;
        }
    }
    for (uint64_t i = 0; i < model->count; i++) {
        const struct corners corners = corners_of(model, i);
        for (unsigned corner = 0; corner < 8; corner++) {
            uint64_t n = corners.node[corner];
            double square = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                square += pow(model->velocity[axis][i] - model->velocity_at[axis][n], 2);
            }
            model->dispersion_at[n] +=
                0.5 * corners.weight[corner] * model->mass[i] * per_volume * square;
        }
    }
    for (uint64_t n = 0; n < nodes; n++) {
        if (!model->occupied[n]) {
            model->density[n] = model->heat_at[n] = model->dispersion_at[n] = 0.0;
        }
    }
}

/* --- gravity ---------------------------------------------------------------------------------- */

/* Fourier sums along one axis, by their definition. */
static void transform(const struct gas_particles_model *model, double complex *values, int axis,
                      double sign)
{
    uint32_t side = model->side[axis];
    uint64_t stride = axis == GAS_X   ? 1
                      : axis == GAS_Y ? model->side[GAS_X]
                                      : (uint64_t)model->side[GAS_X] * model->side[GAS_Y];
    double complex line[64];
    double complex turn[64];
    for (uint32_t i = 0; i < side; i++) {
        turn[i] = cexp(sign * 2.0 * pi * I * i / side);
    }
    for (uint64_t first = 0; first < nodes_of(model); first++) {
        if (first / stride % side != 0) {
            continue;
        }
        for (uint32_t k = 0; k < side; k++) {
            line[k] = 0.0;
            for (uint32_t i = 0; i < side; i++) {
                line[k] += values[first + i * stride] * turn[i * k % side];
            }
        }
        for (uint32_t k = 0; k < side; k++) {
            values[first + k * stride] = line[k];
        }
    }
}

static void solve_gravity(struct gas_particles_model *model)
{
    uint64_t nodes = nodes_of(model);
    double h = h_of(model);
    double complex *values = malloc(nodes * sizeof(*values));
    if (values == NULL) {
        abort();
    }
    double mean = 0.0;
    for (uint64_t n = 0; n < nodes; n++) {
        mean += model->density[n] / (double)nodes;
    }
    for (uint64_t n = 0; n < nodes; n++) {
        values[n] = model->density[n] - mean;
    }
    for (int axis = 0; axis < 3; axis++) {
        transform(model, values, axis, -1.0);
    }
    for (uint64_t n = 0; n < nodes; n++) {
        uint64_t rest = n;
        double square = 0.0;
        for (int axis = GAS_X; axis >= GAS_Z; axis--) {
            double wave = (double)(rest % model->side[axis]);
            rest /= model->side[axis];
            wave = wave > model->side[axis] / 2 ? wave - model->side[axis] : wave;
            square += pow(2.0 * pi * wave / (model->side[axis] * h), 2);
        }
        values[n] *= n == 0 ? 0.0 : -4.0 * pi * model->settings.gravity / square / (double)nodes;
    }
    for (int axis = 0; axis < 3; axis++) {
        transform(model, values, axis, 1.0);
    }
    for (uint64_t n = 0; n < nodes; n++) {
        model->potential[n] = creal(values[n]);
    }
    free(values);
    for (uint64_t n = 0; n < nodes; n++) {
        for (int axis = 0; axis < 3; axis++) {
            double rise = model->potential[neighbour(model, n, axis, 1)] -
                          model->potential[neighbour(model, n, axis, -1)];
            model->acceleration[axis][n] = active(model, axis) ? -rise / (2.0 * h) : 0.0;
        }
    }
}

void gas_particles_model_measure(struct gas_particles_model *model)
{
    deposit(model);
    if (model->settings.gravity > 0.0) {
        solve_gravity(model);
    }
}

/* --- dt and shares ---------------------------------------------------------------------------- */

void gas_particles_model_time_step(struct gas_particles_model *model)
{
    const struct gas_particles_settings *s = &model->settings;
    double h = h_of(model);
    double total = 0.0;
    for (uint64_t i = 0; i < model->count; i++) {
        total += model->mass[i];
    }
    double mean = total / ((double)nodes_of(model) * pow(h, 3));
    double rate = 0.0, fast = 0.0, diffusivity = 0.0, strongest = 0.0;
    for (uint64_t n = 0; n < nodes_of(model); n++) {
        strongest = fmax(strongest, sqrt(pow(model->acceleration[0][n], 2) +
                                         pow(model->acceleration[1][n], 2) +
                                         pow(model->acceleration[2][n], 2)));
        model->share[n] = 0.0;
        if (!model->occupied[n]) {
            continue;
        }
        double p = (s->gamma - 1.0) * (model->heat_at[n] + model->dispersion_at[n]);
        double c = sqrt(s->gamma * p / model->density[n]);
        double sum = 0.0, fastest = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            if (active(model, axis)) {
                const double *u = model->velocity_at[axis];
                uint64_t lower = neighbour(model, n, axis, -1);
                uint64_t upper = neighbour(model, n, axis, 1);
                double closing = fmax(model->occupied[lower] ? u[lower] - u[n] : 0.0,
                                      model->occupied[upper] ? u[n] - u[upper] : 0.0);
                sum += c + fmax(closing, 0.0);
                fastest = fmax(fastest, closing);
                fast = fmax(fast, fabs(u[n]));
            }
        }
        rate = fmax(rate, sum / h);
        model->share[n] = c + fastest;
        if (model->density[n] >= 0.01 * mean) {
            diffusivity = fmax(diffusivity, s->conductivity / model->density[n]);
        }
    }
    double dt = fmin(s->dt, 1.0 / (rate / s->cfl + diffusivity / (0.15 * h * h)));
    dt = fmin(dt, 0.5 * h / fast);
    dt = s->gravity > 0.0 ? fmin(dt, 0.25 * sqrt(h / strongest)) : dt;
    model->dt_last = model->dt;
    model->dt = floor(dt * 0x1p40) * 0x1p-40;
    for (uint64_t n = 0; n < nodes_of(model); n++) {
        model->share[n] = fmin(1.0, s->mixing * model->dt * model->share[n] / h);
    }
}

/* --- the Lagrangian step of the nodes -------------------------------------------------------- */

static double limited(double a, double b)
{
    if (a * b <= 0.0) {
        return 0.0;
    }
    return copysign(fmin(0.5 * fabs(a + b), fmin(2.0 * fabs(a), 2.0 * fabs(b))), a);
}

/* The same for a velocity: changes up to `small` are not limited. */
static double velocity_slope(double a, double b, double small)
{
    double mean = 0.5 * (a + b);
    double room = a * b > 0.0 ? 2.0 * fmin(fabs(a), fabs(b)) + small : small;
    return copysign(fmin(fabs(mean), room), mean);
}

static void predict(struct gas_particles_model *model)
{
    uint64_t nodes = nodes_of(model);
    double gamma = model->settings.gamma;
    double lambda = model->dt / h_of(model);
    for (uint64_t n = 0; n < nodes; n++) {
        model->p[n] =
            (gamma - 1.0) * (model->heat_at[n] + model->share[n] * model->dispersion_at[n]);
        model->c[n] = model->occupied[n] ? sqrt(gamma * model->p[n] / model->density[n]) : 0.0;
    }
    for (uint64_t n = 0; n < nodes; n++) {
        double divergence = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double *u = model->velocity_at[axis];
            uint64_t lower = neighbour(model, n, axis, -1);
            uint64_t upper = neighbour(model, n, axis, 1);
            bool sloped = model->occupied[lower] && model->occupied[n] && model->occupied[upper];
            model->slope_u[axis][n] = sloped ? velocity_slope(u[n] - u[lower], u[upper] - u[n],
                                                              model->smooth * model->c[n])
                                             : 0.0;
            model->slope_p[axis][n] =
                sloped ? limited(model->p[n] - model->p[lower], model->p[upper] - model->p[n])
                       : 0.0;
            divergence += active(model, axis) ? model->slope_u[axis][n] : 0.0;
            model->predicted_u[axis][n] =
                model->occupied[n]
                    ? u[n] - 0.5 * lambda * model->slope_p[axis][n] / model->density[n]
                    : 0.0;
        }
        model->predicted_p[n] =
            fmax(0.0, model->p[n] - 0.5 * gamma * lambda * model->p[n] * divergence);
    }
}

struct riemann {
    double p, u, q;
};

static struct riemann between_nodes(const struct gas_particles_model *model, uint64_t left,
                                    int axis)
{
    const struct gas_particles_settings *s = &model->settings;
    uint64_t right = neighbour(model, left, axis, 1);
    double u_l = model->predicted_u[axis][left] + 0.5 * model->slope_u[axis][left];
    double u_r = model->predicted_u[axis][right] - 0.5 * model->slope_u[axis][right];
    double p_l = fmax(0.0, model->predicted_p[left] + 0.5 * model->slope_p[axis][left]);
    double p_r = fmax(0.0, model->predicted_p[right] - 0.5 * model->slope_p[axis][right]);
    if (model->predicted_u[axis][left] <= model->predicted_u[axis][right] &&
        u_l - u_r > fmin(model->c[left], model->c[right])) {
        u_l = model->predicted_u[axis][left];
        u_r = model->predicted_u[axis][right];
    }
    double delta = u_l - u_r;
    double stiff = 0.25 * (s->gamma + 1.0) * fmax(delta, 0.0);
    double z_l = model->density[left] * (model->c[left] + stiff);
    double z_r = model->density[right] * (model->c[right] + stiff);
    struct riemann face = {0};
    if (z_l + z_r > 0.0) {
        face.p = fmax(0.0, (z_r * p_l + z_l * p_r + z_l * z_r * delta) / (z_l + z_r));
        face.u = (z_l * u_l + z_r * u_r + p_l - p_r) / (z_l + z_r);
    }
    if (model->occupied[left] && model->occupied[right]) {
        double h = h_of(model);
        double cap = 0.15 * fmin(model->density[left], model->density[right]) * h * h / model->dt;
        double t_l = model->p[left] / ((s->gamma - 1.0) * model->density[left]);
        double t_r = model->p[right] / ((s->gamma - 1.0) * model->density[right]);
        face.q = -fmin(s->conductivity, cap) * (t_r - t_l) / h;
    }
    double theta = 1.0;
    for (int side = 0; side < 2; side++) {
        uint64_t n = side == 0 ? left : right;
        double away = face.u - model->velocity_at[axis][n];
        double lambda = model->dt / h_of(model);
        double faces = 0.0;
        for (int other = 0; other < 3; other++) {
            faces += active(model, other) ? 2.0 : 0.0;
        }
        if (!model->occupied[n]) {
            continue;
        }
        double work =
            face.p * ((side == 0 ? away : -away) + 0.5 * lambda / model->density[n] * face.p);
        double loss = lambda * (work + (side == 0 ? face.q : -face.q));
        double most = (1.0 - 0x1p-10) * model->p[n] / ((s->gamma - 1.0) * faces);
        theta = loss > most ? fmin(theta, most / loss * (1.0 - 0x1p-12)) : theta;
    }
    face.p *= theta;
    face.q *= theta;
    return face;
}

static void update_nodes(struct gas_particles_model *model)
{
    double lambda = model->dt / h_of(model);
    for (uint64_t n = 0; n < nodes_of(model); n++) {
        model->change[n] = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double u = model->velocity_at[axis][n];
            model->new_u[axis][n] = u;
            if (!active(model, axis) || !model->occupied[n]) {
                continue;
            }
            const struct riemann upper = between_nodes(model, n, axis);
            const struct riemann lower = between_nodes(model, neighbour(model, n, axis, -1), axis);
            double pushed = u - lambda / model->density[n] * (upper.p - lower.p);
            double mid = 0.5 * (u + pushed);
            model->change[n] -= lambda * (upper.p * (upper.u - mid) - lower.p * (lower.u - mid) +
                                          upper.q - lower.q);
            model->new_u[axis][n] =
                pushed + 0.5 * (model->dt_last + model->dt) * model->acceleration[axis][n];
        }
    }
}

/* --- exchange --------------------------------------------------------------------------------- */

static void exchange(struct gas_particles_model *model, uint64_t i)
{
    double m = model->mass[i];
    double heat = model->heat[i] * m, store = model->oscillator[i] * m;
    const struct gas_exchange_model exchange = {
        .boltzmann = model->boltzmann,
        .planck = model->planck,
        .exchange_time = model->settings.exchange_time,
        .leak = 4.0 * pi * model->settings.conductivity * 0.5 * h_of(model),
    };
    gas_exchange_model_step(&exchange, model->dt, m, model->frequency[i], &heat, &store);
    model->oscillator[i] = store / m;
    model->heat[i] = heat / m;
}

/* --- particles -------------------------------------------------------------------------------- */

static void move(struct gas_particles_model *model, uint64_t i)
{
    const struct corners corners = corners_of(model, i);
    double advected[3] = {0.0}, kick[3] = {0.0}, kicks[8][3];
    double kept = 0.0, gained = 0.0;
    for (unsigned corner = 0; corner < 8; corner++) {
        uint64_t n = corners.node[corner];
        double w = corners.weight[corner], r = model->share[n];
        for (int axis = 0; axis < 3; axis++) {
            double u = model->occupied[n] ? model->new_u[axis][n] : 0.0;
            double old = model->velocity_at[axis][n];
            kicks[corner][axis] =
                model->occupied[n] ? u - old - r * (model->velocity[axis][i] - old) : 0.0;
            advected[axis] += w * u;
            kick[axis] += w * kicks[corner][axis];
        }
        if (!model->occupied[n]) {
            kept += w;
            continue;
        }
        /* Mixing turns the lost dispersion to heat. */
        double change = model->change[n] + (1.0 - pow(1.0 - r, 2)) * model->dispersion_at[n];
        double heat = model->heat_at[n];
        double left = change < 0.0 ? (heat > 0.0 ? fmax(0.0, 1.0 + change / heat) : 1.0) : 1.0;
        double gain = fmax(change, 0.0) / model->density[n];
        double mean = fmax(0.0, heat + change) / model->density[n];
        kept += w * (1.0 - r) * left;
        gained += w * ((1.0 - r) * gain + r * mean);
    }
    double spread = 0.0;
    for (unsigned corner = 0; corner < 8; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            spread += corners.weight[corner] * pow(kicks[corner][axis] - kick[axis], 2);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        model->velocity[axis][i] += kick[axis];
        if (active(model, axis)) {
            double moved = model->position[axis][i] +
                           model->dt * advected[axis] / (h_of(model) * model->side[axis]);
            model->position[axis][i] = moved - floor(moved);
        }
    }
    model->heat[i] = fmax(0.0, kept * model->heat[i] + gained + 0.5 * spread);
    bool conducts = model->settings.conductivity > 0.0 || model->settings.exchange_time > 0.0;
    if (model->boltzmann > 0.0 && conducts && model->mass[i] > 0.0) {
        exchange(model, i);
    }
}

void gas_particles_model_advance(struct gas_particles_model *model)
{
    predict(model);
    update_nodes(model);
    for (uint64_t i = 0; i < model->count; i++) {
        move(model, i);
    }
    model->time += model->dt;
}

void gas_particles_model_step(struct gas_particles_model *model)
{
    gas_particles_model_measure(model);
    gas_particles_model_time_step(model);
    gas_particles_model_advance(model);
}
