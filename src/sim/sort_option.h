/* SPDX-License-Identifier: MIT */
/* The option `sort` of simulations with ordered items: how often the core reorders them. */
#ifndef VKS_SIM_SORT_OPTION_H
#define VKS_SIM_SORT_OPTION_H

#include "graph/model.h"

/* The parsed option. */
struct vks_sort_interval {
    bool automatic; /* "auto" or unset: the variant decides */
    uint32_t steps; /* between two sorts; 0: never, or automatic */
};

/* VKS_ERROR_USAGE unless the text is auto or 0 to 1000. */
enum vks_result vks_sort_parse(const char *text, struct vks_sort_interval *interval);

/* Steps between two sorts in a run of this variant ("sort-N"; NULL: never, if automatic). */
uint32_t vks_sort_every(const struct vks_sort_interval *interval, const char *variant);

/* Adds the variants (NULL-terminated, "unsorted" or "sort-N") if the interval is automatic. */
void vks_sort_list(const struct vks_sort_interval *interval, const char *const *names,
                   struct vks_variants *variants);

#endif
