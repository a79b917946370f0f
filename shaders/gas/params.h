/* SPDX-License-Identifier: MIT */
/* Constants of the gas passes, read as C and as GLSL: docs/sims/gas.md. */
#ifndef VKS_GAS_PARAMS_H
#define VKS_GAS_PARAMS_H

#include "lib/shared.h"

struct gas_params {
    VKS_UINT width, height, depth; /* nodes */
    float gamma, g1, inverse_g1, inverse_gamma;
    float h, per_h, h2; /* spacing of nodes, 1 / h, h^2 */
    float half_per_h;   /* of active axes */
    float per_cfl;      /* 1 / cfl */
    float conductivity;
    float longest;   /* dt at most */
    float per_nodes; /* 1 / number of nodes */
    /* of particles and tracers */
    VKS_UINT particles;
    VKS_UINT bits;           /* of the number of particles minus one */
    float per_h3;            /* 1 / h^3 */
    float half_gamma, stiff; /* gamma / 2, (gamma + 1) / 4 */
    float mixing;
    float per_side_z, per_side_y, per_side_x; /* 1 / nodes of a side */
    VKS_UINT tiles_z, tiles_y, tiles_x;       /* of sorted particles */
    /* of the exchange with oscillators */
    float boltzmann;     /* k_B per mean density */
    float quantum;       /* hbar / k_B */
    float exchange_rate; /* 1 / time; below 0: per mass */
};

/* Deposits of particles: mass, momentum (z, y, x), heat. */
#define GAS_AMOUNTS 5u

/* Words of the field "clockwork", which is state. */
#define CLOCK_TIME 0 /* low, high word; in units of 2^-40 */
#define CLOCK_DT 2   /* of the previous step */
#define CLOCK_MEAN 3 /* mean density; 0: not measured yet */
/* Particles only: exponents of the units, 2^-exponent, as int; the total mass; the total energy
 * including oscillators, low and high word, in units of energy. */
#define CLOCK_MASS_UNIT 4
#define CLOCK_ENERGY_UNIT 5
#define CLOCK_MOMENTUM_UNIT 6
#define CLOCK_TOTAL 7
#define CLOCK_ENERGY 8
#define CLOCK_WORDS 16

/* The field "limits": maxima of non-negative floats, as bits. */
#define LIMIT_RATE 0  /* grid: of |u| + c along z, y, x; particles: of sound and compression */
#define LIMIT_SPEED 1 /* particles: of |u| along an axis */
#define LIMIT_DIFFUSIVITY 3  /* conductivity / density */
#define LIMIT_ACCELERATION 4 /* |g|^2 */
#define LIMIT_COUNT 8

/* The field "step_values": dt and what follows from it. */
#define STEP_DT 0
#define STEP_LAMBDA 1
#define STEP_CAP 2
#define STEP_HALF 3
#define STEP_SHARE 4  /* grid: along z, y, x */
#define STEP_MIXING 4 /* particles: mixing dt / h */
#define STEP_COUNT 8

/* The field "energy_sums": sums for --watch, over particles or nodes. */
#define SUM_KINETIC 0u
#define SUM_HEAT 1u
#define SUM_OSCILLATORS 2u
#define SUM_POTENTIAL 3u
#define SUM_WORK 4u         /* of gravity, per time */
#define SUM_ACCELERATION 5u /* density |g|^2 */
#define SUM_COUNT 6u
#define SUM_WORDS 18 /* two per sum, then one per max */

/* The field "energies" for --watch. */
#define ENERGY_KINETIC 0u
#define ENERGY_HEAT 1u
#define ENERGY_OSCILLATORS 2u
#define ENERGY_POTENTIAL 3u
#define ENERGY_TOTAL 4u
#define ENERGY_COUNT 5u

/* Brushes. */
#define GAS_BRUSH_HEAT 0u
#define GAS_BRUSH_PUSH 1u
#define GAS_BRUSH_MASS 2u

/* Views of the pass "view". */
#define GAS_TEMPERATURE 0
#define GAS_PRESSURE 1
#define GAS_SPEED 2
#define GAS_VORTICITY 3
#define GAS_HEAT 4

/* A node's record: vectors of four. Velocity after the step (z, y, x) and the share that is mixed;
 * change of the velocity and of a particle's heat by its heat; gained energy per mass. */
#define RECORD_ROWS 3u
#define RECORD_WORDS 12

#define FACE_WORDS 7u /* of a face in memory, gas/face_fluxes.comp */

/* The field "status": why a run ends. */
#define STATUS_NEGATIVE 1
#define STATUS_STALLED 2

#endif
