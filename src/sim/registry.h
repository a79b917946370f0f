/* SPDX-License-Identifier: MIT */
/* The models of this build, as src/sim/registry.def lists them, and those that are registered. */
#ifndef VKS_SIM_REGISTRY_H
#define VKS_SIM_REGISTRY_H

#include "graph/model.h"

/* NULL with a message that lists the valid names if there is none of that name. */
const struct vks_model *vks_model_find(const char *name);
/* The same, without a message. */
const struct vks_model *vks_model_known(const char *name);
const struct vks_model *vks_model_at(size_t index); /* NULL past the last */
/* Adds a model that lives as long as the process; from any thread. VKS_ERROR_USAGE if one has its
 * name. */
enum vks_result vks_model_register(const struct vks_model *model);
/* Puts a model in the place of a registered one of its name, which stays for those who use it. */
void vks_model_replace(const struct vks_model *before, const struct vks_model *model);
/* Takes back the model if it was added last, and no other thread uses it. */
void vks_model_forget(const struct vks_model *model);

/* `presets` and `starts`, or the defaults of a model without them. */
const struct vks_preset *vks_model_presets(const struct vks_model *model);
const char *const *vks_model_starts(const struct vks_model *model);

/* A row of vks_model_presets(), or NULL with a message that lists the valid names, as in
 * vks_model_find(). */
const struct vks_preset *vks_preset_find(const struct vks_model *model, const char *name);
/* Lists the simulations that have a preset of that name, separated by commas; "" if there are none.
 * Returns `buffer`. */
const char *vks_preset_owners(const char *name, char *buffer, size_t size);
/* The same for an option of a simulation. */
const char *vks_option_owners(const char *name, char *buffer, size_t size);

/* The row of `views` of that name, the first for NULL; NULL with a message that lists the valid
 * names if unknown. */
const struct vks_view *vks_view_find(const struct vks_model *model, const char *name);

#endif
