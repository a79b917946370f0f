/* SPDX-License-Identifier: MIT */
/* Gas with gravity, as particles or on a grid: options, presets and the table of the model.
 * docs/sims/gas.md. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "sim/gas/gas.h"
#include "sim/sort_option.h"

_Static_assert(sizeof(struct gas_params) <= VKS_MAX_CONSTANTS, "fits the push constants");
_Static_assert(sizeof(struct gas_start_params) <= VKS_MAX_CONSTANTS, "fits the push constants");

static const char *const methods[] = {"particles", "grid", NULL};
static const char *const starts[] = {"waves", "cloud", "tube", "blast", "shear", NULL};

static const double pi = 3.14159265358979323846;

static const double max_particles = 1e9;

/* clang-format off: a row an option */
#define AT(member) offsetof(struct gas_settings, member)
static const struct vks_option options[] = {
    {.name = "method",
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
     .max = max_particles,
     .default_text = "0",
     .unit = "",
     .help = "number of particles; 0: one per node. With --method grid: number of tracers, which "
             "follow the gas; 0: none"},
    {.name = "adiabatic-index",
     .type = VKS_OPTION_REAL,
     .offset = AT(gamma),
     .min = 1.0009765625,
     .max = 3,
     .default_text = "1.4",
     .unit = "",
     .help = "ratio of specific heats, gamma: 5/3 for a monatomic gas, 1.4 for a diatomic one"},
    {.name = "gravity",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_SOMETIMES,
     .offset = AT(gravity),
     .min = 0,
     .max = 1048576,
     .default_text = "0",
     .unit = "",
     .help = "gravitational constant G for self-gravity; 0: none. Cold gas of density 1 collapses "
             "in about 0.5 / sqrt(G). Sides must be powers of two up to 2048"},
    {.name = "conductivity",
     .type = VKS_OPTION_REAL,
     .offset = AT(conductivity),
     .min = 0,
     .max = 1048576,
     .default_text = "0",
     .unit = "",
     .help = "thermal conductivity: heat flux per temperature gradient; 0: none"},
    {.name = "dt",
     .type = VKS_OPTION_REAL,
     .offset = AT(dt),
     .min = 1e-9,
     .max = 1024,
     .default_text = "0.015",
     .unit = "",
     .help = "max time step; stability usually requires shorter steps"},
    {.name = "cfl",
     .type = VKS_OPTION_REAL,
     .offset = AT(cfl),
     .min = 0.01,
     .max = 0.5,
     .default_text = "0.4",
     .unit = "cells",
     .help = "Courant number: max distance that the fastest waves travel per step"},
    {.name = "mixing",
     .type = VKS_OPTION_REAL,
     .offset = AT(mixing),
     .min = 0,
     .max = 10,
     .default_text = "0.3",
     .unit = "",
     .help = "strength of mixing between particles and the gas around them, which sets the "
             "viscosity and the width of shocks; at 0 streams pass through each other and noise "
             "persists"},
    {.name = "boltzmann",
     .type = VKS_OPTION_REAL,
     .offset = AT(boltzmann),
     .min = 0,
     .max = 1e6,
     .default_text = "0",
     .unit = "",
     .help = "k_B per mass of a particle of mean mass: heat capacity of its oscillator over that "
             "of its gas; 0: no oscillators. Heavier particles store less per mass"},
    {.name = "planck",
     .type = VKS_OPTION_REAL,
     .offset = AT(planck),
     .min = 0,
     .max = 1e6,
     .default_text = "1",
     .unit = "",
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
     .default_text = "0",
     .unit = "",
     .help = "time constant of the exchange between heat and oscillators; 0: mass / (2 pi "
             "conductivity h), so there is no exchange without --conductivity"},
    {.name = "waves",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(waves),
     .min = 0,
     .max = 4096,
     .default_text = "128",
     .unit = "",
     .help = "--init waves, cloud, shear: number of random plane waves"},
    {.name = "wave-slope",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(wave_slope),
     .min = -6,
     .max = 4,
     .default_text = "-2",
     .unit = "",
     .help = "exponent of the waves' power spectrum; lower values give less small-scale structure"},
    {.name = "wave-strength",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(wave_strength),
     .min = 0,
     .max = 10,
     .default_text = "0.3",
     .unit = "",
     .help = "--init waves: rms of the relative density; shear: velocity of the waves as a "
             "fraction of --speed"},
    {.name = "temperature",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(temperature),
     .min = 0,
     .max = GAS_LARGEST,
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
     .default_text = "2",
     .unit = "",
     .help = "--init cloud: rms velocity as a multiple of the speed of sound"},
    {.name = "ratio",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(ratio),
     .min = 1,
     .max = 1e6,
     .default_text = "8",
     .unit = "",
     .help = "--init tube, shear, cloud, and clumps of blast: density of the dense gas over that "
             "of the thin gas"},
    {.name = "speed",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(speed),
     .min = -1e6,
     .max = 1e6,
     .default_text = "0",
     .unit = "",
     .help = "--init tube: velocity of all gas; shear: of one stream relative to the other"},
    {.name = "radius",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(radius),
     .min = 1e-4,
     .max = 0.5,
     .default_text = "0.1",
     .unit = "",
     .help = "--init cloud: radius of the ball; blast: of the hot spot; shear: width of the "
             "boundaries; as a fraction of the longest side"},
    {.name = "energy",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(energy),
     .min = 0,
     .max = 1e6,
     .default_text = "1",
     .unit = "",
     .help = "--init blast: energy of the explosion, per unit length of inert sides"},
    {.name = "clumps",
     .type = VKS_OPTION_COUNT,
     .change = VKS_CHANGE_START,
     .offset = AT(clumps),
     .min = 0,
     .max = 10000,
     .default_text = "0",
     .unit = "",
     .help = "--init blast: number of dense clumps, --ratio times as dense as the gas around them"},
    {.name = "clump-size",
     .type = VKS_OPTION_REAL,
     .change = VKS_CHANGE_START,
     .offset = AT(clump_size),
     .min = 1e-4,
     .max = 0.5,
     .default_text = "0.05",
     .unit = "",
     .help = "--init blast: radius of the clumps, as a fraction of the longest side"},
    {.name = "sort",
     .type = VKS_OPTION_TEXT,
     .change = VKS_CHANGE_NEVER,
     .offset = AT(sort),
     .default_text = "auto",
     .argument = "auto|N",
     .help = "steps between reorderings of particles in memory by position, which affect only the "
             "speed: 1 to 1000, 0 for never, or auto (the fastest measured on this device; 0 on "
             "software drivers)",
     .flags = VKS_OPTION_NOT_SAVED},
};
#undef AT
/* clang-format on */

