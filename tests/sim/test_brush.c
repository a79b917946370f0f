/* SPDX-License-Identifier: MIT */
/* Brushes of all simulations: the state after strokes equals the reference's, byte for byte, and a
 * painted run is the same in every variant, in batches of any length, in chunks and after a
 * snapshot. TAP on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/brush.h"
#include "base/exact.h"
#include "brush_gas_reference.h"
#include "brush_reference.h"
#include "gray_scott_reference.h"
#include "sim/registry.h"
#include "sim_test.h"

/* Chunks of 512 bytes, which split even small fields. */
enum { WIDE_RANGE = 1000, MAX_FIELDS = 16 };

/* --- the state on the host ------------------------------------------------------------------- */

enum { SEED = 3 };

struct state {
    struct brush_grid grid;
    double temperature; /* of the gas */
    uint32_t step;
    size_t count;
    struct vks_field_info fields[MAX_FIELDS];
    char names[MAX_FIELDS][32];
    void *data[MAX_FIELDS];
};

static void free_state(struct state *state)
{
    for (size_t i = 0; i < state->count; i++) {
        free(state->data[i]);
    }
    state->count = 0;
}

static bool read_state(vks_simulation *simulation, struct state *state)
{
    bool good = true;
    *state = (struct state){.step = (uint32_t)vks_simulation_steps(simulation)};
    for (struct vks_field_info info = {.size = sizeof(info)};
         good && state->count < MAX_FIELDS && vks_simulation_field(simulation, state->count, &info);
         state->count++) {
        const size_t i = state->count;
        state->fields[i] = info;
        snprintf(state->names[i], sizeof(state->names[i]), "%s", info.name);
        state->data[i] = malloc(info.bytes);
        good = state->data[i] &&
               fine(vks_simulation_read(simulation, info.name, state->data[i], info.bytes));
    }
    return good;
}

