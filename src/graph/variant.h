/* SPDX-License-Identifier: MIT */
/* Variants of a step: implementations of which the fastest depends on the device. All variants of a
 * model produce identical bytes. */
#ifndef VKS_GRAPH_VARIANT_H
#define VKS_GRAPH_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VKS_VARIANT_NAME = 24, VKS_VARIANT_NUMBERS = 5 };

/* A variant as a model sees it. */
struct vks_variant {
    char name[VKS_VARIANT_NAME]; /* for --variant, messages and the tuner's file; "": the first */
    uint32_t numbers[VKS_VARIANT_NUMBERS]; /* what they mean is up to the model; zero: the first */
};

/* A row of a model's table: one variant or, with a # in its name, one per number from min to max,
 * which is the variant's first number. */
struct vks_variant_row {
    const char *name; /* "sorted-#-bytes"; NULL ends a table */
    const char *help; /* one line, for --help all; NULL: that of the row before */
    uint32_t numbers[VKS_VARIANT_NUMBERS];
    uint32_t min, max;
};

/* The variant of a row; `number` stands for its #. */
struct vks_variant vks_variant_of(const struct vks_variant_row *row, uint32_t number);

/* The row's help and the range of its number; "" without help. Returns `buffer`. */
const char *vks_variant_help(const struct vks_variant_row *row, char *buffer, size_t size);

/* Finds a variant by its name; false if there is none. */
bool vks_variant_find(const struct vks_variant_row *rows, const char *name,
                      struct vks_variant *variant);

/* Variants for the tuner to measure. */
struct vks_candidates {
    char key[160]; /* of the case: the best variant found applies to every run with this key */
    struct vks_variant variants[24];
    size_t count;
    uint32_t period; /* steps after which all variants repeat, such as the interval of sorting; 0:
                      * 64 */
    double warm_up; /* seconds of steps before a variant is timed, where the start is not typical */
};

/* Adds a candidate unless it is there or the list is full. */
void vks_candidate_add(struct vks_candidates *candidates, const struct vks_variant *variant);

#endif
