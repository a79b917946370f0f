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
#include "gas_particles_reference.h"

/* --- recorded vectors --------------------------------------------------------------------------
 */

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
    struct gas_particles_state *state = gas_particles_create(
        golden_side[GAS_Z], golden_side[GAS_Y], golden_side[GAS_X], GOLDEN_COUNT, settings);
    assert_non_null(state);
    float *x = golden("in_x.f32", GOLDEN_COUNT * 3 * sizeof(float));
    float *v = golden("in_v.f32", GOLDEN_COUNT * 3 * sizeof(float));
    float *m = golden("in_m.f32", GOLDEN_COUNT * sizeof(float));
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
    state->clockwork[GAS_DT] = bits_of(0x1p-10f);
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
    model->planck = 0x1p-12;
    model->boltzmann = 0x1p-12;
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
        print_message("model, deposit %zu: %.2g\n", i, relative(off[i]));
        assert_true(relative(off[i]) < 1e-12);
    }
    free(fields);
    free(dispersion);
    gas_particles_model_free(model);
}

struct golden_case {
    const char *name;
    double gravity, chi;
};

static const struct golden_case golden_cases[] = {
    {"lagrange", 0.0, 0.0},
    {"lagrange_flip075", 0.0, 0.75},
    {"lagrange_G", 0x1p-6, 0.0},
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
        struct gas_particles_model *model = golden_model(&settings);
        gas_particles_model_measure(model);
        gas_particles_model_choose(model);
        assert_true(model->dt == 0x1p-10 && model->dt_last == 0x1p-10);
        model->chi = it->chi;
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
        print_message("%s, model: x %.2g v %.2g heat %.2g oscillator %.2g\n", it->name,
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

/* Every difference of the reference from the vectors; the exchange keeps heat + oscillator. */
static void test_golden_reference_step(void **unused)
{
    (void)unused;
    for (size_t c = 0; c < sizeof(golden_cases) / sizeof(golden_cases[0]); c++) {
        const struct golden_case *it = &golden_cases[c];
        struct gas_particles_settings settings = golden_settings;
        settings.gravity = it->gravity;
        struct gas_particles_state *state = golden_state(&settings);
        gas_particles_units(state);
        gas_particles_deposit(state);
        gas_particles_nodes(state);
        gas_particles_spread(state);
        if (it->gravity > 0.0) {
            gas_particles_gravity(state);
        }
        gas_particles_limits(state);
        gas_particles_choose(state);
        assert_int_equal(bits_of(state->dt), bits_of(0x1p-10f));
        state->chi = (float)it->chi;
        state->chi_rest = (float)(1.0 - it->chi);
        gas_particles_predict(state);
        gas_particles_phase(state);
        gas_particles_move(state);
        assert_int_equal(state->status, GAS_RUNS);
        double *x = golden_of(it, "x", GOLDEN_COUNT * 3);
        double *v = golden_of(it, "v", GOLDEN_COUNT * 3);
        double *heat = golden_of(it, "Q", GOLDEN_COUNT);
        double *oscillator = golden_of(it, "Eo", GOLDEN_COUNT);
        struct deviation off_x = {0}, off_v = {0}, off_heat = {0};
        for (size_t i = 0; i < GOLDEN_COUNT; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double sides = x[3 * i + axis] * 16.0 / golden_side[axis];
                double mine = state->position[axis][i] * 0x1p-32;
                compare(&off_x, sides + remainder(mine - sides, 1.0), sides);
                compare(&off_v, state->velocity[axis][i], v[3 * i + axis]);
            }
            double mine = (double)state->heat[i] + state->oscillator[i];
            compare(&off_heat, mine * state->mass[i], heat[i] + oscillator[i]);
        }
        print_message("%s, reference: x %.2g v %.2g heat %.2g\n", it->name, relative(off_x),
                      relative(off_v), relative(off_heat));
        assert_true(relative(off_x) < 2e-6);
        assert_true(relative(off_v) < 2e-6);
        assert_true(relative(off_heat) < 2e-6);
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
    gas_particles_spread(state);
    gas_particles_gravity(state);
    gas_particles_limits(state);
    double *fields = golden("deposit_rho_mom_heat_kin.f64", 6 * GOLDEN_NODES * sizeof(double));
    double *dispersion = golden("dispersion.f64", GOLDEN_NODES * sizeof(double));
    double *potential = golden("phi_spectral_G1.f64", GOLDEN_NODES * sizeof(double));
    double *pull = golden("accel_nodes_spectral.f64", 3 * GOLDEN_NODES * sizeof(double));
    struct deviation off[6] = {0}, off_potential = {0}, off_pull = {0};
    for (size_t n = 0; n < GOLDEN_NODES; n++) {
        compare(&off[0], state->density[n], fields[n]);
        for (size_t axis = 0; axis < 3; axis++) {
            compare(&off[1 + axis], (double)state->density[n] * state->velocity_at[axis][n],
                    fields[(1 + axis) * GOLDEN_NODES + n]);
            compare(&off_pull, state->pull[axis][n], pull[axis * GOLDEN_NODES + n]);
        }
        compare(&off[4], state->heat_at[n], fields[4 * GOLDEN_NODES + n]);
        compare(&off[5], state->dispersion_at[n], dispersion[n]);
        compare(&off_potential, state->potential[n], potential[n]);
    }
    for (size_t i = 0; i < 6; i++) {
        print_message("reference, deposit %zu: %.2g\n", i, relative(off[i]));
        assert_true(relative(off[i]) < 2e-6);
    }
    print_message("reference, potential %.2g, acceleration %.2g\n", relative(off_potential),
                  relative(off_pull));
    assert_true(relative(off_potential) < 1e-5);
    assert_true(relative(off_pull) < 3e-5);
    free(fields);
    free(dispersion);
    free(potential);
    free(pull);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_model_deposit),
        cmocka_unit_test(test_golden_model_step),
        cmocka_unit_test(test_golden_cells),
        cmocka_unit_test(test_golden_reference_deposit),
        cmocka_unit_test(test_golden_reference_step),
    };
    return cmocka_run_group_tests_name("gas_particles_reference", tests, NULL, NULL);
}
