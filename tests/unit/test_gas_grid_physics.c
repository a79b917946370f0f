/* SPDX-License-Identifier: MIT */
/* The gas on a grid, in float32, against exact solutions: shocks, waves, vacuum, a point blast,
 * conduction, and flows that break schemes. Each test prints its figures, which docs/sims/gas.md
 * lists. */
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
#include "gas_exact.h"
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

/* Velocity z, y, x. */
static void fill(struct gas_grid_state *state, size_t node, double density, const double u[3],
                 double p)
{
    double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    double heat = p / (state->settings.gamma - 1.0);
    state->field[GAS_DENSITY][node] = (float)density;
    for (int axis = 0; axis < 3; axis++) {
        state->field[GAS_MOMENTUM_Z + axis][node] = (float)(density * u[axis]);
    }
    state->field[GAS_ENERGY][node] = (float)(heat + 0.5 * density * square);
    state->field[GAS_INTERNAL][node] = (float)heat;
}

static void fill_line(struct gas_grid_state *state, size_t node, struct gas_exact_state w)
{
    fill(state, node, w.density, (const double[3]){0.0, 0.0, w.u}, w.p);
}

static double total(const struct gas_grid_state *state, enum gas_grid_field field)
{
    double sum = 0.0;
    for (size_t node = 0; node < state->nodes; node++) {
        sum += state->field[field][node];
    }
    return sum;
}

static double pressure(const struct gas_grid_state *state, size_t node)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        square += pow(state->field[GAS_MOMENTUM_Z + axis][node], 2.0);
    }
    double kinetic = 0.5 * square / state->field[GAS_DENSITY][node];
    double thermal = state->field[GAS_ENERGY][node] - kinetic;
    if (thermal <= 1e-3 * state->field[GAS_ENERGY][node]) {
        thermal = state->field[GAS_INTERNAL][node];
    }
    return (state->settings.gamma - 1.0) * thermal;
}

/* Steps until the time; returns their number. */
static size_t run(struct gas_grid_state *state, double time)
{
    size_t steps = 0;
    float longest = state->constants.longest;
    for (double left = time - gas_grid_time(state); left > 0x1p-30;
         left = time - gas_grid_time(state)) {
        state->constants.longest = fminf(longest, (float)left);
        assert_true(gas_grid_step(state));
        steps++;
    }
    state->constants.longest = longest;
    return steps;
}

/* Fails unless |value| <= bound; prints both either way. */
static void hold_(const char *name, double value, double bound, int line)
{
    print_message("# %s: %.3g (at most %g)\n", name, value, bound);
    if (!(fabs(value) <= bound)) {
        _fail(__FILE__, line);
    }
}
#define hold(name, value, bound) hold_(name, value, bound, __LINE__)

static void hold_between_(const char *name, double value, double low, double high, int line)
{
    print_message("# %s: %.5g (%g to %g)\n", name, value, low, high);
    if (!(value >= low && value <= high)) {
        _fail(__FILE__, line);
    }
}
#define hold_between(name, value, low, high) hold_between_(name, value, low, high, __LINE__)

static const char *label(char *text, size_t size, const char *name, uint32_t width)
{
    snprintf(text, size, "%s, %u nodes", name, width);
    return text;
}

/* --- slabs: Sod's shock tube, vacuum ------------------------------------------------------ */

/* The slab fills the nodes from lower to upper, so its edges are half a node below. */
static struct gas_grid_state *slab_box(uint32_t width, struct gas_exact_slab *problem)
{
    struct gas_grid_state *state = box(width, 1, 1, &plain);
    for (size_t i = 0; i < width; i++) {
        double x = (double)i / width;
        bool inside = x >= problem->lower && x < problem->upper;
        fill_line(state, i, inside ? problem->slab : problem->around);
    }
    problem->lower = (ceil(problem->lower * width) - 0.5) / width;
    problem->upper = (ceil(problem->upper * width) - 0.5) / width;
    return state;
}

