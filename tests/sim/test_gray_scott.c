/* SPDX-License-Identifier: MIT */
/* Gray-Scott on a device: every step and start against the C reference, byte for byte; the digests
 * of gray_scott_cases.def; the laws of physics; and the laws of runs: pieces, saving and loading,
 * restarts. TAP on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gray_scott_cases.h"
#include "gray_scott_physics.h"
#include "sim_test.h"

static struct sim_run run_of(const struct gray_scott_case *row)
{
    return (struct sim_run){.name = row->name,
                            .model = "gray-scott",
                            .basis = "feed=0.037 kill=0.06 du=0.16 dv=0.08 dt=1 stencil=five-point "
                                     "boundary=periodic precision=float32 start-radius=0.1 "
                                     "start-share=0.5 start-noise=0 start-count=20 start-grain=4",
                            .width = row->width,
                            .height = row->height,
                            .seed = row->seed,
                            .start = row->start,
                            .options = row->options};
}

static const struct gray_scott_case *find_case(const char *name)
{
    for (size_t i = 0; i < gray_scott_case_count; i++) {
        if (strcmp(gray_scott_cases[i].name, name) == 0) {
            return &gray_scott_cases[i];
        }
    }
    printf("Bail out! there is no case '%s'\n", name);
    exit(1);
}

/* --- against the reference -------------------------------------------------------------------- */

/* True if the device has the reference's bytes; otherwise reports the first difference. */
static bool same_state(vks_simulation *simulation, const struct gray_scott_state *state)
{
    static const char *const names[] = {"u", "v"};
    const float *const fields[] = {state->u, state->v};
    const size_t cells = (size_t)state->width * state->height, size = gray_scott_bytes(state);
    unsigned char *got = malloc(size), *expected = malloc(size);
    float *values = malloc(cells * sizeof(float));
    bool same = got && expected && values;
    for (int i = 0; same && i < 2; i++) {
        gray_scott_store(state, fields[i], expected);
        same = fine(vks_simulation_read(simulation, names[i], got, size));
        if (!same || memcmp(got, expected, size) == 0) {
            continue;
        }
        same = false;
        gray_scott_load(state, got, values);
        for (size_t cell = 0; cell < cells; cell++) {
            if (values[cell] != fields[i][cell]) {
                printf("# after %llu steps %s[%zu][%zu] is %a, in the reference %a\n",
                       (unsigned long long)state->step, names[i], cell / state->width,
                       cell % state->width, values[cell], fields[i][cell]);
                break;
            }
        }
    }
    free(values);
    free(expected);
    free(got);
    return same;
}

static vks_simulation *open_words(vks_context *context, uint32_t width, uint32_t height,
                                  uint32_t seed, const char *start, const char *options)
{
    const struct gray_scott_case row = {"", width, height, seed, start, options, {NULL}};
    const struct sim_run run = run_of(&row);
    return sim_open(context, &run);
}

/* The start, and the state after each number of steps (ascending, 0 ends). Takes the simulation. */
static void compare_opened(vks_simulation *simulation, uint32_t width, uint32_t height,
                           uint32_t seed, const char *start, const char *options,
                           const uint32_t *moments)
{
    struct gray_scott_state *state = gray_scott_begin(width, height, seed, start, options);
    bool same = simulation && state && same_state(simulation, state);
    for (size_t i = 0; same && moments[i]; i++) {
        same = fine(vks_simulation_run(simulation, moments[i] - state->step));
        while (state->step < moments[i]) {
            gray_scott_step(state);
        }
        same = same && same_state(simulation, state);
    }
    gray_scott_free(state);
    vks_simulation_destroy(simulation);
    report(same, "%ux%u %s %s equals the reference", width, height, start, options);
}

static void compare(vks_context *context, uint32_t width, uint32_t height, uint32_t seed,
                    const char *start, const char *options, const uint32_t *moments)
{
    if (!sim_due()) {
        return;
    }
    compare_opened(open_words(context, width, height, seed, start, options), width, height, seed,
                   start, options, moments);
}

