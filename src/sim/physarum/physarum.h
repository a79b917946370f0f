/* SPDX-License-Identifier: MIT */
/* Shared by the files of Physarum: docs/sims/physarum.md. */
#ifndef VKS_SIM_PHYSARUM_PHYSARUM_H
#define VKS_SIM_PHYSARUM_PHYSARUM_H

#include <vksim/model.h>

#include "base/exact.h"
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

enum { PHYSARUM_VIEW_TRAIL, PHYSARUM_VIEW_AGENTS, PHYSARUM_VIEW_HEADINGS, PHYSARUM_VIEW_FOOD };

/* What depends on the trail x near an agent, relative to trail-full: base + gain x^power. */
struct physarum_quantity {
    double base, gain, power;
};

/* A point of the parameter space, in cells and degrees. Each of the first numbers may be a list,
 * with one value per species. */
enum { PHYSARUM_POINT_LISTS = 14, PHYSARUM_FIELD_LISTS = 3 };
struct physarum_point {
    struct physarum_quantity sensor_distance, sensor_angle, turn_angle, step_size;
    double jitter, trail_full;
    double trail_ahead, trail_below;
    struct vks_list lists[PHYSARUM_POINT_LISTS];
};

/* Of a trail, likewise. */
struct physarum_field {
    double deposit, diffuse, decay;
    struct vks_list lists[PHYSARUM_FIELD_LISTS];
};

/* Likewise, of food. */
struct physarum_food {
    double attraction;
    struct vks_list lists[1];
};

enum { PHYSARUM_MAX_SUBSTEPS = 16 };

/* Of --wall-sight. */
enum { PHYSARUM_BLOCKED, PHYSARUM_OPEN };

/* Of --walls and --food. */
enum physarum_walls {
    PHYSARUM_NO_WALLS,
    PHYSARUM_FRAME,
    PHYSARUM_DISC_WALLS,
    PHYSARUM_GIVEN_WALLS,
    PHYSARUM_IMAGE_WALLS,
    PHYSARUM_MAZE,
};
enum physarum_food_kind {
    PHYSARUM_NO_FOOD,
    PHYSARUM_GIVEN_FOOD,
    PHYSARUM_IMAGE_FOOD,
    PHYSARUM_POINTS_OF_FOOD,
};

/* An image whose brightness scales an option, in the order of PHYSARUM_MAP_SENSOR_DISTANCE, ... */
enum { PHYSARUM_MAPS = 8 };
struct physarum_map {
    double low, high;    /* factors where it is black and white */
    size_t file, length; /* its name in the text of --maps; length 0: none */
};

struct physarum_settings {
    uint64_t agents;
    double density;
    struct physarum_point point;
    struct physarum_field field;
    double field_strength, start_radius;
    uint64_t diffuse_size;
    uint32_t sampling, steering, boundary;
    double deposit_power;
    uint64_t deposit_limit, lifetime;
    double blend;
    char *blend_to, *blend_map, *blend_spot;
    uint64_t species;
    char *species_shares, *attraction;
    uint32_t species_start, infection, species_mix;
    double infection_factor, infection_trail;
    uint64_t infection_time, species_view;
    char *species_colors;
    char *walls, *food, *maps, *wall_color;
    double walls_level, food_strength, food_radius, food_eaten;
    uint32_t at_wall, wall_sight;
    struct physarum_food of_food;
    /* Parsed: */
    uint32_t walls_kind, food_kind;
    uint32_t passages; /* of a maze, along the shorter side */
    struct physarum_map map[PHYSARUM_MAPS];
    struct physarum_point second; /* of --blend-to */
    double spot_x, spot_y, spot_radius;
    double shares[PHYSARUM_MAX_SPECIES];
    uint32_t attractions;                                       /* enum physarum_attractions */
    double matrix[PHYSARUM_MAX_SPECIES * PHYSARUM_MAX_SPECIES]; /* of ATTRACTION_NUMBERS */
    char colours[PHYSARUM_MAX_SPECIES][256];
};

extern const struct vks_option_table vks_physarum_options;
extern const struct vks_preset vks_physarum_presets[];
/* Names of the choices of --sampling. */
extern const char *const vks_physarum_samplings[];

/* --- species.c: several species --------------------------------------------------------------- */

/* The names of --attraction, or numbers. */
enum physarum_attractions {
    ATTRACTION_IGNORE,
    ATTRACTION_AVOID,
    ATTRACTION_FOLLOW,
    ATTRACTION_CHASE,
    ATTRACTION_RANDOM,
    ATTRACTION_NUMBERS,
};

/* Their number, at least 1. */
uint32_t vks_physarum_species(const struct physarum_settings *settings);
/* The field of the agents' species; of one species, which has none, one that stands in for it in
 * bindings that are not used. */
const char *vks_physarum_species_field(const struct physarum_settings *settings);
/* The numbers of one species; lists have no part in them. */
struct physarum_point vks_physarum_point(const struct physarum_point *point, uint32_t species);
struct physarum_field vks_physarum_field(const struct physarum_field *field, uint32_t species);
/* Parts of the model's `parse` and `check`. */
enum vks_result vks_physarum_parse_species(struct physarum_settings *settings);
enum vks_result vks_physarum_check_species(const struct vks_config *config);
/* How strongly a species is attracted by the trail of another: a multiple of 2^-10. */
double vks_physarum_attraction(const struct vks_config *config, uint32_t species, uint32_t other);
/* The same by the trail of food. */
double vks_physarum_food_attraction(const struct physarum_settings *settings, uint32_t species);
/* Sets the members of `params` that say where species begin. */
void vks_physarum_set_shares(const struct vks_config *config, struct physarum_start_params *params);
/* Declares the field of the agents' species. */
void vks_physarum_declare_species(const struct vks_config *config,
                                  struct vks_declaration *declaration);
