/* SPDX-License-Identifier: MIT */
/* The gas on a grid: a device against the C reference. */
#include "case_options.h"
#include "gas_grid_reference.h"
#include "gas_test.h"

static const struct gas_case cases[] = {
    {"one node", 1, 1, 1, "waves", "", 3},
    {"7x5x3", 7, 5, 3, "waves", "wave-strength=0.5 temperature=0.5", 20},
    {"a line", 96, 1, 1, "tube", "temperature=2.5 ratio=8 dt=0.1", 60},
    {"a column", 1, 64, 1, "tube", "temperature=2.5 ratio=8 dt=0.1 speed=3", 40},
    {"along z", 1, 1, 48, "tube", "temperature=2.5 ratio=8 dt=0.1", 40},
    {"conduction", 40, 33, 1, "waves", "conductivity=0.02 temperature=0.2", 30},
    {"a blast", 48, 48, 1, "blast", "temperature=0.0001 radius=0.03 dt=0.1", 60},
    {"a blast in 3-D", 20, 20, 20, "blast", "temperature=1e-7 radius=0.05 dt=0.1 energy=10", 40},
    {"clumps", 48, 40, 1, "blast", "clumps=9 clump-size=0.1 ratio=100 temperature=0.01 dt=0.1", 40},
    {"shear", 48, 48, 1, "shear", "ratio=2 speed=1 radius=0.02 wave-strength=0.1 waves=8 dt=0.1",
     60},
    {"a cold fast cloud", 32, 32, 1, "cloud", "mach=40 temperature=1e-6 ratio=1e6 radius=0.3", 60},
    {"gravity", 32, 32, 32, "waves", "gravity=1 temperature=0.001", 12},
    {"gravity in a flat box", 64, 16, 1, "waves", "gravity=4 temperature=0.01 conductivity=0.01",
     40},
    {"gamma 5/3, cfl 0.5", 30, 20, 1, "blast", "adiabatic-index=1.6667 cfl=0.5 dt=0.1", 40},
    {"gamma 1.01", 30, 20, 1, "blast", "adiabatic-index=1.01 cfl=0.2 dt=0.1 clumps=3", 40},
    {"64^3", 64, 64, 64, "waves", "temperature=0.1", 3},
};

static bool parse(const char *options, struct gas_grid_settings *settings)
{
    double real[11];
    uint64_t count[3];
    *settings = (struct gas_grid_settings){.gamma = 1.4, .dt = 0.015, .cfl = 0.4};
    const struct case_option rows[] = {
        {"adiabatic-index", .real = &settings->gamma},
        {"gravity", .real = &settings->gravity},
        {"conductivity", .real = &settings->conductivity},
        {"dt", .real = &settings->dt},
        {"cfl", .real = &settings->cfl},
        /* of the start */
        {"wave-strength", .real = &real[0]},
        {"temperature", .real = &real[1]},
        {"ratio", .real = &real[2]},
        {"speed", .real = &real[3]},
        {"radius", .real = &real[4]},
        {"energy", .real = &real[5]},
        {"mach", .real = &real[6]},
        {"clump-size", .real = &real[7]},
        {"clumps", .count = &count[0]},
        {"waves", .count = &count[1]},
    };
    return case_options_parse(options, rows, sizeof(rows) / sizeof(rows[0]));
}

static const char *const names[GAS_GRID_FIELDS] = {
    [GAS_DENSITY] = "density",       [GAS_MOMENTUM_Z] = "momentum_z",
    [GAS_MOMENTUM_Y] = "momentum_y", [GAS_MOMENTUM_X] = "momentum_x",
    [GAS_ENERGY] = "energy",         [GAS_INTERNAL] = "internal",
};

static bool take_start(vks_simulation *simulation, struct gas_grid_state *state)
{
    bool good = true;
    for (int i = 0; good && i < GAS_GRID_FIELDS; i++) {
        good = gas_read(simulation, names[i], state->field[i], state->nodes * sizeof(float));
    }
    return good;
}

static bool same_state(vks_simulation *simulation, const struct gas_grid_state *state)
{
    bool same = gas_same(simulation, "clockwork", state->clockwork, sizeof(state->clockwork));
    for (int i = 0; same && i < GAS_GRID_FIELDS; i++) {
        same = gas_same(simulation, names[i], state->field[i], state->nodes * sizeof(float));
    }
    return same;
}

static bool follows(vks_context *context, const struct gas_case *row)
{
    const struct sim_run run = gas_run_of(row, "method=grid");
    struct gas_grid_settings settings;
    vks_simulation *simulation = sim_open(context, &run);
    bool good = simulation && parse(row->options, &settings);
    struct gas_grid_state *state =
        good ? gas_grid_create(row->width, row->height, row->depth, &settings) : NULL;
    good = state && take_start(simulation, state);
    for (uint32_t done = 0, more = 1; good && done < row->steps; done += more, more = 2 * more) {
        more = done + more > row->steps ? row->steps - done : more;
        good = fine(vks_simulation_run(simulation, more));
        for (uint32_t i = 0; good && i < more; i++) {
            good = gas_grid_step(state);
        }
        good = good && same_state(simulation, state);
    }
    gas_grid_free(state);
    vks_simulation_destroy(simulation);
    return good;
}

void gas_test_grid(vks_context *context)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        report(follows(context, &cases[i]), "grid: %s", cases[i].name);
    }
}
