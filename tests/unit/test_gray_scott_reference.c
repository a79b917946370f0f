/* SPDX-License-Identifier: MIT */
/* The C reference of Gray-Scott: against the float64 model, against the laws of physics and of its
 * definition, and against recorded digests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/exact.h"
#include "gray_scott_cases.h"
#include "gray_scott_model.h"
#include "gray_scott_physics.h"

static const double pi = 3.14159265358979323846;

/* --- set-up ------------------------------------------------------------------------------- */

static struct gray_scott_state *begin(uint32_t width, uint32_t height, uint32_t seed,
                                      const char *start, const char *options)
{
    struct gray_scott_state *state = gray_scott_begin(width, height, seed, start, options);
    assert_non_null(state);
    return state;
}

static size_t cells_of(const struct gray_scott_state *state)
{
    return (size_t)state->width * state->height;
}

/* Random u and v in [0, 1), no two cells equal but by chance. */
static void fill(struct gray_scott_state *state, uint32_t seed)
{
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        vks_uvec4 r = vks_random(seed, (uint32_t)cell, 0, 77);
        state->u[cell] = (float)(r.x >> 8) * 0x1p-24f;
        state->v[cell] = (float)(r.y >> 8) * 0x1p-24f;
    }
}

/* Largest difference between the state and the model, of u and v. */
static double apart(const struct gray_scott_state *state, const struct gray_scott_model *model)
{
    double worst = 0.0;
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        worst = fmax(worst, fabs(state->u[cell] - model->u[cell]));
        worst = fmax(worst, fabs(state->v[cell] - model->v[cell]));
    }
    return worst;
}

/* --- (a) against the float64 model -------------------------------------------------------- */

/* One step of a random field. */
static void compare_one_step(uint32_t width, uint32_t height, const char *options, double bound)
{
    struct gray_scott_state *state = begin(width, height, 1, "square", options);
    fill(state, 6);
    struct gray_scott_model *model = gray_scott_model_create(state);
    assert_non_null(model);
    gray_scott_step(state);
    gray_scott_model_step(model);
    double worst = apart(state, model);
    if (worst > bound) {
        print_error("%ux%u %s: off by %.3g\n", width, height, options, worst);
    }
    assert_true(worst <= bound);
    gray_scott_model_free(model);
    gray_scott_free(state);
}

/* What a weight is off on its grid (2^-27), times the neighbours, and some roundings below 1. */
static const double one_step_five = 0x1p-22, one_step_nine = 0x1p-21;

static void test_one_step_equals_the_model(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1},   {2, 2},  {2, 3},
                                        {3, 2}, {5, 4}, {61, 37}, {64, 64}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t width = sizes[i][0], height = sizes[i][1];
        compare_one_step(width, height, "", one_step_five);
        compare_one_step(width, height, "boundary=no-flux feed=0.09 kill=0.059 du=0.21 dv=0.105",
                         one_step_five);
        compare_one_step(width, height, "feed=0.2 kill=0.3 du=0.04 dv=0.21 dt=0.7", one_step_five);
        compare_one_step(width, height, "stencil=nine-point", one_step_nine);
        compare_one_step(width, height, "stencil=nine-point boundary=no-flux du=0.29 dv=0.31",
                         one_step_nine);
        compare_one_step(width, height, "stencil=nine-point dt=2 du=0.11 dv=0.07 feed=0.3 kill=0",
                         one_step_nine);
    }
    /* A half near 1 is off by 2^-12 at most. */
    compare_one_step(62, 37, "precision=float16", 0x1p-12 + one_step_five);
}

static double smooth(uint32_t y, uint32_t x, uint32_t height, uint32_t width, double phase)
{
    return sin(2.0 * pi * (x + 0.5) / width + phase) * cos(2.0 * pi * (y + 0.5) / height);
}

static void fill_smooth(struct gray_scott_state *state)
{
    for (uint32_t y = 0; y < state->height; y++) {
        for (uint32_t x = 0; x < state->width; x++) {
            size_t cell = (size_t)y * state->width + x;
            double s = smooth(y, x, state->height, state->width, 0.3);
            state->u[cell] = (float)(0.6 + 0.3 * s);
            state->v[cell] = (float)(0.2 + 0.1 * smooth(y, x, state->height, state->width, 1.0));
        }
    }
}

