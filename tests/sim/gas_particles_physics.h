/* SPDX-License-Identifier: MIT */
/* The reference of the gas of particles against exact solutions: each function runs a case with the
 * time steps that the scheme chooses and measures it. All end the program when memory runs out or a
 * run ends early. Figures are in the units of docs/sims/gas.md unless they are ratios. */
#ifndef VKS_TESTS_SIM_GAS_PARTICLES_PHYSICS_H
#define VKS_TESTS_SIM_GAS_PARTICLES_PHYSICS_H

#include <stdbool.h>
#include <stdint.h>

#include "gas_particles_reference.h"

/* gamma 1.4, cfl 0.4, mixing 0.1, no gravity, no conduction, steps of at most 0.015 */
struct gas_particles_settings gas_usual_settings(void);

/* As gas_particles_create(), and gas_particles_step(), but ends the program instead of failing. */
struct gas_particles_state *gas_begin(const uint32_t side[3], uint64_t count,
                                      const struct gas_particles_settings *settings);
void gas_go(struct gas_particles_state *state);

/* Runs until `end`, with a shorter last step; returns the number of steps. */
uint64_t gas_run_to(struct gas_particles_state *state, double end);

/* Fills a box with `per_axis` particles per node along every active axis, from half a spacing on,
 * of mass 1 and at rest. count is that of the box. */
uint64_t gas_lattice_count(const uint32_t side[3], uint32_t per_axis);
void gas_fill_lattice(struct gas_particles_state *state, uint32_t per_axis);

/* Kinetic energy, heat and oscillators of all particles; their momentum along an axis; and the sum
 * of mass |v|. */
double gas_energy(const struct gas_particles_state *state);
double gas_momentum(const struct gas_particles_state *state, int axis);
double gas_momentum_scale(const struct gas_particles_state *state);

/* A dense slab in [1/4, 3/4), pressure and density 1, in gas of 0.1 and 0.125, all moving at
 * `stream`, until 0.1; 8 particles per node. */
struct gas_sod {
    double l1;           /* mean |density - exact| over the nodes */
    double displacement; /* of the right shock, over the exact one; without a stream */
    double post_shock;   /* density behind it; without a stream */
    uint64_t steps;
};
struct gas_sod gas_sod(uint32_t side, double stream);

/* A slab of density and speed of sound 1, 0.3 wide, into vacuum until 0.04: mean |density - exact|.
 */
double gas_vacuum_slab(uint32_t side);

/* A sound wave of amplitude 1e-3, as long as the box. */
struct gas_sound {
    double speed, amplitude; /* after half a period, over the exact ones */
    double growth; /* over 4 periods: largest amplitude of a half period over the one before */
};
struct gas_sound gas_sound(uint32_t side, double half_periods);

/* A wave of density as long as the box, with 4 pi G density / (c k)^2 = `ratio`: the frequency
 * (ratio < 1) or the growth rate (ratio > 1) over that of theory. */
double gas_jeans(uint32_t side, double ratio);

/* Collapse of cold planes until the slope of the displacement is 0.7: the largest error of a
 * displacement, over the largest displacement. */
double gas_pancake(uint32_t side, uint64_t *steps);

/* A cold sphere of radius 0.2, after 0.8 of its time of free fall: mean radius of the inner half of
 * its mass over the exact one. */
double gas_free_fall(uint32_t side, uint64_t *steps);

/* A point explosion until its radius is 0.42. */
struct gas_sedov {
    double exponent;    /* of the radius from the energy, 0.4 in theory, from 0.18 on */
    double radius;      /* from the energy, over the exact one */
    double half_height; /* outer half height of the density less the exact radius, in h */
    uint64_t steps;
};
struct gas_sedov gas_sedov(uint32_t side);

/* A wave of v_y, which nothing drives, in a stream along x: its speed over the stream's, and the
 * diffusivity that damps it over stream x h. */
struct gas_advection {
    double speed, diffusivity;
};
struct gas_advection gas_advection(uint32_t side);

/* Gresho's vortex until 1, 4 particles per node: the share of its kinetic energy that is left. */
double gas_gresho(uint32_t side);

/* The viscosity over h and the speed of sound that damps a wave of shear, 1/100 as fast as sound,
 * with a stripe of `hot` times its temperature, four nodes wide, across a node of the wave (1: no
 * stripe); and that of vortices of Taylor and Green at Mach 0.1. 9 particles per node. */
double gas_shear_viscosity(uint32_t side, double hot);
double gas_vortex_viscosity(uint32_t side);

/* A shear layer in two dimensions, or a tube, for as many steps. */
struct gas_drift {
    double energy, momentum; /* of energy; of sum of mass |v| */
};
struct gas_drift gas_shear_drift(uint32_t side, uint64_t steps);
struct gas_drift gas_sod_drift(uint32_t side, uint64_t steps);

#endif
