/* SPDX-License-Identifier: MIT */
/* Variants of a step (vksim/model.h). */
#ifndef VKS_GRAPH_VARIANT_H
#define VKS_GRAPH_VARIANT_H

#include <vksim/model.h>

/* The row's help and the range of its number; "" without help. Returns `buffer`. */
const char *vks_variant_help(const struct vks_variant_row *row, char *buffer, size_t size);

/* Finds a variant by its name; false if there is none. */
bool vks_variant_find(const struct vks_variant_row *rows, const char *name,
                      struct vks_variant *variant);

#endif