/* A smooth field far from where patterns grow: errors of the steps add up, they do not multiply. */
static void compare_runs(const char *options, double bound)
{
    enum { STEPS = 400 };
    struct gray_scott_state *state = begin(48, 40, 1, "square", options);
    fill_smooth(state);
    struct gray_scott_model *model = gray_scott_model_create(state);
    assert_non_null(model);
    for (int step = 0; step < STEPS; step++) {
        gray_scott_step(state);
        gray_scott_model_step(model);
    }
    double worst = apart(state, model);
    if (worst > bound) {
        print_error("%s: off by %.3g\n", options, worst);
    }
    assert_true(worst <= bound);
    /* Neither has become even: the run was about something. */
    double waves = fabs(state->u[0] - state->u[state->width / 2]);
    if (waves < 1e-3) {
        print_error("%s: only waves of %.3g are left\n", options, waves);
    }
    assert_true(waves >= 1e-3);
    gray_scott_model_free(model);
    gray_scott_free(state);
}

static void test_run_follows_the_model(void **unused)
{
    (void)unused;
    compare_runs("feed=0.003 kill=0.05 du=0.02 dv=0.01", 1e-5);
    compare_runs("feed=0.003 kill=0.05 du=0.02 dv=0.01 boundary=no-flux", 1e-5);
    compare_runs("feed=0.003 kill=0.05 du=0.02 dv=0.01 stencil=nine-point", 1e-5);
    compare_runs("feed=0.003 kill=0.05 du=0.02 dv=0.01 stencil=nine-point boundary=no-flux dt=0.9",
                 1e-5);
    compare_runs("feed=0 kill=0.05 du=0.02 dv=0.01", 1e-5);
}

/* Patterns multiply a difference, but in the first hundreds of steps of a start it stays small. */
static void follow_start(const char *start, const char *options)
{
    struct gray_scott_state *state = begin(64, 64, 3, start, options);
    struct gray_scott_model *model = gray_scott_model_create(state);
    assert_non_null(model);
    for (int step = 0; step < 200; step++) {
        gray_scott_step(state);
        gray_scott_model_step(model);
    }
    double worst = apart(state, model);
    if (worst > 1e-4) {
        print_error("%s %s: off by %.3g\n", start, options, worst);
    }
    assert_true(worst <= 1e-4);
    gray_scott_model_free(model);
    gray_scott_free(state);
}

static void test_starts_follow_the_model(void **unused)
{
    (void)unused;
    follow_start("square", "");
    follow_start("disc", "feed=0.03 kill=0.055 stencil=nine-point");
    follow_start("spots", "feed=0.035 kill=0.065 boundary=no-flux start-noise=0.02");
    follow_start("noise", "feed=0.026 kill=0.051 stencil=nine-point boundary=no-flux");
    follow_start("inverse", "feed=0.09 kill=0.059 dt=0.5");
}

/* From the same smooth start to the same time with ever shorter steps: how far from the solution
 * in float64 with steps a sixteenth of the shortest. Euler's error is proportional to dt, so half
 * the step is half the error, and nothing but that error is left of the definition. */
static void test_definition_converges_to_the_equations(void **unused)
{
    (void)unused;
    static const char *const stencils[] = {"five-point", "nine-point"};
    enum { HALVINGS = 4 };
    for (size_t stencil = 0; stencil < 2; stencil++) {
        struct gray_scott_model *truth = NULL;
        double errors[HALVINGS];
        for (int i = HALVINGS; i >= 0; i--) {
            /* Last i is the shortest; the model takes it sixteen times shorter. */
            char options[160];
            double dt = ldexp(1.0, i == HALVINGS ? -HALVINGS - 3 : -i);
            (void)snprintf(options, sizeof(options),
                           "feed=0.04 kill=0.06 du=0.16 dv=0.08 dt=%.17g stencil=%s", dt,
                           stencils[stencil]);
            struct gray_scott_state *state = begin(24, 20, 1, "square", options);
            fill_smooth(state);
            int steps = (int)(32.0 / dt);
            if (i == HALVINGS) {
                truth = gray_scott_model_create(state);
                assert_non_null(truth);
                for (int step = 0; step < steps; step++) {
                    gray_scott_model_step(truth);
                }
            } else {
                for (int step = 0; step < steps; step++) {
                    gray_scott_step(state);
                }
                errors[i] = apart(state, truth);
            }
            gray_scott_free(state);
        }
        for (int i = 1; i < HALVINGS; i++) {
            double ratio = errors[i - 1] / errors[i];
            if (ratio < 1.8 || ratio > 2.3) {
                print_error("%s: errors %.3g and %.3g\n", stencils[stencil], errors[i - 1],
                            errors[i]);
            }
            assert_true(ratio >= 1.8 && ratio <= 2.3);
        }
        gray_scott_model_free(truth);
    }
}