static const uint32_t starts_only[] = {0}, few[] = {1, 2, 7, 0}, many[] = {1, 2, 7, 50, 200, 0},
                      odd_runs[] = {1, 3, 8, 57, 0};

static void test_starts(vks_context *context)
{
    static const char *const starts[] = {
        "square", "disc", "ring", "spots", "noise", "inverse", "image:tests/fuzz/image/rgb8.png"};
    static const char *const options[] = {
        "",
        "boundary=no-flux start-radius=0.4 start-count=7 start-grain=3 start-share=0.2",
        "start-radius=0 start-count=0 start-share=0 start-grain=1",
        "start-radius=10 start-share=1 start-grain=10000 start-count=3",
        "start-radius=0.123 start-noise=0.07 start-grain=5",
        "precision=float16 start-noise=1",
        "precision=float16 start-noise=0.0001 start-count=100",
    };
    static const uint32_t sizes[][2] = {{64, 48}, {90, 33}, {2, 1}, {34, 201}};
    /* Every option with every shape that it applies to; odd sides are in the second line. */
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        for (size_t j = i % 2; j < sizeof(options) / sizeof(options[0]); j += 2) {
            const uint32_t *size = sizes[(i + j) % 4];
            compare(context, size[0], size[1], (uint32_t)(100 * i + j + 1), starts[i], options[j],
                    starts_only);
        }
        compare(context, 63, 47, 5, starts[i], options[1 - i % 2], starts_only);
    }
}

/* Sizes around those of workgroups and tiles, for every path through a step. */
static void test_sizes(vks_context *context)
{
    static const uint32_t sizes[][2] = {{1, 1},  {3, 2},   {2, 3},    {17, 5},   {4, 1},
                                        {1, 4},  {8, 8},   {12, 7},   {31, 33},  {32, 32},
                                        {64, 9}, {100, 3}, {128, 17}, {130, 65}, {516, 4}};
    static const char *const kinds[] = {
        "stencil=five-point boundary=periodic", "stencil=nine-point boundary=periodic",
        "stencil=five-point boundary=no-flux", "stencil=nine-point boundary=no-flux"};
    for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t width = sizes[i / 2][0], height = sizes[i / 2][1];
        char options[200];
        /* Both stencils, or both boundaries; halves need an even width. */
        size_t kind = i % 2 == 0 ? i / 2 % 4 : 3 - i / 2 % 4;
        snprintf(options, sizeof(options), "%s start-grain=1 start-noise=0.1%s%s%s", kinds[kind],
                 i % 4 < 2 ? " dt=0.9" : "", i % 3 == 0 ? " map=0.02:0.09,0.05:0.065" : "",
                 i % 2 == 1 && width % 2 == 0 ? " precision=float16" : "");
        compare(context, width, height, (uint32_t)i + 1, "noise", options, i % 5 == 0 ? many : few);
    }
}

