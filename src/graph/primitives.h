/* SPDX-License-Identifier: MIT */
/* Primitives: groups of passes that any model can declare, and items, whose order in memory the
 * core chooses. */
#ifndef VKS_GRAPH_PRIMITIVES_H
#define VKS_GRAPH_PRIMITIVES_H

#include "graph/declare.h"

/* Min and max of an F32 or F16 field, into the new field `result` (two f32). Exact: identical on
 * every device. At most 2^32 - 1 values. */
void vks_declare_range(struct vks_declaration *declaration, const char *field, const char *result,
                       enum vks_when when);
/* Sum of an F32 or F16 field in 64-bit fixed point, into the new field `result` (one U32X2): each
 * value times 2^exponent is rounded to an integer, ties to even, and the integers are added up
 * (shaders/lib/fixed.glsl; vks_from_fixed() makes a float32 of the sum). So the sums of parts of a
 * field add up to the sum of the whole. The exponent is -126 to 127. A value beyond 2^62 units
 * counts as 2^62 units; the total is right while its magnitude is below 2^63 units. */
void vks_declare_sum(struct vks_declaration *declaration, const char *field, int exponent,
                     const char *result, enum vks_when when);
/* Watches the mean of an F32 or F16 field in every frame, as the scalar `name`, computed from the
 * exact sum. `max` is over 0 and an upper bound of all magnitudes or, if no value is negative, of
 * the mean. */
void vks_declare_mean(struct vks_declaration *declaration, const char *field, double max,
                      const char *name);
/* Exclusive scan of a U32 field, with wrapping sums, into the new field `result` (count + 1 U32):
 * element i is the sum of all elements before i; the last one is the total. At most 2^31 elements,
 * in fields that fit one buffer of the device. */
void vks_declare_scan(struct vks_declaration *declaration, const char *field, const char *result,
                      enum vks_when when);

/* Solves a linear equation on a periodic grid by FFT. Exact: identical bits on every device
 * (defined in docs/architecture.md). The operator's symbol (the factor for each wave) is the sum of
 * one table per axis, such as the squared wave numbers of the Laplacian:
 *
 *     target = IFFT(factor * FFT(source - mean) / (symbol[0][k] + symbol[1][l] + symbol[2][m]))
 *
 * Wave number 0, and any other with sum 0, contributes nothing. Values must stay finite. */
struct vks_fft {
    const char *name;       /* prefix of the names of its passes and fields */
    const char *source;     /* an F32 field of rank 1 to 3. Sides are powers of two from 1 to 2048,
                             * cells at most 2^31 */
    const char *target;     /* another declared F32 field of that shape */
    float mean;             /* subtracted from the source, unless there is a mean_field */
    const char *mean_field; /* a U32 or F32 field, not the target; NULL: none */
    uint32_t mean_word;     /* index of the float32 in mean_field */
    float factor;           /* within +-2^60; below 2^-60 per cell it counts as 0 */
    const float *symbol[3]; /* of z, y and x: one value per wave number, within +-2^58, equal for n
                             * and side - n; copied. NULL for an axis of one cell */
    enum vks_when when;     /* EACH_STEP or EACH_FRAME */
    uint32_t every;         /* EACH_STEP: runs at steps divisible by this; 0: 1 */
    uint32_t invocations;   /* max per workgroup; 0: 256 */
};

/* Declares the passes and the fields NAME.waves (8 bytes per cell, unless the grid is one line),
 * NAME.turns and NAME.symbol. Live updates can change mean, factor and symbol. */
void vks_declare_fft(struct vks_declaration *declaration, const struct vks_fft *fft);

/* --- items: elements whose order is the core's ------------------------------------------------ */

/* Declares items whose order in memory the core chooses; fields name them in `.items`. State-file
 * arrays of such fields determine their number. No result may depend on the order: sums over items
 * must be of integers. At most 2^31 items. */
void vks_declare_items(struct vks_declaration *declaration, const char *name, uint64_t count);

/* Declares the field NAME_number (U32) unless it exists: the number of the item stored at each
 * index, to derive random numbers from; initially the index itself. */
void vks_declare_numbers(struct vks_declaration *declaration, const char *items);

struct vks_sorting {
    const char *items;
    const char *key; /* a U32 field, one element per item, written by an earlier pass; not sorted
                      * itself */
    uint64_t bins;   /* keys are 0 to bins - 1 */
    uint32_t every;  /* sorts at steps divisible by this; 0: 1 */
    bool counted; /* passes of the model count, with core/count.glsl: after the previous sort they
                   * have added each item to its bin in NAME.counts (U32, zero after a sort) and
                   * written its rank in the bin to NAME.slots (U32, one per item) */
};

/* Declares NAME.counts and NAME.slots before vks_declare_sorting() would, for passes that count and
 * precede it. Takes the same sorting. */
void vks_declare_ranks(struct vks_declaration *declaration, const struct vks_sorting *sorting);

/* Sorts the items by key at this point of the step, and declares their numbers. It reorders every
 * field of these items declared so far, so declare them first. The order of items with equal keys
 * is unspecified. The field NAME.starts (U32, bins + 1) holds the index of each bin's first item,
 * as of the last sort, and the number of items at the end; 0 before the first sort. The fields get
 * a second buffer; sorting needs another 4 bytes per item and 16 per bin. */
void vks_declare_sorting(struct vks_declaration *declaration, const struct vks_sorting *sorting);

#endif
