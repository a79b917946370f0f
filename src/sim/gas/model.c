/* SPDX-License-Identifier: MIT */
/* Gas with gravity, as particles or on a grid: options, presets and the table of the model.
 * docs/sims/gas.md. */
#include <stddef.h>
#include <stdio.h>

#include "base/memory.h"
#include "sim/gas/gas.h"

_Static_assert(sizeof(struct gas_params) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct gas_start_params) <= VKS_MAX_CONSTANTS, "fits the push constants");

static const char *const methods[] = {"particles", "grid", NULL};
static const char *const starts[] = {"waves", "cloud", "tube", "blast", "shear", NULL};

/* clang-format off: one row per option */
#define AT(member) offsetof(struct gas_settings, member)
static const struct vks_option options[] = {
    {.name = "method",
     .heading = "gas",
     .type = VKS_OPTION_CHOICE,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(method),
     .choices = methods,
     .default_text = "particles",
     .help = "what carries the gas: particles (for collapse, cold and fast flows) or a grid (for "
             "shocks, blast waves, shear)"},
    {.name = "particles",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(particles),
     .min = 0,
     .max = GAS_MAX_PARTICLES,
     .default_text = "0",
     .unit = "",
     .help = "number of particles; 0: one per node. With --method grid: number of tracers, which "
             "follow the gas; 0: none"},
    {.name = "adiabatic-index",
     .type = VKS_OPTION_REAL,
     .offset = AT(gamma),
     .min = 1.0009765625,
     .max = 3,
     .soft_min = 1.01,
     .soft_max = 2,
     .default_text = "1.4",
     .unit = "",
     .help = "ratio of specific heats, gamma: 5/3 for a monatomic gas, 1.4 for a diatomic one"},
    {.name = "gravity",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(gravity),
     .min = 0,
     .max = 1048576,
     .soft_min = 0,
     .soft_max = 4,
     .default_text = "0",
     .unit = "",
     .help = "gravitational constant G for self-gravity; 0: none. Cold gas of density 1 collapses "
             "in about 0.5 / sqrt(G). Sides must be powers of two up to 2048"},
    {.name = "conductivity",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(conductivity),
     .min = 0,
     .max = 1048576,
     .soft_min = 0,
     .soft_max = 0.01,
     .default_text = "0",
     .unit = "",
     .help = "thermal conductivity: heat flux per temperature gradient; 0: none"},
    {.name = "dt",
     .heading = "time",
     .type = VKS_OPTION_REAL,
     .offset = AT(dt),
     .min = 1e-9,
     .max = 1024,
     .soft_min = 0.001,
     .soft_max = 0.2,
     .logarithmic = true,
     .default_text = "0.015",
     .unit = "",
     .help = "max time step; stability usually requires shorter steps"},
    {.name = "cfl",
     .type = VKS_OPTION_REAL,
     .offset = AT(cfl),
     .min = 0.01,
     .max = 0.5,
     .soft_min = 0.05,
     .soft_max = 0.5,
     .default_text = "0.4",
     .unit = "cells",
     .help = "Courant number: max distance that the fastest waves travel per step"},
    {.name = "end-time",
     .type = VKS_OPTION_REAL,
     .offset = AT(end_time),
     .min = 0,
     .max = 8192,
     .soft_min = 0,
     .soft_max = 10,
     .default_text = "0",
     .unit = "",
     .help = "time at which the gas stops: the last step is shortened to end exactly there, "
             "and further steps change nothing. A run without a window, --steps and --frames ends "
             "there; 0: none",
     .flags = VKS_OPTION_NOT_IN_STATE},
    {.name = "mixing",
     .heading = "gas",
     .type = VKS_OPTION_REAL,
     .offset = AT(mixing),
     .min = 0,
     .max = 10,
     .soft_min = 0,
     .soft_max = 1,
     .default_text = "0.1",
     .unit = "",
     .needs = "method=particles",
     .help = "strength of mixing between particles and the gas around them, which sets the "
             "viscosity and the width of shocks; at 0 streams pass through each other and noise "
             "persists"},
    {.name = "boltzmann",
     .heading = "oscillators",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(boltzmann),
     .min = 0,
     .max = 1e6,
     .soft_min = 0,
     .soft_max = 20,
     .default_text = "0",
     .unit = "",
     .help = "k_B per mass of a particle of mean mass: heat capacity of its oscillator over that "
             "of its gas; 0: no oscillators. Heavier particles store less per mass"},
    {.name = "planck",
     .type = VKS_OPTION_REAL,
     .offset = AT(planck),
     .min = 0,
     .max = 1e6,
     .soft_min = 0,
     .soft_max = 2,
     .default_text = "1",
     .unit = "",
     .needs = "boltzmann",
     .help = "hbar, in the unit of --boltzmann: oscillators freeze out at temperatures below hbar "
             "x frequency / k_B; 0: never"},
    {.name = "frequency",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_START,
     .offset = AT(frequency),
     .default_text = "0",
     .argument = "LOW:HIGH",
     .help = "initial frequencies of the oscillators: uniform between LOW and HIGH (0 to 1e6), or "
             "one number for all"},
    {.name = "exchange-time",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(exchange_time),
     .min = 0,
     .max = GAS_LARGEST,
     .soft_min = 0,
     .soft_max = 1,
     .default_text = "0",
     .unit = "",
     .help = "time constant of the exchange between heat and oscillators; 0: mass / (2 pi "
             "conductivity h), so there is no exchange without --conductivity"},
    {.name = "waves",
     .heading = "start",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(waves),
     .min = 0,
     .max = 4096,
     .default_text = "128",
     .unit = "",
     .needs = "init=waves|cloud|shear",
     .help = "--init waves, cloud, shear: number of random plane waves"},
    {.name = "wave-slope",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(wave_slope),
     .min = -6,
     .max = 4,
     .soft_min = -6,
     .soft_max = 2,
     .default_text = "-2",
     .unit = "",
     .needs = "init=waves|cloud|shear",
     .help = "exponent of the waves' power spectrum; lower values give less small-scale structure"},
    {.name = "wave-strength",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(wave_strength),
     .min = 0,
     .max = 10,
     .soft_min = 0,
     .soft_max = 1,
     .default_text = "0.3",
     .unit = "",
     .needs = "init=waves|shear",
     .help = "--init waves: rms of the relative density; shear: velocity of the waves as a "
             "fraction of --speed"},
    {.name = "temperature",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(temperature),
     .min = 0,
     .max = GAS_LARGEST,
     .soft_min = 1e-5,
     .soft_max = 10,
     .logarithmic = true,
     .default_text = "1",
     .unit = "",
     .help = "initial temperature (--init tube: of the dense gas; blast and shear, with uniform "
             "pressure: at density 1)"},
    {.name = "mach",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(mach),
     .min = 0,
     .max = 1000,
     .soft_min = 0,
     .soft_max = 20,
     .default_text = "2",
     .unit = "",
     .needs = "init=cloud",
     .help = "--init cloud: rms velocity as a multiple of the speed of sound"},
    {.name = "ratio",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(ratio),
     .min = 1,
     .max = 1e6,
     .soft_min = 1,
     .soft_max = 1e5,
     .logarithmic = true,
     .default_text = "8",
     .unit = "",
     .needs = "init=tube|shear|cloud|blast",
     .help = "--init tube, shear, cloud, and clumps of blast: density of the dense gas over that "
             "of the thin gas"},
    {.name = "speed",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(speed),
     .min = -1e6,
     .max = 1e6,
     .soft_min = -5,
     .soft_max = 5,
     .default_text = "0",
     .unit = "",
     .needs = "init=tube|shear",
     .help = "--init tube: velocity of all gas; shear: of one stream relative to the other"},
    {.name = "radius",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(radius),
     .min = 1e-4,
     .max = 0.5,
     .soft_min = 0.005,
     .soft_max = 0.5,
     .logarithmic = true,
     .default_text = "0.1",
     .unit = "",
     .needs = "init=cloud|blast|shear",
     .help =
         "--init cloud: radius of the ball; blast: of the hot spot, at least 1.25 cells; shear: "
         "width of the boundaries; as a fraction of the longest side"},
    {.name = "energy",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(energy),
     .min = 0,
     .max = 1e6,
     .soft_min = 0,
     .soft_max = 10,
     .default_text = "1",
     .unit = "",
     .needs = "init=blast",
     .help = "--init blast: energy of the explosion, per unit length of inert sides"},
    {.name = "clumps",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_START,
     .offset = AT(clumps),
     .min = 0,
     .max = 10000,
     .soft_min = 0,
     .soft_max = 200,
     .default_text = "0",
     .unit = "",
     .needs = "init=blast",
     .help = "--init blast: number of dense clumps, --ratio times as dense as the gas around them"},
    {.name = "clump-size",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(clump_size),
     .min = 1e-4,
     .max = 0.5,
     .soft_min = 0.005,
     .soft_max = 0.2,
     .logarithmic = true,
     .default_text = "0.05",
     .unit = "",
     .needs = "init=blast",
     .help = "--init blast: radius of the clumps, as a fraction of the longest side"},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
#include "sim/gas/presets.def"
    {NULL, NULL, NULL},
};

