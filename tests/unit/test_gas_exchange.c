/* SPDX-License-Identifier: MIT */
/* Oscillators and tracers of the gas: the float64 model of the exchange against recorded vectors,
 * the C references against it, and what must hold for any state. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../numbers.h"
#include "base/exact.h"
#include "gas_exchange_model.h"
#include "gas_exchange_reference.h"
#include "gas_grid_reference.h"
#include "gas_particles_physics.h"
#include "gas_place_reference.h"
#include "gas_tracers_reference.h"

/* Fails unless value <= bound; prints both either way. */
static void hold_(const char *name, double value, double bound, int line)
{
    print_message("# %s: %.2g (at most %g)\n", name, value, bound);
    if (!(value <= bound)) {
        _fail(__FILE__, line);
    }
}
#define hold(name, value, bound) hold_(name, value, bound, __LINE__)

/* --- one oscillator -------------------------------------------------------------------------- */

/* The reference's constants for k_B, hbar and a mean density of 1. */
static struct gas_exchange reference_of(const struct gas_exchange_model *model)
{
    return (struct gas_exchange){
        .on = true,
        .boltzmann = (float)model->boltzmann,
        .quantum = (float)(model->planck / model->boltzmann),
        .per_tau = model->exchange_time > 0 ? (float)(1 / model->exchange_time) : 0,
        .leak = (float)model->leak,
    };
}

enum { GOLDEN = 768 };