/* Mean over the nodes of |density - that of the problem|. */
static double slab_error(const struct gas_grid_state *state, const struct gas_exact_slab *problem)
{
    double sum = 0.0, t = gas_grid_time(state);
    for (size_t i = 0; i < state->nodes; i++) {
        double exact = gas_exact_slab_density(problem, i, state->nodes, t);
        sum += fabs(state->field[GAS_DENSITY][i] - exact);
    }
    return sum / (double)state->nodes;
}

static void test_sod(void **unused)
{
    (void)unused;
    const double bounds[] = {8.2e-3, 4.1e-3, 2.2e-3, 1.3e-3};
    for (int i = 0; i < 4; i++) {
        char text[80];
        uint32_t width = 128u << i;
        struct gas_exact_slab problem = gas_exact_sod(0.0);
        struct gas_grid_state *state = slab_box(width, &problem);
        double mass = total(state, GAS_DENSITY), energy = total(state, GAS_ENERGY);
        run(state, 0.1);
        hold(label(text, sizeof(text), "Sod", width), slab_error(state, &problem), bounds[i]);
        hold("  mass", total(state, GAS_DENSITY) / mass - 1.0, 1e-6);
        hold("  energy", total(state, GAS_ENERGY) / energy - 1.0, 1e-6);
        gas_grid_free(state);
    }
}

static void test_sod_shock(void **unused)
{
    (void)unused;
    struct gas_exact_slab problem = gas_exact_sod(0.0);
    struct gas_grid_state *state = slab_box(1024, &problem);
    run(state, 0.1);
    const float *density = state->field[GAS_DENSITY];
    double p, u, t = gas_grid_time(state);
    gas_exact_star(&problem.slab, &problem.around, 1.4, &p, &u);
    hold_between("Sod, exact solution, p*", p, 0.303125, 0.303135);
    hold_between("  u*", u, 0.927445, 0.927455);
    const struct gas_exact_shock shock = gas_exact_slab_shock(&problem);
    /* the middle of the plateau between contact and shock */
    double plateau =
        density[(size_t)((problem.upper + 0.5 * (u + shock.speed) * t) * 1024.0 + 0.5)];
    hold_between("Sod, density behind the shock / exact", plateau / shock.density, 0.995, 1.005);
    size_t i = 1023;
    double half = 0.5 * (plateau + 0.125);
    while (density[i] < half) {
        i--;
    }
    double x = ((double)i + (density[i] - half) / (density[i] - density[i + 1])) / 1024.0;
    hold_between("Sod, way of the shock / exact", (x - problem.upper) / (shock.speed * t), 0.99,
                 1.01);
    gas_grid_free(state);
}

static void test_sod_in_a_stream(void **unused)
{
    (void)unused;
    const double bounds[] = {8.2e-3, 4.6e-3};
    for (int i = 0; i < 2; i++) {
        char text[80];
        uint32_t width = 256u << i;
        struct gas_exact_slab problem = gas_exact_sod(3.0);
        struct gas_grid_state *state = slab_box(width, &problem);
        run(state, 0.1);
        hold(label(text, sizeof(text), "Sod at speed 3", width), slab_error(state, &problem),
             bounds[i]);
        gas_grid_free(state);
    }
}

