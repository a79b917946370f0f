/* SPDX-License-Identifier: MIT */
/* Exact solutions of the equations of an ideal gas, in double. */
#ifndef VKS_TESTS_SIM_GAS_EXACT_H
#define VKS_TESTS_SIM_GAS_EXACT_H

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
struct gas_exact_state gas_exact_in_slab(const struct gas_exact_slab *problem, double x, double t);

/* A simple wave that runs up x through gas of density 1 and speed of sound 1 on a periodic box of
 * length 1, u = amplitude sin(2 pi x) at time 0; until it breaks. */
struct gas_exact_state gas_exact_sound(double amplitude, double gamma, double x, double t);

/* A point blast in three dimensions, energy 1, density 1: its radius is front t^(2/5); `mean` is
 * the mean radius of its energy, of the front's. gamma under 2. */
struct gas_exact_blast {
    double front, mean;
};
struct gas_exact_blast gas_exact_sedov(double gamma);

#endif
