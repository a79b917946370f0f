/* SPDX-License-Identifier: MIT */
/* The gas of particles: a device against the C reference. */
#include "case_options.h"
#include "gas_particles_reference.h"
#include "gas_test.h"

static const struct gas_case cases[] = {
    {"one particle, one node", 1, 1, 1, "waves", "particles=1", 3},
    {"one particle", 8, 8, 8, "waves", "particles=1 gravity=1", 10},
    {"7x5x3", 7, 5, 3, "waves", "particles=500 wave-strength=0.5 temperature=0.5", 20},
    {"a line", 96, 1, 1, "tube", "particles=768 temperature=2.5 ratio=8 dt=0.1", 60},
    {"a column", 1, 64, 1, "tube", "particles=700 temperature=2.5 ratio=8 dt=0.1 speed=3", 40},
    {"along z", 1, 1, 48, "tube", "particles=300 temperature=2.5 ratio=8 dt=0.1", 40},
    {"conduction", 40, 33, 1, "waves", "particles=5000 conductivity=0.02 temperature=0.2", 30},
    {"a blast", 48, 48, 1, "blast", "particles=9000 temperature=0.0001 radius=0.03 dt=0.1", 60},
    {"a blast in 3-D", 20, 20, 20, "blast",
     "particles=8000 temperature=1e-7 radius=0.05 dt=0.1 energy=10", 40},
    {"shear", 48, 48, 1, "shear",
     "particles=9216 ratio=2 speed=1 radius=0.02 wave-strength=0.1 waves=8 dt=0.1", 60},
    {"a cloud in a box that is nearly empty", 32, 32, 32, "cloud",
     "particles=3000 mach=10 temperature=1e-6 ratio=1e6 radius=0.2", 30},
    {"a flat cloud", 64, 32, 1, "cloud", "particles=3000 mach=2 ratio=50 radius=0.2", 30},
    {"gravity", 32, 32, 32, "waves", "particles=32768 gravity=1 temperature=0.001", 20},
    {"gravity in a flat box", 64, 16, 1, "waves",
     "particles=4096 gravity=4 temperature=0.01 conductivity=0.01", 40},
    {"no mixing", 32, 32, 1, "waves", "particles=4096 mixing=0", 30},
    {"all mixing", 32, 32, 1, "waves", "particles=4096 mixing=10", 30},
    {"gamma 5/3, cfl 0.5", 30, 20, 1, "blast", "particles=4000 adiabatic-index=1.6667 cfl=0.5", 30},
    {"64^3", 64, 64, 64, "waves", "particles=262144 gravity=1 temperature=0.0005", 3},
};

static bool parse(const char *options, struct gas_particles_settings *settings, uint64_t *particles)
{
    double real[11];
    uint64_t count[3];
    *settings =
        (struct gas_particles_settings){.gamma = 1.4, .dt = 0.015, .cfl = 0.4, .mixing = 0.3};
    const struct case_option rows[] = {
        {"particles", .count = particles},
        {"adiabatic-index", .real = &settings->gamma},
        {"gravity", .real = &settings->gravity},
        {"conductivity", .real = &settings->conductivity},
        {"dt", .real = &settings->dt},
        {"cfl", .real = &settings->cfl},
        {"mixing", .real = &settings->mixing},
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

struct column {
    const char *name;
    void *data;
};

enum { COLUMNS = 10 };

static void columns_of(const struct gas_particles_state *state, struct column columns[COLUMNS])
{
    const struct column all[COLUMNS] = {
        {"z", state->position[GAS_Z]},
        {"y", state->position[GAS_Y]},
        {"x", state->position[GAS_X]},
        {"vz", state->velocity[GAS_Z]},
        {"vy", state->velocity[GAS_Y]},
        {"vx", state->velocity[GAS_X]},
        {"mass", state->mass},
        {"heat", state->heat},
        {"oscillator", state->oscillator},
        {"frequency", state->frequency},
    };
    for (size_t i = 0; i < COLUMNS; i++) {
        columns[i] = all[i];
    }
}

static bool take_start(vks_simulation *simulation, struct gas_particles_state *state)
{
    struct column columns[COLUMNS];
    bool good = true;
    columns_of(state, columns);
    for (size_t i = 0; good && i < COLUMNS; i++) {
        good = gas_read(simulation, columns[i].name, columns[i].data, 4 * state->count);
    }
    return good;
}

static bool same_state(vks_simulation *simulation, const struct gas_particles_state *state)
{
    struct column columns[COLUMNS];
    bool same = gas_same(simulation, "clockwork", state->clockwork, sizeof(state->clockwork));
    columns_of(state, columns);
    for (size_t i = 0; same && i < COLUMNS; i++) {
        same = gas_same(simulation, columns[i].name, columns[i].data, 4 * state->count);
    }
    return same;
}

static bool follows(vks_context *context, const struct gas_case *row)
{
    const struct sim_run run = gas_run_of(row, "method=particles");
    struct gas_particles_settings settings;
    uint64_t particles = 0;
    vks_simulation *simulation = sim_open(context, &run);
    bool good = simulation && parse(row->options, &settings, &particles);
    struct gas_particles_state *state =
        good ? gas_particles_create(row->depth, row->height, row->width, particles, &settings)
             : NULL;
    good = state && take_start(simulation, state);
    for (uint32_t done = 0, more = 1; good && done < row->steps; done += more, more = 2 * more) {
        more = done + more > row->steps ? row->steps - done : more;
        good = fine(vks_simulation_run(simulation, more));
        for (uint32_t i = 0; good && i < more; i++) {
            good = gas_particles_step(state);
        }
        good = good && same_state(simulation, state);
    }
    gas_particles_free(state);
    vks_simulation_destroy(simulation);
    return good;
}

void gas_test_particles(vks_context *context)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        report(follows(context, &cases[i]), "particles: %s", cases[i].name);
    }
}