static void test_vacuum(void **unused)
{
    (void)unused;
    const double bounds[] = {5e-3, 2.8e-3, 1.5e-3};
    for (int i = 0; i < 3; i++) {
        char text[80];
        uint32_t width = 256u << i;
        struct gas_exact_slab problem = {
            .slab = {1.0, 0.0, 1.0 / 1.4}, .lower = 0.35, .upper = 0.65, .gamma = 1.4};
        struct gas_grid_state *state = slab_box(width, &problem);
        double mass = total(state, GAS_DENSITY), energy = total(state, GAS_ENERGY);
        run(state, 0.04);
        hold(label(text, sizeof(text), "vacuum", width), slab_error(state, &problem), bounds[i]);
        hold("  mass", total(state, GAS_DENSITY) / mass - 1.0, 1e-6);
        hold("  energy", total(state, GAS_ENERGY) / energy - 1.0, 1e-6);
        size_t front = 0;
        for (size_t node = 0; node < width; node++) {
            assert_true(state->field[GAS_DENSITY][node] >= 0.0f);
            front = state->field[GAS_DENSITY][node] > 1e-6f ? node : front;
        }
        double way = ((double)front + 0.5) / width - problem.upper;
        hold_between("  place of density 1e-6 / front", way / (5.0 * gas_grid_time(state)), 0.7,
                     1.02);
        gas_grid_free(state);
    }
}

/* --- waves -------------------------------------------------------------------------------- */