/* Each option at ordinary and at extreme values. */
static void test_options(vks_context *context)
{
    static const char *const options[] = {
        "feed=0 kill=0",
        "feed=1 kill=0 du=0.12",
        "feed=0 kill=1",
        "feed=0.5 kill=0.5",
        "feed=0.0620127 kill=0.0609321 du=0.2097 dv=0.105 dt=0.913",
        "feed=0.3333333 kill=0.6666666 du=0.1234567 dv=0.0000001",
        "du=0 dv=0",
        "du=0.245 dv=0.23",
        "du=0.37 dv=0.36 stencil=nine-point feed=0 kill=0",
        "du=100 dv=50 dt=0.0024",
        "dt=0.000001",
        "du=0.002 dv=0.001 dt=9 feed=0.01 kill=0.02",
        "precision=float16 dt=0.01",
        "precision=float16 du=0.36 dv=0.19 stencil=nine-point feed=0.03 kill=0.06",
        "map=0:1,0:1 dt=0.5 du=0.1 dv=0.1",
        "map=0.0353:0.0354,0.0566:0.0567",
        "map=0.01:0.1,0.045:0.07 dt=0.37 precision=float16",
        "feed-map=tests/fuzz/image/rgb8.png",
        "kill-map=tests/fuzz/image/grey16.png",
        "feed-map=tests/fuzz/image/rgb8.png feed-range=0:0.08 kill-map=tests/fuzz/image/grey16.png "
        "kill-range=0.03:0.06 dt=1.1 boundary=no-flux",
        "feed-map=tests/fuzz/image/grey16.png feed-range=0.03:0.1 stencil=nine-point "
        "precision=float16",
        "feed-map=tests/fuzz/image/rgb8.png init-fit=contain",
        "feed-map=tests/fuzz/image/rgb8.png kill-map=tests/fuzz/image/grey16.png init-fit=stretch",
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        compare(context, i % 2 ? 64 : 62, 40, (uint32_t)i + 1, i % 2 ? "noise" : "spots",
                options[i], many);
    }
    compare(context, 50, 40, 3, "image:tests/fuzz/image/rgb8.png", "start-noise=0.05", many);
    compare(context, 50, 80, 3, "image:tests/fuzz/image/rgb8.png", "init-fit=contain", many);
    compare(context, 80, 40, 3, "image:tests/fuzz/image/rgb8.png", "init-fit=stretch", many);
}

/* --- several steps in one dispatch ----------------------------------------------------------- */

/* Variants change no byte. Numbers of steps select a variant that fits; variants by name need not
 * fit every device, but some of each kind must. */
static void test_variants(vks_context *context)
{
    static const struct {
        uint32_t width, height;
        const char *options;
    } fields[] = {
        {64, 48, "stencil=five-point boundary=periodic"},
        {36, 50, "stencil=nine-point boundary=no-flux dt=0.9 map=0.02:0.09,0.05:0.065"},
        {128, 21, "stencil=nine-point boundary=periodic precision=float16"},
        {60, 37, "stencil=five-point boundary=no-flux precision=float16 map=0.02:0.09,0.05:0.065"},
        {4, 3, "stencil=nine-point boundary=no-flux feed=0"},
        {100, 40, "stencil=nine-point boundary=periodic dt=0.5"},
        {17, 5, "stencil=five-point boundary=no-flux"},
        {1, 1, "stencil=nine-point boundary=periodic"},
        {95, 40, "stencil=nine-point boundary=no-flux"},
    };
    static const char *const variants[] = {
        "auto",        "plain",       "fused-2",     "fused-3",     "fused-4",      "fused-6",
        "fused-8",     "tile-2-4x4",  "tile-3-8x4",  "tile-4-8x8",  "tile-8-8x8",   "tile-3-2x9",
        "quad-2-4x4",  "quad-4-3x6",  "quad-3-5x3",  "quad-2-1x30", "block-2-4x4",  "block-4-8x4",
        "block-6-5x7", "block-8-8x8", "march-2-5x1", "march-3-7x2", "march-4-64x4", "march-8-40x2",
    };
    unsigned fitted[5] = {0};
    bool left_out = false;
    static const char kinds[] = "tqbm";
    const size_t count = sizeof(fields) / sizeof(fields[0]);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        for (size_t j = 0; j < 4; j++) {
            const size_t field = (i + 2 * j) % count;
            char options[200];
            if (!sim_due()) {
                left_out = true;
                continue;
            }
            snprintf(options, sizeof(options), "%s start-grain=1 start-noise=0.1 variant=%s",
                     fields[field].options, variants[i]);
            const uint32_t width = fields[field].width, height = fields[field].height;
            vks_simulation *simulation = open_words(context, width, height, 3, "noise", options);
            if (!simulation && strstr(vks_error_text(), "does not fit this device")) {
                continue;
            }
            const char *kind = strchr(kinds, variants[i][0]);
            fitted[kind ? kind - kinds : 4]++;
            compare_opened(simulation, width, height, 3, "noise", options, odd_runs);
        }
    }
    report(left_out || (fitted[0] >= 4 && fitted[1] >= 6 && fitted[2] >= 16 && fitted[3] >= 5 &&
                        fitted[4] >= 28),
           "%u tiles, %u tiles of fours, %u blocks, %u marches and %u numbers of steps fit the "
           "device",
           fitted[0], fitted[1], fitted[2], fitted[3], fitted[4]);
}

