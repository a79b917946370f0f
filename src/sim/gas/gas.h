/* SPDX-License-Identifier: MIT */
/* What the files of the gas share: docs/sims/gas.md. */
#ifndef VKS_SIM_GAS_H
#define VKS_SIM_GAS_H

#include "gas/params.h"
#include "gas/start.h"
#include "graph/model.h"

enum gas_method { GAS_PARTICLES, GAS_GRID };

/* The options. */
struct gas_settings {
    uint32_t method;
    uint64_t particles;
    double gamma, gravity, conductivity, dt, cfl, mixing;
    uint64_t waves, clumps;
    double wave_slope, wave_strength, temperature, mach, ratio, speed, radius, energy, clump_size;
};

/* Options as the shaders take them: float32, without what would become subnormal. */
float vks_gas_real(double value);

/* Sides of the grid in nodes: z, y, x. */
void vks_gas_sides(const struct vks_config *config, uint32_t sides[3]);
/* Nodes of the grid, and of its longest side: 1 / h. */
double vks_gas_nodes(const struct vks_config *config);
uint32_t vks_gas_longest(const struct vks_config *config);

struct gas_params vks_gas_params(const struct vks_config *config);
struct gas_start_params vks_gas_start_params(const struct vks_config *config);
/* The same with what particles need besides. */
struct gas_start_params vks_gas_start_particles(const struct vks_config *config);

/* Declares the table of waves that starts are made from. */
void vks_gas_declare_modes(const struct vks_config *config, struct vks_declaration *declaration);

/* Declares the fields and passes of a method; both methods have "clockwork", "limits", "moment" and
 * "status", which vks_gas_declare_clock() declares. */
void vks_gas_declare_clock(struct vks_declaration *declaration);
void vks_gas_declare_grid(const struct vks_config *config, struct vks_declaration *declaration);
void vks_gas_declare_particles(const struct vks_config *config,
                               struct vks_declaration *declaration);

/* From the field "density" to "potential" and the accelerations "pull_z", "pull_y" and "pull_x". */
void vks_gas_declare_gravity(const struct vks_config *config, struct vks_declaration *declaration);

#endif
