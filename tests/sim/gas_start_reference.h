/* SPDX-License-Identifier: MIT */
/* "Initial conditions" of docs/sims/gas.md in plain C, operation by operation, for both methods of
 * the gas: the initial bytes on every device. */
#ifndef VKS_TESTS_SIM_GAS_START_REFERENCE_H
#define VKS_TESTS_SIM_GAS_START_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gas_init { GAS_INIT_WAVES, GAS_INIT_CLOUD, GAS_INIT_TUBE, GAS_INIT_BLAST, GAS_INIT_SHEAR };

/* The options of a run by their names; those of a step are the references' of the methods. */
struct gas_options {
    uint64_t particles;
    double gamma, gravity, conductivity, dt, cfl, mixing, end_time;
    uint64_t waves, clumps;
    double wave_slope, wave_strength, temperature, mach, ratio, speed, radius, energy, clump_size;
    double boltzmann, planck, frequency[2], exchange_time;
};

/* "name=value name=value ..." after the model's defaults; false if a word is invalid. */
bool gas_options_parse(const char *words, struct gas_options *options);

/* A row of the table of waves. */
struct gas_wave {
    int32_t number[3]; /* z, y, x, as all vectors */
    uint32_t phase;
    float density;   /* amplitude */
    float vector[3]; /* amplitude of the velocity or displacement */
};

/* The gas at a place. */
struct gas_matter {
    float density, velocity[3], heat; /* heat per mass */
};

/* Everything that initial conditions depend on, and derived constants. */
struct gas_start {
    enum gas_init init;
    uint32_t side[3]; /* nodes */
    uint32_t seed;
    struct gas_options options;

    unsigned axes;    /* active ones */
    uint32_t along;   /* the longest side's axis */
    double length[3]; /* 0 of an inert side */
    struct gas_wave *waves;
};

/* False if the name of the start is unknown or memory ran out. gas_start_free() either way. */
bool gas_start_init(struct gas_start *start, const char *init, uint32_t depth, uint32_t height,
                    uint32_t width, uint32_t seed, const struct gas_options *options);
void gas_start_free(struct gas_start *start);

/* The gas at a place, fractions of the sides in 2^-32. */
struct gas_matter gas_start_at(const struct gas_start *start, const uint32_t place[3]);

/* Density, momenta z, y and x, energy and internal energy of the nodes, (D, H, W) each. */
void gas_start_grid(const struct gas_start *start, float *const field[6]);

/* The particles' places, velocities, mass and heat per mass, options.particles of each. */
void gas_start_particles(const struct gas_start *start, uint32_t *const position[3],
                         float *const velocity[3], float *mass, float *heat);

/* Frequencies of the oscillators of particles or tracers. */
void gas_start_frequencies(const struct gas_start *start, float *frequency);

#endif
