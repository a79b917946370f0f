/* SPDX-License-Identifier: MIT */
/* The option `sort` of simulations with ordered items: how often the core reorders them. */
#ifndef VKS_SIM_SORT_OPTION_H
#define VKS_SIM_SORT_OPTION_H

#include "graph/model.h"

/* Steps between two sorts; 0: never. For "auto" the `variant` decides ("sort-N"; NULL: never). */
uint32_t vks_sort_every(const char *text, const char *variant);

/* VKS_ERROR_USAGE unless the text is auto or 0 to 1000. */
enum vks_result vks_sort_check(const char *text);

/* Adds the variants (NULL-terminated, "unsorted" or "sort-N") if the text is "auto". */
void vks_sort_list(const char *text, const char *const *names, struct vks_variants *variants);

#endif
