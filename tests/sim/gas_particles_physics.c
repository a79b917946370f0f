/* SPDX-License-Identifier: MIT */
#include "gas_particles_physics.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gas_exact.h"

static const double pi = 3.14159265358979323846;

/* --- runs ------------------------------------------------------------------------------------- */

struct gas_particles_settings gas_usual_settings(void)
{
    return (struct gas_particles_settings){.gamma = 1.4, .dt = 0.015, .cfl = 0.4, .mixing = 0.1};
}

struct gas_particles_state *gas_begin(const uint32_t side[3], uint64_t count,
                                      const struct gas_particles_settings *settings)
{
    struct gas_particles_state *state =
        gas_particles_create(side[GAS_Z], side[GAS_Y], side[GAS_X], count, settings);
    if (state == NULL) {
        fprintf(stderr, "gas_particles_physics: out of memory\n");
        exit(1);
    }
    return state;
}

void gas_go(struct gas_particles_state *state)
{
    if (!gas_particles_step(state)) {
        fprintf(stderr, "gas_particles_physics: a run ended with status %d\n", (int)state->status);
        exit(1);
    }
}

static double time_of(const struct gas_particles_state *state)
{
    return (double)gas_particles_time(state) * 0x1p-40;
}

uint64_t gas_run_to(struct gas_particles_state *state, double end)
{
    uint64_t steps = 0;
    float longest = state->constants.dt_longest;
    /* Remainders below 2^-39 are ignored. */
    for (double rest = end - time_of(state); rest > 0x1p-39; rest = end - time_of(state)) {
        state->constants.dt_longest = rest < longest ? (float)rest : longest;
        gas_go(state);
        steps++;
    }
    state->constants.dt_longest = longest;
    return steps;
}

uint64_t gas_lattice_count(const uint32_t side[3], uint32_t per_axis)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        count *= side[axis] > 1 ? (uint64_t)side[axis] * per_axis : 1;
    }
    return count;
}

static uint32_t to_position(double sides)
{
    return (uint32_t)(uint64_t)llround((sides - floor(sides)) * 0x1p32);
}

static double position_of(const struct gas_particles_state *state, int axis, uint64_t i)
{
    return state->position[axis][i] * 0x1p-32;
}

void gas_fill_lattice(struct gas_particles_state *state, uint32_t per_axis)
{
    for (uint64_t i = 0; i < state->count; i++) {
        uint64_t rest = i;
        for (int axis = GAS_X; axis >= GAS_Z; axis--) {
            uint64_t along = state->side[axis] > 1 ? (uint64_t)state->side[axis] * per_axis : 1;
            state->position[axis][i] =
                along > 1
                    ? to_position((double)(rest % along) / (double)along + 0.5 / (double)along)
                    : 0;
            rest /= along;
        }
        state->mass[i] = 1.0f;
    }
}

/* A row of nodes along x with a lattice on it. */
static struct gas_particles_state *begin_row(uint32_t side, uint32_t per_axis,
                                             const struct gas_particles_settings *settings)
{
    const uint32_t sides[3] = {1, 1, side};
    struct gas_particles_state *state =
        gas_begin(sides, gas_lattice_count(sides, per_axis), settings);
    gas_fill_lattice(state, per_axis);
    return state;
}

/* Density of a box whose lattice has mass 1 per particle. */
static double lattice_density(const struct gas_particles_state *state)
{
    double per_h = state->constants.per_h;
    return (double)state->count / (double)gas_particles_nodes_of(state) * pow(per_h, 3);
}

/* The nodes' densities for the next step. */
static void measure_density(struct gas_particles_state *state)
{
    gas_particles_deposit(state);
    gas_particles_nodes(state);
}

double gas_energy(const struct gas_particles_state *state)
{
    double energy = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            square += pow(state->velocity[axis][i], 2);
        }
        energy += state->mass[i] * (0.5 * square + state->heat[i] + state->oscillator[i]);
    }
    return energy;
}

double gas_momentum(const struct gas_particles_state *state, int axis)
{
    double momentum = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        momentum += (double)state->mass[i] * state->velocity[axis][i];
    }
    return momentum;
}

