/* SPDX-License-Identifier: MIT */
/* State files that people make: the state from primitive variables, and what is missing. In double;
 * docs/state-files.md has the rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/gas/gas.h"

const struct vks_member vks_gas_members[] = {
    /* of the grid */
    {.name = "velocity_z", .field = "momentum_z"},
    {.name = "velocity_y", .field = "momentum_y"},
    {.name = "velocity_x", .field = "momentum_x"},
    {.name = "pressure", .field = "energy"},
    {.name = "temperature", .field = "energy"},
    /* of particles */
    {.name = "velocity_z", .field = "vz"},
    {.name = "velocity_y", .field = "vy"},
    {.name = "velocity_x", .field = "vx"},
    {.name = "momentum_z", .field = "vz"},
    {.name = "momentum_y", .field = "vy"},
    {.name = "momentum_x", .field = "vx"},
    {.name = "temperature", .field = "heat"},
    {.name = "energy", .field = "heat"},
    {.name = "pressure", .field = "heat"},
    {.name = "density", .field = "mass", .helps = true},
    {0},
};

/* What a field is computed from. */
struct source {
    const struct vks_config *config;
    const struct gas_settings *settings;
    const struct vks_arrays *arrays;
    double even; /* mass of a particle of gas of density 1 */
};

static const double *find(const struct source *source, const char *name)
{
    return source->arrays->find(source->arrays->user, name);
}

/* An array's number, or the value that takes its place. */
static double at(const double *numbers, uint64_t i, double otherwise)
{
    return numbers ? numbers[i] : otherwise;
}

static const double *find_along(const struct source *source, const char *prefix, size_t axis)
{
    char name[16];
    snprintf(name, sizeof(name), "%s%c", prefix, "zyx"[axis]);
    /* The array is found by its name in the table, which lives as long as it. */
    for (const struct vks_member *row = vks_gas_members; row->name; row++) {
        const char *known = strcmp(row->name, name) == 0    ? row->name
                            : strcmp(row->field, name) == 0 ? row->field
                                                            : NULL;
        if (known) {
            return find(source, known);
        }
    }
    return NULL;
}

/* --- the grid -------------------------------------------------------------------------------- */

/* The kinetic energy would hide a negative one. */
static enum vks_result check_thermal(const char *name, const double *numbers, uint64_t count)
{
    for (uint64_t i = 0; numbers && i < count; i++) {
        if (!(numbers[i] >= 0)) {
            return vks_fail(VKS_ERROR_FILE, "'%s': element %llu is %g; it must be at least 0", name,
                            (unsigned long long)i, numbers[i]);
        }
    }
    return VKS_OK;
}

/* Thermal energy per volume, and kinetic energy per volume if `moves`. */
static enum vks_result fill_energy(const struct source *source, bool moves, uint64_t count,
                                   double *out)
{
    const double *density = find(source, "density"), *internal = find(source, "internal");
    const double *pressure = find(source, "pressure"), *temperature = find(source, "temperature");
    const enum vks_result result = pressure ? check_thermal("pressure", pressure, count)
                                            : check_thermal("temperature", temperature, count);
    if (result != VKS_OK) {
        return result;
    }
    for (uint64_t i = 0; i < count; i++) {
        out[i] = pressure ? pressure[i] / (source->settings->gamma - 1)
                 : !temperature && internal
                     ? internal[i]
                     : at(density, i, 1) * at(temperature, i, source->settings->temperature);
    }
    for (size_t axis = 0; moves && axis < 3; axis++) {
        const double *velocity = find_along(source, "velocity_", axis);
        const double *momentum = find_along(source, "momentum_", axis);
        for (uint64_t i = 0; i < count; i++) {
            const double mass = at(density, i, 1);
            const double u = velocity ? velocity[i] : momentum && mass > 0 ? momentum[i] / mass : 0;
            out[i] += 0.5 * mass * u * u;
        }
    }
    return VKS_OK;
}

/* Whether an array gives the thermal energy. */
static bool is_hot(const struct source *source)
{
    return find(source, "pressure") || find(source, "temperature") || find(source, "internal");
}

static enum vks_result fill_grid(const struct source *source, const char *name, uint64_t count,
                                 double *out, char *assumed)
{
    const double *density = find(source, "density");
    if (strcmp(name, "density") == 0) {
        for (uint64_t i = 0; i < count; i++) {
            out[i] = 1;
        }
        snprintf(assumed, VKS_ASSUMED_SIZE, "1");
    } else if (name[0] == 'm') {
        const size_t axis = (size_t)('z' - name[strlen(name) - 1]);
        const double *velocity = find_along(source, "velocity_", axis);
        for (uint64_t i = 0; i < count; i++) {
            out[i] = velocity ? at(density, i, 1) * velocity[i] : 0;
        }
        snprintf(assumed, VKS_ASSUMED_SIZE, "%s", velocity ? "" : "0");
    } else if (name[0] == 'e') {
        if (!is_hot(source)) {
            snprintf(assumed, VKS_ASSUMED_SIZE, "that of temperature %g",
                     source->settings->temperature);
        }
        return fill_energy(source, true, count, out);
    } else if (!find(source, "energy")) {
        return fill_energy(source, false, count, out);
    } /* else 0, for which the total energy is used */
    return VKS_OK;
}

/* --- particles ------------------------------------------------------------------------------- */

