/* SPDX-License-Identifier: MIT */
/* docs/brushes.md in plain single-threaded C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_BRUSH_REFERENCE_H
#define VKS_TESTS_SIM_BRUSH_REFERENCE_H

#include <vksim/vksim.h>

/* The field. */
struct brush_grid {
    uint32_t width, height, depth; /* cells */
    bool closed;                   /* strokes end at the edges */
};

/* Weight times strength at a place in 1/64 cells: x, y, z. */
float brush_weight(const struct brush_grid *grid, const struct vks_stroke *stroke,
                   const int64_t place[3]);

/* The same at the centre of a cell. */
float brush_weight_of_cell(const struct brush_grid *grid, const struct vks_stroke *stroke,
                           uint32_t x, uint32_t y, uint32_t z);

/* From the start of the segment to its end, in 1/64 cells: x, y, z. */
void brush_way(const struct brush_grid *grid, const struct vks_stroke *stroke, int64_t way[3]);

/* What a stroke or its inverse does to a value. */
struct brush_change {
    bool adds; /* the amount; else it moves toward it */
    float amount, max;
};

/* The value after a stroke that has this weight there. */
float brush_changed(const struct brush_change *change, float value, float weight);

/* The brushes of Physarum that are more: docs/sims/physarum.md, "Brushes". */
struct brush_agents {
    uint32_t seed, step;
    uint64_t count;
    uint32_t *position; /* count x 2: y, x */
    uint32_t *heading;
    uint32_t *walls; /* rows of ceil(width / 32) words; NULL: none */
    float *trail;    /* planes x height x width */
    uint32_t planes;
};

void brush_move_agents(const struct brush_grid *grid, const struct vks_stroke *stroke,
                       struct brush_agents *agents);
/* With the agents and the trail that are in walls then. */
void brush_build_walls(const struct brush_grid *grid, const struct vks_stroke *stroke,
                       struct brush_agents *agents);

#endif