static void *golden(const char *name, size_t size)
{
    char path[128];
    snprintf(path, sizeof(path), "tests/golden-gas/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    return bytes;
}

static void test_recorded_vectors(void **unused)
{
    (void)unused;
    const struct gas_exchange_model model = {
        .boltzmann = 0x1p-12, .planck = 0x1p-12, .leak = 2 * 3.14159265358979323846 * 0x1p-14};
    const struct gas_exchange reference = reference_of(&model);
    float *mass = golden("in_m.f32", GOLDEN * sizeof(float));
    float *heat = golden("in_Q.f32", GOLDEN * sizeof(float));
    float *store = golden("in_Eo.f32", GOLDEN * sizeof(float));
    float *frequency = golden("in_om.f32", GOLDEN * sizeof(float));
    double *heat_after = golden("planck_implicit_Q.f64", GOLDEN * sizeof(double));
    double *store_after = golden("planck_implicit_Eo.f64", GOLDEN * sizeof(double));
    double off[4] = {0}, most[2] = {0};
    for (size_t i = 0; i < GOLDEN; i++) {
        double q = heat[i], o = store[i];
        gas_exchange_model_step(&model, 1, mass[i], frequency[i], &q, &o);
        off[0] = fmax(off[0], fabs(q - heat_after[i]));
        off[1] = fmax(off[1], fabs(o - store_after[i]));
        float own_q = heat[i] / mass[i], own_o = store[i] / mass[i];
        gas_exchange(&reference, 1, 1, mass[i], frequency[i], &own_q, &own_o);
        off[2] = fmax(off[2], fabs((double)own_q * mass[i] - heat_after[i]));
        off[3] = fmax(off[3], fabs((double)own_o * mass[i] - store_after[i]));
        most[0] = fmax(most[0], heat_after[i]);
        most[1] = fmax(most[1], store_after[i]);
    }
    /* The vectors were made with a series that ends at x^8, 2e-11 off at most; the model has none.
     */
    hold("model, heat", off[0] / most[0], 2e-11);
    hold("model, oscillators", off[1] / most[1], 2e-11);
    hold("reference, heat", off[2] / most[0], 2e-6);
    hold("reference, oscillators", off[3] / most[1], 2e-6);
    free(mass);
    free(heat);
    free(store);
    free(frequency);
    free(heat_after);
    free(store_after);
}

/* Any stores, capacities, frequencies and rates, over eight decades each. */
static void test_eight_decades(void **unused)
{
    (void)unused;
    uint64_t random = 1;
    double worst = 0, keeping = 0;
    for (int i = 0; i < 200000; i++) {
        const double scale = pow(10, between(&random, -4, 4));
        const struct gas_exchange_model model = {
            .boltzmann = (float)pow(10, between(&random, -4, 4)),
            .planck = (float)pow(10, between(&random, -4, 4)),
            .exchange_time = (float)pow(10, between(&random, -4, 4)),
        };
        const struct gas_exchange reference = reference_of(&model);
        const float frequency = i % 10 == 0 ? 0 : (float)(scale * pow(10, between(&random, -4, 4)));
        float q = (float)(scale * between(&random, 0, 1));
        float o = (float)(scale * between(&random, 0, 1));
        q = i % 3 == 0 ? 0 : q;
        o = i % 3 == 1 ? 0 : o;
        const float before = vks_flush(q + o);
        double heat = q, store = o;
        gas_exchange_model_step(&model, 1, 1, (double)frequency, &heat, &store);
        const float old_q = q, old_o = o;
        gas_exchange(&reference, 1, 1, 1, frequency, &q, &o);
        assert_true(q >= 0 && o >= 0);
        worst = fmax(worst, fabs((double)o - store) / (double)before);
        keeping = fmax(keeping, fabs(((double)q + o) - ((double)old_q + old_o)) /
                                    fmax((double)old_q, (double)q));
    }
    hold("oscillators, of both stores", worst, 1e-5);
    hold("heat + oscillators, of the heat", keeping, 0x1p-24 * 1.01);
}

static void test_equilibrium(void **unused)
{
    (void)unused;
    uint64_t random = 2;
    double drift = 0, apart = 0, own_drift = 0, own_apart = 0;
    for (int i = 0; i < 200; i++) {
        const struct gas_exchange_model model = {
            .boltzmann = between(&random, 0.1, 10), .planck = 1, .exchange_time = 0.1};
        const struct gas_exchange reference = reference_of(&model);
        const float frequency = (float)between(&random, 0, 5);
        double q = between(&random, 0, 2), o = between(&random, 0, 2), slope;
        float own_q = (float)q, own_o = (float)o;
        const double sum = q + o;
        for (int step = 0; step < 200; step++) {
            gas_exchange_model_step(&model, 0.02, 1, frequency, &q, &o);
            gas_exchange(&reference, 1, 0.02f, 1, frequency, &own_q, &own_o);
        }
        drift = fmax(drift, fabs(q + o - sum) / sum);
        apart = fmax(apart,
                     fabs(o - gas_exchange_model_equilibrium(&model, frequency, q, &slope)) / sum);
        own_drift = fmax(own_drift, fabs((double)own_q + own_o - sum) / sum);
        const double own = gas_exchange_model_equilibrium(&model, frequency, own_q, &slope);
        own_apart = fmax(own_apart, fabs(own_o - own) / sum);
    }
    hold("model: sum after 200 steps", drift, 1e-13);
    hold("model: distance from equilibrium", apart, 1e-12);
    hold("reference: sum after 200 steps", own_drift, 2e-6);
    hold("reference: distance from equilibrium", own_apart, 2e-6);
}

/* With much heat one time constant closes all but 1 / e of the gap, however many steps it takes. */
static void test_rate(void **unused)
{
    (void)unused;
    const struct gas_exchange_model model = {
        .boltzmann = 1e-9, .planck = 1e-9, .exchange_time = 0.7};
    static const int steps[] = {1, 7, 100};
    for (size_t i = 0; i < 3; i++) {
        double q = 1, o = 0, slope;
        for (int step = 0; step < steps[i]; step++) {
            gas_exchange_model_step(&model, 0.7 / steps[i], 1, 0.9, &q, &o);
        }
        const double share = o / gas_exchange_model_equilibrium(&model, 0.9, 1, &slope);
        hold("model: rate", fabs(share / (1 - exp(-1)) - 1), 1e-5);
    }
    const struct gas_exchange_model larger = {
        .boltzmann = 0.5, .planck = 0.5, .exchange_time = 0.7};
    const struct gas_exchange reference = reference_of(&larger);
    for (size_t i = 0; i < 3; i++) {
        double heat = 1, store = 0;
        float q = 1, o = 0;
        gas_exchange_model_step(&larger, 0.7, 1, 0.9, &heat, &store);
        for (int step = 0; step < steps[i]; step++) {
            gas_exchange(&reference, 1, (float)(0.7 / steps[i]), 1, 0.9f, &q, &o);
        }
        hold("reference: rate", fabs(o / store - 1), 1e-5);
    }
}

static void test_limits(void **unused)
{
    (void)unused;
    const struct gas_exchange_model model = {.boltzmann = 0.5, .planck = 1, .exchange_time = 1e-3};
    const struct gas_exchange reference = reference_of(&model);
    double slope;
    hold("model: slow oscillators",
         fabs(gas_exchange_model_equilibrium(&model, 1e-9, 3, &slope) / 1.5 - 1), 1e-8);
    hold("model: fast oscillators", gas_exchange_model_equilibrium(&model, 1e9, 3, &slope), 1e-8);
    float q = 3, o = 0;
    gas_exchange(&reference, 1, 1, 1, 0, &q, &o);
    assert_true(q == 2 && o == 1);
    q = 3, o = 0;
    gas_exchange(&reference, 1, 1, 1, 1e9f, &q, &o);
    assert_true(q == 3 && o == 0);
    /* What is frozen comes out again; without gas to take it, nothing happens; nor without mass. */
    q = 0, o = 3;
    gas_exchange(&reference, 1, 1, 1, 1e9f, &q, &o);
    assert_true(q == 3 && o == 0);
    q = 0, o = 0;
    gas_exchange(&reference, 1, 1, 1, 1, &q, &o);
    assert_true(q == 0 && o == 0);
    q = 1, o = 0;
    gas_exchange(&reference, 1, 1, 0, 1, &q, &o);
    assert_true(q == 1 && o == 0);
}

/* A particle whose heat is worth little: one long step finds the equilibrium, the next one stays.
 */
static void test_stiff(void **unused)
{
    (void)unused;
    const struct gas_exchange_model model = {.boltzmann = 20, .planck = 20, .exchange_time = 0.1};
    const struct gas_exchange reference = reference_of(&model);
    double q = 22, o = 0, first = 0;
    float own_q = 22, own_o = 0, own_first = 0;
    for (int step = 0; step < 5; step++) {
        gas_exchange_model_step(&model, 100, 1, 1, &q, &o);
        gas_exchange(&reference, 1, 100, 1, 1, &own_q, &own_o);
        first = step == 0 ? o : first;
        own_first = step == 0 ? own_o : own_first;
    }
    print_message("# model %g, reference %g\n", o * 0.05, (double)own_o * 0.05);
    hold("model: after the first step", fabs(o / first - 1), 1e-13);
    assert_true(own_o == own_first);
    hold("reference: from the model", fabs(own_o / o - 1), 1e-6);
}

/* --- whole gases ----------------------------------------------------------------------------- */

static void test_particles_conserve(void **unused)
{
    (void)unused;
    const uint32_t side[3] = {8, 8, 8};
    struct gas_particles_settings settings = gas_usual_settings();
    settings.conductivity = 0.01;
    settings.boltzmann = 1;
    settings.planck = 1;
    settings.exchange_time = 0.05;
    struct gas_particles_state *state = gas_begin(side, 4096, &settings);
    uint64_t random = 3;
    for (uint64_t i = 0; i < state->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            state->position[axis][i] = (uint32_t)(next_word(&random) >> 32);
            state->velocity[axis][i] = (float)between(&random, -1, 1);
        }
        state->mass[i] = (float)between(&random, 0.5, 2);
        state->heat[i] = (float)between(&random, 0, 2);
        state->oscillator[i] = (float)between(&random, 0, 1);
        state->frequency[i] = (float)between(&random, 0, 3);
    }
    const double energy = gas_energy(state), scale = gas_momentum_scale(state);
    const double momentum = gas_momentum(state, GAS_X);
    double stores[2] = {0};
    for (int step = 0; step <= 30; step++) {
        for (uint64_t i = 0; step % 30 == 0 && i < state->count; i++) {
            stores[step / 30] += (double)state->mass[i] * state->oscillator[i];
        }
        if (step < 30) {
            gas_go(state);
        }
    }
    print_message("# oscillators from %g to %g\n", stores[0], stores[1]);
    assert_true(fabs(stores[1] / stores[0] - 1) > 0.1);
    hold("particles: energy in 30 steps", fabs(gas_energy(state) / energy - 1), 1e-6);
    hold("particles: momentum", fabs(gas_momentum(state, GAS_X) - momentum) / scale, 1e-6);
    gas_particles_free(state);
}

