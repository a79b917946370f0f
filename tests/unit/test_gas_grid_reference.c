/* SPDX-License-Identifier: MIT */
/* The C reference of the gas on a grid: against recorded vectors, against the model in double, and
 * the rules of its definition one by one. */
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
#include "gas_grid_model.h"
#include "gas_grid_reference.h"

static const double pi = 3.14159265358979323846;

static const struct gas_grid_settings plain = {.gamma = 1.4, .dt = 1.0, .cfl = 0.4};

/* --- set-up ------------------------------------------------------------------------------- */

static struct gas_grid_state *box(uint32_t width, uint32_t height, uint32_t depth,
                                  const struct gas_grid_settings *settings)
{
    struct gas_grid_state *state = gas_grid_create(width, height, depth, settings);
    assert_non_null(state);
    return state;
}

/* The model with the fields, mean density and last rates of the reference. */
static struct gas_model *model_of(const struct gas_grid_state *state)
{
    const struct gas_model_parameters parameters = {
        .gamma = state->settings.gamma,
        .conductivity = state->settings.conductivity,
        .cfl = state->settings.cfl,
        .longest = state->settings.dt,
        .vacuum = 1e-10 * float_of(state->clockwork[GAS_MEAN]),
    };
    struct gas_model *model =
        gas_model_create(state->depth, state->height, state->width, &parameters);
    assert_non_null(model);
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        for (size_t node = 0; node < state->nodes; node++) {
            model->field[f][node] = state->field[f][node];
        }
    }
    gas_model_longest_dt(model);
    return model;
}

/* Largest |a - scale b| of the largest |a|. */
static double apart(const double *a, const float *b, double scale, size_t count)
{
    double error = 0.0, most = 0.0;
    for (size_t i = 0; i < count; i++) {
        error = fmax(error, fabs(a[i] - scale * (double)b[i]));
        most = fmax(most, fabs(a[i]));
    }
    return most > 0.0 ? error / most : error;
}

static double apart_in_double(const double *a, const double *b, size_t count)
{
    double error = 0.0, most = 0.0;
    for (size_t i = 0; i < count; i++) {
        error = fmax(error, fabs(a[i] - b[i]));
        most = fmax(most, fabs(a[i]));
    }
    return error / most;
}

static double worst_field(double *const model[GAS_GRID_FIELDS],
                          float *const reference[GAS_GRID_FIELDS], double scale, size_t nodes)
{
    double worst = 0.0;
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        worst = fmax(worst, apart(model[f], reference[f], scale, nodes));
    }
    return worst;
}

/* Fails unless value <= bound; prints both either way. */
static void hold_(const char *name, double value, double bound, int line)
{
    print_message("# %s: %.2g (at most %g)\n", name, value, bound);
    if (!(value <= bound)) {
        _fail(__FILE__, line);
    }
}
#define hold(name, value, bound) hold_(name, value, bound, __LINE__)

static void fill(struct gas_grid_state *state, size_t node, double density, const double u[3],
                 double p)
{
    double heat = p / (state->settings.gamma - 1.0), motion = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        state->field[GAS_MOMENTUM_Z + axis][node] = (float)(density * u[axis]);
        motion += 0.5 * density * u[axis] * u[axis];
    }
    state->field[GAS_DENSITY][node] = (float)density;
    state->field[GAS_ENERGY][node] = density > 0.0 ? (float)(heat + motion) : 0.0f;
    state->field[GAS_INTERNAL][node] = density > 0.0 ? (float)heat : 0.0f;
}

/* --- recorded vectors --------------------------------------------------------------------- */

enum { GOLDEN_DEPTH = 16, GOLDEN_HEIGHT = 8, GOLDEN_WIDTH = 4, GOLDEN_NODES = 512 };

