/* SPDX-License-Identifier: MIT */
/* The gas of particles: the float64 model against recorded vectors, the C reference against both,
 * and what must hold for any state. */
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
#include "gas_particles_model.h"
#include "gas_particles_physics.h"
#include "gas_particles_reference.h"

/* --- recorded vectors ------------------------------------------------------------------------ */

enum { GOLDEN_COUNT = 768, GOLDEN_NODES = 16 * 8 * 4 };

static const uint32_t golden_side[3] = {16, 8, 4};

static const struct gas_particles_settings golden_settings = {
    .gamma = 1.4,
    .conductivity = 0x1p-10,
    .dt = 0x1p-10,
    .cfl = 0.4,
    .mixing = 0.3,
};

/* The file of tests/golden-gas, which has exactly this size. The caller frees it. */
static void *golden(const char *name, size_t size)
{
    char path[128];
    snprintf(path, sizeof(path), "tests/golden-gas/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    return bytes;
}

/* The particles of the recorded vectors; positions are rounded to 2^-32 of a side. */
static struct gas_particles_state *golden_state(const struct gas_particles_settings *settings)
{
    float *m = golden("in_m.f32", GOLDEN_COUNT * sizeof(float));
    double mean_mass = 0.0;
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        mean_mass += m[i] / (double)GOLDEN_COUNT;
    }
    struct gas_particles_settings exchanging = *settings;
    exchanging.boltzmann = exchanging.planck = 0x1p-12 / mean_mass;
    struct gas_particles_state *state = gas_particles_create(
        golden_side[GAS_Z], golden_side[GAS_Y], golden_side[GAS_X], GOLDEN_COUNT, &exchanging);
    assert_non_null(state);
    float *x = golden("in_x.f32", GOLDEN_COUNT * 3 * sizeof(float));
    float *v = golden("in_v.f32", GOLDEN_COUNT * 3 * sizeof(float));
    float *heat = golden("in_Q.f32", GOLDEN_COUNT * sizeof(float));
    float *oscillator = golden("in_Eo.f32", GOLDEN_COUNT * sizeof(float));
    float *frequency = golden("in_om.f32", GOLDEN_COUNT * sizeof(float));
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double sides = x[3 * i + axis] * 16.0 / golden_side[axis];
            state->position[axis][i] = (uint32_t)(uint64_t)llround(sides * 0x1p32);
            state->velocity[axis][i] = v[3 * i + axis];
        }
        state->mass[i] = m[i];
        state->heat[i] = heat[i] / m[i];
        state->oscillator[i] = oscillator[i] / m[i];
        state->frequency[i] = frequency[i];
    }
    /* The vectors have a step of the same length before them. */
    state->clockwork[GAS_LAST_DT] = bits_of(0x1p-10f);
    free(x);
    free(v);
    free(m);
    free(heat);
    free(oscillator);
    free(frequency);
    return state;
}

/* The same for the model, to the last bit of the recorded floats. */
static struct gas_particles_model *golden_model(const struct gas_particles_settings *settings)
{
    struct gas_particles_state *state = golden_state(settings);
    struct gas_particles_model *model = gas_particles_model_create(state);
    assert_non_null(model);
    gas_particles_free(state);
    float *x = golden("in_x.f32", GOLDEN_COUNT * 3 * sizeof(float));
    float *heat = golden("in_Q.f32", GOLDEN_COUNT * sizeof(float));
    float *oscillator = golden("in_Eo.f32", GOLDEN_COUNT * sizeof(float));
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        for (int axis = 0; axis < 3; axis++) {
            model->position[axis][i] = x[3 * i + axis] * 16.0 / golden_side[axis];
        }
        model->heat[i] = heat[i] / model->mass[i];
        model->oscillator[i] = oscillator[i] / model->mass[i];
    }
    model->empty = 0.0;
    free(x);
    free(heat);
    free(oscillator);
    return model;
}

/* Largest difference over largest magnitude. */
struct deviation {
    double error, size;
};

static void compare(struct deviation *deviation, double value, double expected)
{
    deviation->error = fmax(deviation->error, fabs(value - expected));
    deviation->size = fmax(deviation->size, fabs(expected));
}

static double relative(struct deviation deviation)
{
    return deviation.size > 0.0 ? deviation.error / deviation.size : deviation.error;
}

static void test_golden_model_deposit(void **unused)
{
    (void)unused;
    struct gas_particles_model *model = golden_model(&golden_settings);
    gas_particles_model_measure(model);
    double *fields = golden("deposit_rho_mom_heat_kin.f64", 6 * GOLDEN_NODES * sizeof(double));
    double *dispersion = golden("dispersion.f64", GOLDEN_NODES * sizeof(double));
    struct deviation off[7] = {0};
    for (size_t n = 0; n < GOLDEN_NODES; n++) {
        compare(&off[0], model->density[n], fields[n]);
        for (size_t axis = 0; axis < 3; axis++) {
            compare(&off[1 + axis], model->density[n] * model->velocity_at[axis][n],
                    fields[(1 + axis) * GOLDEN_NODES + n]);
        }
        compare(&off[4], model->heat_at[n], fields[4 * GOLDEN_NODES + n]);
        compare(&off[5], model->kinetic_at[n], fields[5 * GOLDEN_NODES + n]);
        compare(&off[6], model->dispersion_at[n], dispersion[n]);
    }
    for (size_t i = 0; i < 7; i++) {
        print_message("# model, deposit %zu: %.2g\n", i, relative(off[i]));
        assert_true(relative(off[i]) < 1e-12);
    }
    free(fields);
    free(dispersion);
    gas_particles_model_free(model);
}