/* sqrt of the sum over the fields of the squared mean |difference| to the simple wave. */
static double sound_error(const struct gas_grid_state *state, double amplitude)
{
    double sum[3] = {0}, t = gas_grid_time(state);
    for (size_t i = 0; i < state->nodes; i++) {
        double mean[3] = {0};
        for (int s = 0; s < 16; s++) {
            double x = ((double)i + (s + 0.5) / 16.0 - 0.5) / (double)state->nodes;
            struct gas_exact_state w = gas_exact_sound(amplitude, 1.4, x, t);
            mean[0] += w.density / 16.0;
            mean[1] += w.density * w.u / 16.0;
            mean[2] += (w.p / 0.4 + 0.5 * w.density * w.u * w.u) / 16.0;
        }
        sum[0] += fabs(state->field[GAS_DENSITY][i] - mean[0]) / (double)state->nodes;
        sum[1] += fabs(state->field[GAS_MOMENTUM_X][i] - mean[1]) / (double)state->nodes;
        sum[2] += fabs(state->field[GAS_ENERGY][i] - mean[2]) / (double)state->nodes;
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

static void test_sound(void **unused)
{
    (void)unused;
    double errors[4];
    for (int i = 0; i < 4; i++) {
        uint32_t width = 16u << i;
        struct gas_grid_state *state = box(width, 1, 1, &plain);
        for (size_t node = 0; node < width; node++) {
            fill_line(state, node, gas_exact_sound(1e-3, 1.4, (double)node / width, 0.0));
        }
        run(state, 1.0);
        errors[i] = sound_error(state, 1e-3);
        print_message("# sound of amplitude 1e-3, %u nodes: %.3g\n", width, errors[i]);
        gas_grid_free(state);
    }
    hold_between("  order, 64 to 128", log2(errors[2] / errors[3]), 1.7, 3.0);
}

static double density_wave(double x)
{
    return 1.0 + 0.2 * sin(2.0 * pi * x);
}

static void test_entropy_wave(void **unused)
{
    (void)unused;
    double errors[4], worst = 0.0;
    for (int i = 0; i < 4; i++) {
        uint32_t width = 16u << i;
        struct gas_grid_state *state = box(width, 1, 1, &plain);
        for (size_t node = 0; node < width; node++) {
            fill_line(state, node,
                      (struct gas_exact_state){density_wave((double)node / width), 1.0, 1.0});
        }
        run(state, 1.0);
        errors[i] = 0.0;
        for (size_t node = 0; node < width; node++) {
            double exact = density_wave((double)node / width);
            errors[i] += fabs(state->field[GAS_DENSITY][node] - exact) / width;
            worst = fmax(worst, fabs(pressure(state, node) - 1.0));
        }
        print_message("# entropy wave, %u nodes: %.3g\n", width, errors[i]);
        gas_grid_free(state);
    }
    hold_between("  order, 64 to 128", log2(errors[2] / errors[3]), 1.7, 3.0);
    hold("  pressure", worst, 1e-5);
}

static void test_mach_1000(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(64, 1, 1, &plain);
    for (size_t node = 0; node < 64; node++) {
        fill_line(state, node,
                  (struct gas_exact_state){density_wave((double)node / 64.0), 1000.0, 1.0 / 1.4});
    }
    run(state, 1e-3);
    double worst = 0.0;
    for (size_t node = 0; node < 64; node++) {
        worst = fmax(worst, fabs(1.4 * pressure(state, node) - 1.0));
    }
    hold("Mach 1000 once round the box, pressure", worst, 0.02);
    gas_grid_free(state);
}

/* --- conduction --------------------------------------------------------------------------- */

/* The slow decaying eigenmode e^(s t) of gas at rest with density 1 and pressure 1 / gamma:
 * amplitudes of density and velocity for a temperature of 1. */
struct thermal_mode {
    double s, density, velocity;
};

static struct thermal_mode thermal_mode(double gamma, double conductivity, double k)
{
    double t0 = 1.0 / (gamma * (gamma - 1.0)), damping = conductivity * k * k;
    /* density' = k v, v' = -k (gamma - 1) (1 + t0 density), 1 the temperature,
     * s 1 = (k v) / gamma - damping; v = s density / k */
    double s = -damping / gamma;
    struct thermal_mode mode = {0};
    for (int i = 0; i < 200; i++) {
        mode.density = -1.0 / (t0 + s * s / (k * k * (gamma - 1.0)));
        mode.velocity = s * mode.density / k;
        s = k * mode.velocity / gamma - damping;
    }
    mode.s = s;
    return mode;
}

static double temperature_wave(const struct gas_grid_state *state)
{
    double sum = 0.0, width = (double)state->nodes;
    for (size_t node = 0; node < state->nodes; node++) {
        double t = pressure(state, node) / (0.4 * state->field[GAS_DENSITY][node]);
        sum += 2.0 / width * t * cos(2.0 * pi * (double)node / width);
    }
    return sum;
}

static void test_conduction(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = plain;
    settings.conductivity = 0.02;
    struct gas_grid_state *state = box(64, 1, 1, &settings);
    const struct thermal_mode mode = thermal_mode(1.4, 0.02, 2.0 * pi);
    const double amplitude = 1e-2; /* float32 leaves too few digits of less */
    for (size_t node = 0; node < 64; node++) {
        double phase = 2.0 * pi * (double)node / 64.0;
        double density = 1.0 + amplitude * mode.density * cos(phase);
        double t = 1.0 / (1.4 * 0.4) + amplitude * cos(phase);
        fill_line(state, node,
                  (struct gas_exact_state){density, -amplitude * mode.velocity * sin(phase),
                                           0.4 * density * t});
    }
    double before = temperature_wave(state), energy = total(state, GAS_ENERGY);
    run(state, 1.0);
    double rate = log(temperature_wave(state) / before) / gas_grid_time(state);
    hold_between("thermal wave, rate / theory", rate / mode.s, 0.97, 1.03);
    hold("  energy", total(state, GAS_ENERGY) / energy - 1.0, 1e-6);
    gas_grid_free(state);
}

/* --- gravity ------------------------------------------------------------------------------ */

/* A standing or growing wave of density in gas with speed of sound 1; 4 pi G is `strength` k^2. */
static struct gas_grid_state *jeans_box(uint32_t width, double strength, double growth)
{
    const double k = 2.0 * pi, amplitude = 1e-3;
    struct gas_grid_settings settings = plain;
    settings.gravity = strength * k * k / (4.0 * pi);
    struct gas_grid_state *state = box(width, 1, 1, &settings);
    for (size_t node = 0; node < width; node++) {
        double phase = k * (double)node / width, density = amplitude * cos(phase);
        fill_line(state, node,
                  (struct gas_exact_state){1.0 + density, -amplitude * growth / k * sin(phase),
                                           1.0 / 1.4 + density});
    }
    return state;
}

static double density_amplitude(const struct gas_grid_state *state)
{
    double sum = 0.0, width = (double)state->nodes;
    for (size_t node = 0; node < state->nodes; node++) {
        sum += 2.0 / width * state->field[GAS_DENSITY][node] * cos(2.0 * pi * (double)node / width);
    }
    return sum;
}

static void test_jeans(void **unused)
{
    (void)unused;
    char text[80];
    for (uint32_t width = 64; width <= 128; width *= 2) {
        struct gas_grid_state *state = jeans_box(width, 0.5, 0.0);
        double crossing[2] = {0.0};
        for (int found = 0; found < 2;) {
            double amplitude = density_amplitude(state), time = gas_grid_time(state);
            assert_true(time < 2.0);
            assert_true(gas_grid_step(state));
            double after = density_amplitude(state);
            if (amplitude * after < 0.0) {
                double part = amplitude / (amplitude - after);
                crossing[found++] = time + part * gas_grid_last_dt(state);
            }
        }
        double frequency = pi / (crossing[1] - crossing[0]);
        hold_between(label(text, sizeof(text), "Jeans, frequency / theory", width),
                     frequency / (2.0 * pi * sqrt(0.5)), 0.99, 1.01);
        gas_grid_free(state);

        state = jeans_box(width, 2.0, 2.0 * pi);
        run(state, 0.1);
        double before = density_amplitude(state), start = gas_grid_time(state);
        run(state, 0.4);
        double rate = log(density_amplitude(state) / before) / (gas_grid_time(state) - start);
        hold_between(label(text, sizeof(text), "Jeans, growth / theory", width), rate / (2.0 * pi),
                     0.99, 1.01);
        gas_grid_free(state);
    }
}

/* --- a point blast ------------------------------------------------------------------------ */

static double radius_of(const struct gas_grid_state *state, size_t node)
{
    double n = state->width, square = 0.0;
    const size_t at[3] = {node / state->width / state->height, node / state->width % state->height,
                          node % state->width};
    for (int axis = 0; axis < 3; axis++) {
        square += pow(((double)at[axis] - 0.5 * n) / n, 2.0);
    }
    return sqrt(square);
}

static double energy_radius(const struct gas_grid_state *state)
{
    double energy = 0.0, moment = 0.0;
    for (size_t node = 0; node < state->nodes; node++) {
        energy += state->field[GAS_ENERGY][node];
        moment += state->field[GAS_ENERGY][node] * radius_of(state, node);
    }
    return moment / energy;
}

static void test_sedov(void **unused)
{
    (void)unused;
    const uint32_t n = 24;
    const double h = 1.0 / n;
    struct gas_grid_state *state = box(n, n, n, &plain);
    double sum = 0.0;
    for (size_t node = 0; node < state->nodes; node++) {
        sum += exp(-pow(radius_of(state, node) / (1.5 * h), 2.0)) * h * h * h;
    }
    for (size_t node = 0; node < state->nodes; node++) {
        double heat = exp(-pow(radius_of(state, node) / (1.5 * h), 2.0)) / sum;
        fill(state, node, 1.0, (const double[3]){0.0}, 1e-5 + 0.4 * heat);
    }
    double before = total(state, GAS_ENERGY), mass = total(state, GAS_DENSITY);
    const struct gas_exact_blast exact = gas_exact_sedov(1.4);
    hold("Sedov, constant of the exact solution", exact.front - 1.03278, 1e-5);
    double start = pow(0.18 / exact.front, 2.5), end = pow(0.42 / exact.front, 2.5);
    struct gas_power_law law = {0};
    for (int i = 0; i <= 16; i++) {
        double time = start * pow(end / start, i / 16.0);
        run(state, time);
        gas_power_law_add(&law, gas_grid_time(state), energy_radius(state));
    }
    double radius = exact.front * pow(gas_grid_time(state), 0.4);
    hold_between("Sedov 24^3, exponent", gas_power_law_exponent(&law), 0.38, 0.42);
    hold_between("  radius of the energy / exact", energy_radius(state) / exact.mean / radius, 0.97,
                 1.03);
    hold("  (radius of the shell - exact) / h",
         (gas_shell_radius(state->field[GAS_DENSITY], n) - radius) / h, 1.2);
    hold("  energy", total(state, GAS_ENERGY) / before - 1.0, 1e-6);
    hold("  mass", total(state, GAS_DENSITY) / mass - 1.0, 1e-6);
    for (size_t node = 0; node < state->nodes; node++) {
        assert_true(state->field[GAS_DENSITY][node] > 0.0f);
    }
    gas_grid_free(state);
}

/* --- what must not change ----------------------------------------------------------------- */

static void test_uniform_flow(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = plain;
    settings.conductivity = 1e-3;
    const double speeds[2][3] = {{0.0, 0.0, 0.0}, {0.3, -0.7, 1.1}};
    for (int i = 0; i < 2; i++) {
        struct gas_grid_state *state = box(8, 8, 8, &settings);
        for (size_t node = 0; node < state->nodes; node++) {
            fill(state, node, 0.7, speeds[i], 0.9);
        }
        float before[GAS_GRID_FIELDS];
        gas_grid_prepare(state);
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            before[f] = state->field[f][0];
        }
        for (int step = 0; step < 20; step++) {
            assert_true(gas_grid_step(state));
        }
        gas_grid_prepare(state);
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            for (size_t node = 0; node < state->nodes; node++) {
                assert_int_equal(bits_of(state->field[f][node]), bits_of(before[f]));
            }
        }
        gas_grid_free(state);
    }
}

