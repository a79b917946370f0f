/* SPDX-License-Identifier: MIT */
/* The gas of particles of docs/sims/gas.md in plain single-threaded C: the bytes that every device
 * must produce. */
#ifndef VKS_TESTS_SIM_GAS_PARTICLES_REFERENCE_H
#define VKS_TESTS_SIM_GAS_PARTICLES_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "gas_clockwork.h"
#include "gas_exchange_reference.h"
#include "gas_place_reference.h"

/* Index of an axis in every array of three. */
enum { GAS_Z, GAS_Y, GAS_X };

/* Why a run ended. */
enum gas_status { GAS_RUNS, GAS_NO_TIME_STEP };

/* The options by their names; `dt` is the longest step. */
struct gas_particles_settings {
    double gamma, gravity, conductivity, dt, cfl, mixing;
    uint64_t end; /* of time, in units of 2^-40; 0: none */
    double boltzmann, planck, exchange_time;
};

/* Constants computed once on the host. */
struct gas_particles_constants {
    float g1, inverse_g1, gamma, half_gamma, stiff, per_h, per_h3, h, h2, per_cfl, per_diffusion;
    float conductivity, mixing, dt_longest, per_node, gravity, attraction;
    float smooth, face_share;
};

/* A node's record for its particles. */
struct gas_particles_record {
    float u[3], du[3]; /* u' and u' - u */
    float r, b, c;
};

struct gas_particles_state {
    uint32_t side[3]; /* D, H, W */
    uint64_t count;   /* particles */
    struct gas_particles_settings settings;
    struct gas_particles_constants constants;
    struct gas_exchange exchange;

    /* The state, `count` of each. */
    uint32_t *position[3]; /* fractions of the side in 2^-32 */
    float *velocity[3];
    float *mass, *heat, *oscillator, *frequency;
    uint32_t clockwork[GAS_CLOCKWORK_WORDS];

    /* Intermediate fields of a step, one value per node. */
    uint64_t *mass_sum, *momentum_sum[3], *heat_sum, *dispersion_sum;
    bool *occupied;
    float *density, *velocity_at[3], *heat_at, *dispersion_at, *mixing_speed;
    float *potential, *acceleration[3]; /* phi and g */
    float *symbol[3];                   /* of each wave number along an axis */
    float *pressure, *slope_u[3], *slope_p[3], *predicted_u[3], *predicted_p;
    struct gas_particles_record *record;

    /* Maxima over the nodes, from gravity and limits, and what the time step decides. */
    float max_rate, max_speed, max_diffusivity, max_g2;
    float dt, lambda, cap, half, mixing_time; /* mixing dt / h */

    enum gas_status status;
};

/* All of the state is 0; NULL when memory ran out. Sides and count are at least 1; with gravity on,
 * sides are powers of two up to 2048. */
struct gas_particles_state *gas_particles_create(uint32_t depth, uint32_t height, uint32_t width,
                                                 uint64_t count,
                                                 const struct gas_particles_settings *settings);
void gas_particles_free(struct gas_particles_state *state); /* takes NULL */

/* One step; false if the status says that the run ended, now or before. */
bool gas_particles_step(struct gas_particles_state *state);

/* The passes of a step, in their order; `units` only where word 3 of the clockwork is 0, `gravity`
 * only with gravity on. */
void gas_particles_units(struct gas_particles_state *state);
void gas_particles_deposit(struct gas_particles_state *state);
void gas_particles_nodes(struct gas_particles_state *state);
void gas_particles_dispersion(struct gas_particles_state *state);
void gas_particles_gravity(struct gas_particles_state *state);
void gas_particles_limits(struct gas_particles_state *state);
void gas_particles_time_step(struct gas_particles_state *state);
void gas_particles_predict(struct gas_particles_state *state);
void gas_particles_lagrangian(struct gas_particles_state *state);
void gas_particles_move(struct gas_particles_state *state);

uint64_t gas_particles_nodes_of(const struct gas_particles_state *state);

/* Time in units of 2^-40. */
uint64_t gas_particles_time(const struct gas_particles_state *state);

/* The place of a particle among the nodes. */
struct gas_place gas_particles_place_of(const struct gas_particles_state *state, uint64_t particle);

#endif
