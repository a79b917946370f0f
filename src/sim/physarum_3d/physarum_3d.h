/* SPDX-License-Identifier: MIT */
/* Shared by the files of Physarum in a volume: docs/sims/physarum-3d.md. */
#ifndef VKS_SIM_PHYSARUM_3D_PHYSARUM_3D_H
#define VKS_SIM_PHYSARUM_3D_PHYSARUM_3D_H

#include <vksim/model.h>

#include "base/exact.h"
#include "physarum_3d/params.h"

/* Part of the points' space, along x, y and z. */
struct physarum_3d_box {
    double low[3], high[3];
};

/* The options. */
struct physarum_3d_settings {
    uint64_t agents, lifetime;
    double density;
    double sensor_distance, sensor_angle, turn_angle, step_size, sharpness;
    uint32_t distance_spread;
    double deposit, decay, diffuse, trace_decay;
    char *food, *points_box;
    double points_margin, food_strength;
    /* Parsed texts. */
    bool has_food;
    bool has_box;
    struct physarum_3d_box box; /* with has_box */
};

enum physarum_3d_view {
    PHYSARUM_3D_VIEW_TRACE,
    PHYSARUM_3D_VIEW_TRAIL,
    PHYSARUM_3D_VIEW_POINTS,
};

/* --- food.c ---------------------------------------------------------------------------------- */

/* The model's parse(), for food and its box. */
enum vks_result vks_physarum_3d_parse(const struct vks_model *model, void *settings);
/* The file of points that is food; NULL: none. */
const char *vks_physarum_3d_points(const struct physarum_3d_settings *settings);
/* The model's check_files(): reads all points. */
enum vks_result vks_physarum_3d_check_files(const struct vks_config *config);
/* Declares the field "food", if there is food. */
void vks_physarum_3d_declare_food(const struct vks_config *config,
                                  struct vks_declaration *declaration);
/* The model's has_points() and tabulate(): the trace at each point. */
bool vks_physarum_3d_has_points(const struct vks_config *config);
enum vks_result vks_physarum_3d_tabulate(const struct vks_config *config, vks_read_fn *read,
                                         void *user, FILE *out);

#endif