struct golden_case {
    const char *name;
    double gravity;
};

static const struct golden_case golden_cases[] = {
    {"lagrange", 0.0},
    {"lagrange_G", 0x1p-6},
};

static double *golden_of(const struct golden_case *it, const char *field, size_t values)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_%s.f64", it->name, field);
    return golden(name, values * sizeof(double));
}

static void test_golden_model_step(void **unused)
{
    (void)unused;
    for (size_t c = 0; c < sizeof(golden_cases) / sizeof(golden_cases[0]); c++) {
        const struct golden_case *it = &golden_cases[c];
        struct gas_particles_settings settings = golden_settings;
        settings.gravity = it->gravity;
        settings.mixing = 0x1p20; /* the recorded step mixes all and limits every slope */
        struct gas_particles_model *model = golden_model(&settings);
        model->smooth = 0.0;
        gas_particles_model_measure(model);
        gas_particles_model_time_step(model);
        assert_true(model->dt == 0x1p-10 && model->dt_last == 0x1p-10);
        gas_particles_model_advance(model);
        double *x = golden_of(it, "x", GOLDEN_COUNT * 3);
        double *v = golden_of(it, "v", GOLDEN_COUNT * 3);
        double *heat = golden_of(it, "Q", GOLDEN_COUNT);
        double *oscillator = golden_of(it, "Eo", GOLDEN_COUNT);
        struct deviation off_x = {0}, off_v = {0}, off_heat = {0}, off_oscillator = {0};
        for (size_t i = 0; i < GOLDEN_COUNT; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double sides = x[3 * i + axis] * 16.0 / golden_side[axis];
                compare(&off_x, sides + remainder(model->position[axis][i] - sides, 1.0), sides);
                compare(&off_v, model->velocity[axis][i], v[3 * i + axis]);
            }
            compare(&off_heat, model->heat[i] * model->mass[i], heat[i]);
            compare(&off_oscillator, model->oscillator[i] * model->mass[i], oscillator[i]);
        }
        print_message("# %s, model: x %.2g v %.2g heat %.2g oscillator %.2g\n", it->name,
                      relative(off_x), relative(off_v), relative(off_heat),
                      relative(off_oscillator));
        assert_true(relative(off_x) < 1e-12);
        assert_true(relative(off_v) < 1e-12);
        assert_true(relative(off_heat) < 1e-12);
        assert_true(relative(off_oscillator) < 1e-12);
        free(x);
        free(v);
        free(heat);
        free(oscillator);
        gas_particles_model_free(model);
    }
}

/* Every difference of the reference from the vectors. */
static void test_golden_reference_step(void **unused)
{
    (void)unused;
    for (size_t c = 0; c < sizeof(golden_cases) / sizeof(golden_cases[0]); c++) {
        const struct golden_case *it = &golden_cases[c];
        struct gas_particles_settings settings = golden_settings;
        settings.gravity = it->gravity;
        settings.mixing = 0x1p20;
        struct gas_particles_state *state = golden_state(&settings);
        state->constants.smooth = 0.0f;
        gas_particles_units(state);
        gas_particles_deposit(state);
        gas_particles_nodes(state);
        gas_particles_dispersion(state);
        if (it->gravity > 0.0) {
            gas_particles_gravity(state);
        }
        gas_particles_limits(state);
        gas_particles_time_step(state);
        assert_int_equal(bits_of(state->dt), bits_of(0x1p-10f));
        gas_particles_predict(state);
        gas_particles_lagrangian(state);
        gas_particles_move(state);
        assert_int_equal(state->status, GAS_RUNS);
        double *x = golden_of(it, "x", GOLDEN_COUNT * 3);
        double *v = golden_of(it, "v", GOLDEN_COUNT * 3);
        double *heat = golden_of(it, "Q", GOLDEN_COUNT);
        double *oscillator = golden_of(it, "Eo", GOLDEN_COUNT);
        struct deviation off_x = {0}, off_v = {0}, off_heat = {0}, off_oscillator = {0};
        for (size_t i = 0; i < GOLDEN_COUNT; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double sides = x[3 * i + axis] * 16.0 / golden_side[axis];
                double mine = state->position[axis][i] * 0x1p-32;
                compare(&off_x, sides + remainder(mine - sides, 1.0), sides);
                compare(&off_v, state->velocity[axis][i], v[3 * i + axis]);
            }
            compare(&off_heat, (double)state->heat[i] * state->mass[i], heat[i]);
            compare(&off_oscillator, (double)state->oscillator[i] * state->mass[i], oscillator[i]);
        }
        print_message("# %s, reference: x %.2g v %.2g heat %.2g oscillator %.2g\n", it->name,
                      relative(off_x), relative(off_v), relative(off_heat),
                      relative(off_oscillator));
        assert_true(relative(off_x) < 2e-6);
        assert_true(relative(off_v) < 2e-6);
        assert_true(relative(off_heat) < 2e-6);
        assert_true(relative(off_oscillator) < 2e-6);
        free(x);
        free(v);
        free(heat);
        free(oscillator);
        gas_particles_free(state);
    }
}