/* What `steps` steps change of mass, momentum and energy, as part of their size. No state on the
 * way is bad. */
struct drift {
    double of[GAS_INTERNAL];
};

static struct drift drift_over(struct gas_grid_state *state, size_t steps)
{
    struct drift drift;
    double before[GAS_GRID_FIELDS], size[GAS_GRID_FIELDS] = {0};
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        before[f] = total(state, (enum gas_grid_field)f);
        for (size_t node = 0; node < state->nodes; node++) {
            size[f] += fabs((double)state->field[f][node]);
        }
    }
    for (size_t step = 0; step < steps; step++) {
        if (!gas_grid_step(state)) {
            fail_msg("step %zu ends the run", step);
        }
    }
    gas_grid_prepare(state); /* the internal energy */
    for (size_t node = 0; node < state->nodes; node++) {
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            assert_true(isfinite(state->field[f][node]));
        }
        assert_true(state->field[GAS_DENSITY][node] >= 0.0f);
        assert_true(state->field[GAS_ENERGY][node] >= 0.0f);
        assert_true(state->field[GAS_INTERNAL][node] >= 0.0f);
    }
    const double scale = sqrt(2.0 * size[GAS_ENERGY] * size[GAS_DENSITY]);
    for (int f = 0; f < GAS_INTERNAL; f++) {
        bool momentum = f != GAS_DENSITY && f != GAS_ENERGY;
        drift.of[f] =
            (total(state, (enum gas_grid_field)f) - before[f]) / (momentum ? scale : size[f]);
    }
    return drift;
}

