/* SPDX-License-Identifier: MIT */
/* Textbook Gray-Scott in float64: a Laplacian, a reaction, a feed and a kill term. It shares the
 * options with the reference, and no arithmetic. */
#ifndef VKS_TESTS_SIM_GRAY_SCOTT_MODEL_H
#define VKS_TESTS_SIM_GRAY_SCOTT_MODEL_H

#include <stdint.h>

#include "gray_scott_reference.h"

struct gray_scott_model {
    uint32_t width, height;
    double *u, *v;       /* height x width */
    double *feed, *kill; /* height x width: F and k of each cell */
    struct gray_scott_settings settings;
    double *next_u, *next_v;
};

/* The same u and v as `state`, F and k of its settings in every cell; NULL when memory ran out. */
struct gray_scott_model *gray_scott_model_create(const struct gray_scott_state *state);
void gray_scott_model_step(struct gray_scott_model *model);
void gray_scott_model_free(struct gray_scott_model *model); /* takes NULL */

#endif