/* --- (b) the laws of physics -------------------------------------------------------------- */

static bool run_reference(void *self, uint32_t width, uint32_t height, const char *options,
                          uint32_t steps, float *u, float *v)
{
    (void)self;
    struct gray_scott_state *state = gray_scott_begin(width, height, 1, "square", options);
    if (state == NULL) {
        return false;
    }
    const size_t cells = cells_of(state);
    const bool half = state->settings.precision == GRAY_SCOTT_FLOAT16;
    for (size_t cell = 0; cell < cells; cell++) {
        state->u[cell] = half ? gray_scott_from_half(gray_scott_to_half(u[cell])) : u[cell];
        state->v[cell] = half ? gray_scott_from_half(gray_scott_to_half(v[cell])) : v[cell];
    }
    for (uint32_t step = 0; step < steps; step++) {
        gray_scott_step(state);
    }
    memcpy(u, state->u, cells * sizeof(float));
    memcpy(v, state->v, cells * sizeof(float));
    gray_scott_free(state);
    return true;
}

static void test_laws(void **unused)
{
    (void)unused;
    struct gray_scott_lab lab = {.run = run_reference};
    size_t broken = 0;
    for (size_t i = 0; i < gray_scott_law_count; i++) {
        if (!gray_scott_laws[i].holds(&lab)) {
            print_error("does not hold: %s\n", gray_scott_laws[i].name);
            broken++;
        }
    }
    assert_int_equal(broken, 0);
}

/* --- (c) coefficients, storage, clipping -------------------------------------------------- */

static bool is_multiple(double value, int bits)
{
    return fmod(ldexp(value, bits), 1.0) == 0.0;
}

/* The weights of a step add up to exactly 1, none is farther from the textbook than its grid, and
 * what is a float is exact. */
static void test_coefficients(void **unused)
{
    (void)unused;
    static const char *const options[] = {
        "",
        "stencil=nine-point",
        "feed=0.0620127 kill=0.0609321 du=0.2097 dv=0.105 dt=0.913",
        "feed=0.0620127 kill=0.0609321 du=0.2097 dv=0.105 dt=0.913 stencil=nine-point",
        "du=0.25 dv=0.25 feed=0 kill=0",
        "du=0.375 dv=0.37 feed=0 kill=0 stencil=nine-point",
        "feed=1 kill=0 du=0 dv=0",
        "feed=0.3333333 kill=0.6666666 du=0.1234567 dv=0.0000001",
        "du=2e-5 dv=1e-5",
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct gray_scott_state *state = begin(4, 4, 1, "square", options[i]);
        const struct gray_scott_settings *s = &state->settings;
        const struct gray_scott_constants *c = &state->constants;
        bool nine = s->stencil == GRAY_SCOTT_NINE_POINT;
        double n = nine ? 20.0 : 4.0, e = nine ? 6.0 : 1.0;
        assert_true(c->rest_u + n * c->bu == 1.0 && c->rest_v + n * c->bv == 1.0);
        float own_u = c->rest_u - c->f, kill = c->f + c->k, own_v = c->rest_v - kill;
        assert_true((double)own_u + n * c->bu + c->f == 1.0);
        assert_true((double)own_v + n * c->bv + c->f + c->k == 1.0);
        assert_true(is_multiple(c->bu, 26) && is_multiple(c->bv, 26));
        assert_true(is_multiple(c->f, 24) && is_multiple(c->k, 24));
        assert_true(fabs(c->bu - s->du * s->dt / e) <= (nine ? 0x1p-26 : 0x1p-27));
        assert_true(fabs(c->bv - s->dv * s->dt / e) <= (nine ? 0x1p-26 : 0x1p-27));
        /* What (1, 0) becomes, in the order of a step. */
        float near = c->bu * (float)n, own = own_u * 1.0f;
        assert_true((own + near) + c->f == 1.0f);
        assert_true(fabs(c->f - s->feed * s->dt) <= 0x1p-25);
        assert_true(fabs(c->k - s->kill * s->dt) <= 0x1p-25);
        gray_scott_free(state);
    }
    /* 2.5 units of 2^-24, and 3.5: ties go to even. */
    struct gray_scott_state *state =
        begin(4, 4, 1, "square", "feed=1.49011611938476562e-07 kill=2.08616256713867188e-07");
    assert_true(state->constants.f == 0x1p-23f && state->constants.k == 0x1p-22f);
    gray_scott_free(state);
}

/* With the longest step that is stable the shortest wave does not grow, it swings between two
 * values. A step longer than that is not stable. */