/* Tracers anywhere in random gas, of which a part is empty if `vacuum`. */
static struct gas_grid_state *random_gas(const struct gas_grid_settings *settings, uint32_t side,
                                         bool vacuum, uint64_t seed)
{
    struct gas_grid_state *state = gas_grid_create(side, side, side, settings);
    assert_non_null(state);
    struct gas_tracers *tracers = &state->tracers;
    uint64_t random = seed;
    for (size_t node = 0; node < state->nodes; node++) {
        if (vacuum && node % side < side / 2) {
            continue;
        }
        const double density = between(&random, 0.5, 2), heat = between(&random, 0.5, 2);
        double motion = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double u = between(&random, -0.3, 0.3);
            state->field[GAS_MOMENTUM_Z + axis][node] = (float)(density * u);
            motion += 0.5 * density * u * u;
        }
        state->field[GAS_DENSITY][node] = (float)density;
        state->field[GAS_ENERGY][node] = (float)(heat + motion);
        state->field[GAS_INTERNAL][node] = (float)heat;
    }
    for (uint64_t i = 0; i < tracers->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            tracers->position[axis][i] = (uint32_t)(next_word(&random) >> 32);
            tracers->velocity[axis][i] = (float)between(&random, -0.3, 0.3);
        }
        tracers->mass[i] = (float)(between(&random, 0.5, 2) / (double)tracers->count);
        tracers->heat[i] = (float)between(&random, 0.1, 1);
        tracers->oscillator[i] = (float)between(&random, 0, 1);
        tracers->frequency[i] = (float)between(&random, 0, 3);
    }
    return state;
}