double gas_momentum_scale(const struct gas_particles_state *state)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        sum += state->mass[i] *
               sqrt(pow(state->velocity[GAS_Z][i], 2) + pow(state->velocity[GAS_Y][i], 2) +
                    pow(state->velocity[GAS_X][i], 2));
    }
    return sum;
}

/* --- tube and slab ---------------------------------------------------------------------------- */

static struct gas_particles_state *begin_sod(uint32_t side, double stream)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    struct gas_particles_state *state = begin_row(side, 8, &settings);
    for (uint64_t i = 0; i < state->count; i++) {
        bool dense = fabs(position_of(state, GAS_X, i) - 0.5) < 0.25;
        state->mass[i] = dense ? 1.0f : 0.125f;
        state->heat[i] = (float)((dense ? 1.0 : 0.1 / 0.125) / 0.4);
        state->velocity[GAS_X][i] = (float)stream;
    }
    return state;
}

struct gas_sod gas_sod(uint32_t side, double stream)
{
    struct gas_particles_state *state = begin_sod(side, stream);
    double unit = lattice_density(state);
    struct gas_sod result = {.steps = gas_run_to(state, 0.1)};
    measure_density(state);
    const struct gas_exact_slab tube = gas_exact_sod(stream), at_rest = gas_exact_sod(0.0);
    const struct gas_exact_shock exact = gas_exact_slab_shock(&at_rest);
    double t = time_of(state);
    for (uint32_t n = 0; n < side; n++) {
        double mean = gas_exact_slab_density(&tube, n, side, t);
        result.l1 += fabs(state->density[n] / unit - mean) / side;
    }
    /* The shock is where the density is halfway, found from the right end. */
    double halfway = 0.5 * (exact.density + 0.125);
    uint32_t n = side - 1;
    while (n > 0 && state->density[n] / unit < halfway) {
        n--;
    }
    double inner = state->density[n] / unit;
    double outer = state->density[(n + 1) % side] / unit;
    double shock = (n + (inner - halfway) / (inner - outer)) / side;
    result.displacement = (shock - 0.75) / (exact.speed * t);
    /* The middle half between contact and shock. */
    double first = 0.75 + t * (0.75 * exact.u + 0.25 * exact.speed);
    double last = 0.75 + t * (0.25 * exact.u + 0.75 * exact.speed);
    double sum = 0.0;
    uint32_t nodes = 0;
    for (n = (uint32_t)ceil(first * side); n <= last * side; n++) {
        sum += state->density[n % side] / unit;
        nodes++;
    }
    result.post_shock = sum / nodes;
    gas_particles_free(state);
    return result;
}

double gas_vacuum_slab(uint32_t side)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    const uint32_t sides[3] = {1, 1, side};
    uint64_t count = (uint64_t)(0.3 * 8 * side);
    struct gas_particles_state *state = gas_begin(sides, count, &settings);
    for (uint64_t i = 0; i < count; i++) {
        state->position[GAS_X][i] = to_position(0.35 + 0.3 * (i + 0.5) / (double)count);
        state->mass[i] = (float)(0.3 * 8 * side / (double)count);
        state->heat[i] = (float)(1.0 / (1.4 * 0.4));
    }
    gas_run_to(state, 0.04);
    measure_density(state);
    double unit = 8.0 * pow(side, 3);
    const struct gas_exact_slab slab = {
        .slab = {1.0, 0.0, 1.0 / 1.4}, .lower = 0.35, .upper = 0.65, .gamma = 1.4};
    double l1 = 0.0;
    for (uint32_t n = 0; n < side; n++) {
        double exact = gas_exact_slab_density(&slab, n, side, time_of(state));
        l1 += fabs(state->density[n] / unit - exact) / side;
    }
    gas_particles_free(state);
    return l1;
}

/* --- waves ------------------------------------------------------------------------------------ */

/* The longest wave of the nodes' densities, over the mean. */
static double complex wave_of(struct gas_particles_state *state)
{
    uint32_t side = state->side[GAS_X];
    double complex sum = 0.0;
    double mean = 0.0;
    measure_density(state);
    for (uint32_t n = 0; n < side; n++) {
        sum += state->density[n] * cexp(-2.0 * pi * I * n / side);
        mean += state->density[n];
    }
    return 2.0 * sum / mean;
}

