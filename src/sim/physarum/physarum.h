/* SPDX-License-Identifier: MIT */
/* Shared by the files of Physarum: docs/sims/physarum.md. */
#ifndef VKS_SIM_PHYSARUM_PHYSARUM_H
#define VKS_SIM_PHYSARUM_PHYSARUM_H

#include "graph/model.h"
#include "physarum/params.h"
#include "sim/sort_option.h"

/* What --fuse requests. */
struct physarum_fuse {
    bool automatic;
    bool joined;    /* the field's pass of a step with the agents' pass of the next */
    uint32_t steps; /* of one workgroup in one dispatch; 0 and 1: not fused */
};

struct physarum_settings {
    uint64_t agents;
    double sensor_distance, sensor_angle, turn_angle, step_size, jitter;
    double deposit, diffuse, decay, field_strength, start_radius;
    uint64_t diffuse_size;
    uint32_t sampling, steering, boundary, counts;
    char *sort, *fuse;
    /* Parsed texts. */
    struct vks_sort_interval sorting;
    struct physarum_fuse fused;
};

/* What --counts requests. */
enum physarum_counts { PHYSARUM_COUNTS_AUTO, PHYSARUM_COUNTS_BYTES, PHYSARUM_COUNTS_WORDS };

/* Names of the choices of these options. */
extern const char *const vks_physarum_samplings[];
extern const char *const vks_physarum_counts[];

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
/* Whether all distances, times a sine that may round to a little over 1, are below half a side. */
bool vks_physarum_is_near(const struct physarum_params *params);
/* Minimum memory traffic of the agents' pass, in bytes. */
double vks_physarum_agent_bytes(const struct physarum_settings *settings);

/* --- fused.c: steps with few agents ---------------------------------------------------------- */

/* VKS_ERROR_USAGE unless the text is auto, joined or a number of steps. */
enum vks_result vks_physarum_parse_fuse(const char *text, struct physarum_fuse *fuse);
/* VKS_ERROR_USAGE if the requested way does not fit the run or its device. */
enum vks_result vks_physarum_check_fuse(const struct vks_config *config);
/* Adds the variants that fit the run. */
void vks_physarum_list_fused(const struct vks_config *config, struct vks_variants *variants);
/* As vks_physarum_declare_steps(); false, and nothing is declared, if steps are not fused. */
bool vks_physarum_declare_fused(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration);

#endif