static void read_golden(const char *name, void *target, size_t size)
{
    char path[200];
    snprintf(path, sizeof(path), "tests/golden-gas/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(target, 1, size, file), size);
    fclose(file);
}

static struct gas_grid_state *golden_state(const char *name, double dt)
{
    const struct gas_grid_settings settings = {
        .gamma = 1.4, .conductivity = 0x1p-10, .dt = dt, .cfl = 0.4};
    static float values[GAS_GRID_FIELDS][GOLDEN_NODES];
    read_golden(name, values, sizeof(values));
    struct gas_grid_state *state = box(GOLDEN_WIDTH, GOLDEN_HEIGHT, GOLDEN_DEPTH, &settings);
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        memcpy(state->field[f], values[f], sizeof(values[f]));
    }
    state->clockwork[GAS_MEAN] = bits_of(1.16415322f);
    return state;
}

static void test_recorded_vectors(void **unused)
{
    (void)unused;
    static const struct {
        const char *from, *rates, *after;
        double step_dt; /* that of the rates is 2^-8 */
    } cases[] = {
        {"in_U.f32", "rhs_grid.f64", "step_grid.f64", 0x1p-8},
        {"in_U_vacuum.f32", "rhs_grid_vacuum.f64", "step_grid_vacuum.f64", 0x1p-10},
    };
    static double rates[GAS_GRID_FIELDS][GOLDEN_NODES], after[GAS_GRID_FIELDS][GOLDEN_NODES];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        read_golden(cases[i].rates, rates, sizeof(rates));
        read_golden(cases[i].after, after, sizeof(after));
        double worst[4] = {0};
        struct gas_grid_state *state = golden_state(cases[i].from, 0x1p-8);
        struct gas_model *model = model_of(state);
        gas_grid_prepare(state);
        assert_true(gas_grid_time_step(state));
        assert_true(gas_grid_last_dt(state) == 0x1p-8);
        gas_grid_right_hand_side(state);
        gas_model_find_rates(model, 0x1p-8);
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            worst[0] = fmax(worst[0], apart_in_double(rates[f], model->rates[f], GOLDEN_NODES));
            worst[1] = fmax(worst[1], apart(rates[f], state->change[f], -16.0, GOLDEN_NODES));
        }
        gas_grid_free(state);
        gas_model_free(model);

        state = golden_state(cases[i].from, cases[i].step_dt);
        model = model_of(state);
        assert_true(gas_grid_step(state));
        assert_true(gas_grid_last_dt(state) == cases[i].step_dt);
        gas_grid_prepare(state); /* the internal energy */
        gas_model_step(model, cases[i].step_dt, NULL, 0.0);
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            worst[2] = fmax(worst[2], apart_in_double(after[f], model->field[f], GOLDEN_NODES));
            worst[3] = fmax(worst[3], apart(after[f], state->field[f], 1.0, GOLDEN_NODES));
        }
        gas_grid_free(state);
        gas_model_free(model);
        print_message("# %s\n", cases[i].from);
        hold("right-hand side, model", worst[0], 1e-12);
        hold("right-hand side, float32", worst[1], 3e-5);
        hold("step, model", worst[2], 1e-12);
        hold("step, float32", worst[3], 2e-6);
    }
}

static void test_recorded_acceleration(void **unused)
{
    (void)unused;
    static double deposit[6][GOLDEN_NODES], wanted[3][GOLDEN_NODES];
    read_golden("deposit_rho_mom_heat_kin.f64", deposit, sizeof(deposit));
    read_golden("accel_nodes_spectral.f64", wanted, sizeof(wanted));
    struct gas_grid_settings settings = plain;
    settings.gravity = 1.0;
    struct gas_grid_state *state = box(GOLDEN_WIDTH, GOLDEN_HEIGHT, GOLDEN_DEPTH, &settings);
    for (size_t node = 0; node < GOLDEN_NODES; node++) {
        fill(state, node, deposit[0][node], (const double[3]){0.0}, 0.4 * deposit[4][node]);
    }
    assert_true(gas_grid_step(state));
    double worst = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        worst = fmax(worst, apart(wanted[axis], state->acceleration[axis], 1.0, GOLDEN_NODES));
    }
    hold("acceleration, float32", worst, 3e-5);
    gas_grid_free(state);
}

/* --- against the model -------------------------------------------------------------------- */

enum flow { MILD, COLD_AND_FAST, WITH_HOLES, FLOWS };

