/* SPDX-License-Identifier: MIT */
/* docs/sims/physarum-3d.md in plain single-threaded C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_PHYSARUM_3D_REFERENCE_H
#define VKS_TESTS_SIM_PHYSARUM_3D_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options by their names; lengths in cells, angles in degrees. */
struct physarum_3d_settings {
    uint64_t agents, lifetime;
    double sensor_distance, sensor_angle, turn_angle, step_size, sharpness;
    uint32_t distance_spread;
    double deposit, decay, diffuse, trace_decay;
    char points[128]; /* the .csv file of --food; "": none */
    double box[6];    /* x, y, z of two corners; 0: the points and a margin */
    double points_margin, food_strength;
};

struct physarum_3d_state {
    uint32_t sides[3]; /* z, y, x; likewise below */
    uint32_t seed;
    uint64_t step; /* steps done */
    struct physarum_3d_settings settings;
    float *trail, *trace;
    float *food; /* NULL: none */
    uint32_t *place[3];
    float *direction[3];
    uint32_t *counts;    /* of deposits; 0 between steps */
    float *deposited[3]; /* D, and two buffers of its sums */
};

/* Step 0; NULL when memory ran out or the points cannot be read. */
struct physarum_3d_state *physarum_3d_create(uint32_t width, uint32_t height, uint32_t depth,
                                             uint32_t seed,
                                             const struct physarum_3d_settings *settings);
void physarum_3d_step(struct physarum_3d_state *state);
void physarum_3d_free(struct physarum_3d_state *state); /* takes NULL */

size_t physarum_3d_cells(const struct physarum_3d_state *state);

#endif