static int find_field(const struct state *state, const char *name)
{
    for (size_t i = 0; i < state->count; i++) {
        if (strcmp(state->names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Reports the first difference. */
static bool is_state(vks_simulation *simulation, const struct state *expected)
{
    struct state state;
    bool good = read_state(simulation, &state) && state.count == expected->count;
    for (size_t i = 0; good && i < state.count; i++) {
        const unsigned char *a = state.data[i], *b = expected->data[i];
        uint64_t at = 0;
        while (at < state.fields[i].bytes && a[at] == b[at]) {
            at++;
        }
        if (at < state.fields[i].bytes) {
            printf("# '%s' differs at byte %llu of %llu\n", state.names[i], (unsigned long long)at,
                   (unsigned long long)state.fields[i].bytes);
            good = false;
        }
    }
    free_state(&state);
    return good;
}

/* --- the reference --------------------------------------------------------------------------- */

/* What the brushes of values do, as docs/brushes.md says. */
static const struct {
    const char *brush, *field;
    struct brush_change stroke, inverse;
    unsigned value; /* of the stroke that it takes, from 1 */
} changes[] = {
    {"seed", "u", {false, 0.5F, 1}, {false, 1, 1}},
    {"seed", "v", {false, 0.25F, 1}, {false, 0, 1}},
    {"clear", "u", {false, 1, 1}, {false, 0.5F, 1}},
    {"clear", "v", {false, 0, 1}, {false, 0.25F, 1}},
    {"rates", "paint_feed", {false, 1, 0.125F}, {false, 0, 0.125F}, 1},
    {"rates", "paint_kill", {false, 1, 0.125F}, {false, 0, 0.125F}, 2},
    {"rates", "paint_share", {false, 1, 1}, {false, 0, 1}},
    {"attract", "trail", {true, 10, 1e30F}, {false, 0, 1e30F}},
    {"food", "food", {false, 1, 1e30F}, {false, 0, 1e30F}},
};

/* A cell whose bit is 1 in "walls" keeps its trail. */
static bool is_outside(const struct state *state, int field, uint32_t x, uint32_t y)
{
    const int walls = find_field(state, "walls");
    if (walls < 0 || strcmp(state->names[field], "trail") != 0) {
        return false;
    }
    const uint32_t *words = state->data[walls];
    return words[y * ((state->grid.width + 31) / 32) + x / 32] >> x % 32 & 1;
}

static void paint_values(struct state *state, int field, const struct vks_stroke *stroke,
                         const struct brush_change *change)
{
    const struct brush_grid *grid = &state->grid;
    const bool halves = state->fields[field].element == VKS_F16;
    const uint64_t count = state->fields[field].bytes / (halves ? 2 : 4);
    float *reals = state->data[field];
    uint16_t *words = state->data[field];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = i / grid->width, plane = row / grid->height;
        const uint32_t x = (uint32_t)(i % grid->width), y = (uint32_t)(row % grid->height);
        const float weight =
            is_outside(state, field, x, y)
                ? 0
                : brush_weight_of_cell(grid, stroke, x, y, grid->depth > 1 ? (uint32_t)plane : 0);
        if (halves) {
            const float value = gray_scott_from_half(words[i]);
            words[i] = gray_scott_to_half(brush_changed(change, value, weight));
        } else {
            reals[i] = brush_changed(change, reals[i], weight);
        }
    }
}

/* Agents and walls, as far as the run has them. */
static void paint_agents(struct state *state, const struct vks_stroke *stroke)
{
    const int position = find_field(state, "position"), walls = find_field(state, "walls");
    if (position < 0) {
        return;
    }
    const int heading = find_field(state, "heading"), trail = find_field(state, "trail");
    const uint64_t cells = (uint64_t)state->grid.width * state->grid.height;
    struct brush_agents agents = {.seed = SEED,
                                  .step = state->step,
                                  .count = state->fields[position].extent[0],
                                  .position = state->data[position],
                                  .heading = state->data[heading],
                                  .walls = walls < 0 ? NULL : state->data[walls],
                                  .trail = state->data[trail],
                                  .planes = (uint32_t)(state->fields[trail].bytes / 4 / cells)};
    if (strcmp(stroke->brush, "agents") == 0) {
        brush_move_agents(&state->grid, stroke, &agents);
    } else if (strcmp(stroke->brush, "walls") == 0) {
        brush_build_walls(&state->grid, stroke, &agents);
    }
}

/* Copies a field of the state, to or from the reference's. */
static void copy_field(struct state *state, const char *name, void *data, bool back)
{
    const int field = find_field(state, name);
    if (field >= 0) {
        void *own = state->data[field];
        memcpy(back ? own : data, back ? data : own, state->fields[field].bytes);
    }
}

static void copy_grid(struct state *state, struct gas_grid_state *gas, bool back)
{
    static const char *const names[] = {"density",    "momentum_z", "momentum_y",
                                        "momentum_x", "energy",     "internal"};
    for (size_t i = 0; i < GAS_GRID_FIELDS; i++) {
        copy_field(state, names[i], gas->field[i], back);
    }
    copy_field(state, "clockwork", gas->clockwork, back);
}

static void paint_grid(struct state *state, const struct vks_stroke *stroke)
{
    const struct brush_grid *grid = &state->grid;
    const struct gas_grid_settings settings = {.gamma = 1.4, .dt = 0.015, .cfl = 0.4};
    struct gas_grid_state *gas = gas_grid_create(grid->width, grid->height, grid->depth, &settings);
    if (gas) {
        copy_grid(state, gas, false);
        brush_gas_grid(grid, stroke, state->temperature, gas);
        copy_grid(state, gas, true);
        gas_grid_prepare(gas); /* measures the mean density if it is to be */
        copy_field(state, "clockwork", gas->clockwork, true);
        gas_grid_free(gas);
    }
}

static void copy_particles(struct state *state, struct gas_particles_state *gas, bool back)
{
    static const char *const places[] = {"z", "y", "x"}, *const velocities[] = {"vz", "vy", "vx"};
    for (size_t i = 0; i < 3; i++) {
        copy_field(state, places[i], gas->position[i], back);
        copy_field(state, velocities[i], gas->velocity[i], back);
    }
    copy_field(state, "mass", gas->mass, back);
    copy_field(state, "heat", gas->heat, back);
    copy_field(state, "oscillator", gas->oscillator, back);
    copy_field(state, "frequency", gas->frequency, back);
    copy_field(state, "clockwork", gas->clockwork, back);
}

static void paint_particles(struct state *state, const struct vks_stroke *stroke)
{
    const struct brush_grid *grid = &state->grid;
    const struct gas_particles_settings settings = {
        .gamma = 1.4, .dt = 0.015, .cfl = 0.4, .mixing = 0.1};
    const uint64_t count = state->fields[find_field(state, "vx")].extent[0];
    struct gas_particles_state *gas =
        gas_particles_create(grid->depth, grid->height, grid->width, count, &settings);
    if (gas) {
        copy_particles(state, gas, false);
        brush_gas_particles(grid, stroke, state->temperature, gas);
        copy_particles(state, gas, true);
        gas_particles_free(gas);
    }
}

/* The state after a stroke. `times`: what the run multiplies amounts with. */
static void paint_state(struct state *state, const struct vks_stroke *stroke, float times)
{
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        struct brush_change change = stroke->inverse ? changes[i].inverse : changes[i].stroke;
        const int field = find_field(state, changes[i].field);
        change.amount *= changes[i].value ? (float)stroke->values[changes[i].value - 1] : times;
        if (strcmp(changes[i].brush, stroke->brush) == 0 && field >= 0) {
            paint_values(state, field, stroke, &change);
        }
    }
    paint_agents(state, stroke);
    if (find_field(state, "density") >= 0) {
        paint_grid(state, stroke);
    } else if (find_field(state, "vx") >= 0) {
        paint_particles(state, stroke);
    }
}

/* --- strokes --------------------------------------------------------------------------------- */

enum { SIDE = 65536 };

/* Soft and hard, dabs and segments, small and large, across the edges and the corners, up to a side
 * long, and at both ends of every range. */
static const struct vks_stroke shapes[] = {
    {.x = 20000, .y = 30000, .x2 = 20000, .y2 = 30000, .radius = 9000, .strength = SIDE},
    {.x = 40000,
     .y = 30000,
     .x2 = 40000,
     .y2 = 30000,
     .radius = 9000,
     .soft = SIDE,
     .strength = SIDE / 2},
    {.x = 300, .y = 200, .x2 = 300, .y2 = 200, .radius = 12000, .soft = 30000, .strength = 50000},
    {.x = 1, .y = 65535, .x2 = 65535, .y2 = 1, .radius = 3000, .soft = 60000, .strength = 40000},
    {.x = 50000, .y = 10000, .x2 = 90000, .y2 = -20000, .radius = 4000, .strength = 33333},
    {.x = -65536, .y = 131072, .x2 = 0, .y2 = 65536, .radius = 5000, .soft = 1, .strength = 999},
    {.x = 32768,
     .y = 32768,
     .x2 = 32768,
     .y2 = 32768,
     .radius = 32768,
     .soft = 40000,
     .strength = 1},
    {.x = 32768, .y = 100, .x2 = 98304, .y2 = 100, .radius = 32768, .soft = SIDE, .strength = SIDE},
    {.x = 7777, .y = 7777, .x2 = 7777, .y2 = 7777, .radius = 1, .soft = 50000, .strength = SIDE},
    {.x = 7000, .y = 50000, .x2 = 7500, .y2 = 7777, .radius = 1, .strength = 20000},
    {.x = 45000, .y = 45000, .x2 = 45000, .y2 = 45001, .radius = 8000, .soft = 20000},
    {.x = 10000,
     .y = 20000,
     .x2 = 30000,
     .y2 = 60000,
     .z = 20000,
     .z2 = -30000,
     .radius = 7000,
     .soft = 30000,
     .strength = 60000},
    {.x = 10000,
     .y = 20000,
     .x2 = 10000,
     .y2 = 20000,
     .z = -65536,
     .z2 = -65536,
     .radius = 20000,
     .soft = 9000,
     .strength = 60000},
};

enum { SHAPES = sizeof(shapes) / sizeof(*shapes) };

static struct vks_stroke shape_of(size_t index, const char *brush)
{
    struct vks_stroke stroke = shapes[index % SHAPES];
    stroke.size = sizeof(stroke);
    stroke.brush = brush;
    stroke.inverse = index / SHAPES % 2;
    stroke.values[0] = index % 3 == 2 ? 0.125 : 0.0007 * (double)index;
    stroke.values[1] = index % 5 == 0 ? 0 : 0.0609 - 0.0001 * (double)index;
    return stroke;
}

/* As many as a call takes, of several brushes that follow each other in turn. */
static void fill_strokes(const char *const *brushes, struct vks_stroke strokes[VKS_MAX_STROKES])
{
    size_t kinds = 0;
    while (brushes[kinds]) {
        kinds++;
    }
    for (size_t i = 0; i < VKS_MAX_STROKES; i++) {
        strokes[i] = shape_of(i, brushes[i / 3 % kinds]);
        strokes[i].x += (int32_t)(i * 997 % 5000);
        strokes[i].inverse = i % 5 == 2;
        strokes[i].x = strokes[i].x > strokes[i].x2 + SIDE ? strokes[i].x2 : strokes[i].x;
    }
}

/* --- the state after strokes ----------------------------------------------------------------- */

struct painting {
    struct sim_run run;
    const char *brushes[8];
    bool closed;
    float times;        /* of amounts; 0: 1 */
    double temperature; /* of the gas */
    uint32_t steps;
};

static void set_grid(const struct painting *painting, struct state *state)
{
    state->grid =
        (struct brush_grid){painting->run.width, painting->run.height,
                            painting->run.depth ? painting->run.depth : 1, painting->closed};
    state->temperature = painting->temperature;
}

/* Paints the strokes in one call and compares. */
static bool check_strokes(vks_simulation *simulation, const struct painting *painting,
                          const struct vks_stroke *strokes, size_t count)
{
    struct state state;
    bool good = read_state(simulation, &state);
    set_grid(painting, &state);
    for (size_t i = 0; good && i < count; i++) {
        paint_state(&state, &strokes[i], painting->times > 0 ? painting->times : 1);
    }
    good = good && fine(vks_simulation_paint(simulation, strokes, count)) &&
           is_state(simulation, &state);
    free_state(&state);
    return good;
}

/* Each shape by itself, then all of them at once, before the first step and between steps. */
static void test_exact(vks_context *context, const struct painting *painting, bool wide)
{
    const uint64_t range = context->gpu.field_range;
    if (!sim_due()) {
        return;
    }
    struct vks_stroke strokes[VKS_MAX_STROKES];
    context->gpu.field_range = wide ? WIDE_RANGE : range;
    vks_simulation *simulation = sim_open(context, &painting->run);
    bool good = simulation != NULL;
    for (size_t brush = 0; good && painting->brushes[brush]; brush++) {
        for (size_t i = 0; good && i < 2 * (size_t)SHAPES; i++) {
            const struct vks_stroke stroke = shape_of(i, painting->brushes[brush]);
            good = check_strokes(simulation, painting, &stroke, 1);
            if (!good) {
                printf("# shape %zu of '%s'\n", i, stroke.brush);
            }
            good = good && (i % 4 != 3 || fine(vks_simulation_run(simulation, 1 + i % 3)));
        }
    }
    fill_strokes(painting->brushes, strokes);
    good = good && fine(vks_simulation_run(simulation, painting->steps)) &&
           check_strokes(simulation, painting, strokes, VKS_MAX_STROKES) &&
           check_strokes(simulation, painting, strokes, VKS_MAX_STROKES - 1);
    vks_simulation_destroy(simulation);
    context->gpu.field_range = range;
    report(good, "%s %s: strokes as in the reference%s", painting->run.model, painting->run.name,
           wide ? ", in chunks" : "");
}

static const struct painting paintings[] = {
    {.run = {"odd", "gray-scott", "plain", "", 61, 37, SEED, .start = "noise", .options = ""},
     .brushes = {"seed", "clear"},
     .steps = 5},
    {.run = {"closed", "gray-scott", "plain", "", 40, 70, SEED, .start = "square",
             .options = "boundary=no-flux"},
     .brushes = {"clear", "seed"},
     .closed = true,
     .steps = 5},
    {.run = {"float16", "gray-scott", "plain", "", 46, 33, SEED, .start = "disc",
             .options = "precision=float16"},
     .brushes = {"seed", "clear"},
     .steps = 5},
    {.run = {"painted", "gray-scott", "plain", "", 61, 37, SEED, .start = "noise",
             .options = "rates=painted"},
     .brushes = {"rates", "seed"},
     .steps = 5},
    {.run = {"painted maps", "gray-scott", "plain", "", 46, 33, SEED, .start = "disc",
             .options = "rates=painted precision=float16 boundary=no-flux "
                        "map=0.01:0.1,0.045:0.07"},
     .brushes = {"rates"},
     .closed = true,
     .steps = 5},
    {.run = {"a row", "gray-scott", "plain", "", 50, 1, SEED, .start = "noise", .options = ""},
     .brushes = {"seed"},
     .steps = 5},
    {.run = {"a cell", "gray-scott", "plain", "", 1, 1, SEED, .start = "noise", .options = ""},
     .brushes = {"seed"},
     .steps = 5},
    {.run = {"odd", "physarum", "plain", "", 61, 37, SEED, .start = "random",
             .options = "agents=400 deposit=3.5"},
     .brushes = {"attract"},
     .times = 3.5F,
     .steps = 5},
    {.run = {"species", "physarum", "plain", "", 48, 64, SEED, .start = "disc",
             .options = "agents=400 species=3"},
     .brushes = {"attract", "agents"},
     .steps = 5},
    {.run = {"agents", "physarum", "plain", "", 61, 37, SEED, .start = "random",
             .options = "agents=3000 variant=sorted-3-words"},
     .brushes = {"agents", "attract"},
     .steps = 5},
    {.run = {"walls", "physarum", "plain", "", 61, 37, SEED, .start = "random",
             .options = "agents=2000 walls=frame"},
     .brushes = {"walls", "agents", "attract"},
     .steps = 5},
    {.run = {"walls of species", "physarum", "plain", "", 48, 40, SEED, .start = "disc",
             .options = "agents=2000 species=2 walls=disc food=points:0.5,0.5 "
                        "variant=sorted-3-bytes"},
     .brushes = {"food", "walls", "agents", "attract"},
     .steps = 5},
    {.run = {"food", "physarum", "plain", "", 61, 37, SEED, .start = "random",
             .options = "agents=2000 food=points:0.5,0.5 food-strength=2.5 food-eaten=0.1"},
     .brushes = {"food"},
     .times = 2.5F,
     .steps = 5},
    {.run = {"odd", "physarum-3d", "plain", "", 19, 14, SEED, .depth = 11, .start = "default",
             .options = "agents=300 deposit=2"},
     .brushes = {"attract"},
     .times = 2,
     .steps = 3},
    {.run = {"food", "physarum-3d", "plain", "", 12, 16, SEED, .depth = 20, .start = "default",
             .options = "agents=300 food=points:tests/sim/physarum_3d_points.csv "
                        "food-strength=0.5"},
     .brushes = {"food"},
     .times = 0.5F,
     .steps = 3},
    {.run = {"grid", "gas", "plain", "", 21, 17, SEED, .start = "waves",
             .options = "method=grid temperature=0.7"},
     .brushes = {"heat", "push", "mass"},
     .temperature = 0.7,
     .steps = 3},
    {.run = {"volume", "gas", "plain", "", 10, 13, SEED, .depth = 9, .start = "blast",
             .options = "method=grid temperature=0"},
     .brushes = {"push", "mass", "heat"},
     .steps = 3},
    {.run = {"particles", "gas", "plain", "", 21, 17, SEED, .start = "waves",
             .options = "method=particles particles=500 temperature=0.1 variant=sorted-2"},
     .brushes = {"heat", "push"},
     .temperature = 0.1,
     .steps = 3},
    {.run = {"a volume of particles", "gas", "plain", "", 8, 13, SEED, .depth = 9, .start = "cloud",
             .options = "method=particles temperature=0 gravity=0"},
     .brushes = {"push", "heat"},
     .steps = 3},
    {.run = {"a line", "gas", "plain", "", 50, 1, SEED, .start = "tube",
             .options = "method=particles temperature=2"},
     .brushes = {"push", "heat"},
     .temperature = 2,
     .steps = 3},
};

enum { PAINTINGS = sizeof(paintings) / sizeof(*paintings) };

/* --- the run after strokes ------------------------------------------------------------------- */

static bool paint(vks_simulation *simulation, const char *const *brushes, size_t first)
{
    struct vks_stroke strokes[3];
    size_t kinds = 0;
    while (brushes[kinds]) {
        kinds++;
    }
    for (size_t i = 0; i < 3; i++) {
        strokes[i] = shape_of(first + i, brushes[(first + i) % kinds]);
    }
    return fine(vks_simulation_paint(simulation, strokes, 3));
}

/* Steps and strokes in turn. With `restores`, a snapshot is restored after strokes and steps that
 * must leave nothing behind. */
static bool run_painted(vks_simulation *simulation, const char *const *brushes, uint32_t piece,
                        bool restores)
{
    enum { BETWEEN = 12, TIMES = 3 };
    bool good = paint(simulation, brushes, 0);
    for (size_t i = 1; good && i <= TIMES; i++) {
        vks_snapshot *snapshot = NULL;
        for (uint32_t done = 0; good && done < BETWEEN; done += piece) {
            good = fine(vks_simulation_run(simulation, piece));
        }
        if (restores) {
            good =
                good && fine(vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &snapshot)) &&
                paint(simulation, brushes, 5) && fine(vks_simulation_run(simulation, 3)) &&
                paint(simulation, brushes, 7) && fine(vks_simulation_restore(simulation, snapshot));
            vks_snapshot_release(snapshot);
        }
        good = good && paint(simulation, brushes, 3 * i);
    }
    return good && fine(vks_simulation_run(simulation, BETWEEN));
}

/* Through a state file between strokes and steps. */
static bool reload(vks_context *context, const struct painting *painting,
                   vks_simulation **simulation)
{
    const char *path = in_folder("painted.npz");
    bool good = paint(*simulation, painting->brushes, 2) &&
                fine(vks_simulation_save(*simulation, path, true));
    vks_simulation *loaded = good ? sim_load(context, &painting->run, path) : NULL;
    char digest[33];
    good = loaded && fine(vks_simulation_run(*simulation, 9)) &&
           fine(vks_simulation_run(loaded, 9)) && fine(vks_simulation_digest(loaded, digest)) &&
           sim_has_digest(*simulation, digest);
    vks_simulation_destroy(loaded);
    (void)remove(path);
    return good;
}

/* A variant that does not fit this device is left out. */
static void test_run(vks_context *context, const struct painting *painting, const char *variant,
                     char expected[33])
{
    if (!sim_due()) {
        return;
    }
    char options[512];
    struct painting own = *painting;
    snprintf(options, sizeof(options), "%s variant=%s", painting->run.options, variant);
    own.run.options = options;
    const uint64_t range = context->gpu.field_range;
    static const struct {
        uint32_t piece;
        bool restores, wide;
    } ways[] = {{12, false, false}, {1, true, false}, {4, false, true}};
    bool good = true, fits = true;
    for (size_t i = 0; good && fits && i < sizeof(ways) / sizeof(*ways); i++) {
        char digest[33] = "";
        context->gpu.field_range = ways[i].wide ? WIDE_RANGE : range;
        vks_simulation *simulation = sim_open(context, &own.run);
        fits = simulation || !strstr(vks_error_text(), "does not fit this device");
        good = fits && simulation &&
               run_painted(simulation, own.brushes, ways[i].piece, ways[i].restores) &&
               fine(vks_simulation_digest(simulation, digest));
        if (good && !expected[0]) {
            memcpy(expected, digest, sizeof(digest));
        }
        good = good && sim_has_digest(simulation, expected) &&
               (i > 0 || reload(context, &own, &simulation));
        vks_simulation_destroy(simulation);
    }
    context->gpu.field_range = range;
    if (fits) {
        report(good, "%s %s, variant %s: painted steps", own.run.model, own.run.name, variant);
    }
}

/* All of a model; auto is what its tuner chooses. */
static const char *const gray_scott_variants[] = {
    "plain", "fused-4", "tile-4-8x4", "block-4-8x4", "march-4-64x4", "quad-4-4x4", "auto", NULL};
static const char *const physarum_variants[] = {
    "unsorted", "sorted-3-words", "sorted-5-bytes", "joined", "together-4", "auto", NULL};

static const struct {
    struct painting painting;
    const char *const *variants;
} runs[] = {
    {{.run = {"plain", "gray-scott", "plain", "", 64, 48, SEED, .start = "noise", .options = ""},
      .brushes = {"seed", "clear"}},
     gray_scott_variants},
    {{.run = {"closed", "gray-scott", "plain", "", 64, 48, SEED, .start = "noise",
              .options = "boundary=no-flux precision=float16 map=0.01:0.1,0.045:0.07"},
      .brushes = {"seed", "clear"}},
     gray_scott_variants},
    {{.run = {"rates", "gray-scott", "plain", "", 64, 48, SEED, .start = "noise",
              .options = "rates=painted"},
      .brushes = {"rates", "seed"}},
     gray_scott_variants},
    {{.run = {"closed rates", "gray-scott", "plain", "", 64, 48, SEED, .start = "noise",
              .options = "rates=painted boundary=no-flux precision=float16 "
                         "map=0.01:0.1,0.045:0.07"},
      .brushes = {"rates", "seed"}},
     gray_scott_variants},
    {{.run = {"plain", "physarum", "plain", "", 64, 48, SEED, .start = "random",
              .options = "agents=300"},
      .brushes = {"attract", "agents"}},
     physarum_variants},
    {{.run = {"all", "physarum", "plain", "", 64, 48, SEED, .start = "random",
              .options = "agents=300 species=2 walls=frame food=points:0.5,0.5"},
      .brushes = {"attract", "agents", "walls", "food"}},
     (const char *const[]){"unsorted", "sorted-3-words", "sorted-5-bytes", "auto", NULL}},
    {{.run = {"plain", "physarum-3d", "plain", "", 16, 12, SEED, .depth = 10, .start = "default",
              .options = "agents=300"},
      .brushes = {"attract"}},
     (const char *const[]){"unsorted", "sorted-2", "auto", NULL}},
    {{.run = {"particles", "gas", "plain", "", 16, 32, SEED, .start = "waves",
              .options = "method=particles particles=700 gravity=1 boltzmann=0.5 "
                         "conductivity=0.01"},
      .brushes = {"heat", "push"}},
     (const char *const[]){"unsorted", "sorted-1", "sorted-2", "auto", NULL}},
    {{.run = {"grid", "gas", "plain", "", 16, 32, SEED, .start = "shear",
              .options = "method=grid particles=300 gravity=1"},
      .brushes = {"heat", "push", "mass"}},
     (const char *const[]){"faces", "runs-1", "runs-8", "auto", NULL}},
};

static void test_runs(vks_context *context)
{
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
        char expected[33] = "";
        for (size_t j = 0; runs[i].variants[j]; j++) {
            test_run(context, &runs[i].painting, runs[i].variants[j], expected);
        }
    }
}