static void test_golden_reference_deposit(void **unused)
{
    (void)unused;
    struct gas_particles_settings settings = golden_settings;
    settings.gravity = 1.0;
    struct gas_particles_state *state = golden_state(&settings);
    gas_particles_units(state);
    gas_particles_deposit(state);
    gas_particles_nodes(state);
    gas_particles_dispersion(state);
    gas_particles_gravity(state);
    gas_particles_limits(state);
    double *fields = golden("deposit_rho_mom_heat_kin.f64", 6 * GOLDEN_NODES * sizeof(double));
    double *dispersion = golden("dispersion.f64", GOLDEN_NODES * sizeof(double));
    double *potential = golden("phi_spectral_G1.f64", GOLDEN_NODES * sizeof(double));
    double *expected = golden("accel_nodes_spectral.f64", 3 * GOLDEN_NODES * sizeof(double));
    struct deviation off[6] = {0}, off_potential = {0}, off_acceleration = {0};
    for (size_t n = 0; n < GOLDEN_NODES; n++) {
        compare(&off[0], state->density[n], fields[n]);
        for (size_t axis = 0; axis < 3; axis++) {
            compare(&off[1 + axis], (double)state->density[n] * state->velocity_at[axis][n],
                    fields[(1 + axis) * GOLDEN_NODES + n]);
            compare(&off_acceleration, state->acceleration[axis][n],
                    expected[axis * GOLDEN_NODES + n]);
        }
        compare(&off[4], state->heat_at[n], fields[4 * GOLDEN_NODES + n]);
        compare(&off[5], state->dispersion_at[n], dispersion[n]);
        compare(&off_potential, state->potential[n], potential[n]);
    }
    for (size_t i = 0; i < 6; i++) {
        print_message("# reference, deposit %zu: %.2g\n", i, relative(off[i]));
        assert_true(relative(off[i]) < 2e-6);
    }
    print_message("# reference, potential %.2g, acceleration %.2g\n", relative(off_potential),
                  relative(off_acceleration));
    assert_true(relative(off_potential) < 1e-5);
    assert_true(relative(off_acceleration) < 3e-5);
    free(fields);
    free(dispersion);
    free(potential);
    free(expected);
    gas_particles_free(state);
}

/* The lower node of each particle and how many particles each has. */
static void test_golden_cells(void **unused)
{
    (void)unused;
    struct gas_particles_state *state = golden_state(&golden_settings);
    uint32_t *cell = golden("cell.u32", GOLDEN_COUNT * sizeof(uint32_t));
    uint32_t *counts = golden("counts.u32", GOLDEN_NODES * sizeof(uint32_t));
    uint32_t found[GOLDEN_NODES] = {0};
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        uint64_t node = gas_particles_place_of(state, i).node[0];
        assert_int_equal(node, cell[i]);
        found[node]++;
    }
    assert_memory_equal(found, counts, sizeof(found));
    free(cell);
    free(counts);
    gas_particles_free(state);
}

/* --- random states --------------------------------------------------------------------------- */

enum kind { SPREAD, CLUMPED, COLD, FAST, ONE_CELL, KINDS };

static const char *const kind_names[KINDS] = {"spread", "clumped", "cold", "fast", "one cell"};

/* Particles anywhere, in a few clumps, without heat, in a stream of Mach 100, or all in a cell. */
static void scatter(struct gas_particles_state *state, enum kind kind, uint64_t *random)
{
    for (uint64_t i = 0; i < state->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double place = between(random, 0.0, 1.0);
            if (kind == CLUMPED) {
                place = fmod(0.5 * (double)(i % 2) + 0.06 * place * place, 1.0);
            } else if (kind == ONE_CELL) {
                place = (0.5 + 0.49 * (place - 0.5)) / state->side[axis];
            }
            state->position[axis][i] = (uint32_t)(place * 0x1p32);
            double speed = between(random, -0.5, 0.5);
            speed = kind == FAST && axis == GAS_X ? 100.0 + speed : speed;
            state->velocity[axis][i] = (float)speed;
        }
        state->mass[i] = (float)between(random, 0.5, 2.0);
        state->heat[i] = kind == COLD ? 0.0f : (float)between(random, 0.1, 2.0);
        state->oscillator[i] = (float)between(random, 0.0, 1.0);
        state->frequency[i] = (float)between(random, 0.0, 3.0);
    }
}

struct random_case {
    uint32_t side[3];
    uint64_t count;
    double gravity, conductivity, mixing;
};

static const struct random_case random_cases[] = {
    {{1, 1, 16}, 128, 0.0, 0.0, 0.3},      {{1, 1, 16}, 5, 0.0, 0.0, 0.3},
    {{1, 9, 14}, 1000, 0.0, 0.0, 0.3},     {{7, 5, 3}, 840, 0.0, 0.0, 0.3},
    {{7, 5, 3}, 40, 0.0, 0.01, 0.3},       {{8, 8, 8}, 4096, 0.001, 0.0, 0.3},
    {{8, 4, 2}, 300, 0.01, 0.01, 0.3},     {{1, 16, 8}, 700, 0.01, 0.0, 0.0},
    {{6, 6, 6}, 1728, 0.0, 10.0, 1000.0},  {{4, 4, 4}, 1, 1.0, 0.01, 0.3},
    {{1, 1, 1}, 20, 1.0, 0.01, 0.3},       {{2, 2, 2}, 64, 1.0, 0.01, 0.3},
    {{1, 300, 1}, 2000, 0.0, 0.0001, 0.3},
};