enum { UNSORTED, SORTED, FACES, RUNS }; /* indices of the rows */

static const struct vks_variant_row variants[] = {
    [UNSORTED] = {.name = "unsorted",
                  .help = "particles stay where they are in memory",
                  .numbers = {0, GAS_UNSORTED}},
    [SORTED] = {.name = "sorted-#",
                .help = "particles sorted every # steps",
                .numbers = {0, GAS_SORTED},
                .min = 1,
                .max = 1000},
    [FACES] = {.name = "faces",
               .help = "method grid: faces are computed first and kept in memory",
               .numbers = {0, GAS_FACES}},
    [RUNS] = {.name = "runs-#",
              .help = "method grid, with less memory: invocations compute runs of # nodes",
              .numbers = {0, GAS_RUNS},
              .min = 1,
              .max = 64},
    {0},
};

static void add(struct vks_candidates *candidates, size_t row, uint32_t number)
{
    const struct vks_variant variant = vks_variant_of(&variants[row], number);
    vks_candidate_add(candidates, &variant);
}

/* How the stages compute the grid. Software drivers use the first variant, the faster one there.
 * Small grids have no choice. */
static void list_stages(const struct vks_config *config, struct vks_candidates *candidates)
{
    enum { FEW_NODES = 4096 };
    if ((config->depth > 1 && vks_gas_nodes(config) < FEW_NODES) || !vks_gas_fits_faces(config)) {
        return;
    }
    add(candidates, FACES, 0);
    if (config->slab.count < 2) { /* steps of one of several ranks cannot be measured */
        add(candidates, RUNS, 1);
    }
    candidates->period = 16;
    snprintf(candidates->key, sizeof(candidates->key), "gas %ux%ux%u grid", config->width,
             config->height, config->depth);
}