/* Displaces the lattice to the density 1 + amplitude cos(k x), with the heat of gas that was
 * compressed so and whose speed of sound is 1. */
static void compress(struct gas_particles_state *state, double amplitude, double stream)
{
    double k = 2.0 * pi;
    for (uint64_t i = 0; i < state->count; i++) {
        double q = position_of(state, GAS_X, i);
        double x = q;
        /* x + amplitude / k sin(k x) = q: the mass up to x is that of the lattice up to q. */
        for (int iteration = 0; iteration < 50; iteration++) {
            x = q - amplitude / k * sin(k * x);
        }
        double density = 1.0 + amplitude * cos(k * x);
        state->position[GAS_X][i] = to_position(x);
        state->heat[i] = (float)(pow(density, 0.4) / (1.4 * 0.4));
        state->velocity[GAS_X][i] = (float)(stream * amplitude * cos(k * x));
    }
}

struct gas_sound gas_sound(uint32_t side, double half_periods)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    struct gas_particles_state *state = begin_row(side, 8, &settings);
    compress(state, 1e-3, 1.0);
    gas_particles_units(state);
    double complex start = wave_of(state);
    struct gas_sound result = {0};
    double last = cabs(start);
    for (int i = 1; i <= half_periods; i++) {
        gas_run_to(state, 0.5 * i);
        double complex now = wave_of(state);
        if (i == 1) {
            /* Half a turn backwards, up to a small angle. */
            result.speed = 1.0 - carg(-now / start) / pi;
            result.amplitude = cabs(now) / cabs(start);
        }
        result.growth = fmax(result.growth, cabs(now) / last);
        last = cabs(now);
    }
    gas_particles_free(state);
    return result;
}

double gas_jeans(uint32_t side, double ratio)
{
    double k = 2.0 * pi;
    struct gas_particles_settings settings = gas_usual_settings();
    double density = 8.0 * pow(side, 3);
    settings.gravity = ratio * k * k / (4.0 * pi * density);
    struct gas_particles_state *state = begin_row(side, 8, &settings);
    compress(state, 1e-3, 0.0);
    gas_particles_units(state);
    double start = creal(wave_of(state));
    double theory = k * sqrt(fabs(1.0 - ratio));
    double result = 0.0;
    if (ratio > 1.0) {
        gas_run_to(state, 3.0 / theory);
        result = acosh(creal(wave_of(state)) / start) / 3.0;
    } else {
        /* The first two zeros of the amplitude are half a period apart. */
        double zeros[2];
        int found = 0;
        double before = start;
        while (found < 2) {
            double t = time_of(state);
            gas_go(state);
            double now = creal(wave_of(state));
            if ((before > 0.0) != (now > 0.0)) {
                zeros[found++] = t + (time_of(state) - t) * before / (before - now);
            }
            before = now;
        }
        result = pi / (zeros[1] - zeros[0]) / theory;
    }
    gas_particles_free(state);
    return result;
}

struct gas_advection gas_advection(uint32_t side)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    double stream = 0.5, t = 0.2, k = 2.0 * pi;
    struct gas_particles_state *state = begin_row(side, 4, &settings);
    double complex wave[2];
    for (uint64_t i = 0; i < state->count; i++) {
        state->velocity[GAS_X][i] = (float)stream;
        state->velocity[GAS_Y][i] = (float)(1e-3 * cos(k * position_of(state, GAS_X, i)));
        state->heat[i] = (float)(1.0 / (1.4 * 0.4));
    }
    for (int end = 0; end < 2; end++) {
        if (end == 1) {
            gas_run_to(state, t);
        }
        wave[end] = 0.0;
        for (uint64_t i = 0; i < state->count; i++) {
            double x = position_of(state, GAS_X, i);
            wave[end] += state->velocity[GAS_Y][i] * cexp(-I * k * x);
        }
    }
    gas_particles_free(state);
    double complex turned = wave[1] / wave[0];
    return (struct gas_advection){
        .speed = -carg(turned) / (k * stream * t),
        .diffusivity = -log(cabs(turned)) / (k * k * t) / (stream / side),
    };
}

/* --- collapse --------------------------------------------------------------------------------- */