/* --- wrong input ------------------------------------------------------------------------------ */

/* True if the strokes are refused with these words, and nothing has changed. */
static bool is_refused(vks_simulation *simulation, const struct vks_stroke *strokes, size_t count,
                       const char *words)
{
    char before[33] = "";
    const bool known = fine(vks_simulation_digest(simulation, before));
    const enum vks_result result = vks_simulation_paint(simulation, strokes, count);
    const bool good = known && result == VKS_ERROR_USAGE && strstr(vks_error_text(), words);
    if (!good) {
        printf("# %d, '%s' does not say '%s'\n", (int)result, vks_error_text(), words);
    }
    return good && sim_has_digest(simulation, before);
}

static void test_wrong_numbers(vks_simulation *simulation)
{
    const struct vks_stroke good = VKS_STROKE(.brush = "seed", .radius = 1, .strength = SIDE);
    struct vks_stroke wrong[16];
    static const char *const words[] = {
        "brush 'sead', only: seed, clear, rates (did you mean 'seed'?)",
        "names no brush",
        "has the size 0",
        "x is -65537; it must be -65536 to 131072",
        "y2 is 131073",
        "y2 - y is 65537; it must be -65536 to 65536",
        "z is 65537",
        "z2 - z is -131072",
        "radius is 0; it must be 1 to 32768",
        "radius is 32769",
        "soft is 65537",
        "strength is 65537",
        "inverse is 2",
        "feed is 0.126; it must be 0 to 0.125",
        "kill is nan; it must be 0 to 0.125",
    };
    const size_t count = sizeof(words) / sizeof(*words);
    for (size_t i = 0; i < count; i++) {
        wrong[i] = good;
    }
    wrong[0].brush = "sead";
    wrong[1].brush = NULL;
    wrong[2].size = 0;
    wrong[3].x = -SIDE - 1;
    wrong[4].y2 = 2 * SIDE + 1;
    wrong[5].y2 = SIDE + 1;
    wrong[6].z = SIDE + 1;
    wrong[7].z = SIDE;
    wrong[7].z2 = -SIDE;
    wrong[8].radius = 0;
    wrong[9].radius = 32769;
    wrong[10].soft = SIDE + 1;
    wrong[11].strength = SIDE + 1;
    wrong[12].inverse = 2;
    wrong[13].brush = wrong[14].brush = "rates";
    wrong[13].values[0] = 0.126;
    wrong[14].values[1] = NAN;
    for (size_t i = 0; i < count; i++) {
        const struct vks_stroke strokes[] = {good, wrong[i]};
        report(is_refused(simulation, strokes, 2, words[i]), "refused: %s", words[i]);
    }
}

