/* SPDX-License-Identifier: MIT */
/* The inside of a model of formulas: read.c makes it from JSON, steps.c the passes of its scheme,
 * formula.c declares them. */
#ifndef VKS_FORMULA_PRIVATE_H
#define VKS_FORMULA_PRIVATE_H

#include <jansson.h>

#include "formula/emit.h"
#include "formula/formula.h"
#include "graph/model.h"

enum {
    VKS_FORMULA_STARTS = 16,
    VKS_FORMULA_PRESETS = 64,
    VKS_FORMULA_STAGES = 8,
    VKS_FORMULA_OPTIONS = VKS_FORMULA_PARAMETERS + 1
};

enum vks_formula_scheme {
    VKS_SCHEME_EULER,
    VKS_SCHEME_HEUN,
    VKS_SCHEME_RK4,
    VKS_SCHEME_SYMPLECTIC,
    VKS_SCHEME_MAP,
};

struct vks_formula_settings {
    uint32_t boundary;
    double parameters[VKS_FORMULA_PARAMETERS];
};

enum { VKS_FORMULA_PERIODIC, VKS_FORMULA_NO_FLUX };

/* A pass, with its shaders for one cell and for four per invocation, which are compiled when they
 * are used. */
struct vks_formula_stage {
    const char *name;
    struct vks_formula_pass pass;
    char *shaders[2];
    const char *shader_names[2]; /* NULL: not compiled yet */
};

struct vks_formula {
    struct vks_model model;
    json_t *json; /* has all texts */
    char *path;
    struct vks_expressions expressions;
    struct vks_formula_constants constants;
    enum vks_formula_scheme scheme;
    uint32_t field_count; /* of the model */
    const char *field_helps[VKS_FORMULA_FIELDS];
    uint32_t rates[VKS_FORMULA_FIELDS]; /* or new values: nodes */
    char *failures[VKS_FORMULA_FIELDS + 1];
    struct vks_formula_stage steps[VKS_FORMULA_STAGES];
    size_t step_count;
    struct vks_formula_stage starts[VKS_FORMULA_STARTS];
    size_t start_count;
    /* Tables of the model. */
    struct vks_option options[VKS_FORMULA_OPTIONS];
    struct vks_view views[VKS_FORMULA_FIELDS + 1];
    struct vks_preset presets[VKS_FORMULA_PRESETS + 1];
    const char *start_names[VKS_FORMULA_STARTS + 1];
    char **texts; /* that are not of the JSON, to be freed */
    size_t text_count, text_capacity;
};

/* A text that lives as long as the formula; NULL if memory ran out. */
const char *vks_formula_text(struct vks_formula *formula, const char *format, ...) VKS_PRINTF(2, 3);

/* Fills a zeroed formula from its `json`. */
enum vks_result vks_formula_read(struct vks_formula *formula);
/* Makes the passes of a step, once all expressions are parsed. */
enum vks_result vks_formula_make_steps(struct vks_formula *formula);

#endif