static void check_longest_step(const char *stencil, double du, double dv, double factor)
{
    char options[160];
    struct gray_scott_settings settings;
    (void)snprintf(options, sizeof(options), "feed=0 kill=0 du=%g dv=%g stencil=%s", du, dv,
                   stencil);
    assert_true(gray_scott_parse(options, &settings));
    settings.dt = factor * gray_scott_stable_dt(&settings);
    struct gray_scott_state *state = gray_scott_create(16, 16, 1, &settings);
    assert_non_null(state);
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        /* The checkerboard is the wave with the largest eigenvalue, of either stencil. */
        state->u[cell] = (cell + cell / 16) % 2 != 0 ? 0.51f : 0.49f;
    }
    for (int step = 0; step < 2000; step++) {
        gray_scott_step(state);
    }
    double swing = fabs(state->u[0] - state->u[1]);
    assert_true(factor > 1.0 ? swing > 0.9 : swing < 0.0201);
    gray_scott_free(state);
}

static void test_longest_step(void **unused)
{
    (void)unused;
    static const char *const stencils[] = {"five-point", "nine-point"};
    for (int i = 0; i < 2; i++) {
        check_longest_step(stencils[i], 0.16, 0.08, 0.9999);
        check_longest_step(stencils[i], 0.16, 0.08, 1.01);
        check_longest_step(stencils[i], 1.0, 0.5, 0.9999);
        check_longest_step(stencils[i], 1.0, 0.5, 1.01);
    }
    struct gray_scott_settings settings;
    assert_true(gray_scott_parse("feed=0.1 kill=0.3 du=0.1 dv=0.2", &settings));
    assert_true(gray_scott_stable_dt(&settings) == 2.0 / (8.0 * 0.2 + (0.1 + 0.3)));
    assert_true(gray_scott_parse("feed=0.1 kill=0.1 du=0.2 dv=0.1", &settings));
    assert_true(gray_scott_stable_dt(&settings) == 2.0 / (8.0 * 0.2 + 0.1));
    assert_true(gray_scott_parse("feed=0.5 kill=0.3 du=0 dv=0 stencil=nine-point", &settings));
    assert_true(gray_scott_stable_dt(&settings) == 1.0 / (0.5 + 0.3));
    assert_true(gray_scott_parse("map=0:0.5,0.1:0.3 du=0 dv=0", &settings));
    assert_true(gray_scott_stable_dt(&settings) == 1.0 / (0.5 + 0.3));
}

static void test_halves(void **unused)
{
    (void)unused;
    assert_int_equal(gray_scott_to_half(0.0f), 0);
    assert_int_equal(gray_scott_to_half(1.0f), 0x3c00);
    assert_int_equal(gray_scott_to_half(0.5f), 0x3800);
    assert_int_equal(gray_scott_to_half(0.25f), 0x3400);
    assert_int_equal(gray_scott_to_half(0x1p-14f), 0x0400);
    assert_int_equal(gray_scott_to_half(nextafterf(0x1p-14f, 0.0f)), 0);
    /* Every half up to 1, its neighbour, and all that lies between. */
    for (uint16_t half = 0x0400; half < 0x3c00; half++) {
        float low = gray_scott_from_half(half), high = gray_scott_from_half((uint16_t)(half + 1));
        float middle = (low + high) / 2.0f;
        uint16_t next = (uint16_t)(half + 1), even = half % 2 == 0 ? half : next;
        assert_true(low < high);
        assert_int_equal(gray_scott_to_half(low), half);
        assert_int_equal(gray_scott_to_half(nextafterf(low, 1.0f)), half);
        assert_int_equal(gray_scott_to_half(nextafterf(middle, 0.0f)), half);
        assert_int_equal(gray_scott_to_half(middle), even);
        assert_int_equal(gray_scott_to_half(nextafterf(middle, 1.0f)), next);
        assert_int_equal(gray_scott_to_half(nextafterf(high, 0.0f)), next);
    }
    /* By a formula of its own: 1.5 x 2^-3 and 1023 of 1024 parts of [1/2, 1). */
    assert_true(gray_scott_from_half(0x3200) == 0.1875f);
    assert_true(gray_scott_from_half(0x3bff) == 0.5f + 0.5f * 1023.0f / 1024.0f);
}

/* v that decays becomes 0, and on the way is never anything between 0 and the least that is kept.
 */