double gas_pancake(uint32_t side, uint64_t *steps)
{
    double k = 2.0 * pi, slope = 0.1;
    struct gas_particles_settings settings = gas_usual_settings();
    settings.gravity = 1.0 / (4.0 * pi * 8.0 * pow(side, 3)); /* growth rate 1 */
    settings.dt = 1.0;
    struct gas_particles_state *state = begin_row(side, 8, &settings);
    double *q = malloc((size_t)state->count * sizeof(*q));
    if (q == NULL) {
        fprintf(stderr, "gas_particles_physics: out of memory\n");
        exit(1);
    }
    for (uint64_t i = 0; i < state->count; i++) {
        q[i] = position_of(state, GAS_X, i);
        state->position[GAS_X][i] = to_position(q[i] + slope / k * sin(k * q[i]));
    }
    *steps = gas_run_to(state, acosh(0.7 / slope));
    double largest = slope / k * cosh(time_of(state));
    double error = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        double exact = q[i] + largest * sin(k * q[i]);
        error = fmax(error, fabs(remainder(position_of(state, GAS_X, i) - exact, 1.0)));
    }
    free(q);
    gas_particles_free(state);
    return error / largest;
}

/* Relative radius at `t` of a sphere, initially at rest, of density `density` in a box whose mean
 * is subtracted. */
static double fallen(double density, double mean, double gravity, double t)
{
    enum { STEPS = 100000 };
    double s = 1.0, v = 0.0, dt = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        v -= 0.5 * dt * 4.0 * pi / 3.0 * gravity * (density / (s * s) - mean * s);
        s += dt * v;
        v -= 0.5 * dt * 4.0 * pi / 3.0 * gravity * (density / (s * s) - mean * s);
    }
    return s;
}

static double radius_of(const struct gas_particles_state *state, uint64_t i)
{
    return sqrt(pow(position_of(state, GAS_Z, i) - 0.5, 2) +
                pow(position_of(state, GAS_Y, i) - 0.5, 2) +
                pow(position_of(state, GAS_X, i) - 0.5, 2));
}

double gas_free_fall(uint32_t side, uint64_t *steps)
{
    struct gas_particles_settings settings = gas_usual_settings();
    settings.gravity = 1.0;
    settings.dt = 1.0;
    const uint32_t sides[3] = {side, side, side};
    /* A lattice, cropped to the sphere. */
    struct gas_particles_state *box = gas_begin(sides, gas_lattice_count(sides, 2), &settings);
    gas_fill_lattice(box, 2);
    uint64_t count = 0;
    for (uint64_t i = 0; i < box->count; i++) {
        count += radius_of(box, i) < 0.2;
    }
    struct gas_particles_state *state = gas_begin(sides, count, &settings);
    bool *inner = malloc((size_t)count * sizeof(*inner));
    if (inner == NULL) {
        fprintf(stderr, "gas_particles_physics: out of memory\n");
        exit(1);
    }
    double before = 0.0, now = 0.0;
    uint64_t to = 0;
    for (uint64_t i = 0; i < box->count; i++) {
        double r = radius_of(box, i);
        if (r < 0.2) {
            for (int axis = 0; axis < 3; axis++) {
                state->position[axis][to] = box->position[axis][i];
            }
            state->mass[to] = (float)(1.0 / (8.0 * pow(side, 3)));
            inner[to] = r < 0.2 * cbrt(0.5);
            before += inner[to] ? r : 0.0;
            to++;
        }
    }
    gas_particles_free(box);
    *steps = gas_run_to(state, 0.8 * sqrt(3.0 * pi / 32.0));
    for (uint64_t i = 0; i < count; i++) {
        now += inner[i] ? radius_of(state, i) : 0.0;
    }
    double mean = (double)count / (8.0 * pow(side, 3));
    double exact = fallen(1.0, mean, 1.0, time_of(state));
    free(inner);
    gas_particles_free(state);
    return now / before / exact;
}

/* --- explosion -------------------------------------------------------------------------------- */