/* Declares the number of agents of each species, for tables. */
void vks_physarum_declare_populations(const struct vks_config *config,
                                      const struct physarum_params *params,
                                      struct vks_declaration *declaration);
/* The model's `mix`. */
void vks_physarum_mix(const struct vks_config *config, struct vks_mix *mix);

/* --- surroundings.c: walls, food and maps ----------------------------------------------------- */

/* Parts of the model's `parse` and `check`. */
enum vks_result vks_physarum_parse_surroundings(struct physarum_settings *settings);
enum vks_result vks_physarum_check_surroundings(const struct vks_config *config);
/* The model's `warning`. */
const char *vks_physarum_warning(const struct vks_config *config);
bool vks_physarum_has_walls(const struct physarum_settings *settings);
bool vks_physarum_has_food(const struct physarum_settings *settings);
/* Whether food has a trail of its own, because there are several species. */
bool vks_physarum_has_food_trail(const struct physarum_settings *settings);
/* Bits of PHYSARUM_MAP_SENSOR_DISTANCE, ... */
uint32_t vks_physarum_maps(const struct physarum_settings *settings);
/* The largest factor of a map, by its number; 1 if there is none. */
double vks_physarum_max_factor(const struct physarum_settings *settings, uint32_t map);
/* Its field, or one that stands in for it in bindings that are not used. */
const char *vks_physarum_map_field(const struct physarum_settings *settings, uint32_t map);
/* vks_model.mask: walls in pictures. */
void vks_physarum_mask(const struct vks_config *config, struct vks_mask *mask);
/* maze.c: sets the bits of the walls of a maze in zeroed rows of ceil(width / 32) words. Both sides
 * have at least 4 cells per passage. */
enum vks_result vks_physarum_fill_maze(uint32_t width, uint32_t height, uint32_t passages,
                                       uint32_t seed, uint32_t *words);
/* Declares the fields of walls, food and maps. */
void vks_physarum_declare_surroundings(const struct vks_config *config,
                                       struct vks_declaration *declaration);
/* Declares the passes that keep agents and trail out of walls before the first step. After the
 * passes of a step. */
void vks_physarum_declare_opening(const struct vks_config *config,
                                  const struct physarum_params *params,
                                  struct vks_declaration *declaration);

/* --- general.c: traits that depend on the trail, a second point, lifetime -------------------- */

/* The model's `parse`, and a part of its `check`. */
enum vks_result vks_physarum_parse(const struct vks_model *model, void *settings);
enum vks_result vks_physarum_check_general(const struct vks_config *config);
/* Whether agents have traits of their own. */
bool vks_physarum_has_form(const struct physarum_settings *settings);
/* Whether there are several species or walls, or agents have traits of their own or a lifetime, so
 * that their passes use the general shaders. */
bool vks_physarum_is_general(const struct physarum_settings *settings);
/* Whether there are walls, food or maps of the trail, so that the field's passes do. */
bool vks_physarum_has_general_field(const struct physarum_settings *settings);
/* The points at which an agent looks for walls on the way to a sensor, and the substeps of a step:
 * of at most a cell each, but at most 32 and 16. */
uint32_t vks_physarum_sight(const struct physarum_settings *settings);
uint32_t vks_physarum_substeps(const struct physarum_settings *settings);
/* Where the share of the second point comes from: PHYSARUM_NO_BLEND, ... */
uint32_t vks_physarum_blend(const struct physarum_settings *settings);
/* How counts become deposits: PHYSARUM_LINEAR, ... */
uint32_t vks_physarum_curve(const struct physarum_settings *settings);
/* The first option that is set and excludes steps of few agents (fused.c); NULL: none. */
const char *vks_physarum_feature(const struct physarum_settings *settings);
/* The first point; of several species, or with traits of agents, its lengths and its jitter are the
 * largest possible ones. */
struct physarum_point vks_physarum_widest(const struct physarum_settings *settings);
/* Declares the fields that only general shaders and the fields of several species read. */
void vks_physarum_declare_general(const struct vks_config *config,
                                  struct vks_declaration *declaration);

/* --- brush.c --------------------------------------------------------------------------------- */

/* vks_brush.declare of the brushes `agents` and `walls`. */
void vks_physarum_brush_agents(const struct vks_config *config,
                               struct vks_declaration *declaration);
void vks_physarum_brush_walls(const struct vks_config *config, struct vks_declaration *declaration);

/* --- ranks.c: one of several ranks ------------------------------------------------------------ */

/* The same run with the height of the rank's fields. */
struct vks_config vks_physarum_local(const struct vks_config *config);
/* The name of a pass's shader, or of that for ranks. */
const char *vks_physarum_shader(const struct vks_config *config,
                                struct vks_declaration *declaration, const char *name);
/* The field with the number of agents in memory; NULL, the end of a list, on one rank. */
const char *vks_physarum_alive(const struct vks_config *config);
/* A part of the model's `check`. */
enum vks_result vks_physarum_check_ranks(const struct vks_config *config);
/* Declares what ranks exchange, if that is possible with these settings. After the fields of the
 * state. */
void vks_physarum_declare_exchange(const struct vks_config *config,
                                   struct vks_declaration *declaration);

/* --- model.c --------------------------------------------------------------------------------- */

struct physarum_params vks_physarum_params(const struct vks_config *config);

/* The traits of a point that do not depend on the trail, and the numbers of a trail. */
void vks_physarum_set_point(const struct vks_config *config, const struct physarum_point *point,
                            struct physarum_params *params);
void vks_physarum_set_field(const struct physarum_field *field, struct physarum_params *params);

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