/* One step with a step before it: of dt, velocities, positions (in cells) and energies. */
static void test_random_steps(void **unused)
{
    (void)unused;
    uint64_t random = 1;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct deviation all[4] = {0};
        for (size_t c = 0; c < sizeof(random_cases) / sizeof(random_cases[0]); c++) {
            const struct random_case *it = &random_cases[c];
            struct gas_particles_settings settings = gas_usual_settings();
            settings.gravity = it->gravity;
            settings.conductivity = it->conductivity;
            settings.boltzmann = 0.5;
            settings.planck = 1.0;
            settings.exchange_time = it->conductivity > 0.0 ? 0.0 : 0.02;
            settings.mixing = it->mixing;
            struct gas_particles_state *state = gas_begin(it->side, it->count, &settings);
            scatter(state, kind, &random);
            for (int step = 0; step < 3; step++) {
                struct gas_particles_model *model = gas_particles_model_create(state);
                assert_non_null(model);
                gas_go(state);
                gas_particles_model_measure(model);
                gas_particles_model_time_step(model);
                struct deviation off[4] = {0};
                compare(&off[0], state->dt, model->dt);
                model->dt = state->dt;
                gas_particles_model_advance(model);
                for (uint64_t i = 0; i < state->count; i++) {
                    double square = 0.0;
                    for (int axis = 0; axis < 3; axis++) {
                        double v = model->velocity[axis][i];
                        square += v * v;
                        compare(&off[1], state->velocity[axis][i], v);
                        double apart = remainder(
                            state->position[axis][i] * 0x1p-32 - model->position[axis][i], 1.0);
                        compare(&off[2], 1.0 + apart * it->side[axis], 1.0);
                    }
                    double energy = 0.5 * square + model->heat[i];
                    compare(&off[3], energy + state->heat[i] - model->heat[i], energy);
                }
                for (size_t j = 0; j < 4; j++) {
                    all[j].error = fmax(all[j].error, relative(off[j]));
                }
                gas_particles_model_free(model);
            }
            gas_particles_free(state);
        }
        print_message("# %s: dt %.2g velocity %.2g position %.2g energy %.2g\n", kind_names[kind],
                      all[0].error, all[1].error, all[2].error, all[3].error);
        /* The node that limits dt may have few units of mass and energy. */
        assert_true(all[0].error < 1e-4);
        for (size_t j = 1; j < 4; j++) {
            assert_true(all[j].error < 4e-6);
        }
    }
}

/* --- identities ------------------------------------------------------------------------------ */

static uint64_t sum_of(const uint64_t *sums, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += sums[i];
    }
    return sum;
}

static uint64_t units_of(float amount, uint32_t exponent)
{
    vks_uvec2 words = vks_fixed(amount, vks_power_of_two((int32_t)exponent));
    return (uint64_t)words.y << 32 | words.x;
}

static struct gas_particles_state *random_box(uint32_t depth, uint32_t height, uint32_t width,
                                              uint64_t count, double gravity, uint64_t seed)
{
    struct gas_particles_settings settings = gas_usual_settings();
    settings.gravity = gravity;
    const uint32_t side[3] = {depth, height, width};
    struct gas_particles_state *state = gas_begin(side, count, &settings);
    scatter(state, SPREAD, &seed);
    return state;
}

/* Nodes have to the unit what the particles have; the mass of all is the same in each step. */
static void test_deposit_conserves(void **unused)
{
    (void)unused;
    struct gas_particles_state *state = random_box(16, 12, 10, 20000, 0.0, 2);
    uint64_t nodes = gas_particles_nodes_of(state);
    gas_particles_units(state);
    uint64_t first = 0;
    for (int step = 0; step < 10; step++) {
        gas_particles_deposit(state);
        const uint32_t *words = state->clockwork;
        uint64_t mass = 0, heat = 0, momentum[3] = {0};
        for (uint64_t i = 0; i < state->count; i++) {
            float m = state->mass[i];
            mass += units_of(m, words[GAS_MASS_EXPONENT]);
            heat += units_of(vks_flush(m * state->heat[i]), words[GAS_ENERGY_EXPONENT]);
            for (int axis = 0; axis < 3; axis++) {
                momentum[axis] +=
                    units_of(vks_flush(m * state->velocity[axis][i]), words[GAS_MOMENTUM_EXPONENT]);
            }
        }
        first = step == 0 ? mass : first;
        assert_true(mass == first);
        assert_true(mass >= UINT64_C(1) << 60 && mass <= UINT64_C(1) << 61);
        assert_true(sum_of(state->mass_sum, nodes) == mass);
        assert_true(sum_of(state->heat_sum, nodes) == heat);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(sum_of(state->momentum_sum[axis], nodes) == momentum[axis]);
        }
        gas_particles_nodes(state);
        gas_go(state);
    }
    gas_particles_free(state);
}