static void check_vanishing(const char *options, double least)
{
    struct gray_scott_state *state = begin(6, 5, 1, "square", options);
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        state->u[cell] = 0.0f;
        state->v[cell] = cell == 7 ? 1.0f : 0.0f;
    }
    int step = 0;
    for (bool alive = true; alive; step++) {
        gray_scott_step(state);
        alive = false;
        for (size_t cell = 0; cell < cells_of(state); cell++) {
            assert_true(state->v[cell] == 0.0f || state->v[cell] >= least);
            alive = alive || state->v[cell] > 0.0f;
        }
        assert_true(step < 1000);
    }
    assert_true(step > 5);
    gray_scott_free(state);
}

static void test_vanishing(void **unused)
{
    (void)unused;
    check_vanishing("feed=0 kill=0.6", 0x1p-60);
    check_vanishing("feed=0.1 kill=0.5 stencil=nine-point boundary=no-flux", 0x1p-60);
    check_vanishing("feed=0 kill=0.6 precision=float16", 0x1p-14);
}

/* u and v stay in [0, 1] where the reaction would take them out. */
static void test_clipping(void **unused)
{
    (void)unused;
    struct gray_scott_state *state = begin(3, 3, 1, "square", "feed=0 kill=0 du=0 dv=0 dt=1.5");
    for (size_t cell = 0; cell < 9; cell++) {
        state->u[cell] = 0.75f;
        state->v[cell] = 1.0f;
    }
    gray_scott_step(state); /* u: 0.75 - 1.5 x 0.75; v: 1 + 1.5 x 0.75 */
    for (size_t cell = 0; cell < 9; cell++) {
        assert_true(state->u[cell] == 0.0f && state->v[cell] == 1.0f);
    }
    gray_scott_free(state);
}

/* --- (d) starts --------------------------------------------------------------------------- */

/* 1 where the shape is, 0 where it is not; anything else is wrong. */
static int shape_at(const struct gray_scott_state *state, uint32_t y, uint32_t x)
{
    size_t cell = (size_t)y * state->width + x;
    bool shape = state->u[cell] == 0.5f && state->v[cell] == 0.25f;
    assert_true(shape || (state->u[cell] == 1.0f && state->v[cell] == 0.0f));
    return shape;
}

/* Distance of a cell's middle from that of the field. */
static double across(uint32_t at, uint32_t side)
{
    return at + 0.5 - side / 2.0;
}

static void check_middle_starts(uint32_t width, uint32_t height, double share)
{
    char options[64];
    (void)snprintf(options, sizeof(options), "start-radius=%g", share);
    double radius = share * (width < height ? width : height), bit = 1e-3;
    struct gray_scott_state *square = begin(width, height, 1, "square", options);
    struct gray_scott_state *disc = begin(width, height, 1, "disc", options);
    struct gray_scott_state *ring = begin(width, height, 1, "ring", options);
    struct gray_scott_state *inverse = begin(width, height, 1, "inverse", options);
    int full = 0, hollow = 0;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            double dx = across(x, width), dy = across(y, height), d = hypot(dx, dy);
            double side = fmax(fabs(dx), fabs(dy));
            /* The limit itself is rounded to half a cell, and to what d^2 can be. */
            if (fabs(side - radius) > 0.25 + bit) {
                assert_int_equal(shape_at(square, y, x), side < radius);
            }
            if (fabs(d * d - radius * radius) > 0.125 + bit) {
                assert_int_equal(shape_at(disc, y, x), d < radius);
                assert_int_equal(shape_at(inverse, y, x), d >= radius);
                if (fabs(d * d - 0.5625 * radius * radius) > 0.125 + bit) {
                    assert_int_equal(shape_at(ring, y, x), d < radius && d >= 0.75 * radius);
                }
            }
            full += shape_at(disc, y, x);
            hollow += shape_at(ring, y, x);
        }
    }
    assert_true(full > hollow && hollow > 0);
    gray_scott_free(inverse);
    gray_scott_free(ring);
    gray_scott_free(disc);
    gray_scott_free(square);
}

static void test_starts_in_the_middle(void **unused)
{
    (void)unused;
    check_middle_starts(64, 64, 0.1);
    check_middle_starts(101, 64, 0.25);
    check_middle_starts(33, 35, 0.5);
    check_middle_starts(40, 90, 0.333);
    check_middle_starts(61, 61, 0.05);
}

/* The disc has the area of one. */
static void test_disc_has_its_area(void **unused)
{
    (void)unused;
    struct gray_scott_state *disc = begin(400, 300, 1, "disc", "start-radius=0.4");
    int full = 0;
    for (uint32_t y = 0; y < 300; y++) {
        for (uint32_t x = 0; x < 400; x++) {
            full += shape_at(disc, y, x);
        }
    }
    assert_true(fabs(full / (pi * 120.0 * 120.0) - 1.0) < 2e-3);
    gray_scott_free(disc);
}