/* Sorting does not pay off for few particles or on software drivers. */
static void list_candidates(const struct vks_config *config, struct vks_candidates *candidates)
{
    enum { FEW_PARTICLES = 20000 };
    const struct gas_settings *s = config->settings;
    if (config->variant.name[0]) {
        return;
    }
    if (s->method == GAS_PARTICLES && config->slab.count > 1) {
        return; /* they are sorted in each step */
    }
    if (s->method == GAS_GRID) {
        list_stages(config, candidates);
    } else if (vks_gas_count(config) >= FEW_PARTICLES && !config->limits.software.driver &&
               vks_gas_fits_tiles(config)) {
        add(candidates, SORTED, 1);
        add(candidates, UNSORTED, 0);
        add(candidates, SORTED, 2);
        candidates->period = 2;
        snprintf(candidates->key, sizeof(candidates->key), "gas %ux%ux%u %llu particles",
                 config->width, config->height, config->depth,
                 (unsigned long long)vks_gas_count(config));
    }
}

static void declare(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    if (s->method == GAS_GRID) {
        vks_gas_declare_grid(config, declaration);
    } else {
        vks_gas_declare_particles(config, declaration);
    }
}

static void declare_frame(const struct vks_config *config, struct vks_declaration *declaration)
{
    const struct gas_settings *s = config->settings;
    if (s->method == GAS_GRID) {
        vks_gas_declare_grid_frame(config, declaration);
    } else {
        vks_gas_declare_particles_frame(config, declaration);
    }
    vks_gas_declare_energies(config, declaration);
}