/* The step runs the same for particles in any order, to the byte. */
static void test_order_of_particles(void **unused)
{
    (void)unused;
    enum { COUNT = 1000 };
    struct gas_particles_state *a = random_box(8, 4, 8, COUNT, 0.01, 3);
    struct gas_particles_state *b = random_box(8, 4, 8, COUNT, 0.01, 3);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t j = (i * 377 + 5) % COUNT;
        for (int axis = 0; axis < 3; axis++) {
            b->position[axis][j] = a->position[axis][i];
            b->velocity[axis][j] = a->velocity[axis][i];
        }
        b->mass[j] = a->mass[i];
        b->heat[j] = a->heat[i];
        b->oscillator[j] = a->oscillator[i];
    }
    for (int step = 0; step < 20; step++) {
        gas_go(a);
        gas_go(b);
    }
    assert_memory_equal(a->clockwork, b->clockwork, sizeof(a->clockwork));
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t j = (i * 377 + 5) % COUNT;
        for (int axis = 0; axis < 3; axis++) {
            assert_int_equal(b->position[axis][j], a->position[axis][i]);
            assert_int_equal(bits_of(b->velocity[axis][j]), bits_of(a->velocity[axis][i]));
        }
        assert_int_equal(bits_of(b->heat[j]), bits_of(a->heat[i]));
    }
    gas_particles_free(a);
    gas_particles_free(b);
}

/* A lattice with any offset has density 1; at rest it stays there, and moving it only moves. */
static void test_lattice(void **unused)
{
    (void)unused;
    const struct gas_particles_settings settings = gas_usual_settings();
    const uint32_t side[3] = {8, 8, 8};
    static const double speeds[] = {0.0, 0.73};
    for (size_t run = 0; run < 2; run++) {
        struct gas_particles_state *state = gas_begin(side, gas_lattice_count(side, 2), &settings);
        gas_fill_lattice(state, 2);
        uint32_t *start = malloc(state->count * sizeof(*start));
        assert_non_null(start);
        for (uint64_t i = 0; i < state->count; i++) {
            state->position[GAS_X][i] += (uint32_t)(0.013 * 0x1p32);
            state->position[GAS_Z][i] -= (uint32_t)(0.029 * 0x1p32);
            state->velocity[GAS_X][i] = (float)speeds[run];
            state->heat[i] = 1.0f;
            start[i] = state->position[GAS_X][i];
        }
        for (int step = 0; step < 200; step++) {
            gas_go(state);
        }
        double way = speeds[run] * (double)gas_particles_time(state) * 0x1p-40;
        double fastest = 0.0, off = 0.0, uneven = 0.0;
        for (uint64_t i = 0; i < state->count; i++) {
            double moved = (double)(state->position[GAS_X][i] - start[i]) * 0x1p-32;
            off = fmax(off, fabs(remainder(moved - way, 1.0)));
            fastest = fmax(fastest, fabs(state->velocity[GAS_X][i] - speeds[run]));
            fastest = fmax(fastest, fabs(state->velocity[GAS_Y][i]));
        }
        for (uint64_t n = 0; n < gas_particles_nodes_of(state); n++) {
            uneven = fmax(uneven, fabs(state->density[n] / (8.0 * 512.0) - 1.0));
        }
        print_message("# lattice at %.2f: density %.2g, velocity %.2g, position %.2g\n",
                      speeds[run], uneven, fastest, off);
        assert_true(uneven < 2e-6);
        assert_true(run == 0 ? fastest == 0.0 && off == 0.0 : fastest < 2e-6 && off < 2e-6);
        free(start);
        gas_particles_free(state);
    }
}

/* The sum of mass times what a particle gathers is that of the nodes' mass times what they have. */
static void test_gather_is_the_transpose(void **unused)
{
    (void)unused;
    struct gas_particles_state *state = random_box(6, 5, 9, 3000, 0.0, 4);
    uint64_t nodes = gas_particles_nodes_of(state);
    gas_particles_units(state);
    gas_particles_deposit(state);
    gas_particles_nodes(state);
    double of_nodes = 0.0, of_particles = 0.0, size = 0.0, off = 0.0;
    double volume = pow(state->constants.per_h, -3);
    uint64_t random = 5;
    float *field = malloc(nodes * sizeof(*field));
    assert_non_null(field);
    for (uint64_t n = 0; n < nodes; n++) {
        field[n] = (float)between(&random, -1.0, 1.0);
        of_nodes += volume * state->density[n] * field[n];
        size += volume * state->density[n] * fabs(field[n]);
    }
    for (uint64_t i = 0; i < state->count; i++) {
        const struct gas_place place = gas_particles_place_of(state, i);
        double weights = 0.0;
        for (unsigned corner = 0; corner < 8; corner++) {
            of_particles += state->mass[i] * place.weight[corner] * field[place.node[corner]];
            weights += place.weight[corner];
        }
        off = fmax(off, fabs(weights - 1.0));
    }
    print_message("# transpose: %.2g, sum of weights: %.2g\n", fabs(of_nodes - of_particles) / size,
                  off);
    assert_true(fabs(of_nodes - of_particles) / size < 2e-6);
    assert_true(off < 2e-6);
    free(field);
    gas_particles_free(state);
}

