/* SPDX-License-Identifier: MIT */
/* What is wrong with a model's table, before anything is made of it. */
#ifndef VKS_API_MODEL_CHECK_H
#define VKS_API_MODEL_CHECK_H

#include "graph/model.h"

/* Checks the table alone: members that must be there or belong together, and its options, which
 * must not have the names of those in `taken` (the program's own; may be empty). VKS_ERROR_INTERNAL
 * with a message that names the model and the member. Reads nothing else. */
enum vks_result vks_model_check(const struct vks_model *model, struct vks_option_table taken);

/* The same for each model of the registry, and that their names differ; options of one name must
 * take a value in all models or in none, so that a command line can be split before the model is
 * known. */
enum vks_result vks_models_check(struct vks_option_table taken);

/* Registers a model of formulas, for the life of the process, after a check of all its presets;
 * *model becomes the registered one if there is one of the same formula already. On failure it is
 * freed: VKS_ERROR_USAGE. */
enum vks_result vks_model_admit(const struct vks_model **model);

/* Reads the files of a registered model of formulas again and registers what has become of it in
 * its place; *model is that, or the old one if nothing has changed. VKS_ERROR_FILE or
 * VKS_ERROR_USAGE, and the old one stays registered, if it cannot be. */
enum vks_result vks_model_renew(const struct vks_model *old, const struct vks_model **model);

/* Loads a plug-in and registers its models, for the life of the process, unless that has been done;
 * *model is the first. Errors as of vks_plugin_load(), and VKS_ERROR_USAGE if a model is wrong or
 * its name is another's; then nothing stays. From any thread. */
enum vks_result vks_plugin_admit(const char *path, const struct vks_model **model);

#endif