static void hold_sums(struct gas_grid_state *state, size_t steps, double bound)
{
    struct drift drift = drift_over(state, steps);
    double momentum = fmax(fabs(drift.of[GAS_MOMENTUM_Z]),
                           fmax(fabs(drift.of[GAS_MOMENTUM_Y]), fabs(drift.of[GAS_MOMENTUM_X])));
    hold("  mass", drift.of[GAS_DENSITY], bound);
    hold("  momentum", momentum, bound);
    hold("  energy", drift.of[GAS_ENERGY], bound);
}

static void test_thousand_steps(void **unused)
{
    (void)unused;
    struct gas_grid_settings settings = plain;
    settings.conductivity = 1e-3;
    struct gas_grid_state *state = box(12, 10, 8, &settings);
    uint64_t seed = 5;
    for (size_t node = 0; node < state->nodes; node++) {
        const double u[3] = {between(&seed, -1.0, 1.0), between(&seed, -1.0, 1.0),
                             between(&seed, -1.0, 1.0)};
        fill(state, node, between(&seed, 0.5, 2.0), u, between(&seed, 0.5, 2.0));
    }
    print_message("# 1000 steps of 12 x 10 x 8 random nodes\n");
    hold_sums(state, 1000, 1e-6);
    gas_grid_free(state);
}