/* --- runs ------------------------------------------------------------------------------------- */

static void test_all_pieces(vks_context *context)
{
    static const uint32_t splits[][8] = {
        {7, 1, 292}, {1, 1, 1, 297}, {292, 1, 7}, {64, 64, 64, 64, 44}, {3, 33, 133, 131}, {300},
    };
    static const char *const names[] = {"default", "disc-nine", "ring-no-flux",
                                        "half",    "map",       "one-cell"};
    for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
        const struct gray_scott_case *row = find_case(names[i]);
        struct sim_run run = run_of(row);
        sim_test_pieces(context, &run, splits[i], i % 2 == 1, row->digests[4]);
    }
}

/* --- changes while it runs -------------------------------------------------------------------- */

/* A reference that continues from `state`, which it takes over, with other options. */
static struct gray_scott_state *go_on(struct gray_scott_state *state, const char *options)
{
    struct gray_scott_state *next =
        gray_scott_begin(state->width, state->height, state->seed, "square", options);
    if (next) {
        const size_t size = (size_t)state->width * state->height * sizeof(float);
        memcpy(next->u, state->u, size);
        memcpy(next->v, state->v, size);
        if (state->paint_share) {
            memcpy(next->paint_feed, state->paint_feed, size);
            memcpy(next->paint_kill, state->paint_kill, size);
            memcpy(next->paint_share, state->paint_share, size);
        }
        next->step = state->step;
    }
    gray_scott_free(state);
    return next;
}

/* Paints rates of different F and k over each other; the reference takes what is painted then,
 * which the test `brush` checks. */
static bool paint_rates(vks_simulation *simulation, struct gray_scott_state *state, uint32_t first)
{
    enum { COUNT = 5, SIDE = 65536 };
    const size_t size = (size_t)state->width * state->height * sizeof(float);
    struct vks_stroke strokes[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t n = first + i;
        strokes[i] =
            VKS_STROKE(.brush = "rates", .x = (int32_t)(n * 20011 % SIDE),
                       .y = (int32_t)(n * 9973 % SIDE), .x2 = (int32_t)(n * 7919 % SIDE),
                       .y2 = (int32_t)(n * 30011 % SIDE), .radius = 3000 + n * 1999 % 9000,
                       .soft = n % 3 * 30000, .strength = n % 2 ? SIDE : 40000,
                       .inverse = n % 5 == 4,
                       .values = {0.125 * (n * 37 % 100) / 99, 0.125 * (n * 53 % 100) / 99});
    }
    return fine(vks_simulation_paint(simulation, strokes, COUNT)) &&
           fine(vks_simulation_read(simulation, "paint_feed", state->paint_feed, size)) &&
           fine(vks_simulation_read(simulation, "paint_kill", state->paint_kill, size)) &&
           fine(vks_simulation_read(simulation, "paint_share", state->paint_share, size));
}