static double energy_radius(const struct gas_particles_state *state)
{
    double energy = 0.0, weighted = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        double square = pow(state->velocity[GAS_Z][i], 2) + pow(state->velocity[GAS_Y][i], 2) +
                        pow(state->velocity[GAS_X][i], 2);
        /* Without the gas's initial energy. */
        double e = state->mass[i] * (0.5 * square + state->heat[i] - 1e-5 / 0.4);
        energy += e;
        weighted += e * radius_of(state, i);
    }
    return weighted / energy;
}

struct gas_sedov gas_sedov(uint32_t side)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    const struct gas_exact_blast blast = gas_exact_sedov(1.4);
    const uint32_t sides[3] = {side, side, side};
    struct gas_particles_state *state = gas_begin(sides, gas_lattice_count(sides, 2), &settings);
    gas_fill_lattice(state, 2);
    double m = 1.0 / (8.0 * pow(side, 3));
    double weight = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        weight += m * exp(-pow(radius_of(state, i) * side / 1.5, 2));
    }
    for (uint64_t i = 0; i < state->count; i++) {
        double share = exp(-pow(radius_of(state, i) * side / 1.5, 2)) / weight;
        state->mass[i] = (float)m;
        state->heat[i] = (float)(share + 1e-5 / 0.4);
    }
    struct gas_sedov result = {0};
    double end = pow(0.42 / blast.front, 2.5);
    struct gas_power_law law = {0};
    for (int moment = 1; moment <= 20; moment++) {
        double t = end * moment / 20.0;
        result.steps += gas_run_to(state, t);
        double radius = energy_radius(state) / blast.mean;
        if (blast.front * pow(t, 0.4) > 0.18) {
            gas_power_law_add(&law, t, radius);
        }
        result.radius = radius / (blast.front * pow(t, 0.4));
    }
    result.exponent = gas_power_law_exponent(&law);
    measure_density(state);
    result.half_height = (gas_shell_radius(state->density, side) - 0.42) * side;
    gas_particles_free(state);
    return result;
}

/* --- drift ------------------------------------------------------------------------------------ */

static struct gas_drift drift(struct gas_particles_state *state, uint64_t steps)
{
    struct gas_drift result = {0};
    double energy = gas_energy(state);
    double momentum[3];
    for (int axis = 0; axis < 3; axis++) {
        momentum[axis] = gas_momentum(state, axis);
    }
    for (uint64_t i = 0; i < steps; i++) {
        gas_go(state);
    }
    result.energy = fabs(gas_energy(state) / energy - 1.0);
    for (int axis = 0; axis < 3; axis++) {
        double off = fabs(gas_momentum(state, axis) - momentum[axis]);
        result.momentum = fmax(result.momentum, off / gas_momentum_scale(state));
    }
    gas_particles_free(state);
    return result;
}

struct gas_drift gas_shear_drift(uint32_t side, uint64_t steps)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    const uint32_t sides[3] = {1, side, side};
    struct gas_particles_state *state = gas_begin(sides, gas_lattice_count(sides, 3), &settings);
    gas_fill_lattice(state, 3);
    for (uint64_t i = 0; i < state->count; i++) {
        double y = position_of(state, GAS_Y, i);
        double x = position_of(state, GAS_X, i);
        state->velocity[GAS_X][i] = fabs(y - 0.5) < 0.25 ? 0.5f : -0.5f;
        state->velocity[GAS_Y][i] = (float)(0.05 * sin(4.0 * pi * x));
        state->heat[i] = (float)(1.0 / (1.4 * 0.4));
    }
    return drift(state, steps);
}

/* --- vortices and shear ----------------------------------------------------------------------- */

/* A plane with a lattice of `per_axis` particles per node. */
static struct gas_particles_state *begin_plane(uint32_t height, uint32_t width, uint32_t per_axis)
{
    const struct gas_particles_settings settings = gas_usual_settings();
    const uint32_t sides[3] = {1, height, width};
    struct gas_particles_state *state =
        gas_begin(sides, gas_lattice_count(sides, per_axis), &settings);
    gas_fill_lattice(state, per_axis);
    return state;
}

static double kinetic_energy(const struct gas_particles_state *state)
{
    double energy = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        energy += 0.5 * state->mass[i] *
                  (pow(state->velocity[GAS_Y][i], 2) + pow(state->velocity[GAS_X][i], 2));
    }
    return energy;
}