static const struct vks_preset presets[] = {
#include "sim/gas/presets.def"
    {NULL, NULL, NULL},
};

float vks_gas_real(double value)
{
    return vks_flush((float)value);
}

uint32_t vks_gas_real_bits(double value)
{
    const union {
        float value;
        uint32_t bits;
    } same = {vks_gas_real(value)};
    return same.bits;
}

void vks_gas_sides(const struct vks_config *config, uint32_t sides[3])
{
    sides[0] = config->depth;
    sides[1] = config->height;
    sides[2] = config->width;
}

double vks_gas_nodes(const struct vks_config *config)
{
    return (double)config->width * config->height * config->depth;
}

uint32_t vks_gas_longest(const struct vks_config *config)
{
    uint32_t sides[3], longest = 0;
    vks_gas_sides(config, sides);
    for (size_t i = 0; i < 3; i++) {
        longest = sides[i] > longest ? sides[i] : longest;
    }
    return longest;
}

uint64_t vks_gas_count(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    return s->particles > 0 || s->method == GAS_GRID ? s->particles
                                                     : (uint64_t)vks_gas_nodes(config);
}

bool vks_gas_exchanges(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    return s->boltzmann > 0 && (s->exchange_time > 0 || s->conductivity > 0);
}

struct gas_params vks_gas_params(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double per_h = vks_gas_longest(config);
    const uint64_t count = vks_gas_count(config);
    uint32_t bits = 0;
    while (count > 0 && (count - 1) >> bits > 0) {
        bits++;
    }
    /* With the mean density it is k_B. */
    const double volume = vks_gas_nodes(config) / (per_h * per_h * per_h);
    const double boltzmann = count > 0 ? s->boltzmann * volume / (double)count : 0;
    return (struct gas_params){
        .width = config->width,
        .height = config->height,
        .depth = config->depth,
        .gamma = vks_gas_real(s->gamma),
        .g1 = vks_gas_real(s->gamma - 1),
        .inverse_g1 = vks_gas_real(1 / (s->gamma - 1)),
        .inverse_gamma = vks_gas_real(1 / s->gamma),
        .h = vks_gas_real(1 / per_h),
        .per_h = vks_gas_real(per_h),
        .h2 = vks_gas_real(1 / (per_h * per_h)),
        .half_per_h = vks_gas_real(0.5 * per_h),
        .per_cfl = vks_gas_real(1 / s->cfl),
        .conductivity = vks_gas_real(s->conductivity),
        .longest = vks_gas_real(s->dt),
        .per_nodes = vks_gas_real(1 / vks_gas_nodes(config)),
        .particles = (uint32_t)count,
        .bits = bits,
        .per_h3 = vks_gas_real(per_h * per_h * per_h),
        .half_gamma = vks_gas_real(0.5 * s->gamma),
        .stiff = vks_gas_real(0.25 * (s->gamma + 1)),
        .mixing = vks_gas_real(s->mixing),
        .per_side_z = vks_gas_real(1.0 / config->depth),
        .per_side_y = vks_gas_real(1.0 / config->height),
        .per_side_x = vks_gas_real(1.0 / config->width),
        .boltzmann = vks_gas_real(boltzmann),
        .quantum = vks_gas_real(s->boltzmann > 0 ? s->planck / s->boltzmann : 0),
        .pace = vks_gas_real(s->exchange_time > 0 ? 1 / s->exchange_time
                                                  : -2 * pi * s->conductivity / per_h),
    };
}

