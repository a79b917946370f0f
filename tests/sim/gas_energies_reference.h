/* SPDX-License-Identifier: MIT */
/* The energies that --watch reports, of docs/sims/gas.md in plain C. */
#ifndef VKS_TESTS_SIM_GAS_ENERGIES_REFERENCE_H
#define VKS_TESTS_SIM_GAS_ENERGIES_REFERENCE_H

#include "gas_grid_reference.h"
#include "gas_particles_reference.h"

/* In the order of the scalars. */
enum { GAS_KINETIC, GAS_HEAT, GAS_OSCILLATORS, GAS_POTENTIAL, GAS_ALL, GAS_ENERGIES };

/* The energies of the current state; changes its scratch fields, and measures its units if needed.
 * False if memory ran out. */
bool gas_particles_energies(struct gas_particles_state *state, float energies[GAS_ENERGIES]);
bool gas_grid_energies(struct gas_grid_state *state, float energies[GAS_ENERGIES]);

#endif