/* Any position has its node in the grid, next to it the other one, and shares in [0, 1]. */
static void test_place(void **unused)
{
    (void)unused;
    static const uint32_t positions[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    static const uint32_t sides[] = {1, 2, 3, 5, 7, 300};
    for (size_t s = 0; s < sizeof(sides) / sizeof(sides[0]); s++) {
        const uint32_t side[3] = {1, 1, sides[s]};
        const struct gas_particles_settings settings = gas_usual_settings();
        struct gas_particles_state *state = gas_begin(side, 1, &settings);
        for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
            state->position[GAS_X][0] = positions[i];
            const struct gas_place place = gas_particles_place_of(state, 0);
            double cells = positions[i] * 0x1p-32 * sides[s];
            assert_int_equal(place.node[0], (uint64_t)cells);
            assert_int_equal(place.node[1], ((uint64_t)cells + 1) % sides[s]);
            double upper = sides[s] > 1 ? cells - floor(cells) : 0.0;
            assert_true(fabs(place.weight[1] - upper) <= 0x1p-24);
            assert_true(place.weight[0] == 1.0f - place.weight[1]);
            assert_int_equal(place.nearest, place.weight[1] >= 0.5f ? 1 : 0);
        }
        gas_particles_free(state);
    }
}

/* Without gravity energy and momentum stay; with it the momentum stays, and the energy with that of
 * the potential nearly does. */
static void test_conservation(void **unused)
{
    (void)unused;
    struct gas_particles_state *state = random_box(8, 8, 8, 4096, 0.0, 6);
    double energy = gas_energy(state);
    double momentum[3];
    for (int axis = 0; axis < 3; axis++) {
        momentum[axis] = gas_momentum(state, axis);
    }
    double scale = gas_momentum_scale(state);
    for (int step = 0; step < 30; step++) {
        gas_go(state);
    }
    double off = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        off = fmax(off, fabs(gas_momentum(state, axis) - momentum[axis]) / scale);
    }
    print_message("# 30 steps: energy %.2g, momentum %.2g\n", gas_energy(state) / energy - 1.0,
                  off);
    assert_true(fabs(gas_energy(state) / energy - 1.0) < 1e-6);
    assert_true(off < 1e-6);
    gas_particles_free(state);
}

/* The forces of all nodes cancel, and a particle does not pull itself. */
static void test_gravity_has_no_net_force(void **unused)
{
    (void)unused;
    struct gas_particles_state *state = random_box(8, 8, 8, 2000, 1.0, 7);
    gas_particles_units(state);
    gas_particles_deposit(state);
    gas_particles_nodes(state);
    gas_particles_gravity(state);
    double sum[3] = {0.0}, size = 0.0;
    for (uint64_t n = 0; n < gas_particles_nodes_of(state); n++) {
        for (int axis = 0; axis < 3; axis++) {
            double force = (double)state->density[n] * state->acceleration[axis][n];
            sum[axis] += force;
            size += fabs(force);
        }
    }
    double net = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / size;
    gas_particles_free(state);

    struct gas_particles_state *one = random_box(8, 8, 8, 1, 1.0, 8);
    for (int axis = 0; axis < 3; axis++) {
        one->velocity[axis][0] = 0.0f;
    }
    gas_go(one);
    double self = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        self = fmax(self, fabs(one->velocity[axis][0]));
    }
    /* In units of what the strongest node would give. */
    self /= one->half * sqrt(one->max_g2);
    print_message("# net force %.2g, force on itself %.2g\n", net, self);
    assert_true(net < 2e-6);
    assert_true(self < 2e-6);
    gas_particles_free(one);
}

/* Kinetic energy with the velocities brought up to the positions, heat, and that of the potential.
 */
static double energy_with_potential(const struct gas_particles_state *state)
{
    struct gas_particles_model *model = gas_particles_model_create(state);
    assert_non_null(model);
    gas_particles_model_measure(model);
    double energy = 0.0;
    double volume = pow(state->constants.per_h, -3);
    for (uint64_t n = 0; n < gas_particles_nodes_of(state); n++) {
        energy += 0.5 * volume * model->density[n] * model->potential[n];
    }
    for (uint64_t i = 0; i < state->count; i++) {
        const struct gas_place place = gas_particles_place_of(state, i);
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double v = state->velocity[axis][i];
            for (unsigned corner = 0; corner < 8; corner++) {
                v += 0.5 * model->dt * place.weight[corner] *
                     model->acceleration[axis][place.node[corner]];
            }
            square += v * v;
        }
        energy += state->mass[i] * (0.5 * square + state->heat[i]);
    }
    gas_particles_model_free(model);
    return energy;
}

static void test_self_gravity(void **unused)
{
    (void)unused;
    struct gas_particles_settings settings = gas_usual_settings();
    const uint32_t side[3] = {8, 8, 8};
    /* Jeans length c sqrt(pi / (G density)) = 7 h, with density 1 and gamma 1.4 */
    settings.gravity = 2.0;
    double c = 7.0 / 8.0 * sqrt(settings.gravity / 3.14159265358979323846);
    struct gas_particles_state *state = gas_begin(side, gas_lattice_count(side, 2), &settings);
    gas_fill_lattice(state, 2);
    uint64_t random = 9;
    for (uint64_t i = 0; i < state->count; i++) {
        state->mass[i] = 1.0f / 4096.0f;
        state->heat[i] = (float)(c * c / (1.4 * 0.4));
        for (int axis = 0; axis < 3; axis++) {
            state->position[axis][i] += (uint32_t)(int64_t)(between(&random, -0.03, 0.03) * 0x1p32);
        }
    }
    double before = energy_with_potential(state);
    double particles = gas_energy(state);
    gas_run_to(state, 1.5);
    double drift = energy_with_potential(state) / before - 1.0;
    double exchanged = gas_energy(state) / particles - 1.0;
    double momentum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        momentum = fmax(momentum, fabs(gas_momentum(state, axis)) / gas_momentum_scale(state));
    }
    print_message("# self-gravity: energy %.2g while %.2g is exchanged, momentum %.2g\n", drift,
                  exchanged, momentum);
    assert_true(fabs(drift) < 0.01);
    assert_true(momentum < 1e-5);
    gas_particles_free(state);
}