static void test_wrong(vks_context *context)
{
    const struct sim_run run = {
        "", "gray-scott", "plain", "", 16, 16, 1, .start = "square", .options = "rates=painted"};
    const struct sim_run other = {
        "", "physarum", "plain", "", 16, 16, 1, .start = "random", .options = "agents=10"};
    struct vks_stroke many[VKS_MAX_STROKES + 1];
    if (!sim_due()) {
        return;
    }
    for (size_t i = 0; i <= VKS_MAX_STROKES; i++) {
        many[i] = VKS_STROKE(.brush = "seed", .radius = 1000, .strength = SIDE);
    }
    vks_simulation *simulation = sim_open(context, &run);
    vks_simulation *physarum = sim_open(context, &other);
    if (simulation && physarum) {
        test_wrong_numbers(simulation);
        report(is_refused(simulation, many, VKS_MAX_STROKES + 1, "at most 64"), "65 strokes");
        report(is_refused(physarum, many, 1, "physarum has no brush 'seed'"),
               "a brush of another model");
        many[0].brush = "walls";
        report(is_refused(physarum, many, 1, "'walls' of physarum needs a run with walls"),
               "a brush that the run lacks");
        report(fine(vks_simulation_paint(simulation, NULL, 0)), "no strokes");
        report(vks_simulation_paint(simulation, NULL, 1) == VKS_ERROR_USAGE &&
                   vks_simulation_paint(NULL, many, 1) == VKS_ERROR_USAGE,
               "NULL");
        /* A drawn picture is out of date once something has been painted. */
        uint8_t rgba[16 * 16 * 4];
        report(fine(vks_simulation_draw(simulation)) &&
                   fine(vks_simulation_paint(simulation, many + 1, 1)) &&
                   vks_simulation_read_plane(simulation, VKS_PLANE_RGBA, rgba, sizeof(rgba)) ==
                       VKS_ERROR_USAGE,
               "a picture from before");
    }
    vks_simulation_destroy(physarum);
    vks_simulation_destroy(simulation);
}