/* --- clock ----------------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    const union {
        uint32_t bits;
        float value;
    } same = {bits};
    return same.value;
}

/* Exponent of the finest unit for which a total of `a` is at most 2^61 units. */
static int32_t unit_for(float a)
{
    int exponent;
    const bool is_power = frexpf(a, &exponent) == 0.5f; /* a is the fraction x 2^exponent */
    const int32_t finest = (is_power ? 61 : 60) - (exponent - 1);
    return finest < 126 ? finest : 126;
}

/* The units of particles that have been measured in this box. */
static bool has_units(const struct vks_config *config, const uint32_t *words)
{
    enum { MIN_EXPONENT = -84, MAX_EXPONENT = 126 }; /* vks_top_scale() */
    const float per_h3 = vks_gas_params(config).per_h3, total = float_of(words[CLOCK_TOTAL]);
    if (!(isfinite(total) && total >= 0x1p-60f)) {
        return false;
    }
    const float volume_mean = total * per_h3;
    const float mean = vks_flush(volume_mean * vks_gas_real(1 / vks_gas_nodes(config)));
    const int32_t energy = (int32_t)words[CLOCK_ENERGY_UNIT];
    const int32_t momentum = (int32_t)words[CLOCK_MOMENTUM_UNIT];
    const double units = ldexp((double)words[CLOCK_ENERGY + 1], 32) + (double)words[CLOCK_ENERGY];
    return float_of(words[CLOCK_MEAN]) == (mean > 0x1p-60f ? mean : 0x1p-60f) &&
           (int32_t)words[CLOCK_MASS_UNIT] == unit_for(total) && energy <= MAX_EXPONENT &&
           energy >= MIN_EXPONENT && momentum <= MAX_EXPONENT && momentum >= MIN_EXPONENT &&
           ldexp(units, -energy) <= 0x1p122 && words[CLOCK_ENERGY + 1] >> 31 == 0;
}