/* N + M steps are N steps, then M of another run with the same state. */
static void test_state_is_complete(void **unused)
{
    (void)unused;
    struct gas_particles_state *whole = random_box(8, 4, 4, 500, 0.01, 10);
    struct gas_particles_state *rest = random_box(8, 4, 4, 500, 0.01, 11);
    for (int step = 0; step < 5; step++) {
        gas_go(whole);
    }
    for (int axis = 0; axis < 3; axis++) {
        memcpy(rest->position[axis], whole->position[axis], 500 * sizeof(uint32_t));
        memcpy(rest->velocity[axis], whole->velocity[axis], 500 * sizeof(float));
    }
    memcpy(rest->mass, whole->mass, 500 * sizeof(float));
    memcpy(rest->heat, whole->heat, 500 * sizeof(float));
    memcpy(rest->oscillator, whole->oscillator, 500 * sizeof(float));
    memcpy(rest->clockwork, whole->clockwork, sizeof(rest->clockwork));
    for (int step = 0; step < 5; step++) {
        gas_go(whole);
        gas_go(rest);
    }
    assert_memory_equal(rest->clockwork, whole->clockwork, sizeof(rest->clockwork));
    assert_memory_equal(rest->position[GAS_X], whole->position[GAS_X], 500 * sizeof(uint32_t));
    assert_memory_equal(rest->velocity[GAS_Y], whole->velocity[GAS_Y], 500 * sizeof(float));
    assert_memory_equal(rest->heat, whole->heat, 500 * sizeof(float));
    gas_particles_free(whole);
    gas_particles_free(rest);
}

/* What a particle's heat is after the steps of a run with so much energy: nothing may be lost. */
static void expect_energy(const struct gas_particles_state *state, double energy, const char *what)
{
    const double drift = gas_energy(state) / energy - 1.0;
    print_message("# %s: energy %.2g\n", what, drift);
    assert_true(fabs(drift) < 1e-5);
    for (uint64_t i = 0; i < state->count; i++) {
        assert_true(state->heat[i] >= 0.0f);
    }
}

/* No step takes more heat from a node than there is, however cold its surroundings are. */
static void test_cold(void **unused)
{
    (void)unused;
    struct gas_particles_settings settings = gas_usual_settings();
    const uint32_t plane[3] = {1, 16, 8}, cube[3] = {16, 16, 16};
    uint64_t random = 12;

    /* Particle by particle together and apart, with and without gravity. */
    for (int falls = 0; falls < 2; falls++) {
        settings.mixing = 0.0;
        settings.gravity = falls != 0 ? 0.01 : 0.0;
        struct gas_particles_state *cold = gas_begin(plane, 700, &settings);
        scatter(cold, COLD, &random);
        const double energy = gas_energy(cold);
        for (int step = 0; step < 200; step++) {
            gas_go(cold);
        }
        if (falls == 0) {
            expect_energy(cold, energy, "cold");
        }
        gas_particles_free(cold);
    }

    /* One hot particle of 4096; longer and shorter steps. */
    static const double courant[] = {0.4, 0.05};
    for (size_t run = 0; run < 2; run++) {
        settings = gas_usual_settings();
        settings.cfl = courant[run];
        struct gas_particles_state *one = gas_begin(cube, 4096, &settings);
        scatter(one, COLD, &random);
        for (uint64_t i = 0; i < one->count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                one->velocity[axis][i] = 0.0f;
            }
            one->oscillator[i] = 0.0f;
        }
        one->heat[1234] = 1.0f;
        const double energy = gas_energy(one);
        for (int step = 0; step < 50; step++) {
            gas_go(one);
        }
        expect_energy(one, energy, "one hot particle");
        gas_particles_free(one);
    }

    /* Even a step that is a hundred times too long. */
    settings = gas_usual_settings();
    struct gas_particles_state *hasty = gas_begin(plane, 700, &settings);
    scatter(hasty, SPREAD, &random);
    const double energy = gas_energy(hasty);
    gas_particles_units(hasty);
    gas_particles_deposit(hasty);
    gas_particles_nodes(hasty);
    gas_particles_dispersion(hasty);
    gas_particles_limits(hasty);
    gas_particles_time_step(hasty);
    hasty->lambda = 100.0f * hasty->lambda;
    gas_particles_predict(hasty);
    gas_particles_lagrangian(hasty);
    gas_particles_move(hasty);
    expect_energy(hasty, energy, "a step that is too long");
    gas_particles_free(hasty);
}

/* A box that is turned or mirrored: axis a of `to` is axis `from[a]`, and runs back if `back[a]`.
 */