static double energy_of(const struct gas_grid_state *state)
{
    const struct gas_tracers *tracers = &state->tracers;
    const double h = 1.0 / state->width;
    double energy = 0;
    for (size_t node = 0; node < state->nodes; node++) {
        energy += state->field[GAS_ENERGY][node] * (h * h * h);
    }
    for (uint64_t i = 0; i < tracers->count; i++) {
        energy += (double)tracers->mass[i] * tracers->oscillator[i];
    }
    return energy;
}

static double stores_of(const struct gas_grid_state *state)
{
    double sum = 0;
    for (uint64_t i = 0; i < state->tracers.count; i++) {
        sum += (double)state->tracers.mass[i] * state->tracers.oscillator[i];
    }
    return sum;
}

static const struct gas_grid_settings exchanging = {.gamma = 1.4,
                                                    .dt = 1,
                                                    .cfl = 0.4,
                                                    .conductivity = 0.01,
                                                    .particles = 4096,
                                                    .boltzmann = 1,
                                                    .planck = 1,
                                                    .exchange_time = 0.05};

static void test_grid_conserves(void **unused)
{
    (void)unused;
    for (int vacuum = 0; vacuum < 2; vacuum++) {
        struct gas_grid_state *state = random_gas(&exchanging, 8, vacuum, 4);
        const double energy = energy_of(state), stores = stores_of(state);
        for (int step = 0; step < 30; step++) {
            assert_true(gas_grid_step(state));
        }
        print_message("# oscillators from %g to %g of %g\n", stores, stores_of(state), energy);
        assert_true(fabs(stores_of(state) / stores - 1) > 0.02);
        hold(vacuum ? "grid with vacuum: energy in 30 steps" : "grid: energy in 30 steps",
             fabs(energy_of(state) / energy - 1), 1e-6);
        gas_grid_free(state);
    }
}

/* Oscillators that would take all heat leave at least a quarter of it in every node. */
static void test_heat_stays(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = exchanging;
    settings.boltzmann = 1e6;
    settings.exchange_time = 1e-6;
    struct gas_grid_state *state = random_gas(&settings, 8, false, 5);
    struct gas_grid_settings plain = settings;
    plain.particles = 0;
    struct gas_grid_state *other = gas_grid_create(8, 8, 8, &plain);
    assert_non_null(other);
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        memcpy(other->field[f], state->field[f], state->nodes * sizeof(float));
    }
    const double energy = energy_of(state);
    assert_true(gas_grid_step(state) && gas_grid_step(other));
    double least = 1, mean = 0;
    for (size_t node = 0; node < state->nodes; node++) {
        const double share = (double)gas_grid_heat(state, node) / gas_grid_heat(other, node);
        least = fmin(least, share);
        mean += share / (double)state->nodes;
    }
    print_message("# heat that stays: %.3f at least, %.3f in the mean\n", least, mean);
    assert_true(least >= 0.25 && mean < 0.8);
    for (int step = 0; step < 30; step++) {
        assert_true(gas_grid_step(state));
    }
    for (size_t node = 0; node < state->nodes; node++) {
        assert_true(state->field[GAS_ENERGY][node] > 0 && state->field[GAS_INTERNAL][node] >= 0);
    }
    hold("energy", fabs(energy_of(state) / energy - 1), 1e-6);
    gas_grid_free(state);
    gas_grid_free(other);
}

