/* SPDX-License-Identifier: MIT */
/* The GLSL of a formula model's passes. */
#ifndef VKS_FORMULA_EMIT_H
#define VKS_FORMULA_EMIT_H

#include "formula/expression.h"

enum { VKS_FORMULA_CONSTANTS = 1024 };

/* The constant nodes of all passes, in the order of the buffer "numbers". */
struct vks_formula_constants {
    uint32_t nodes[VKS_FORMULA_CONSTANTS];
    uint32_t count;
};

/* What a pass writes into a field: the node's value, within the field's limits and flushed. */
struct vks_formula_output {
    uint32_t field, node;
    bool next; /* into the field's other buffer */
};

/* The push constants of every pass. */
struct vks_formula_push {
    uint32_t width, height, depth, seed;
    uint32_t mirrored; /* bits of the axes x, y, z: no flux through the edges; else periodic */
    float per_width, per_height, per_depth;
};

struct vks_formula_pass {
    struct vks_formula_output outputs[VKS_FORMULA_FIELDS];
    size_t output_count;
    uint32_t lanes; /* cells of a row per invocation: 1, or 4 for widths that are multiples of it */
    /* Set by vks_formula_emit(): bits of the fields that it reads, and whether it reads numbers. */
    uint32_t reads;
    bool has_numbers;
};

/* The text of the pass, to be freed; NULL on failure. Storage buffers are named f0 and f0_next
 * after the fields' numbers, "numbers" (the constants) and "status_word"; that becomes 1 + the
 * number of a field whose values left its limits. Adds to the constants. */
char *vks_formula_emit(const struct vks_expressions *expressions, struct vks_formula_pass *pass,
                       struct vks_formula_constants *constants);

#endif