struct turn {
    uint32_t side[3];
    int from[3];
    bool back[3];
};

static uint32_t turned_place(const struct turn *turn, const struct gas_particles_state *box,
                             int axis, uint64_t i)
{
    const uint32_t place = box->position[turn->from[axis]][i];
    return turn->back[axis] ? 0U - place : place;
}

static float turned_speed(const struct turn *turn, const struct gas_particles_state *box, int axis,
                          uint64_t i)
{
    const float speed = box->velocity[turn->from[axis]][i];
    return turn->back[axis] ? 0.0f - speed : speed;
}

/* Places of 16 bits, whose mirrored ones are exact and which are nearest to one node; the turned
 * box likewise. */
static void align(const struct turn *turn, struct gas_particles_state *box,
                  struct gas_particles_state *turned)
{
    for (uint64_t i = 0; i < box->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            if (turn->side[axis] > 1) {
                box->position[axis][i] = (box->position[axis][i] & 0xffff0000U) | 0x8000U;
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            turned->position[axis][i] = turned_place(turn, box, axis, i);
            turned->velocity[axis][i] = turned_speed(turn, box, axis, i);
        }
        turned->mass[i] = box->mass[i];
        turned->heat[i] = box->heat[i];
    }
}

/* A mirrored or turned box stays that of the other, to the byte. */
static void test_mirrored(void **unused)
{
    (void)unused;
    static const struct turn turns[] = {
        {{1, 1, 16}, {GAS_Z, GAS_Y, GAS_X}, {false, false, true}},
        {{1, 16, 16}, {GAS_Z, GAS_Y, GAS_X}, {false, false, true}},
        {{1, 16, 16}, {GAS_Z, GAS_Y, GAS_X}, {false, true, false}},
        {{1, 16, 16}, {GAS_Z, GAS_X, GAS_Y}, {false, false, false}},
        {{1, 16, 16}, {GAS_Z, GAS_X, GAS_Y}, {false, true, false}},
        {{8, 8, 4}, {GAS_Z, GAS_Y, GAS_X}, {true, false, false}},
        {{8, 8, 4}, {GAS_Z, GAS_Y, GAS_X}, {true, true, true}},
        {{8, 8, 4}, {GAS_Y, GAS_Z, GAS_X}, {false, false, false}},
        {{8, 8, 4}, {GAS_Y, GAS_Z, GAS_X}, {true, false, true}},
    };
    struct gas_particles_settings settings = gas_usual_settings();
    settings.conductivity = 0.001;
    uint64_t random = 13;
    for (size_t t = 0; t < sizeof(turns) / sizeof(turns[0]); t++) {
        const struct turn *turn = &turns[t];
        struct gas_particles_state *a = gas_begin(turn->side, 500, &settings);
        struct gas_particles_state *b = gas_begin(turn->side, 500, &settings);
        scatter(a, SPREAD, &random);
        for (uint64_t i = 0; i < a->count; i++) {
            for (int axis = 0; axis < 3; axis++) {
                const bool active = turn->side[axis] > 1;
                a->position[axis][i] = active ? a->position[axis][i] : 0U;
                a->velocity[axis][i] = active ? a->velocity[axis][i] : 0.0f;
            }
            a->oscillator[i] = 0.0f;
        }
        for (int step = 0; step < 3; step++) {
            align(turn, a, b);
            gas_go(a);
            gas_go(b);
            assert_memory_equal(a->clockwork, b->clockwork, sizeof(a->clockwork));
            for (uint64_t i = 0; i < a->count; i++) {
                for (int axis = 0; axis < 3; axis++) {
                    assert_int_equal(b->position[axis][i], turned_place(turn, a, axis, i));
                    assert_true(b->velocity[axis][i] == turned_speed(turn, a, axis, i));
                }
                assert_int_equal(bits_of(b->heat[i]), bits_of(a->heat[i]));
            }
        }
        gas_particles_free(a);
        gas_particles_free(b);
    }
}

/* What ends a run. */
static void test_status(void **unused)
{
    (void)unused;
    struct gas_particles_settings settings;
    uint64_t random = 12;

    /* A speed of sound of 2^30: the step would be below 2^-40. */
    settings = gas_usual_settings();
    const uint32_t line[3] = {1, 1, 2048};
    struct gas_particles_state *hot = gas_begin(line, 8, &settings);
    scatter(hot, SPREAD, &random);
    for (uint64_t i = 0; i < hot->count; i++) {
        hot->heat[i] = 0x1p60f;
    }
    assert_false(gas_particles_step(hot));
    assert_int_equal(hot->status, GAS_NO_TIME_STEP);
    gas_particles_free(hot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_model_deposit),
        cmocka_unit_test(test_golden_model_step),
        cmocka_unit_test(test_golden_cells),
        cmocka_unit_test(test_golden_reference_deposit),
        cmocka_unit_test(test_golden_reference_step),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_random_steps),
        cmocka_unit_test(test_deposit_conserves),
        cmocka_unit_test(test_order_of_particles),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_gather_is_the_transpose),
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_gravity_has_no_net_force),
        cmocka_unit_test(test_self_gravity),
        cmocka_unit_test(test_state_is_complete),
        cmocka_unit_test(test_cold),
        cmocka_unit_test(test_mirrored),
        cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests_name("gas_particles_reference", tests, NULL, NULL);
}