/* --- tracers --------------------------------------------------------------------------------- */

/* In gas that moves evenly tracers move with it and have its heat. */
static void test_drift(void **unused)
{
    (void)unused;
    const struct gas_grid_settings settings = {
        .gamma = 1.4, .dt = 1, .cfl = 0.4, .particles = 1000};
    struct gas_grid_state *state = random_gas(&settings, 12, false, 6);
    struct gas_tracers *tracers = &state->tracers;
    const double u[3] = {-0.21, 0.4, 0.73};
    double *start = malloc(3 * 1000 * sizeof(double));
    assert_non_null(start);
    for (size_t node = 0; node < state->nodes; node++) {
        state->field[GAS_DENSITY][node] = 1.25f;
        for (int axis = 0; axis < 3; axis++) {
            state->field[GAS_MOMENTUM_Z + axis][node] = (float)(1.25 * u[axis]);
        }
        state->field[GAS_ENERGY][node] =
            (float)(0.625 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) + 2.5);
        state->field[GAS_INTERNAL][node] = 2.5f;
    }
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < 1000; i++) {
            start[axis * 1000 + i] = tracers->position[axis][i] * 0x1p-32;
        }
    }
    for (int step = 0; step < 200; step++) {
        assert_true(gas_grid_step(state));
    }
    const double time = gas_grid_time(state);
    double off = 0, heat = 0;
    for (size_t i = 0; i < 1000; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const double place = start[axis * 1000 + i] + u[axis] * time;
            off =
                fmax(off, fabs(remainder(tracers->position[axis][i] * 0x1p-32 - place, 1)) / time);
        }
        heat = fmax(heat, fabs((double)tracers->heat[i] - 2));
    }
    hold("place after 200 steps, of the way", off, 2e-6);
    hold("heat", heat, 2e-5);
    free(start);
    gas_grid_free(state);
}

/* Velocity of a swirl that does not change, and where it carries a place in a time, in double. */
static void swirl(const double place[2], double u[2])
{
    const double turn = 2 * 3.14159265358979323846;
    u[0] = -0.5 * cos(turn * place[0]) * sin(turn * place[1]);
    u[1] = 0.5 * sin(turn * place[0]) * cos(turn * place[1]);
}

/* The error of a tracer's place falls with the square of the spacing. */
static void test_order_of_accuracy(void **unused)
{
    (void)unused;
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        const uint32_t side = fine ? 64 : 32;
        const struct gas_grid_settings settings = {
            .gamma = 1.4, .dt = 1, .cfl = 0.4, .particles = 300};
        struct gas_grid_state *state = gas_grid_create(side, side, 1, &settings);
        assert_non_null(state);
        struct gas_tracers *tracers = &state->tracers;
        uint64_t random = 7;
        double place[300][2];
        for (size_t i = 0; i < 300; i++) {
            for (int axis = 1; axis < 3; axis++) {
                tracers->position[axis][i] = (uint32_t)(next_word(&random) >> 32);
                place[i][axis - 1] = tracers->position[axis][i] * 0x1p-32;
            }
        }
        /* The tracers' part of a step alone, with a field that stays. */
        state->clockwork[GAS_MEAN] = bits_of(1);
        for (size_t node = 0; node < state->nodes; node++) {
            const double at[2] = {(double)(node / side) / side, (double)(node % side) / side};
            double u[2];
            swirl(at, u);
            state->field[GAS_DENSITY][node] = 1;
            state->field[GAS_MOMENTUM_Y][node] = (float)u[0];
            state->field[GAS_MOMENTUM_X][node] = (float)u[1];
            state->field[GAS_ENERGY][node] = state->field[GAS_INTERNAL][node] = 1;
        }
        const uint32_t steps = side;
        state->lambda = 0.5f; /* to time 1/2 */
        for (uint32_t step = 0; step < steps; step++) {
            gas_tracers_sample(state);
            gas_tracers_advect(state);
        }
        error[fine] = 0;
        for (size_t i = 0; i < 300; i++) {
            enum { FINER = 4000 };
            for (int step = 0; step < FINER; step++) {
                double u[2], half[2];
                swirl(place[i], u);
                half[0] = place[i][0] + u[0] * 0.25 / FINER;
                half[1] = place[i][1] + u[1] * 0.25 / FINER;
                swirl(half, u);
                place[i][0] += u[0] * 0.5 / FINER;
                place[i][1] += u[1] * 0.5 / FINER;
            }
            for (int axis = 0; axis < 2; axis++) {
                const double off = tracers->position[axis + 1][i] * 0x1p-32 - place[i][axis];
                error[fine] = fmax(error[fine], fabs(remainder(off, 1)));
            }
        }
        gas_grid_free(state);
    }
    print_message("# errors %.2g and %.2g\n", error[0], error[1]);
    assert_true(error[0] < 3e-3 && error[0] / error[1] > 3.4);
}

