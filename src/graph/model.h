/* SPDX-License-Identifier: MIT */
/* The declarations of a model (vksim/model.h). */
#ifndef VKS_GRAPH_MODEL_H
#define VKS_GRAPH_MODEL_H

#include "graph/declare.h"

/* Calls the model's declare() with an empty declaration that has its grid and keeps a copy of the
 * config. Settings and strings in the config must outlive the declaration. */
void vks_declare_model(const struct vks_model *model, const struct vks_config *config,
                       struct vks_declaration *declaration);
/* Calls its declare_frame() with an empty declaration, which is bound to the one above. */
void vks_declare_frame(const struct vks_model *model, const struct vks_config *config,
                       const struct vks_declaration *base, struct vks_declaration *declaration);

#endif