/* --- flows that break schemes ------------------------------------------------------------- */

static void test_double_rarefaction(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(256, 1, 1, &plain);
    for (size_t node = 0; node < 256; node++) {
        double u = node < 128 ? -2.0 : 2.0;
        fill_line(state, node, (struct gas_exact_state){1.0, u, 0.4});
    }
    print_message("# double rarefaction\n");
    run(state, 0.1);
    double least = 1.0;
    for (size_t node = 96; node < 160; node++) {
        least = fmin(least, state->field[GAS_DENSITY][node]);
    }
    hold_between("  density left", least, 0.015, 0.03);
    hold_sums(state, 400, 1e-6);
    gas_grid_free(state);
}

static void test_fast_blob(void **unused)
{
    (void)unused;
    for (int depth = 1; depth <= 16; depth += 15) {
        uint32_t n = depth == 1 ? 64 : 16;
        struct gas_grid_state *state = box(n, n, (uint32_t)depth, &plain);
        for (size_t node = 0; node < state->nodes; node++) {
            double x = (double)(node % n) / n - 0.5, y = (double)(node / n % n) / n - 0.5;
            double z = depth == 1 ? 0.0 : (double)(node / n / n) / n - 0.5;
            bool blob = x * x + y * y + z * z < 0.04;
            const double u[3] = {0.0, blob ? 10.0 : 0.0, blob ? 30.0 : 0.0};
            fill(state, node, blob ? 1.0 : 1e-4, u, 1.0 / 1.4);
        }
        print_message("# blob at Mach 30 in gas 10000 times thinner, %u x %u x %d\n", n, n, depth);
        hold_sums(state, 300, 1e-6);
        gas_grid_free(state);
    }
}

static void test_colliding_streams(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(256, 1, 1, &plain);
    for (size_t node = 0; node < 256; node++) {
        double u = node < 128 ? 1.0 : -1.0, c = 1.0 / 42000.0;
        fill_line(state, node, (struct gas_exact_state){1.0, u, c * c / 1.4});
    }
    print_message("# streams that collide at Mach 42000\n");
    hold_sums(state, 500, 1e-6);
    gas_grid_free(state);
    state = box(32, 32, 1, &plain);
    for (size_t node = 0; node < state->nodes; node++) {
        bool left = node % 32 < 16, low = node / 32 < 16;
        double c = 1.0 / 42000.0;
        const double u[3] = {0.0, low ? 0.5 : -0.5, left ? 1.0 : -1.0};
        fill(state, node, 1.0, u, c * c / 1.4);
    }
    print_message("# the same in two dimensions\n");
    hold_sums(state, 300, 1e-6);
    gas_grid_free(state);
}

static void test_strong_blast(void **unused)
{
    (void)unused;
    struct gas_grid_state *state = box(16, 16, 16, &plain);
    for (size_t node = 0; node < state->nodes; node++) {
        bool middle = radius_of(state, node) < 1.5 / 16.0;
        fill(state, node, 1.0, (const double[3]){0.0}, middle ? 1e5 : 1e-5);
    }
    print_message("# blast of pressures 10^10 apart\n");
    hold_sums(state, 200, 1e-6);
    gas_grid_free(state);
}