/* The run and the reference take every change after the same step. */
static void test_changes(vks_context *context, uint32_t width, const char *basis,
                         const char *const *changes)
{
    if (!sim_due()) {
        return;
    }
    char options[1024];
    snprintf(options, sizeof(options), "start-noise=0.1 start-grain=2 %s", basis);
    vks_simulation *simulation = open_words(context, width, 40, 3, "noise", options);
    struct gray_scott_state *state = gray_scott_begin(width, 40, 3, "noise", options);
    bool good = simulation && state;
    for (size_t i = 0; good && changes[i]; i++) {
        const size_t length = strlen(options);
        const uint32_t steps = (uint32_t)(1 + 7 * i % 11);
        snprintf(options + length, sizeof(options) - length, " %s", changes[i]);
        state = go_on(state, options);
        good = state && sim_set(simulation, changes[i]) &&
               (!state->paint_share || paint_rates(simulation, state, (uint32_t)(5 * i))) &&
               fine(vks_simulation_run(simulation, steps));
        for (uint32_t step = 0; good && step < steps; step++) {
            gray_scott_step(state);
        }
        if (good && (i % 2 || !changes[i + 1]) && !same_state(simulation, state)) {
            printf("# after '%s'\n", changes[i]);
            good = false;
        }
    }
    gray_scott_free(state);
    vks_simulation_destroy(simulation);
    report(good, "%u x 40 %s: changes in the run equal the reference's", width, basis);
}

/* The same with painted rates, in every kind of variant. */
static void test_painted_changes(vks_context *context, const char *const *even,
                                 const char *const *ramps, const char *const *pictures)
{
    static const char *const bases[] = {"",
                                        "precision=float16",
                                        "variant=fused-4 boundary=no-flux",
                                        "variant=block-4-8x4 precision=float16",
                                        "variant=quad-4-4x4 boundary=no-flux",
                                        "variant=tile-2-4x4",
                                        "variant=march-4-64x4 boundary=no-flux"};
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        char basis[200];
        snprintf(basis, sizeof(basis), "rates=painted %s", bases[i]);
        test_changes(context, i % 2 ? 62 : 64, basis, even);
        snprintf(basis, sizeof(basis), "rates=painted map=0.01:0.1,0.045:0.07 %s", bases[i]);
        test_changes(context, 64, basis, ramps);
        snprintf(basis, sizeof(basis), "rates=painted feed-map=tests/fuzz/image/rgb8.png %s",
                 bases[i]);
        test_changes(context, 64, basis, pictures);
    }
    test_changes(context, 61, "rates=painted", even);
}

static void test_all_changes(vks_context *context)
{
    static const char *const even[] = {"feed=0.05",
                                       "kill=0.0633 du=0.2",
                                       "dv=0.01",
                                       "stencil=nine-point",
                                       "boundary=no-flux",
                                       "feed=0",
                                       "dt=0.7",
                                       "feed=0.03 stencil=five-point",
                                       "dt=1",
                                       "boundary=periodic start-radius=0.3",
                                       NULL};
    static const char *const ramps[] = {
        "map=0.03:0.06,0.05:0.06", "dt=0.8", "feed=0.1", "stencil=nine-point",
        "map=0:0.06,0.05:0.07",    "du=0.1", NULL};
    static const char *const pictures[] = {"feed-range=0.02:0.09",
                                           "feed-map=tests/fuzz/image/grey16.png",
                                           "init-fit=contain",
                                           "kill=0.05",
                                           "init-fit=stretch",
                                           "dt=0.9",
                                           "boundary=no-flux",
                                           "feed-range=0.01:0.05 kill=0.06",
                                           "feed-map=tests/fuzz/image/rgb8.png",
                                           "kill-map=tests/fuzz/image/grey16.png",
                                           "kill-map=",
                                           NULL};
    static const char *const bases[] = {"", "precision=float16", "variant=fused-4",
                                        "variant=block-4-8x4"};
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        char basis[200];
        test_changes(context, i % 2 ? 62 : 64, bases[i], even);
        snprintf(basis, sizeof(basis), "map=0.01:0.1,0.045:0.07 %s", bases[i]);
        test_changes(context, i % 2 ? 64 : 62, basis, ramps);
        snprintf(basis, sizeof(basis), "feed-map=tests/fuzz/image/rgb8.png %s", bases[i]);
        test_changes(context, 64, basis, pictures);
    }
    test_changes(context, 61, "", even);
    test_painted_changes(context, even, ramps, pictures);
    const struct gray_scott_case *row = find_case("default");
    struct sim_run run = run_of(row);
    sim_test_changed_restart(context, &run, "feed=0.03 kill=0.055 stencil=nine-point", 50);
    sim_test_changed_restart(context, &run, "init=spots start-noise=0.05 start-count=7", 50);
}