/* A clockwork from outside: what the passes take from it stays in the range of float32. */
static enum vks_result check_clock(const void *user, const struct vks_field *field,
                                   const void *data)
{
    const struct vks_config *config = user;
    const struct gas_settings *s = config->settings;
    const uint32_t *words = data;
    const float dt = float_of(words[CLOCK_DT]), mean = float_of(words[CLOCK_MEAN]);
    if (!(isfinite(dt) && dt >= 0 && dt <= 1024) || signbit(dt)) {
        return vks_fail(VKS_ERROR_FILE, "'%s': word %d, the last dt, is %g; it must be 0 to 1024",
                        field->name, CLOCK_DT, (double)dt);
    }
    if (words[CLOCK_MEAN] == 0) {
        return VKS_OK; /* to be measured */
    }
    if (!(isfinite(mean) && mean >= 0x1p-60f)) {
        return vks_fail(VKS_ERROR_FILE,
                        "'%s': word %d, the mean density, is %g; it must be 0, to be measured, or "
                        "at least 2^-60",
                        field->name, CLOCK_MEAN, (double)mean);
    }
    return s->method == GAS_GRID || has_units(config, words)
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE,
                          "'%s': words %d to %d are not the units of particles in a box of this "
                          "size; leave '%s' out, or set word %d to 0, to have them measured",
                          field->name, CLOCK_MEAN, CLOCK_ENERGY + 1, field->name, CLOCK_MEAN);
}

void vks_gas_declare_clock(const struct vks_config *config, struct vks_declaration *declaration)
{
    static const char *const failures[] = {
        "the gas has reached a density or an energy below 0; choose a lower cfl",
        "the time step has become 0: the gas moves or falls too fast for the unit of time, 2^-40",
        "a node of the gas has lost more heat than it had; choose a lower cfl",
        NULL,
    };
    VKS_FIELD(declaration, .name = "clockwork", .help = "time, last dt, units: docs/sims/gas.md",
              .element = VKS_U32, .rank = 1, .shape = {CLOCK_WORDS}, .persistent = true,
              .check = check_clock, .user = config);
    VKS_FIELD(declaration, .name = "limits", .element = VKS_U32, .rank = 1, .shape = {LIMIT_COUNT});
    VKS_FIELD(declaration, .name = "moment", .element = VKS_F32, .rank = 1,
              .shape = {MOMENT_COUNT});
    VKS_FIELD(declaration, .name = "status", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"status", .failures = failures}));
    VKS_FIELD(declaration, .name = "time", .element = VKS_U32X2, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"time", .unit = 0x1p-40}));
    VKS_FIELD(declaration, .name = "dt", .element = VKS_F32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"dt"}));
}

void vks_gas_declare_view(const struct vks_config *config, const struct gas_params *params,
                          const char *hot, bool has_pressure, struct vks_declaration *declaration)
{
    static const uint32_t kinds[] = {
        [GAS_VIEW_TEMPERATURE] = GAS_TEMPERATURE,
        [GAS_VIEW_PRESSURE] = GAS_PRESSURE,
        [GAS_VIEW_SPEED] = GAS_SPEED,
        [GAS_VIEW_VORTICITY] = GAS_VORTICITY,
        [GAS_VIEW_HEAT] = GAS_HEAT,
        [GAS_VIEW_OSCILLATORS] = GAS_HEAT,
    };
    const double nodes = vks_gas_nodes(config);
    VKS_FIELD(declaration, .name = "shown", .element = VKS_F32);
    VKS_PASS(declaration, .name = "view", .shader = "gas/view", .when = VKS_EACH_FRAME,
             .uses =
                 VKS_USES({"density", VKS_READ}, {"velocity_z", VKS_READ}, {"velocity_y", VKS_READ},
                          {"velocity_x", VKS_READ}, {hot, VKS_READ, "hot"}, {"shown", VKS_WRITE}),
             .specializations =
                 VKS_SPECIALIZATIONS({"view", kinds[config->view]}, {"has_pressure", has_pressure}),
             VKS_PUSH(*params), .bytes = 12 * nodes, .operations = 20 * nodes);
}