/* However small the shape, there is a cell of it. */
static void test_no_start_is_empty(void **unused)
{
    (void)unused;
    static const char *const starts[] = {"square", "disc"};
    for (uint32_t width = 1; width < 6; width++) {
        for (uint32_t height = 1; height < 6; height++) {
            for (int i = 0; i < 2; i++) {
                struct gray_scott_state *state =
                    begin(width, height, 1, starts[i], "start-radius=0");
                int full = 0;
                for (uint32_t cell = 0; cell < width * height; cell++) {
                    full += shape_at(state, cell / width, cell % width);
                }
                if (full == 0) {
                    print_error("%s of %ux%u is empty\n", starts[i], width, height);
                }
                assert_true(full >= 1 && full <= 4);
                gray_scott_free(state);
            }
        }
    }
}

static void check_spots(uint32_t width, uint32_t height, const char *options, bool wraps)
{
    struct gray_scott_state *state = begin(width, height, 9, "spots", options);
    uint64_t grain = state->settings.start_grain, covered = 0, seen = 0;
    unsigned char *expected = calloc(cells_of(state), 1);
    assert_non_null(expected);
    for (uint32_t i = 0; i < state->settings.start_count; i++) {
        vks_uvec4 r = vks_random(9, i, 0, 0);
        long middle_y = (long)((double)r.y * 0x1p-32 * height);
        long middle_x = (long)((double)r.x * 0x1p-32 * width);
        for (long y = middle_y - (long)grain; y <= middle_y + (long)grain; y++) {
            for (long x = middle_x - (long)grain; x <= middle_x + (long)grain; x++) {
                long row = (y % (long)height + (long)height) % (long)height;
                long column = (x % (long)width + (long)width) % (long)width;
                long dy = y - middle_y, dx = x - middle_x;
                if (dy * dy + dx * dx <= (long)(grain * grain) &&
                    (wraps || (row == y && column == x))) {
                    expected[row * width + column] = 1;
                }
            }
        }
    }
    for (uint32_t cell = 0; cell < width * height; cell++) {
        assert_int_equal(shape_at(state, cell / width, cell % width), expected[cell]);
        covered += expected[cell];
        seen += (cell % width == 0 || cell / width == 0) && expected[cell];
    }
    assert_true(covered > 0 && covered < cells_of(state) && seen > 0);
    free(expected);
    gray_scott_free(state);
}

static void test_spots(void **unused)
{
    (void)unused;
    check_spots(60, 41, "start-count=25", true);
    check_spots(60, 41, "start-count=25 boundary=no-flux", false);
    check_spots(33, 128, "start-count=50 start-grain=7", true);
    check_spots(33, 128, "start-count=50 start-grain=7 boundary=no-flux", false);
    check_spots(31, 30, "start-count=40 start-grain=1", true);
}

static void test_noise_start(void **unused)
{
    (void)unused;
    static const double shares[] = {0.0, 0.25, 0.5, 1.0};
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        char options[64];
        (void)snprintf(options, sizeof(options), "start-grain=3 start-share=%g", shares[i]);
        struct gray_scott_state *state = begin(200, 151, 4, "noise", options);
        int full = 0, blocks = 0;
        for (uint32_t y = 0; y < 151; y += 3) {
            for (uint32_t x = 0; x < 200; x += 3) {
                int here = shape_at(state, y, x);
                uint32_t bottom = y + 2 < 151 ? y + 2 : 150, right = x + 2 < 200 ? x + 2 : 199;
                assert_int_equal(shape_at(state, bottom, right), here);
                uint32_t item = y / 3 * 67 + x / 3;
                /* By the word itself: 0 never, 1 but for one word in 2^32 always. */
                double word = vks_random(4, item, 0, 1).x * 0x1p-32;
                assert_int_equal(here, word < shares[i]);
                full += here;
                blocks++;
            }
        }
        double sigma = sqrt(blocks * shares[i] * (1.0 - shares[i]));
        assert_true(fabs(full - blocks * shares[i]) <= 5.0 * sigma);
        gray_scott_free(state);
    }
}