/* Changes that need another graph and invalid values are refused; the run continues. */
static void test_refused_changes(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    static const char options[] =
        "feed-map=tests/fuzz/image/rgb8.png start-noise=0.1 variant=plain normalize=fixed:0:0.4";
    static const char plain[] = "feed-map=tests/fuzz/image/rgb8.png start-noise=0.1";
    vks_simulation *simulation = open_words(context, 64, 40, 3, "noise", options);
    struct gray_scott_state *state = gray_scott_begin(64, 40, 3, "noise", plain);
    bool good =
        simulation && state && fine(vks_simulation_run(simulation, 9)) &&
        sim_refuses(simulation, "precision=float16", false,
                    "changes the field 'u', which needs a new simulation") &&
        sim_refuses(simulation, "size=66x40", false, "changes the field 'u', which needs") &&
        sim_refuses(simulation, "feed-map=", false, "removes the pass 'rates', which needs") &&
        sim_refuses(simulation, "variant=block-4-8x4", false, "it needs a new simulation") &&
        sim_refuses(simulation, "dt=3", false, "unstable") &&
        sim_refuses(simulation, "map=0.01:0.1,0.045:0.07", false, "exclude each other") &&
        /* the graph has the new values by the time the file is read */
        sim_refuses(simulation, "feed-map=/nonexistent/a.png", true, "/nonexistent/a.png") &&
        sim_refuses(simulation, "kill-map=/nonexistent/b.png", true, "/nonexistent/b.png") &&
        fine(vks_simulation_run(simulation, 11));
    while (good && state->step < 20) {
        gray_scott_step(state);
    }
    good = good && same_state(simulation, state);
    gray_scott_free(state);
    vks_simulation_destroy(simulation);
    report(good, "changes that are refused have sentences and no effect");
}

/* --- scalars ---------------------------------------------------------------------------------- */

/* The mean from the sum of integers that docs/architecture.md describes. */
static double mean_of(const struct gray_scott_state *state, const float *field)
{
    const size_t cells = (size_t)state->width * state->height;
    const int exponent = 62 - (ilogb((double)cells) + 1);
    int64_t sum = 0;
    for (size_t i = 0; i < cells; i++) {
        sum += (int64_t)nearbyint(ldexp(field[i], exponent));
    }
    return (double)sum * (ldexp(1, -exponent) / (double)cells);
}

static bool has_means(vks_simulation *simulation, const struct gray_scott_state *state)
{
    struct vks_watched u = {.size = sizeof(u)}, v = u, more = u;
    bool good = fine(vks_simulation_wait(simulation)) &&
                vks_simulation_watched(simulation, 0, &u) &&
                vks_simulation_watched(simulation, 1, &v) &&
                !vks_simulation_watched(simulation, 2, &more) && u.known && v.known &&
                strcmp(u.name, "u") == 0 && strcmp(v.name, "v") == 0 && u.step == state->step &&
                v.step == state->step && u.value == mean_of(state, state->u) &&
                v.value == mean_of(state, state->v);
    if (!good) {
        printf("# step %llu: u %a, v %a; the reference has %a, %a\n", (unsigned long long)u.step,
               u.value, v.value, mean_of(state, state->u), mean_of(state, state->v));
    }
    return good;
}