/* --- checks ---------------------------------------------------------------------------------- */

/* Gravity is solved by FFTs of powers of two. */
static enum vks_result check_sides(const struct vks_config *config)
{
    static const char *const names[] = {"depth", "height", "width"};
    enum { MAX_SIDE = 2048 };
    uint32_t sides[3];
    vks_gas_sides(config, sides);
    for (size_t axis = 0; axis < 3; axis++) {
        uint32_t lower = 1;
        while (2 * lower <= sides[axis] && lower < MAX_SIDE) {
            lower *= 2;
        }
        if (sides[axis] == lower) {
            continue;
        }
        return lower == MAX_SIDE
                   ? vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                                   "gravity needs sides that are powers of two up to %d; the %s of "
                                   "%u is longer",
                                   MAX_SIDE, names[axis], sides[axis])
                   : vks_fail_hint(
                         VKS_ERROR_USAGE, VKS_HINT_OPTION,
                         "gravity needs sides that are powers of two; the %s of %u is not: "
                         "choose %u or %u, or gravity 0",
                         names[axis], sides[axis], lower, 2 * lower);
    }
    return VKS_OK;
}

static enum vks_result check_view(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const bool flat = config->depth == 1 && config->height > 1 && config->width > 1;
    if (config->view == GAS_VIEW_OSCILLATORS && vks_gas_count(config) == 0) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "view oscillators shows those of tracers, which "
                             "method grid has only with particles");
    }
    if (config->view == GAS_VIEW_POTENTIAL && s->gravity <= 0) {
        return vks_fail_hint(
            VKS_ERROR_USAGE, VKS_HINT_OPTION,
            "view potential shows the potential of gravity, which is off: set gravity");
    }
    if (config->view == GAS_VIEW_VORTICITY && !flat) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "view vorticity is for two-dimensional boxes: set size WIDTHxHEIGHT");
    }
    if (config->view == GAS_VIEW_POINTS && vks_gas_count(config) == 0) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "view points shows particles, which method grid has only as tracers: "
                             "set particles");
    }
    return VKS_OK;
}

static enum vks_result check_oscillators(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const bool tracers = s->method == GAS_PARTICLES || s->particles > 0;
    double low, high;
    if (!vks_gas_frequencies(s, &low, &high)) {
        return vks_fail_hint(
            VKS_ERROR_USAGE, VKS_HINT_OPTION,
            "frequency '%s' is not LOW:HIGH with 0 <= LOW <= HIGH <= 1e6, or one such "
            "number",
            s->frequency ? s->frequency : "");
    }
    if (s->boltzmann > 0 && s->boltzmann < 1e-6) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "boltzmann %g is too low: choose 0, or 1e-6 to 1e6", s->boltzmann);
    }
    if (s->exchange_time > 0 && s->exchange_time < 1e-9) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "exchange-time %g is too short: choose 0, or 1e-9 to %g",
                             s->exchange_time, GAS_LARGEST);
    }
    if (s->exchange_time > 0 && !(s->boltzmann > 0)) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                             "exchange-time has no effect without oscillators: set "
                             "boltzmann, such as 1");
    }
    if (vks_gas_exchanges(config) && !tracers) {
        return vks_fail(VKS_ERROR_USAGE, "with method grid oscillators belong to tracers: set "
                                         "particles, or boltzmann 0");
    }
    return VKS_OK;
}

/* The heat of an explosion is bounded like all inputs. */
static enum vks_result check_blast(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    const double peak = (double)vks_gas_start_params(config).peak;
    return config->start != GAS_BLAST || peak <= GAS_LARGEST
               ? VKS_OK
               : vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                               "energy %g within radius %g is %g per volume, and the limit is "
                               "2^30: choose a larger radius or less energy",
                               s->energy, s->radius, peak);
}

