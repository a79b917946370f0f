/* SPDX-License-Identifier: MIT */
/* Exact solutions of the equations of an ideal gas, in double. */
#ifndef VKS_TESTS_SIM_GAS_EXACT_H
#define VKS_TESTS_SIM_GAS_EXACT_H

#include <stddef.h>
#include <stdint.h>

struct gas_exact_state {
    double density, u, p;
};

/* Pressure and velocity between the waves of a Riemann problem without vacuum. */
void gas_exact_star(const struct gas_exact_state *left, const struct gas_exact_state *right,
                    double gamma, double *p, double *u);
/* The solution at x / t; vacuum on the right (density 0) is allowed. */
struct gas_exact_state gas_exact_riemann(const struct gas_exact_state *left,
                                         const struct gas_exact_state *right, double gamma,
                                         double speed);

/* The same at x of a periodic box of length 1 with two Riemann problems: a slab between its lower
 * and upper edge, and the gas around it. Until their waves meet. */
struct gas_exact_slab {
    struct gas_exact_state slab, around;
    double lower, upper, gamma;
};
/* Sod's shock tube twice, gamma 1.4: a slab of density and pressure 1 in [1/4, 3/4), all at one
 * speed. */
struct gas_exact_slab gas_exact_sod(double speed);
struct gas_exact_state gas_exact_in_slab(const struct gas_exact_slab *problem, double x, double t);
/* The mean density of a node's volume, of width h around x = node h. */
double gas_exact_slab_density(const struct gas_exact_slab *problem, size_t node, size_t nodes,
                              double t);
/* The shock that runs up x into gas at rest: the velocity and density behind it, and its speed. */
struct gas_exact_shock {
    double u, density, speed;
};
struct gas_exact_shock gas_exact_slab_shock(const struct gas_exact_slab *problem);

/* A simple wave that runs up x through gas of density 1 and speed of sound 1 on a periodic box of
 * length 1, u = amplitude sin(2 pi x) at time 0; until it breaks. */
struct gas_exact_state gas_exact_sound(double amplitude, double gamma, double x, double t);

/* A point blast in three dimensions, energy 1, density 1: its radius is front t^(2/5); `mean` is
 * the mean radius of its energy relative to the front. gamma under 2. */
struct gas_exact_blast {
    double front, mean;
};
struct gas_exact_blast gas_exact_sedov(double gamma);

/* For blasts in the middle of a cube with ambient density 1: the outer radius of half the peak of
 * the density, averaged over shells of width h. */
double gas_shell_radius(const float *density, uint32_t side);

/* Exponent of a power law through points, by least squares over their logarithms. */
struct gas_power_law {
    double count, x, y, xx, xy;
};
void gas_power_law_add(struct gas_power_law *law, double x, double y);
double gas_power_law_exponent(const struct gas_power_law *law);

#endif