static void fill_at_random(struct gas_grid_state *state, enum flow flow, uint64_t seed)
{
    for (size_t node = 0; node < state->nodes; node++) {
        double density = between(&seed, 0.5, 2.0), p = between(&seed, 0.5, 2.0), u[3];
        for (int axis = 0; axis < 3; axis++) {
            u[axis] = between(&seed, -1.0, 1.0);
        }
        if (flow == COLD_AND_FAST) { /* a stream at Mach 1000 and more */
            density = 1.0 + 0.1 * u[0];
            for (int axis = 0; axis < 3; axis++) {
                u[axis] = 1.0 + 1e-3 * u[axis];
            }
            p *= 1e-6;
        }
        if (flow == WITH_HOLES) {
            density = node % 5 == 0 ? 0.0 : 1.0 + 0.2 * u[0];
        }
        fill(state, node, density, u, p);
    }
}

static void test_random_states_follow_the_model(void **unused)
{
    (void)unused;
    static const char *const names[FLOWS] = {"mild", "cold and fast", "with holes"};
    static const uint32_t sides[4][3] = {{32, 1, 1}, {9, 7, 1}, {6, 5, 7}, {1, 12, 10}};
    struct gas_grid_settings settings = plain;
    settings.conductivity = 1e-3;
    for (int flow = 0; flow < FLOWS; flow++) {
        double rates = 0.0, step = 0.0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            const uint32_t *side = sides[seed % 4];
            struct gas_grid_state *state = box(side[0], side[1], side[2], &settings);
            fill_at_random(state, (enum flow)flow, seed);
            gas_grid_prepare(state);
            struct gas_model *model = model_of(state);
            assert_true(gas_grid_time_step(state));
            double dt = gas_grid_last_dt(state), per_h = state->constants.per_h;
            assert_true(fabs(dt / gas_model_longest_dt(model) - 1.0) < 1e-5);
            gas_grid_right_hand_side(state);
            gas_model_find_rates(model, dt);
            rates = fmax(rates, worst_field(model->rates, state->change, -per_h, state->nodes));

            assert_true(gas_grid_step(state));
            gas_grid_prepare(state);
            gas_model_step(model, gas_grid_last_dt(state), NULL, 0.0);
            step = fmax(step, worst_field(model->field, state->field, 1.0, state->nodes));
            gas_grid_free(state);
            gas_model_free(model);
        }
        print_message("# %s\n", names[flow]);
        hold("right-hand side", rates, 3e-5);
        hold("step", step, 2e-6);
    }
}

/* Streams that part and leave 2 % of the density, where fluxes are limited. */
static void test_limited_flow_follows_the_model(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(256, 1, 1, &plain);
    for (size_t node = 0; node < 256; node++) {
        fill(state, node, 1.0, (const double[3]){0.0, 0.0, node < 128 ? -2.0 : 2.0}, 0.4);
    }
    gas_grid_prepare(state);
    struct gas_model *model = model_of(state);
    while (gas_grid_time(state) < 0.1) {
        assert_true(gas_grid_step(state));
        gas_model_step(model, gas_grid_last_dt(state), NULL, 0.0);
    }
    gas_grid_prepare(state);
    double sum[GAS_GRID_FIELDS] = {0}, worst = 0.0;
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        for (size_t node = 0; node < 256; node++) {
            sum[f] += fabs(model->field[f][node] - (double)state->field[f][node]) / 256.0;
        }
        worst = fmax(worst, sum[f]);
    }
    hold("double rarefaction, mean difference", worst, 1e-4);
    gas_grid_free(state);
    gas_model_free(model);
}