static void test_start_noise(void **unused)
{
    (void)unused;
    struct gray_scott_state *plain = begin(90, 80, 4, "square", "start-radius=0.3");
    struct gray_scott_state *noisy =
        begin(90, 80, 4, "square", "start-radius=0.3 start-noise=0.0625");
    double sum_u = 0.0, sum_v = 0.0, both = 0.0;
    int inside = 0;
    for (size_t cell = 0; cell < cells_of(plain); cell++) {
        double u = (double)noisy->u[cell] - plain->u[cell];
        double v = (double)noisy->v[cell] - plain->v[cell];
        assert_true(fabs(u) <= 0.0625 && fabs(v) <= 0.0625);
        assert_true(noisy->u[cell] <= 1.0f && noisy->v[cell] >= 0.0f);
        if (plain->v[cell] > 0.0f) {
            sum_u += u;
            sum_v += v;
            both += u * v;
            inside++;
        }
    }
    /* Uniform in +-s: the deviation is s / sqrt(3); u and v have nothing to do with each other. */
    double sigma = 0.0625 / sqrt(3.0) * sqrt(inside);
    assert_true(inside > 1000 && fabs(sum_u) <= 5.0 * sigma && fabs(sum_v) <= 5.0 * sigma);
    assert_true(fabs(both) <= 5.0 * 0.0625 * 0.0625 / 3.0 * sqrt(inside));
    gray_scott_free(noisy);
    gray_scott_free(plain);
}

static void test_image_start(void **unused)
{
    (void)unused;
    float brightness[6] = {0.0f, 1.0f, 0.5f, 0.2f, 0x1p-70f, 0.75f};
    struct gray_scott_state *state = begin(3, 2, 1, "square", "");
    gray_scott_start_image(state, brightness);
    float u[6] = {1.0f, 0.5f, 0.75f, 0.9f, 1.0f, 0.625f};
    float v[6] = {0.0f, 0.25f, 0.125f, 0.05f, 0.0f, 0.1875f};
    assert_memory_equal(state->u, u, sizeof(u));
    assert_memory_equal(state->v, v, sizeof(v));
    gray_scott_free(state);

    static const char image[] = "image:tests/fuzz/image/rgb8.png";
    state = begin(20, 10, 1, image, "");
    float least = 1.0f, most = 0.0f;
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        assert_true(fabsf(1.0f - state->u[cell] - 2.0f * state->v[cell]) < 1e-6f);
        least = fminf(least, state->v[cell]);
        most = fmaxf(most, state->v[cell]);
    }
    assert_true(most - least > 0.05f);
    gray_scott_free(state);
    assert_null(gray_scott_begin(4, 4, 1, "image:", ""));
    assert_null(gray_scott_begin(4, 4, 1, "somewhere", ""));
}

/* --- (e) rates that vary ------------------------------------------------------------------ */

static void test_map(void **unused)
{
    (void)unused;
    struct gray_scott_state *state =
        begin(50, 31, 1, "noise", "map=0.01:0.1,0.045:0.07 dt=0.8 stencil=nine-point");
    struct gray_scott_model *model = gray_scott_model_create(state);
    assert_non_null(model);
    for (uint32_t y = 0; y < 31; y++) {
        for (uint32_t x = 0; x < 50; x++) {
            size_t cell = (size_t)y * 50 + x;
            model->feed[cell] = 0.01 + 0.09 * (30 - y) / 30.0; /* more at the top */
            model->kill[cell] = 0.045 + 0.025 * x / 49.0;      /* and at the right */
            assert_true(fabs(state->feed_rate[cell] - 0.8 * model->feed[cell]) <= 5e-8);
            assert_true(fabs(state->kill_rate[cell] - 0.8 * model->kill[cell]) <= 5e-8);
            assert_true(is_multiple(state->feed_rate[cell], 24));
            assert_true(is_multiple(state->kill_rate[cell], 24));
        }
    }
    for (int step = 0; step < 100; step++) {
        gray_scott_step(state);
        gray_scott_model_step(model);
    }
    assert_true(apart(state, model) <= 1e-5);
    gray_scott_model_free(model);
    gray_scott_free(state);

    state = begin(1, 1, 1, "noise", "map=0.01:0.1,0.045:0.07");
    assert_true(fabsf(state->feed_rate[0] - 0.01f) < 1e-7f);
    assert_true(fabsf(state->kill_rate[0] - 0.045f) < 1e-7f);
    gray_scott_free(state);
}