/* A simulation whose steps run backward has no brushes. */
static void test_none(void)
{
    struct vks_settings settings = {0};
    size_t index;
    const bool good = fine(vks_settings_init(&settings, vks_model_find("cipher"))) &&
                      vks_brush_find(&settings, "attract", &index) == VKS_ERROR_USAGE &&
                      strstr(vks_error_text(), "cipher has no brushes: its steps can run backward");
    vks_settings_free(&settings);
    report(good, "no brushes");
}

/* Passes of brushes that have painted are timed like others, those of the same name as one. */
static void test_timing(vks_context *context)
{
    const struct sim_run run = {"", "gray-scott",      "plain",      "", 16, 16,
                                1,  .start = "square", .options = ""};
    const struct vks_stroke strokes[] = {
        VKS_STROKE(.brush = "seed", .radius = 9000, .strength = SIDE),
        VKS_STROKE(.brush = "clear", .radius = 9000, .strength = SIDE)};
    struct vks_pass_timing timing = {.size = sizeof(timing)};
    uint64_t calls = 0;
    size_t found = 0;
    if (!sim_due()) {
        return;
    }
    vks_simulation *simulation = sim_open(context, &run);
    const bool good = simulation && fine(vks_simulation_paint(simulation, strokes, 2)) &&
                      fine(vks_simulation_paint(simulation, strokes, 1));
    for (size_t i = 0; good && vks_simulation_timing(simulation, i, &timing); i++) {
        if (strcmp(timing.name, "paint u") == 0) {
            calls = timing.calls;
            found++;
        }
    }
    vks_simulation_destroy(simulation);
    report(found == 1 && calls == 3, "%zu pass 'paint u' with %llu calls", found,
           (unsigned long long)calls);
}

/* The list of brushes is complete and ends. */
static void test_list(void)
{
    struct vks_brush_info info = {.size = sizeof(info)};
    bool good = true;
    size_t total = 0;
    for (size_t m = 0; vks_model_name(m); m++) {
        size_t count = 0;
        while (vks_model_brush(vks_model_name(m), count, &info)) {
            good = good && info.name[0] && info.help[0] && info.inverse[0] && info.needs;
            count++;
        }
        good = good && (count > 0 || strcmp(vks_model_name(m), "cipher") == 0);
        total += count;
    }
    report(good && total > 0 && !vks_model_brush("gray", 0, &info) &&
               !vks_model_brush("gray-scott", 0, NULL),
           "%zu brushes", total);
}

static void test_all(vks_context *context)
{
    test_list();
    test_none();
    test_wrong(context);
    test_timing(context);
    for (size_t i = 0; i < PAINTINGS; i++) {
        test_exact(context, &paintings[i], false);
        test_exact(context, &paintings[i], true);
    }
    test_runs(context);
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "brush", test_all, NULL);
}
