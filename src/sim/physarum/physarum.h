/* SPDX-License-Identifier: MIT */
/* Shared by the files of Physarum: docs/sims/physarum.md. */
#ifndef VKS_SIM_PHYSARUM_PHYSARUM_H
#define VKS_SIM_PHYSARUM_PHYSARUM_H

#include "graph/model.h"
#include "physarum/params.h"
#include "sim/sort_option.h"

struct physarum_settings {
    uint64_t agents;
    double sensor_distance, sensor_angle, turn_angle, step_size, jitter;
    double deposit, diffuse, decay, field_strength, start_radius;
    uint64_t diffuse_size;
    uint32_t sampling, steering, boundary;
    char *sort;
    struct vks_sort_interval sorting; /* `sort`, parsed */
};

/* Names of the choices of this option. */
extern const char *const vks_physarum_samplings[];

/* --- steps.c: variants of the step ---------------------------------------------------------- */

/* The model's `variants`. */
void vks_physarum_variants(const struct vks_config *config, struct vks_variants *variants);
/* Sets the members that depend on how the field is divided into workgroups. */
void vks_physarum_set_blocks(const struct vks_config *config, struct physarum_params *params);
/* Declares the passes of a step, in the variant of the run, and the fields that only they use.
 * The fields of the state are declared before. */
void vks_physarum_declare_steps(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration);

#endif