static void test_watched(vks_context *context, const char *options)
{
    if (!sim_due()) {
        return;
    }
    struct gray_scott_state *state = gray_scott_begin(90, 33, 3, "noise", options);
    struct vks_watched watched = {.size = sizeof(watched)};
    const char *const words[] = {options, NULL};
    vks_simulation *simulation = NULL;
    bool good =
        state && fine(vks_simulation_create(
                     context,
                     &VKS_SIMULATION_PARAMS(.model = "gray-scott", .preset = "plain", .width = 90,
                                            .height = 33, .seed = 3, .init = "noise",
                                            .options = words, .watch = true),
                     &simulation));
    good = good && vks_simulation_watched(simulation, 0, &watched) && !watched.known &&
           fine(vks_simulation_draw(simulation)) && has_means(simulation, state);
    for (int frame = 0; good && frame < 4; frame++) {
        good = fine(vks_simulation_run(simulation, 7)) && fine(vks_simulation_draw(simulation)) &&
               /* steps after a frame have no scalars of their own */
               fine(vks_simulation_run(simulation, 2));
        for (int step = 0; step < 7; step++) {
            gray_scott_step(state);
        }
        good = good && has_means(simulation, state);
        gray_scott_step(state);
        gray_scott_step(state);
    }
    good = good && fine(vks_simulation_restart(simulation, 3)) &&
           vks_simulation_watched(simulation, 0, &watched) && !watched.known;
    vks_simulation_destroy(simulation);
    gray_scott_free(state);
    simulation = open_words(context, 90, 33, 3, "noise", options);
    good = good && simulation && !vks_simulation_watched(simulation, 0, &watched);
    vks_simulation_destroy(simulation);
    report(good, "scalars of %s", options);
}

/* --- physics ---------------------------------------------------------------------------------- */

/* Creating a simulation takes longer than running one of this size, so the last one is kept. */
struct device {
    vks_context *context;
    uint32_t width, height;
    char options[200];
    vks_simulation *simulation;
    struct gray_scott_state *form; /* has the device's storage format */
};

static void close_device(struct device *device)
{
    vks_simulation_destroy(device->simulation);
    gray_scott_free(device->form);
    device->simulation = NULL;
    device->form = NULL;
}

static bool prepare(struct device *device, uint32_t width, uint32_t height, const char *options)
{
    if (device->simulation && device->width == width && device->height == height &&
        strcmp(device->options, options) == 0) {
        return true;
    }
    close_device(device);
    device->width = width;
    device->height = height;
    snprintf(device->options, sizeof(device->options), "%s", options);
    device->form = gray_scott_begin(width, height, 1, "square", options);
    device->simulation = open_words(device->context, width, height, 1, "square", options);
    return device->form && device->simulation;
}

static bool run_on_device(void *self, uint32_t width, uint32_t height, const char *options,
                          uint32_t steps, float *u, float *v)
{
    struct device *device = self;
    if (!prepare(device, width, height, options)) {
        return false;
    }
    static const char *const names[] = {"u", "v"};
    float *const fields[] = {u, v};
    const size_t size = gray_scott_bytes(device->form);
    void *bytes = malloc(size);
    bool good = bytes;
    for (int i = 0; good && i < 2; i++) {
        gray_scott_store(device->form, fields[i], bytes);
        good = fine(vks_simulation_write(device->simulation, names[i], bytes, size));
    }
    good = good && fine(vks_simulation_run(device->simulation, steps));
    for (int i = 0; good && i < 2; i++) {
        good = fine(vks_simulation_read(device->simulation, names[i], bytes, size));
        gray_scott_load(device->form, bytes, fields[i]);
    }
    free(bytes);
    return good;
}

static void test_laws(vks_context *context)
{
    struct device device = {.context = context};
    struct gray_scott_lab lab = {&device, run_on_device};
    for (size_t i = 0; i < gray_scott_law_count; i++) {
        if (sim_due()) {
            report(gray_scott_laws[i].holds(&lab), "%s", gray_scott_laws[i].name);
        }
    }
    close_device(&device);
}

/* --- wrong use -------------------------------------------------------------------------------- */

