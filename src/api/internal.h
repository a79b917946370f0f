/* SPDX-License-Identifier: MIT */
/* What the files share that a simulation is made of. */
#ifndef VKS_API_INTERNAL_H
#define VKS_API_INTERNAL_H

#include "api/simulation.h"
#include "api/sized.h"

/* What a simulation was started from. */
struct vks_origin {
    char *state_path; /* NULL: a fresh start */
    uint64_t seed;    /* with that state */
};

struct vks_simulation {
    vks_context *context;
    bool dead; /* can only be destroyed */
    struct vks_settings settings;
    unsigned planes;              /* view/view.h */
    vks_simulation *owner;        /* of the state that this one only draws; NULL: none */
    struct vks_view_params bands; /* max_bytes, part and row of the view */
    struct vks_origin origin;
    struct vks_graph *graph;   /* of steps; the owner's if there is one */
    struct vks_graph *picture; /* bound to it */
    /* Of a rank's rows of the picture, for the view's field and its fallback; NULL: none. */
    struct vks_graph *values[2];
    uint32_t *collected; /* fields of all ranks that rank 0 gets for each frame, by index */
    size_t collected_count;
    struct vks_graph *brushes[VKS_MAX_BRUSHES]; /* bound to the steps; NULL until first used */
    uint64_t painted;                           /* times that strokes were handed to the GPU */
    bool drawn; /* the frame is of the state and settings as they are */
};

/* VKS_ERROR_GPU after a failure that left the graph half changed. It stays until the simulation is
 * destroyed, because strings that were handed out belong to it. */
enum vks_result vks_simulation_alive(const vks_simulation *simulation);
/* After something that may have failed halfway: goes back to the snapshot after a failure, without
 * one the simulation can only be destroyed. Releases the snapshot. Returns `result`. */
enum vks_result vks_simulation_end_attempt(vks_simulation *simulation, vks_snapshot *before,
                                           enum vks_result result);

/* The persistent field of that name. VKS_ERROR_USAGE if there is none; fails like
 * vks_simulation_alive(). */
enum vks_result vks_simulation_find_field(const vks_simulation *simulation, const char *name,
                                          const struct vks_field **field);

/* A public set of planes as that of a simulation: with VKS_VIEW_BANDS, unless one of them has to be
 * whole. VKS_ERROR_USAGE for one that does not exist. */
enum vks_result vks_planes_with_bands(uint32_t given, unsigned *planes);
/* Notes the planes for the next declaration of the picture. */
void vks_simulation_take_planes(vks_simulation *simulation, unsigned planes);

/* Fills what the host makes. `has_state`: without fields of the state. */
enum vks_result vks_simulation_fill(vks_simulation *simulation, bool has_state);
/* Puts the model in its start, or in that of the state file. */
enum vks_result vks_simulation_start(vks_simulation *simulation,
                                     const struct vks_state_file *state);
/* Continues with other settings, which the simulation takes over. After a failure they are still
 * the caller's, and the simulation is as it was, or dead. */
enum vks_result vks_simulation_use(vks_simulation *simulation, struct vks_settings *settings);
/* Declares again from the settings and updates the graphs. A failure may leave one of them updated.
 */
enum vks_result vks_simulation_update(vks_simulation *simulation);
/* The same for the picture only, after its look, part or row has changed. */
enum vks_result vks_simulation_update_picture(vks_simulation *simulation);

#endif
