/* SPDX-License-Identifier: MIT */
/* The GLSL of a formula model's passes. */
#ifndef VKS_FORMULA_EMIT_H
#define VKS_FORMULA_EMIT_H

#include "formula/expression.h"

enum { VKS_FORMULA_CONSTANTS = 1024, VKS_FORMULA_STOPS = 8 };

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

/* Ends the run where the node's value is not 0. */
struct vks_formula_stop {
    uint32_t node;
    uint32_t status; /* that it reports */
};

/* The values of fields beyond the edges. */
enum { VKS_FORMULA_SIDES = 6, VKS_FORMULA_MIRRORED = -1 };
struct vks_formula_ghosts {
    /* By field and side (left, right, top, bottom, front, back): a node in which a field is the
     * value at the mirrored cell; or VKS_FORMULA_MIRRORED, which is that value itself. */
    int64_t nodes[VKS_FORMULA_ALL_FIELDS][VKS_FORMULA_SIDES];
};

/* The push constants of every pass. */
struct vks_formula_push {
    uint32_t width, height, depth, seed;
    /* Bits 0 to 2: the axes x, y, z whose edges mirror; the others are periodic. Bit 3: values
     * beyond the edges are those of struct vks_formula_ghosts. */
    uint32_t edges;
    float per_width, per_height, per_depth;
};

struct vks_formula_pass {
    struct vks_formula_output outputs[VKS_FORMULA_FIELDS];
    size_t output_count;
    struct vks_formula_stop stops[VKS_FORMULA_STOPS];
    size_t stop_count;
    uint32_t lanes; /* cells of a row per invocation: 1, or 4 for widths that are multiples of it */
    /* Set by vks_formula_emit(): adjacent rows per invocation, bits of the fields and, after all
     * fields, of the images that it reads, and whether it reads numbers. */
    uint32_t rows;
    uint64_t reads;
    bool has_numbers;
};

/* The text of the pass, to be freed; NULL on failure. Storage buffers are named f0 and f0_next
 * after the fields' numbers, "numbers" (the constants) and "status_word"; that becomes 1 + the
 * number of a field whose values left its limits, or that of a stop. `ghosts`: NULL if all edges
 * are periodic or mirror. Adds to the constants. */
char *vks_formula_emit(const struct vks_expressions *expressions,
                       const struct vks_formula_ghosts *ghosts, struct vks_formula_pass *pass,
                       struct vks_formula_constants *constants);

#endif
