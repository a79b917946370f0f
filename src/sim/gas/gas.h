/* SPDX-License-Identifier: MIT */
/* Shared by the files of the gas: docs/sims/gas.md. */
#ifndef VKS_SIM_GAS_GAS_H
#define VKS_SIM_GAS_GAS_H

#include <vksim/model.h>

#include "gas/params.h"
#include "gas/start.h"
#include "base/exact.h"

enum gas_method { GAS_PARTICLES, GAS_GRID };

/* Numbers of a variant: the interval of sorting or the length of a run of nodes, and how steps are
 * computed. */
enum { GAS_NUMBER, GAS_KIND };
enum gas_kind { GAS_UNSORTED, GAS_SORTED, GAS_FACES, GAS_RUNS };

enum gas_view {
    GAS_VIEW_DENSITY,
    GAS_VIEW_TEMPERATURE,
    GAS_VIEW_PRESSURE,
    GAS_VIEW_SPEED,
    GAS_VIEW_VORTICITY,
    GAS_VIEW_HEAT,
    GAS_VIEW_OSCILLATORS,
    GAS_VIEW_POTENTIAL,
    GAS_VIEW_POINTS,
    GAS_VIEW_POINTS_SPEED,
    GAS_VIEW_POINTS_TEMPERATURE,
};

/* Limits of inputs, so that no product overflows. */
#define GAS_LARGEST 1073741824.0
#define GAS_MAX_PARTICLES 1e9

/* The options. */
struct gas_settings {
    uint32_t method;
    uint64_t particles;
    double gamma, gravity, conductivity, dt, cfl, mixing;
    double end_time; /* 0: none */
    double boltzmann, planck, exchange_time;
    char *frequency;
    uint64_t waves, clumps;
    double wave_slope, wave_strength, temperature, mach, ratio, speed, radius, energy, clump_size;
    /* Parsed texts. */
    double lowest_frequency, highest_frequency;
};

/* The bits of vks_real(). */
uint32_t vks_gas_real_bits(double value);

/* Size of the grid in nodes: z, y, x; of the whole box, and of what a rank has. */
void vks_gas_sides(const struct vks_config *config, uint32_t sides[3]);
void vks_gas_sides_here(const struct vks_config *config, uint32_t sides[3]);
/* Nodes of both, and along the longest side of the whole box: 1 / h. */
double vks_gas_nodes(const struct vks_config *config);
double vks_gas_nodes_here(const struct vks_config *config);
uint32_t vks_gas_longest(const struct vks_config *config);

/* Particles that carry the gas, or tracers. */
uint64_t vks_gas_count(const struct vks_config *config);
/* True if heat and oscillators exchange energy. */
bool vks_gas_exchanges(const struct vks_config *config);

struct gas_params vks_gas_params(const struct vks_config *config);
struct gas_start_params vks_gas_start_params(const struct vks_config *config);
/* The same, with the additional values for particles. */
struct gas_start_params vks_gas_start_particles(const struct vks_config *config);

/* The model's parse() and check(), and the part of check() for views. */
enum vks_result vks_gas_parse(const struct vks_model *model, void *settings);
enum vks_result vks_gas_check(const struct vks_config *config);
enum vks_result vks_gas_check_view(const struct vks_config *config);

/* Arrays of state files besides the fields, and the model's complete(). */
extern const struct vks_member vks_gas_members[];
enum vks_result vks_gas_complete(const struct vks_config *config, const struct vks_field *field,
                                 const struct vks_arrays *arrays, uint64_t count, double **numbers,
                                 char assumed[VKS_ASSUMED_SIZE]);

/* brush.c: the model's brushes. */
extern const struct vks_brush vks_gas_brushes[];

/* ranks.c: one of several ranks. Meetings mean nothing on one rank. */
bool vks_gas_is_cut(const struct vks_config *config);
enum vks_result vks_gas_check_ranks(const struct vks_config *config);
/* Nodes of a row of a slab: a plane of a volume. */
uint64_t vks_gas_row_nodes(const struct vks_config *config);
/* Elements of the fields of particles, once these are declared, also in a frame. */
uint32_t vks_gas_room(const struct vks_config *config, const struct vks_declaration *declaration);
/* The name of a shader's version for ranks, if that is needed; the field, or NULL on one rank. */
const char *vks_gas_shader(const struct vks_config *config, struct vks_declaration *declaration,
                           const char *name);
