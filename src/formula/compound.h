/* SPDX-License-Identifier: MIT */
/* The inside of a compound (docs/compounds.md), a model of other models that share fields:
 * compound.c reads its JSON, compound_tables.c makes its tables of those of its parts,
 * compound_declare.c has the functions of the model. */
#ifndef VKS_FORMULA_COMPOUND_H
#define VKS_FORMULA_COMPOUND_H

#include "formula/private.h"

enum {
    VKS_COMPOUND_PARTS = 4,
    VKS_COMPOUND_READS = 12, /* fields that expressions read; some devices take 24 buffers */
    VKS_COMPOUND_INPUTS = VKS_FORMULA_ALL_FIELDS - VKS_COMPOUND_READS,
    VKS_COMPOUND_FIXED = 48, /* options of a part */
};

/* The settings of a compound: then follow those of each part, at its `settings`. */
struct vks_compound_settings {
    struct vks_formula_settings own; /* the parameters */
    uint32_t starts[VKS_COMPOUND_PARTS];
};

/* An option of a part that the compound does not have, because of an input. */
struct vks_compound_fixed {
    const struct vks_option *option;
    const char *value; /* NULL: it has no effect */
};

struct vks_compound_part {
    const char *name;
    const char *scope; /* "name." */
    const struct vks_model *model;
    bool owned;      /* the model is freed with the compound */
    size_t settings; /* offset */
    struct vks_compound_fixed fixed[VKS_COMPOUND_FIXED];
    size_t fixed_count;
    uint32_t first_view, view_count, first_vector, vector_count; /* in the compound's */
    const char *mask;                /* field that covers pictures; NULL: not known yet */
    struct vks_formula_stage *stage; /* of the program: what computes its inputs; NULL: none */
};

struct vks_compound_input {
    const struct vks_input *input;
    size_t part;
    const char *key, *value; /* in the file; the value may be a number's text */
    uint32_t field;          /* of expressions */
    uint32_t times;          /* parameter of expressions; 0: none */
};

struct vks_compound {
    struct vks_compound_part parts[VKS_COMPOUND_PARTS];
    size_t part_count;
    struct vks_compound_input inputs[VKS_COMPOUND_INPUTS];
    size_t input_count;
    /* Of each brush: its part, and the row of that. */
    size_t brush_parts[VKS_MAX_BRUSHES];
    const struct vks_brush *brushes[VKS_MAX_BRUSHES];
    size_t variant_part; /* whose variants are the compound's; SIZE_MAX: there are none */
};

/* Fills a zeroed formula from its `json`. Files of parts are looked for beside it if `has_files`,
 * and become a part of the JSON. */
enum vks_result vks_compound_read(struct vks_formula *formula, bool has_files);
void vks_compound_free(struct vks_compound *compound);
/* Parses the expressions of the inputs and makes their passes. */
enum vks_result vks_compound_make_steps(struct vks_formula *formula,
                                        struct vks_formula_program *program);

/* Makes options, views, vectors, brushes and the rest of the model from those of the parts. */
enum vks_result vks_compound_make_tables(struct vks_formula *formula);
/* The fixed option of that name; NULL: the compound has the option. */
const struct vks_compound_fixed *vks_compound_fixed(const struct vks_compound_part *part,
                                                    const char *name);
/* Whether an input gives the field of a part. */
bool vks_compound_is_input(const struct vks_compound *compound, size_t part, const char *field);
/* "mould-decay", the compound's name of an option, a view or a brush. */
const char *vks_compound_name(struct vks_formula *formula, const struct vks_compound_part *part,
                              const char *name);

/* Sets the functions of the model. */
void vks_compound_set(struct vks_model *model);
bool vks_is_compound(const struct vks_model *model);
/* Declares the steps of one part, as in a run. */
void vks_compound_declare_part(const struct vks_config *config, size_t part,
                               struct vks_declaration *declaration);
/* vks_brush.declare of each brush. */
typedef void vks_compound_paint_fn(const struct vks_config *config,
                                   struct vks_declaration *declaration);
extern vks_compound_paint_fn *const vks_compound_paints[VKS_MAX_BRUSHES];

#endif
