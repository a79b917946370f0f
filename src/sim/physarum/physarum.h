/* SPDX-License-Identifier: MIT */
/* Shared by the files of Physarum: docs/sims/physarum.md. */
#ifndef VKS_SIM_PHYSARUM_PHYSARUM_H
#define VKS_SIM_PHYSARUM_PHYSARUM_H

#include "graph/model.h"
#include "physarum/params.h"

/* Numbers of a variant: the interval of sorting or the steps of a dispatch, how steps are computed,
 * and whether the counts of a cell are bytes. */
enum { PHYSARUM_NUMBER, PHYSARUM_KIND, PHYSARUM_BYTES };
enum {
    PHYSARUM_UNSORTED,
    PHYSARUM_SORTED,   /* agents are sorted at an interval of steps and counted by windows */
    PHYSARUM_SOFTWARE, /* for software drivers; sorted unless the interval is 0 */
    PHYSARUM_JOINED,   /* the field's pass of a step with the agents' pass of the next */
    PHYSARUM_TOGETHER, /* steps of one workgroup in one dispatch */
};

/* What depends on the trail x near an agent, relative to trail-full: base + gain x^power. */
struct physarum_quantity {
    double base, gain, power;
};

/* A point of the parameter space, in cells and degrees. */
struct physarum_point {
    struct physarum_quantity sensor_distance, sensor_angle, turn_angle, step_size;
    double jitter, trail_full, trail_ahead, trail_below;
};

struct physarum_settings {
    uint64_t agents;
    struct physarum_point point;
    double deposit, diffuse, decay, field_strength, start_radius;
    uint64_t diffuse_size;
    uint32_t sampling, steering, boundary;
    double deposit_power;
    uint64_t deposit_limit, lifetime;
    double blend;
    char *blend_to, *blend_map, *blend_spot;
    /* Parsed: */
    struct physarum_point second; /* of --blend-to */
    double spot_x, spot_y, spot_radius;
};

extern const struct vks_option_table vks_physarum_options;
extern const struct vks_preset vks_physarum_presets[];
/* Names of the choices of --sampling. */
extern const char *const vks_physarum_samplings[];

/* An option for the shaders: float32, flushed below 2^-60. */
float vks_physarum_real(double value);

/* --- general.c: traits that depend on the trail, a second point, lifetime -------------------- */

/* The model's `parse`, and a part of its `check`. */
enum vks_result vks_physarum_parse(void *settings);
enum vks_result vks_physarum_check_general(const struct vks_config *config);
/* Whether agents have traits of their own. */
bool vks_physarum_has_form(const struct physarum_settings *settings);
/* Whether agents have traits of their own or a lifetime, so that their passes use the general
 * shaders. */
bool vks_physarum_is_general(const struct physarum_settings *settings);
/* Where the share of the second point comes from: PHYSARUM_NO_BLEND, ... */
uint32_t vks_physarum_blend(const struct physarum_settings *settings);
/* How counts become deposits: PHYSARUM_LINEAR, ... */
uint32_t vks_physarum_curve(const struct physarum_settings *settings);
/* The first option that is set and excludes steps of few agents (fused.c); NULL: none. */
const char *vks_physarum_feature(const struct physarum_settings *settings);
/* The first point; with traits of agents, its lengths and its jitter are the largest possible ones.
 */
struct physarum_point vks_physarum_widest(const struct physarum_settings *settings);
/* Declares the fields that only general shaders read. */
void vks_physarum_declare_general(const struct vks_config *config,
                                  struct vks_declaration *declaration);

/* --- steps.c: variants of the step ---------------------------------------------------------- */

/* The model's `variants` and `candidates`. */
extern const struct vks_variant_row vks_physarum_variants[];
void vks_physarum_candidates(const struct vks_config *config, struct vks_candidates *candidates);
/* Adds a variant of this kind. */
void vks_physarum_add(struct vks_candidates *candidates, uint32_t kind, uint32_t number,
                      bool bytes);
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

/* VKS_ERROR_USAGE if the variant does not fit the run or its device. */
enum vks_result vks_physarum_check_fused(const struct vks_config *config);
/* Adds the variants that fit the run. */
void vks_physarum_list_fused(const struct vks_config *config, struct vks_candidates *candidates);
/* As vks_physarum_declare_steps(); false, and nothing is declared, if steps are not fused. */
bool vks_physarum_declare_fused(const struct vks_config *config,
                                const struct physarum_params *params,
                                struct vks_declaration *declaration);

#endif