const char *vks_gas_on_ranks(const struct vks_config *config, const char *field);
/* What a shader needs of gas/slab.glsl. */
enum gas_rows {
    GAS_PLACES = 1,
    GAS_OWN_ROWS = 2,
    GAS_SIDE = 4,
    GAS_ANY_ROW = GAS_PLACES | GAS_OWN_ROWS | GAS_SIDE
};
/* A pass's own specializations, or NULL, and on several ranks those that it needs. */
const struct vks_specialization *vks_gas_specialize(const struct vks_config *config,
                                                    struct vks_declaration *declaration,
                                                    unsigned needs,
                                                    const struct vks_specialization *own);
void vks_gas_declare_exchange(const struct vks_config *config, struct vks_declaration *declaration);
/* Fields of ranks that have particles. */
void vks_gas_declare_edges(const struct vks_config *config, struct vks_declaration *declaration);
/* A deposit whose sums at the edge the rank after needs. */
struct gas_edge {
    const char *deposit;
    enum vks_when when;
    const struct vks_specialization *tile; /* its sides; NULL: without tiles */
};
void vks_gas_meet_for_sums(const struct vks_config *config, const struct gas_params *params,
                           const struct gas_edge *edge, struct vks_declaration *declaration);
void vks_gas_meet_for_dispersion(const struct vks_config *config, const struct gas_params *params,
                                 const struct vks_specialization *tile,
                                 struct vks_declaration *declaration);
/* The halos of what the nodes have from the deposits and, with `gathers`, all of the density. */
void vks_gas_meet_for_nodes(const struct vks_config *config, enum vks_when when, bool gathers,
                            struct vks_declaration *declaration);
void vks_gas_meet_for_density(const struct vks_config *config, enum vks_when when,
                              struct vks_declaration *declaration);
/* Declares a field (F32) with a value per node of the whole box. */
void vks_gas_declare_whole(const struct vks_config *config, const char *name,
                           struct vks_declaration *declaration);
/* The field with the density of the whole box, which it declares if need be. */
const char *vks_gas_whole_density(const struct vks_config *config,
                                  struct vks_declaration *declaration);
/* The limits of dt over all ranks, and the halos of these fields, or none. */
void vks_gas_meet_for_limits(const struct vks_config *config, const char *const *halos,
                             struct vks_declaration *declaration);
/* After the pass that measures the largest values, and after that of the sum. */
void vks_gas_meet_for_measures(const struct vks_config *config, bool sum,
                               struct vks_declaration *declaration);
/* The same, of the energies of a frame; the sums are 0 before the first. */
void vks_gas_meet_for_energies(const struct vks_config *config, bool sum,
                               struct vks_declaration *declaration);
/* The energy of all particles, after they have moved. */
void vks_gas_add_energy(const struct vks_config *config, const struct gas_params *params,
                        struct vks_declaration *declaration);

/* Declares the table of waves of the initial conditions. */
void vks_gas_declare_modes(const struct vks_config *config, struct vks_declaration *declaration);

/* Declares the state of particles or tracers and the pass that initialises them. */
void vks_gas_declare_items(const struct vks_config *config, struct vks_declaration *declaration);
void vks_gas_declare_items_start(const struct vks_config *config,
                                 struct vks_declaration *declaration);

/* Declares the passes of tracers before and after the grid's step, and for pictures of their
 * oscillators. */
void vks_gas_declare_tracers(const struct vks_config *config, struct vks_declaration *declaration);
void vks_gas_declare_sampling(const struct vks_config *config, struct vks_declaration *declaration);
void vks_gas_declare_advection(const struct vks_config *config,
                               struct vks_declaration *declaration);
