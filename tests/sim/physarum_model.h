/* SPDX-License-Identifier: MIT */
/* Physarum in float64: positions in cells, headings in radians, the C library's sine and cosine.
 * It shares the options and the random words with the reference, and no arithmetic. One species. */
#ifndef VKS_TESTS_SIM_PHYSARUM_MODEL_H
#define VKS_TESTS_SIM_PHYSARUM_MODEL_H

#include <stdint.h>

#include "physarum_reference.h"

struct physarum_model {
    uint32_t width, height;
    uint64_t agents;
    uint64_t step;   /* steps done */
    double *trail;   /* height x width */
    double *y, *x;   /* agents, in cells: [0, height) and [0, width) */
    double *heading; /* agents, in radians, any turn */
    uint32_t seed;
    struct physarum_settings settings;
    double *mean; /* height x width */
};

/* The same moment of the same run as `state`; NULL when memory ran out. */
struct physarum_model *physarum_model_create(const struct physarum_state *state);
void physarum_model_step(struct physarum_model *model);
void physarum_model_free(struct physarum_model *model); /* takes NULL */

/* The two halves of a step; the first leaves its deposits in the trail. */
void physarum_model_move_agents(struct physarum_model *model);
void physarum_model_update_field(struct physarum_model *model);

#endif