static void test_wrong_options(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    static const struct {
        const char *options, *words;
    } wrong[] = {
        {"feed=1.5", "feed"},
        {"kill=-0.1", "kill"},
        {"dt=0", "dt"},
        {"dt=-1", "dt"},
        {"du=-0.1", "du"},
        {"stencil=seven-point", "five-point"},
        {"boundary=zero", "no-flux"},
        {"precision=float64", "float16"},
        {"du=0.3", "0.819672"}, /* 2 / (8 x 0.3 + 0.04) */
        {"du=0.4 stencil=nine-point", "0.920245"},
        {"du=0.01 dv=0.3", "0.800000"}, /* 2 / (8 x 0.3 + 0.04 + 0.06) */
        {"du=0 dv=0 feed=0.5 kill=0.5 dt=1.01", "1.000000"},
        {"dt=1.52", "1.515151"},
        {"map=0.1:0.01,0.045:0.07", "map"},
        {"map=0.01:0.1", "map"},
        {"map=0.01:0.1,0.045:1.07", "map"},
        {"map=0.01:0.1,0.045:0.07 feed-map=tests/fuzz/image/rgb8.png", "feed-map"},
        {"map=0:0.9,0:0.3 dt=0.9", "0.833333"}, /* 1 / (0.9 + 0.3) */
        {"feed-map=tests/fuzz/image/rgb8.png feed-range=0.1", "feed-range"},
        {"kill-map=tests/fuzz/image/rgb8.png kill-range=0.1:0.05", "kill-range"},
        {"feed-map=/nonexistent/a.png", "/nonexistent/a.png"},
        {"feed-map=tests/meson.build", "tests/meson.build"},
        {"variant=1", "variant"},
        {"variant=fused-17", "variant"},
        {"variant=march", "variant"},
        {"variant=march-1-64x4", "variant"},
        {"variant=march-9-64x4", "variant"},
        {"variant=tile-1-8x4", "variant"},
        {"feed-range=0.5:0.1", "feed-range"},
        {"kill-range=x:y", "kill-range"},
        {"start-grain=0", "start-grain"},
        {"start-share=1.1", "start-share"},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char options[200];
        snprintf(options, sizeof(options), "feed=0.04 %s", wrong[i].options);
        vks_simulation *simulation = open_words(context, 64, 64, 1, "square", options);
        if (simulation || !strstr(vks_error_text(), wrong[i].words)) {
            printf("# %s: '%s' does not say '%s'\n", options,
                   simulation ? "accepted" : vks_error_text(), wrong[i].words);
            good = false;
        }
        vks_simulation_destroy(simulation);
    }
    report(good, "wrong options have sentences");
}

static void run_all(vks_context *context)
{
    for (size_t i = 0; i < gray_scott_case_count; i++) {
        const struct gray_scott_case *row = &gray_scott_cases[i];
        struct sim_run run = run_of(row);
        sim_test_moments(context, &run, gray_scott_moments, row->digests, GRAY_SCOTT_MOMENTS);
    }
    test_starts(context);
    test_sizes(context);
    test_options(context);
    test_variants(context);
    test_laws(context);
    test_all_changes(context);
    test_refused_changes(context);
    test_watched(context, "precision=float32");
    test_watched(context, "precision=float16");
    test_all_pieces(context);
    for (size_t i = 0; i < gray_scott_case_count; i += 7) {
        const struct gray_scott_case *row = &gray_scott_cases[i];
        struct sim_run run = run_of(row);
        sim_test_save_and_load(context, &run, 50, row->digests[3], 250, row->digests[4]);
    }
    const struct gray_scott_case *random = find_case("start-noise");
    struct sim_run run = run_of(random);
    sim_test_restart(context, &run, 50, random->digests[3]);
    test_wrong_options(context);
}

static void run_few(vks_context *context)
{
    for (size_t i = 0; i < 3; i++) {
        const struct gray_scott_case *row = &gray_scott_cases[i];
        struct sim_run run = run_of(row);
        sim_test_moments(context, &run, gray_scott_moments, row->digests, 3);
    }
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "gray-scott", run_all, run_few);
}
