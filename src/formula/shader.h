/* SPDX-License-Identifier: MIT */
/* Compiles generated GLSL at run time. */
#ifndef VKS_FORMULA_SHADER_H
#define VKS_FORMULA_SHADER_H

#include "gpu/pipeline.h"

/* The lines of the texts in shaders/lib/ that generated shaders use; NULL ends them. */
extern const char *const vks_formula_library[];

/* Compiles a compute shader's text, checks that it is exact, and adds it to those that
 * vks_shader_find() finds, under a name of the caller that lives as long as the process.
 * `wide`: with a version for fields in chunks. VKS_ERROR_USAGE if there is no compiler. */
enum vks_result vks_formula_compile(const char *name, const char *text, bool wide);

#endif
