/* SPDX-License-Identifier: MIT */
/* --over: the values that one quantity of a simulation takes, one after another. */
#ifndef VKS_RUNS_OVER_H
#define VKS_RUNS_OVER_H

#include "api/settings.h"

enum { VKS_MAX_OVER = 64 };

enum vks_quantity {
    VKS_QUANTITY_SIZE,  /* the field's side: a size of S x S, or S x S x S for a volume */
    VKS_QUANTITY_STEPS, /* the number of steps */
    VKS_QUANTITY_ITEMS, /* an option of the simulation that is a count */
};

struct vks_over {
    enum vks_quantity quantity;
    char name[64];                 /* "size", "steps" or the option's */
    uint64_t values[VKS_MAX_OVER]; /* ascending */
    size_t count;
};

/* Parses "QUANTITY=VALUES": values separated by commas, LOW:HIGH (two values per doubling from LOW
 * on, HIGH is the last; those halfway are dropped where the settings cannot have them) or
 * LOW:HIGH/N (N values, evenly spaced on a logarithmic scale). Sides between the ends of a range
 * that are over 64 are multiples of 16. Numbers are whole and may end in k, M or G. All values are
 * checked against the settings, which are not finished yet. */
enum vks_result vks_over_parse(struct vks_over *over, const struct vks_settings *settings,
                               const char *text);

/* The finished settings with one of the values, for the caller to free either way. */
enum vks_result vks_over_settings(const struct vks_over *over, uint64_t value,
                                  const struct vks_settings *base, struct vks_settings *settings);

#endif
