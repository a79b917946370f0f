/* SPDX-License-Identifier: MIT */
/* Storage of a declaration, for declare_field.c and declare_pass.c. */
#ifndef VKS_GRAPH_DECLARATION_H
#define VKS_GRAPH_DECLARATION_H

#include "graph/declare.h"

/* `size` zeroed bytes, aligned for any type; NULL after a failure. */
void *vks_declaration_keep(struct vks_declaration *declaration, size_t size);
/* A copy of a text; NULL stays NULL. */
const char *vks_declaration_keep_text(struct vks_declaration *declaration, const char *text);
/* The same with the prefix of the scope. */
const char *vks_declaration_scoped(struct vks_declaration *declaration, const char *name);
/* migrate.c: the elements of a rank's fields for that many items of all ranks. */
uint64_t vks_room_for(const struct vks_slab *slab, uint64_t count);

#endif