void vks_gas_declare_oscillators(const struct vks_config *config,
                                 struct vks_declaration *declaration);

/* The end of the gas's time in units of 2^-40; the largest number: none. */
uint64_t vks_gas_end(const struct vks_config *config);

/* Declares the fields and passes of a method. Both methods share "clockwork", "limits",
 * "step_values" and "status", from vks_gas_declare_clock(). */
void vks_gas_declare_clock(const struct vks_config *config, struct vks_declaration *declaration);
void vks_gas_declare_grid(const struct vks_config *config, struct vks_declaration *declaration);
void vks_gas_declare_particles(const struct vks_config *config,
                               struct vks_declaration *declaration);
/* Declares the frame's passes for what pictures show. */
void vks_gas_declare_grid_frame(const struct vks_config *config,
                                struct vks_declaration *declaration);
void vks_gas_declare_particles_frame(const struct vks_config *config,
                                     struct vks_declaration *declaration);

/* Whether a grid has faces to keep in memory, which it has with two axes or more, and not too many.
 */
bool vks_gas_fits_faces(const struct vks_config *config);
/* Particles sorted by tiles of nodes at an interval of steps: the number of tiles, the sorting, and
 * the passes that use it, which deposit on the nodes and find the limits of dt.
 * vks_gas_fits_tiles(): false if the sums of all tiles exceed 32-bit indices: then particles cannot
 * be sorted. */
bool vks_gas_fits_tiles(const struct vks_config *config);
void vks_gas_count_tiles(const struct vks_config *config, struct gas_params *params);
void vks_gas_declare_tiles(const struct vks_config *config, const struct gas_params *params,
                           uint32_t every, struct vks_declaration *declaration);
void vks_gas_deposit_tiles(const struct vks_config *config, const struct gas_params *params,
                           struct vks_declaration *declaration);
void vks_gas_dispersion_tiles(const struct vks_config *config, const struct gas_params *params,
                              struct vks_declaration *declaration);
void vks_gas_limits_tiles(const struct vks_config *config, const struct gas_params *params,
                          struct vks_declaration *declaration);
void vks_gas_move_tiles(const struct vks_config *config, const struct vks_pass *move,
                        uint32_t every, struct vks_declaration *declaration);

enum { GAS_HOT_VIEWS = 1 << GAS_VIEW_TEMPERATURE | 1 << GAS_VIEW_PRESSURE | 1 << GAS_VIEW_HEAT };
enum {
    GAS_POINTS_VIEWS =
        1 << GAS_VIEW_POINTS | 1 << GAS_VIEW_POINTS_SPEED | 1 << GAS_VIEW_POINTS_TEMPERATURE
};
enum { GAS_MOVING_VIEWS = 1 << GAS_VIEW_SPEED | 1 << GAS_VIEW_VORTICITY };
/* True if files hold the velocity of the gas. */
bool vks_gas_shows_velocity(const struct vks_config *config);
/* Declares the frame's passes that compute what is displayed or written of these views (not
 * density, potential and points) from the nodes' fields; `hot` is the field of their heat or, with
 * `has_pressure`, pressure. */
void vks_gas_declare_views(const struct vks_config *config, const struct gas_params *params,
                           uint32_t views, const char *hot, bool has_pressure,
                           struct vks_declaration *declaration);

/* Computes "potential" and the accelerations "acceleration_z", "acceleration_y" and
 * "acceleration_x" from "density". With `chooses` the last pass also chooses dt of particles: all
 * other limits are complete by then. */
void vks_gas_declare_gravity(const struct vks_config *config, bool chooses,
                             struct vks_declaration *declaration);
/* Computes the potential of a frame from "density". Returns the field's name. Repeated calls
 * declare it once. */
const char *vks_gas_declare_potential(const struct vks_config *config,
                                      struct vks_declaration *declaration);

/* Declares the energies for --watch, if requested. Call it after the passes for pictures: with
 * gravity, particles must have deposited mass and momentum on the nodes for the frame. */
void vks_gas_declare_energies(const struct vks_config *config, struct vks_declaration *declaration);

#endif