/* A wave for a period, and a fall in the gravity that the reference finds. */
static void test_runs_follow_the_model(void **unused)
{
    (void)unused;
    for (int falling = 0; falling < 2; falling++) {
        struct gas_grid_settings settings = plain;
        settings.gravity = falling == 1 ? 0.5 : 0.0;
        settings.conductivity = falling == 1 ? 1e-3 : 0.0;
        struct gas_grid_state *state =
            falling == 1 ? box(16, 8, 8, &settings) : box(64, 1, 1, &settings);
        for (size_t node = 0; node < state->nodes; node++) {
            double x = (double)(node % state->width) / state->width;
            double y = (double)(node / state->width) / (double)state->nodes * state->width;
            double wave = sin(2.0 * pi * x) * (falling == 1 ? 0.1 * cos(2.0 * pi * y) : 1e-3);
            fill(state, node, 1.0 + wave, (const double[3]){0.0, 0.0, wave}, 1.0 / 1.4 + wave);
        }
        gas_grid_prepare(state);
        struct gas_model *model = model_of(state);
        double *g[3];
        for (int axis = 0; axis < 3; axis++) {
            g[axis] = calloc(state->nodes, sizeof(double));
            assert_non_null(g[axis]);
        }
        while (gas_grid_time(state) < 1.0) {
            double last = gas_grid_last_dt(state);
            assert_true(gas_grid_step(state));
            double dt = gas_grid_last_dt(state);
            for (int axis = 0; axis < 3; axis++) {
                for (size_t node = 0; node < state->nodes; node++) {
                    g[axis][node] = state->acceleration[axis][node];
                }
            }
            gas_model_step(model, dt, g, 0.5 * (last + dt));
        }
        gas_grid_prepare(state);
        double worst = 0.0; /* all values are of order 1 */
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            for (size_t node = 0; node < state->nodes; node++) {
                worst = fmax(worst, fabs(model->field[f][node] - (double)state->field[f][node]));
            }
        }
        hold(falling == 1 ? "fall" : "wave", worst, 5e-6);
        for (int axis = 0; axis < 3; axis++) {
            free(g[axis]);
        }
        gas_grid_free(state);
        gas_model_free(model);
    }
}

/* --- rules of the definition -------------------------------------------------------------- */

static void test_mean_density(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(3, 2, 1, &plain);
    for (size_t node = 0; node < 6; node++) {
        fill(state, node, 1.0 + (double)node, (const double[3]){0.0}, 1.0);
    }
    gas_grid_prepare(state);
    assert_true(fabs(float_of(state->clockwork[GAS_MEAN]) - 3.5) < 1e-6);
    state->field[GAS_DENSITY][0] = 100.0f; /* measured once */
    gas_grid_prepare(state);
    assert_true(fabs(float_of(state->clockwork[GAS_MEAN]) - 3.5) < 1e-6);
    gas_grid_free(state);
}

static void test_no_gas(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(4, 4, 4, &plain);
    assert_true(gas_grid_step(state));
    assert_true(float_of(state->clockwork[GAS_MEAN]) == 0x1p-60f);
    assert_true(gas_grid_last_dt(state) == 1.0);
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        for (size_t node = 0; node < state->nodes; node++) {
            assert_true(state->field[f][node] == 0.0f);
        }
    }
    gas_grid_free(state);
}

/* dt of gas at rest with speed of sound 1, and of one in which heat spreads. */
static void test_time_step(void **unused)
{
    (void)unused;
    for (int conducting = 0; conducting < 2; conducting++) {
        struct gas_grid_settings settings = plain;
        settings.conductivity = conducting == 1 ? 0.03 : 0.0;
        struct gas_grid_state *state = box(16, 8, 8, &settings);
        for (size_t node = 0; node < state->nodes; node++) {
            fill(state, node, 1.0, (const double[3]){0.0, 0.0, -2.0}, 1.0 / 1.4);
        }
        double per_dt = 5.0 * 16.0 / 0.4 + settings.conductivity * 256.0 / 0.15, time = 0.0;
        for (int step = 0; step < 5; step++) {
            assert_true(gas_grid_step(state));
            double dt = gas_grid_last_dt(state);
            time += dt;
            assert_true(fabs(dt * per_dt - 1.0) < 1e-5);
            assert_true(floor(dt * 0x1p40) == dt * 0x1p40);
            assert_true(gas_grid_time(state) == time);
        }
        gas_grid_free(state);
    }
}

static void test_runs_that_end(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = plain;
    settings.dt = 0x1p-41; /* less than a unit of time */
    struct gas_grid_state *state = box(4, 1, 1, &settings);
    assert_false(gas_grid_step(state));
    gas_grid_free(state);
    const enum gas_grid_field below_zero[] = {GAS_DENSITY, GAS_ENERGY};
    for (int i = 0; i < 2; i++) {
        state = box(4, 1, 1, &plain);
        for (size_t node = 0; node < 4; node++) {
            fill(state, node, 1.0, (const double[3]){0.0}, 1.0);
        }
        state->field[below_zero[i]][2] = -1e3f;
        assert_false(gas_grid_step(state));
        gas_grid_free(state);
    }
}