static void fill_mass(const struct source *source, uint64_t count, double *out)
{
    const double *mass = find(source, "mass"), *density = find(source, "density");
    for (uint64_t i = 0; i < count; i++) {
        out[i] = mass ? mass[i] : at(density, i, 1) * source->even;
    }
}

static void fill_velocity(const struct source *source, size_t axis, uint64_t count, double *out,
                          char *assumed)
{
    const double *own = find_along(source, "v", axis);
    const double *velocity = own ? own : find_along(source, "velocity_", axis);
    const double *momentum = velocity ? NULL : find_along(source, "momentum_", axis);
    if (momentum) {
        fill_mass(source, count, out);
    }
    for (uint64_t i = 0; i < count; i++) {
        out[i] = velocity ? velocity[i] : momentum && out[i] > 0 ? momentum[i] / out[i] : 0;
    }
    snprintf(assumed, VKS_ASSUMED_SIZE, "%s", velocity || momentum ? "" : "0");
}

static enum vks_result fill_heat(const struct source *source, uint64_t count, double *out,
                                 char *assumed)
{
    const double *temperature = find(source, "temperature"), *energy = find(source, "energy");
    const double *pressure = find(source, "pressure"), *density = find(source, "density");
    if (pressure && !density) {
        return vks_fail(VKS_ERROR_FILE, "'pressure' of particles needs their 'density'");
    }
    if (energy) {
        fill_mass(source, count, out);
    }
    for (uint64_t i = 0; i < count; i++) {
        out[i] = temperature ? temperature[i]
                 : pressure  ? pressure[i] / ((source->settings->gamma - 1) * density[i])
                 : energy    ? energy[i] / out[i]
                             : source->settings->temperature;
    }
    double *velocity = energy ? malloc(count ? count * sizeof(*velocity) : 1) : NULL;
    if (energy && !velocity) {
        return vks_fail_memory();
    }
    for (size_t axis = 0; energy && axis < 3; axis++) {
        char unused[VKS_ASSUMED_SIZE];
        fill_velocity(source, axis, count, velocity, unused);
        for (uint64_t i = 0; i < count; i++) {
            out[i] -= 0.5 * velocity[i] * velocity[i];
        }
    }
    free(velocity);
    if (!temperature && !pressure && !energy) {
        snprintf(assumed, VKS_ASSUMED_SIZE, "%g", source->settings->temperature);
    }
    return VKS_OK;
}

/* Particles have places; but along an inert axis all have the same. */
static enum vks_result fill_place(const struct source *source, size_t axis)
{
    uint32_t sides[3];
    vks_gas_sides(source->config, sides);
    return sides[axis] == 1 ? VKS_OK
                            : vks_fail(VKS_ERROR_FILE,
                                       "'%c', the particles' positions along that axis, is missing",
                                       "zyx"[axis]);
}

static enum vks_result fill_items(const struct source *source, const char *name, uint64_t count,
                                  double *out, char *assumed)
{
    if (strlen(name) == 1) {
        return fill_place(source, (size_t)('z' - name[0]));
    }
    if (name[0] == 'v') {
        fill_velocity(source, (size_t)('z' - name[1]), count, out, assumed);
    } else if (strcmp(name, "mass") == 0) {
        fill_mass(source, count, out);
        if (!find(source, "density")) {
            snprintf(assumed, VKS_ASSUMED_SIZE, "%g", source->even);
        }
    } else if (strcmp(name, "heat") == 0) {
        return fill_heat(source, count, out, assumed);
    }
    return VKS_OK; /* an oscillator's energy is 0 */
}

/* Tracers, whose velocity and heat are those of the gas around them. */
static enum vks_result fill_tracers(const struct source *source, const char *name, uint64_t count,
                                    double *out)
{
    if (strlen(name) == 1) {
        return fill_place(source, (size_t)('z' - name[0]));
    }
    for (uint64_t i = 0; i < count && strcmp(name, "mass") == 0; i++) {
        out[i] = source->even;
    }
    return VKS_OK;
}

/* Tracers without any array start as those of --init do. */
static bool has_items(const struct source *source)
{
    static const char *const names[] = {"z", "y", "x"};
    bool found = false;
    for (size_t i = 0; i < 3; i++) {
        found = found || find(source, names[i]);
    }
    return found || source->settings->method == GAS_PARTICLES;
}

enum vks_result vks_gas_complete(const struct vks_config *config, const struct vks_field *field,
                                 const struct vks_arrays *arrays, uint64_t count, double **numbers,
                                 char assumed[VKS_ASSUMED_SIZE])
{
    const struct gas_settings *s = config->settings;
    const double h = 1.0 / vks_gas_longest(config);
    const struct source source = {
        .config = config,
        .settings = s,
        .arrays = arrays,
        .even = vks_gas_nodes(config) * h * h * h / (double)vks_gas_count(config),
    };
    const char *name = field->name;
    if (strcmp(name, "clockwork") == 0 || strcmp(name, "frequency") == 0 ||
        (field->items && !has_items(&source))) {
        return VKS_OK;
    }
    *numbers = calloc(count ? count : 1, sizeof(**numbers));
    if (!*numbers) {
        return vks_fail_memory();
    }
    if (field->items && s->method == GAS_GRID) {
        return fill_tracers(&source, name, count, *numbers);
    }
    if (field->items) {
        return fill_items(&source, name, count, *numbers, assumed);
    }
    return fill_grid(&source, name, count, *numbers, assumed);
}
