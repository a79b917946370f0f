/* SPDX-License-Identifier: MIT */
/* docs/sims/gas.md, "Brushes", in plain single-threaded C. */
#ifndef VKS_TESTS_SIM_BRUSH_GAS_REFERENCE_H
#define VKS_TESTS_SIM_BRUSH_GAS_REFERENCE_H

#include "brush_reference.h"
#include "gas_grid_reference.h"
#include "gas_particles_reference.h"

/* One stroke of the brushes heat, push and mass; `temperature` is the option. */
void brush_gas_grid(const struct brush_grid *grid, const struct vks_stroke *stroke,
                    double temperature, struct gas_grid_state *state);
void brush_gas_particles(const struct brush_grid *grid, const struct vks_stroke *stroke,
                         double temperature, struct gas_particles_state *state);

#endif