double gas_gresho(uint32_t side)
{
    struct gas_particles_state *state = begin_plane(side, side, 2);
    for (uint64_t i = 0; i < state->count; i++) {
        const double y = position_of(state, GAS_Y, i) - 0.5;
        const double x = position_of(state, GAS_X, i) - 0.5;
        const double r = hypot(y, x);
        const double speed = r < 0.2 ? 5.0 * r : r < 0.4 ? 2.0 - 5.0 * r : 0.0;
        const double pressure = r < 0.2   ? 5.0 + 12.5 * r * r
                                : r < 0.4 ? 9.0 + 12.5 * r * r - 20.0 * r + 4.0 * log(5.0 * r)
                                          : 3.0 + 4.0 * log(2.0);
        state->velocity[GAS_Y][i] = (float)(r > 0.0 ? speed * x / r : 0.0);
        state->velocity[GAS_X][i] = (float)(r > 0.0 ? -speed * y / r : 0.0);
        state->heat[i] = (float)(pressure / 0.4);
    }
    const double before = kinetic_energy(state);
    gas_run_to(state, 1.0);
    const double kept = kinetic_energy(state) / before;
    gas_particles_free(state);
    return kept;
}

/* The amplitude of the velocity `along` times sin(k y), of the particles. */
static double shear_amplitude(const struct gas_particles_state *state)
{
    double amplitude = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        amplitude += 2.0 * state->velocity[GAS_X][i] *
                     sin(2.0 * pi * position_of(state, GAS_Y, i)) / (double)state->count;
    }
    return amplitude;
}

double gas_shear_viscosity(uint32_t side, double hot)
{
    struct gas_particles_state *state = begin_plane(side, 4, 3);
    for (uint64_t i = 0; i < state->count; i++) {
        const double y = position_of(state, GAS_Y, i);
        const bool stripe = hot > 1.0 && fabs(y - 0.5) < 2.0 / side;
        state->velocity[GAS_X][i] = (float)(0.01 * sin(2.0 * pi * y));
        state->heat[i] = (float)((stripe ? hot : 1.0) / (1.4 * 0.4));
        state->mass[i] = (float)(stripe ? 1.0 / hot : 1.0);
    }
    const double before = shear_amplitude(state);
    gas_run_to(state, 1.0);
    const double rate = -log(shear_amplitude(state) / before);
    gas_particles_free(state);
    return rate / pow(2.0 * pi, 2) * side;
}

/* The amplitude of the vortices of Taylor and Green. */
static double vortex_amplitude(const struct gas_particles_state *state)
{
    const double k = 2.0 * pi;
    double amplitude = 0.0;
    for (uint64_t i = 0; i < state->count; i++) {
        const double y = k * position_of(state, GAS_Y, i);
        const double x = k * position_of(state, GAS_X, i);
        amplitude += 2.0 *
                     (state->velocity[GAS_X][i] * sin(x) * cos(y) -
                      state->velocity[GAS_Y][i] * cos(x) * sin(y)) /
                     (double)state->count;
    }
    return amplitude;
}

double gas_vortex_viscosity(uint32_t side)
{
    struct gas_particles_state *state = begin_plane(side, side, 3);
    const double mach = 0.1, k = 2.0 * pi;
    for (uint64_t i = 0; i < state->count; i++) {
        const double y = k * position_of(state, GAS_Y, i);
        const double x = k * position_of(state, GAS_X, i);
        const double pressure = 1.0 / 1.4 + mach * mach / 4.0 * (cos(2.0 * x) + cos(2.0 * y));
        state->velocity[GAS_X][i] = (float)(mach * sin(x) * cos(y));
        state->velocity[GAS_Y][i] = (float)(-mach * cos(x) * sin(y));
        state->heat[i] = (float)(pressure / 0.4);
    }
    const double before = vortex_amplitude(state), time = 0.5;
    gas_run_to(state, time);
    const double rate = -log(vortex_amplitude(state) / before) / time;
    gas_particles_free(state);
    return rate / (2.0 * k * k) * side;
}

struct gas_drift gas_sod_drift(uint32_t side, uint64_t steps)
{
    return drift(begin_sod(side, 0.0), steps);
}
