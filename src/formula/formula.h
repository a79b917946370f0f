/* SPDX-License-Identifier: MIT */
/* Simulations from files of formulas: docs/formulas.md. */
#ifndef VKS_FORMULA_FORMULA_H
#define VKS_FORMULA_FORMULA_H

#include <stdio.h>

#include "graph/model.h"

/* Reads the file and registers its simulation (vks_model_register()), for the life of the process.
 * VKS_ERROR_FILE if it cannot be read, VKS_ERROR_USAGE with file and key of what is wrong. */
enum vks_result vks_formula_load(const char *path, const struct vks_model **model);

/* Writes the shaders of a model of formulas, as they are for a width that is a multiple of four. */
enum vks_result vks_formula_show(const struct vks_model *model, FILE *out);
/* Whether it is one. */
bool vks_is_formula(const struct vks_model *model);

#endif