const struct vks_model vks_model_gas = {
    .name = "gas",
    .summary = "compressible gas with gravity, as particles or on a grid",
    .notes = "Units: the longest side has length 1, and the specific heat is 1: the "
             "temperature is the heat per mass, the pressure (adiabatic-index - 1) x "
             "density x temperature. --watch FILE.csv writes time, dt and the energies of "
             "every frame. --save-state FILE.npz and --load-state FILE.npz save and load "
             "the state; files made in NumPy may hold density, velocity_x, velocity_y, "
             "velocity_z and pressure or temperature, and their arrays determine the method "
             "(docs/state-files.md). "
             "For ParaView: --out FILE.vti with --fields density,velocity,... and --out "
             "FILE.vtp, the particles.",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct gas_settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS(
        {"density", "density", .help = "mass per volume", .unit = "mass / volume",
         .look = "colormap=copper tone=log gamma=1"},
        {"temperature", "displayed_temperature", .help = "heat per mass", .unit = "heat / mass",
         .look = "colormap=ember tone=log gamma=1"},
        {"pressure", "displayed_pressure", .help = "pressure of the gas", .unit = "energy / volume",
         .look = "colormap=orchid tone=log gamma=1"},
        {"speed", "displayed_speed", .help = "magnitude of the velocity", .unit = "length / time",
         .look = "colormap=abyss gamma=0.7"},
        {"vorticity", "displayed_vorticity", .help = "curl of the velocity, in two dimensions",
         .unit = "1 / time", .look = "colormap=aurora normalize=symmetric"},
        {"heat", "displayed_heat", .help = "thermal energy per volume", .unit = "energy / volume",
         .look = "colormap=gold tone=log gamma=1"},
        {"oscillators", "displayed_oscillators", .help = "energy of the oscillators per volume",
         .unit = "energy / volume", .look = "colormap=lichen tone=log gamma=1"},
        {"potential", "frame_potential", .help = "gravitational potential", .unit = "energy / mass",
         .look = "colormap=dawn normalize=symmetric gamma=1"},
        {"points", .points = {"z", "y", "x"}, .help = "number of particles in each pixel",
         .unit = "per pixel", .look = "colormap=ember tone=log gamma=1 bloom=0.7"},
        {"points-speed", .points = {"z", "y", "x"}, .tint = {"vz", "vy", "vx"},
         .help = "soft particles in colours of their speed", .unit = "length / time",
         .look = "colormap=abyss tone=log gamma=1 bloom=0.7"},
        {"points-temperature", .points = {"z", "y", "x"}, .tint = {"heat"},
         .help = "soft particles in colours of their temperature", .unit = "heat / mass",
         .look = "colormap=dusk tone=log gamma=1 bloom=0.7"}),
    .vectors = VKS_VECTORS(
        {"velocity", {"velocity_z", "velocity_y", "velocity_x"}, .help = "velocity of the gas"},
        {"velocity", {"vz", "vy", "vx"}, .items = true, .help = "velocity of particles"}),
    .unit_box = true,
    .count_option = "particles",
    .shape_options = VKS_SHAPE_OPTIONS(
        {"method",
         "grid",
         {"density", "momentum_z", "momentum_y", "momentum_x", "energy", "internal", "velocity_z",
          "velocity_y", "velocity_x", "pressure", "temperature"},
         .min_rank = 2},
        {"method",
         "particles",
         {"z", "y", "x", "vz", "vy", "vx", "mass", "heat", "oscillator", "frequency"}}),
    .axis_options =
        VKS_AXIS_OPTIONS({"particles", "z", 1}, {"particles", "y", 1}, {"particles", "x", 1}),
    .members = vks_gas_members,
    .complete = vks_gas_complete,
    .brushes = vks_gas_brushes,
    .volumes = true,
    .time = {"end-time", "end_time", "clockwork", "time", "dt"},
    .parse = vks_gas_parse,
    .check = vks_gas_check,
    .declare = declare,
    .declare_frame = declare_frame,
    .variants = variants,
    .candidates = list_candidates,
};