/* In vacuum a tracer flies on as it is, and its oscillator keeps what it has. */
static void test_vacuum(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = exchanging;
    settings.dt = 1e-4;
    settings.particles = 200;
    struct gas_grid_state *state = random_gas(&settings, 16, true, 8);
    struct gas_tracers *tracers = &state->tracers;
    uint32_t before[3][200];
    float stores[200], heats[200], velocity[3][200];
    for (size_t i = 0; i < 200; i++) {
        tracers->position[2][i] = (UINT32_C(3) << 28) + (uint32_t)i;
        stores[i] = tracers->oscillator[i];
        heats[i] = tracers->heat[i];
        for (int axis = 0; axis < 3; axis++) {
            before[axis][i] = tracers->position[axis][i];
            velocity[axis][i] = tracers->velocity[axis][i];
        }
    }
    assert_true(gas_grid_step(state));
    double off = 0;
    for (size_t i = 0; i < 200; i++) {
        assert_true(tracers->oscillator[i] == stores[i] && tracers->heat[i] == heats[i]);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(tracers->velocity[axis][i] == velocity[axis][i]);
            const double way = velocity[axis][i] * gas_grid_last_dt(state);
            const int32_t moved = (int32_t)(tracers->position[axis][i] - before[axis][i]);
            off = fmax(off, fabs(moved * 0x1p-32 - way));
        }
    }
    hold("way in vacuum", off, 1e-9);
    gas_grid_free(state);
}

static void swap_words(void *array, size_t a, size_t b)
{
    uint32_t *words = array;
    const uint32_t kept = words[a];
    words[a] = words[b];
    words[b] = kept;
}

/* The same tracers in another order give the same bytes in that order. */
static void test_order_of_tracers(void **unused)
{
    (void)unused;
    struct gas_grid_state *a = random_gas(&exchanging, 6, true, 9);
    struct gas_grid_state *b = random_gas(&exchanging, 6, true, 9);
    const size_t count = (size_t)exchanging.particles;
    void *const of_a[] = {a->tracers.position[0], a->tracers.position[1], a->tracers.position[2],
                          a->tracers.velocity[0], a->tracers.velocity[1], a->tracers.velocity[2],
                          a->tracers.mass,        a->tracers.heat,        a->tracers.oscillator,
                          a->tracers.frequency};
    void *const of_b[] = {b->tracers.position[0], b->tracers.position[1], b->tracers.position[2],
                          b->tracers.velocity[0], b->tracers.velocity[1], b->tracers.velocity[2],
                          b->tracers.mass,        b->tracers.heat,        b->tracers.oscillator,
                          b->tracers.frequency};
    for (size_t i = 0; i < count / 2; i++) {
        for (size_t f = 0; f < 10; f++) {
            swap_words(of_b[f], i, count - 1 - i);
        }
    }
    for (int step = 0; step < 20; step++) {
        assert_true(gas_grid_step(a) && gas_grid_step(b));
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < 10; f++) {
            assert_int_equal(((uint32_t *)of_a[f])[i], ((uint32_t *)of_b[f])[count - 1 - i]);
        }
    }
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        assert_memory_equal(a->field[f], b->field[f], a->nodes * sizeof(float));
    }
    gas_grid_free(a);
    gas_grid_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_vectors),
        cmocka_unit_test(test_eight_decades),
        cmocka_unit_test(test_equilibrium),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_particles_conserve),
        cmocka_unit_test(test_grid_conserves),
        cmocka_unit_test(test_heat_stays),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_order_of_accuracy),
        cmocka_unit_test(test_vacuum),
        cmocka_unit_test(test_order_of_tracers),
    };
    return cmocka_run_group_tests_name("gas_exchange", tests, NULL, NULL);
}