static enum vks_result check(const struct vks_config *config)
{
    const struct gas_settings *s = config->settings;
    enum vks_result result = vks_sort_check(s->sort);
    if (result == VKS_OK) {
        result = check_view(config);
    }
    if (result == VKS_OK) {
        result = check_blast(config);
    }
    if (result == VKS_OK) {
        result = check_oscillators(config);
    }
    if (result == VKS_OK && s->gravity > 0) {
        result = check_sides(config);
    }
    if (result == VKS_OK && (double)vks_gas_count(config) > max_particles) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "one particle per node is too many for %.0f nodes: set particles, at "
                          "most %.0f",
                          vks_gas_nodes(config), max_particles);
    }
    if (result == VKS_OK && s->method == GAS_PARTICLES &&
        vks_gas_nodes(config) * (double)RECORD_ROWS > UINT32_MAX) {
        result = vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_OPTION,
                               "method particles takes at most %u nodes, and the box has %.0f",
                               UINT32_MAX / RECORD_ROWS, vks_gas_nodes(config));
    }
    if (result == VKS_OK && s->method == GAS_PARTICLES && !vks_gas_fits_tiles(config) &&
        vks_sort_every(s->sort, NULL) > 0) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "the box has too many nodes, %.0f, to sort particles: leave out sort",
                          vks_gas_nodes(config));
    }
    return result;
}

/* --- the model ------------------------------------------------------------------------------- */

/* In a plane a stage may go along several cells, which in a volume takes too many registers. */
static void list_runs(const struct vks_config *config, struct vks_variants *variants)
{
    static const char *const names[] = {"run-8", "run-1"};
    if (config->depth > 1 || config->height == 1) {
        return;
    }
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        snprintf(variants->names[variants->count++], sizeof(variants->names[0]), "%s", names[i]);
    }
    variants->period = 16;
    snprintf(variants->key, sizeof(variants->key), "gas %ux%u grid", config->width, config->height);
}

/* Sorting does not pay for few particles, nor on a processor. */
static void list_variants(const struct vks_config *config, struct vks_variants *variants)
{
    enum { FEW_PARTICLES = 20000 };
    static const char *const names[] = {"sort-1", "unsorted", "sort-2", NULL};
    const struct gas_settings *s = config->settings;
    variants->count = 0;
    if (s->method == GAS_GRID) {
        list_runs(config, variants);
    } else if (vks_gas_count(config) >= FEW_PARTICLES && !config->limits.software &&
               vks_gas_fits_tiles(config)) {
        vks_sort_list(s->sort, names, variants);
        variants->period = 2;
        snprintf(variants->key, sizeof(variants->key), "gas %ux%ux%u %llu particles", config->width,
                 config->height, config->depth, (unsigned long long)vks_gas_count(config));
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

const struct vks_model vks_model_gas = {
    .name = "gas",
    .summary = "compressible gas with gravity, as particles or on a grid",
    .options = {options, VKS_COUNT(options)},
    .settings_size = sizeof(struct gas_settings),
    .presets = presets,
    .starts = starts,
    .views = VKS_VIEWS(
        {"density", "density", .help = "mass per volume"},
        {"temperature", "shown", .help = "heat per mass"},
        {"pressure", "shown", .help = "pressure of the gas"},
        {"speed", "shown", .help = "magnitude of the velocity"},
        {"vorticity", "shown", .help = "curl of the velocity, in two dimensions"},
        {"heat", "shown", .help = "thermal energy per volume"},
        {"oscillators", "shown", .help = "energy of the oscillators per volume"},
        {"potential", "shown", .help = "gravitational potential"},
        {"points", .points = {"z", "y", "x"}, .help = "number of particles in each pixel"}),
    .count_option = "particles",
    .volumes = true,
    .check = check,
    .declare = declare,
    .variants = list_variants,
};