static void test_eight_decades(void **unused)
{
    (void)unused;
    print_message("# random states over eight decades\n");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct gas_grid_state *state = box(12, 8, 6, &plain);
        uint64_t random = seed;
        for (size_t node = 0; node < state->nodes; node++) {
            double density = pow(10.0, between(&random, -4.0, 4.0));
            double p = pow(10.0, between(&random, -4.0, 4.0)), u[3];
            for (int axis = 0; axis < 3; axis++) {
                u[axis] = pow(10.0, between(&random, -2.0, 2.0)) *
                          (next_word(&random) % 2 == 0 ? 1.0 : -1.0);
            }
            fill(state, node, seed == 4 && node % 3 == 0 ? 0.0 : density, u, p);
            if (state->field[GAS_DENSITY][node] == 0.0f) {
                state->field[GAS_ENERGY][node] = state->field[GAS_INTERNAL][node] = 0.0f;
            }
        }
        hold_sums(state, 200, 1e-6);
        gas_grid_free(state);
    }
}

/* Thin nodes next to dense ones of the same temperature: a slope makes states at faces far hotter
 * than both nodes, and stage one makes nodes in which waves are faster than dt allows. */
static void test_steep_gradients(void **unused)
{
    (void)unused;
    static const uint32_t sides[4][3] = {{32, 1, 1}, {9, 7, 1}, {6, 5, 7}, {1, 12, 10}};
    const double conductivities[] = {0.0, 1e-3, 1.0};
    double worst = 0.0;
    for (size_t i = 0; i < 3; i++) {
        struct gas_grid_settings settings = plain;
        settings.conductivity = conductivities[i];
        for (uint64_t seed = 0; seed < 100; seed++) {
            const uint32_t *side = sides[seed % 4];
            struct gas_grid_state *state = box(side[0], side[1], side[2], &settings);
            uint64_t random = seed;
            for (size_t node = 0; node < state->nodes; node++) {
                double thin = pow(10.0, between(&random, -6.0, 0.0)), u[3];
                for (int axis = 0; axis < 3; axis++) {
                    u[axis] = between(&random, -1.0, 1.0);
                }
                double density = node % 5 == 0 ? 0.0 : thin * between(&random, 0.5, 2.0);
                fill(state, node, density, u, density > 0.0 ? thin * 0.7 : 0.0);
            }
            struct drift drift = drift_over(state, 20);
            for (int f = 0; f < GAS_INTERNAL; f++) {
                worst = fmax(worst, fabs(drift.of[f]));
            }
            gas_grid_free(state);
        }
    }
    hold("steep gradients, 300 runs, mass, momentum and energy", worst, 1e-6);
}

/* Gas without pressure that gravity alone sets in motion, across six decades of density. */
static void test_cold_fall(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct gas_grid_settings settings = plain;
        settings.gravity = 5.0;
        struct gas_grid_state *state = box(8, 8, seed % 2 == 0 ? 1 : 8, &settings);
        uint64_t random = seed;
        for (size_t node = 0; node < state->nodes; node++) {
            double density = between(&random, 0.5, 2.0) * (node % 3 == 0 ? 1.0 : 1e-6);
            fill(state, node, density, (const double[3]){0.0}, 0.0);
        }
        for (int step = 0; step < 60; step++) {
            assert_true(gas_grid_step(state));
        }
        gas_grid_free(state);
    }
    print_message("# cold gas that falls: 40 runs\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sod),
        cmocka_unit_test(test_sod_shock),
        cmocka_unit_test(test_sod_in_a_stream),
        cmocka_unit_test(test_vacuum),
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_entropy_wave),
        cmocka_unit_test(test_mach_1000),
        cmocka_unit_test(test_conduction),
        cmocka_unit_test(test_jeans),
        cmocka_unit_test(test_uniform_flow),
        cmocka_unit_test(test_thousand_steps),
        cmocka_unit_test(test_double_rarefaction),
        cmocka_unit_test(test_fast_blob),
        cmocka_unit_test(test_colliding_streams),
        cmocka_unit_test(test_strong_blast),
        cmocka_unit_test(test_eight_decades),
        cmocka_unit_test(test_steep_gradients),
        cmocka_unit_test(test_cold_fall),
        cmocka_unit_test(test_sedov),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