/* The three sources of the internal energy. */
static void test_synchronisation(void **unused)
{
    (void)unused;
    static const struct {
        float energy, momentum, internal, expected;
    } cases[] = {
        {4.0f, 2.0f, 7.0f, 2.0f},  /* thermal energy over a tenth of the largest energy */
        {4.0f, 2.75f, 7.0f, 7.0f}, /* 0.21875 is not */
        {4.0f, 2.75f, 0.0f, 0.21875f} /* nothing was kept */,
        {4.0f, 3.0f, 0.0f, 0.0f}, /* below 0 */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gas_grid_state *state = box(8, 1, 1, &plain);
        for (size_t node = 0; node < 8; node++) {
            state->field[GAS_DENSITY][node] = 1.0f;
            state->field[GAS_ENERGY][node] = 4.0f;
        }
        state->field[GAS_ENERGY][3] = cases[i].energy;
        state->field[GAS_MOMENTUM_X][3] = cases[i].momentum;
        state->field[GAS_INTERNAL][3] = cases[i].internal;
        gas_grid_prepare(state);
        assert_true(fabs(state->field[GAS_INTERNAL][3] - cases[i].expected) < 1e-6);
        gas_grid_free(state);
    }
}

/* The same line of gas along each axis has the same bits. */
static void test_axes_are_equal(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = plain;
    settings.conductivity = 1e-3;
    settings.gravity = 0.5;
    struct gas_grid_state *line[3] = {box(1, 1, 32, &settings), box(1, 32, 1, &settings),
                                      box(32, 1, 1, &settings)};
    for (int axis = 0; axis < 3; axis++) {
        uint64_t seed = 3;
        for (size_t node = 0; node < 32; node++) {
            double u[3] = {0.0};
            u[axis] = between(&seed, -1.0, 1.0);
            fill(line[axis], node, node % 7 == 0 ? 0.0 : between(&seed, 0.1, 1.0), u,
                 between(&seed, 0.1, 1.0));
        }
        for (int step = 0; step < 50; step++) {
            assert_true(gas_grid_step(line[axis]));
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            int own = f == GAS_MOMENTUM_X ? GAS_MOMENTUM_Z + axis : f;
            if (f == GAS_MOMENTUM_Z || f == GAS_MOMENTUM_Y) {
                continue;
            }
            assert_memory_equal(line[axis]->field[own], line[2]->field[f], 32 * sizeof(float));
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        gas_grid_free(line[axis]);
    }
}

/* States of which every node is 0 or at least 2^-60, so that no device meets a subnormal. */
static void test_small_numbers(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(64, 1, 1, &plain);
    for (size_t node = 0; node < 64; node++) {
        double density = exp(-fabs((double)node - 32.0) * 2.0);
        fill(state, node, density, (const double[3]){1e-18, -1e-15, 0.0}, density);
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            if (fabsf(state->field[f][node]) < 0x1p-60f) {
                state->field[f][node] = 0.0f;
            }
        }
    }
    for (int step = 0; step < 60; step++) {
        assert_true(gas_grid_step(state));
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            for (size_t node = 0; node < 64; node++) {
                float value = state->field[f][node];
                assert_true(value == 0.0f || fabsf(value) >= 0x1p-60f);
            }
        }
    }
    gas_grid_free(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_vectors),
        cmocka_unit_test(test_recorded_acceleration),
        cmocka_unit_test(test_random_states_follow_the_model),
        cmocka_unit_test(test_limited_flow_follows_the_model),
        cmocka_unit_test(test_runs_follow_the_model),
        cmocka_unit_test(test_mean_density),
        cmocka_unit_test(test_no_gas),
        cmocka_unit_test(test_time_step),
        cmocka_unit_test(test_runs_that_end),
        cmocka_unit_test(test_synchronisation),
        cmocka_unit_test(test_axes_are_equal),
        cmocka_unit_test(test_small_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