static void test_rates_from_pictures(void **unused)
{
    (void)unused;
    struct gray_scott_state *image = begin(30, 20, 1, "image:tests/fuzz/image/rgb8.png", "");
    struct gray_scott_state *state =
        begin(30, 20, 1, "noise", "feed-map=tests/fuzz/image/rgb8.png feed-range=0.02:0.06 dt=0.5");
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        double brightness = 4.0 * image->v[cell];
        assert_true(fabs(state->feed_rate[cell] - 0.5 * (0.02 + 0.04 * brightness)) <= 5e-8);
        assert_true(state->kill_rate[cell] == state->kill_rate[0]);
    }
    assert_true(fabs(state->kill_rate[0] - 0.03) <= 5e-8);
    gray_scott_free(state);
    state = begin(30, 20, 1, "noise", "kill-map=tests/fuzz/image/rgb8.png");
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        double brightness = 4.0 * image->v[cell];
        assert_true(fabs(state->kill_rate[cell] - (0.045 + 0.025 * brightness)) <= 5e-8);
        assert_true(fabs(state->feed_rate[cell] - 0.037) <= 5e-8);
    }
    gray_scott_free(state);
    gray_scott_free(image);
}

/* Rates that are the same in every cell are those of all. */
static void test_even_rates_are_plain_rates(void **unused)
{
    (void)unused;
    struct gray_scott_state *plain = begin(20, 20, 1, "noise", "feed=0.03 kill=0.0571");
    struct gray_scott_state *state = begin(20, 20, 1, "noise", "map=0.01:0.1,0.045:0.07");
    for (size_t cell = 0; cell < cells_of(state); cell++) {
        state->feed_rate[cell] = plain->constants.f;
        state->kill_rate[cell] = plain->constants.k;
    }
    for (int step = 0; step < 50; step++) {
        gray_scott_step(plain);
        gray_scott_step(state);
    }
    assert_memory_equal(plain->u, state->u, cells_of(state) * sizeof(float));
    assert_memory_equal(plain->v, state->v, cells_of(state) * sizeof(float));
    gray_scott_free(state);
    gray_scott_free(plain);
}

/* --- (f) options and recorded runs -------------------------------------------------------- */

static void test_parsing(void **unused)
{
    (void)unused;
    struct gray_scott_settings settings;
    assert_true(gray_scott_parse("", &settings));
    assert_true(settings.feed == 0.037 && settings.kill == 0.06 && settings.dt == 1.0);
    assert_true(gray_scott_parse("  stencil=nine-point feed=0.5  map=0.1:0.2,0.3:0.4 ", &settings));
    assert_int_equal(settings.stencil, GRAY_SCOTT_NINE_POINT);
    assert_true(settings.feed == 0.5 && settings.map[0] == 0.1 && settings.map[3] == 0.4);
}

static void test_digests(void **unused)
{
    (void)unused;
    size_t wrong = 0;
    for (size_t i = 0; i < gray_scott_case_count; i++) {
        const struct gray_scott_case *row = &gray_scott_cases[i];
        struct gray_scott_state *state =
            begin(row->width, row->height, row->seed, row->start, row->options);
        char digests[GRAY_SCOTT_MOMENTS][GRAY_SCOTT_DIGEST_SIZE];
        bool same = true;
        for (size_t moment = 0; moment < GRAY_SCOTT_MOMENTS; moment++) {
            while (state->step < gray_scott_moments[moment]) {
                gray_scott_step(state);
            }
            (void)gray_scott_digest(state, digests[moment]);
            same = same && strcmp(digests[moment], row->digests[moment]) == 0;
        }
        if (!same) {
            wrong++;
            print_error("GRAY_SCOTT_CASE(\"%s\", %u, %u, %u, \"%s\",\n"
                        "                \"%s\",\n",
                        row->name, row->width, row->height, row->seed, row->start, row->options);
            for (size_t moment = 0; moment < GRAY_SCOTT_MOMENTS; moment++) {
                print_error("                \"%s\"%s\n", digests[moment],
                            moment + 1 < GRAY_SCOTT_MOMENTS ? "," : ")");
            }
        }
        gray_scott_free(state);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_step_equals_the_model),
        cmocka_unit_test(test_run_follows_the_model),
        cmocka_unit_test(test_starts_follow_the_model),
        cmocka_unit_test(test_definition_converges_to_the_equations),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_longest_step),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_vanishing),
        cmocka_unit_test(test_clipping),
        cmocka_unit_test(test_starts_in_the_middle),
        cmocka_unit_test(test_disc_has_its_area),
        cmocka_unit_test(test_no_start_is_empty),
        cmocka_unit_test(test_spots),
        cmocka_unit_test(test_noise_start),
        cmocka_unit_test(test_start_noise),
        cmocka_unit_test(test_image_start),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_rates_from_pictures),
        cmocka_unit_test(test_even_rates_are_plain_rates),
        cmocka_unit_test(test_parsing),
        cmocka_unit_test(test_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
