/* SPDX-License-Identifier: MIT */
/* Simulations from files of formulas: docs/formulas.md. */
#ifndef VKS_FORMULA_FORMULA_H
#define VKS_FORMULA_FORMULA_H

#include <jansson.h>
#include <stdio.h>
#include <vksim/model.h>

/* Makes the simulation of a file, to be registered (vks_model_admit()) or freed. VKS_ERROR_FILE if
 * it cannot be read, VKS_ERROR_USAGE with file and key of what is wrong. */
enum vks_result vks_formula_load(const char *path, const struct vks_model **model);

/* The same from a text in memory; `origin`, such as the path of a scene, begins messages. */
enum vks_result vks_formula_parse(const char *text, size_t size, const char *origin,
                                  const struct vks_model **model);
void vks_formula_free(const struct vks_model *model);
/* Whether both are of one formula, or of one version of a folder. */
bool vks_formula_equal(const struct vks_model *a, const struct vks_model *b);

/* Writes the shaders of a model of formulas, as they are for a width that is a multiple of four. */
enum vks_result vks_formula_show(const struct vks_model *model, FILE *out);
/* Whether it is one. */
bool vks_is_formula(const struct vks_model *model);

/* --- files of formulas that change during a run ----------------------------------------------- */

/* The files that the model was made from: its own, then those of its parts. NULL past the last, and
 * for a model of a text or without formulas. */
const char *vks_formula_file(const struct vks_model *model, size_t index);
/* Says that a model that has not run yet takes the place of another one, which must stay: their
 * shaders are not mixed up. */
void vks_formula_succeed(const struct vks_model *model, const struct vks_model *before);

/* --- folders with shaders that change during a run ------------------------------------------- */

/* The folder of a model of shaders; NULL: it is another one. */
const char *vks_folder_path(const struct vks_model *model);
/* The name of one of its shaders, for vks_shader_find(); NULL: there are fewer. */
const char *vks_folder_shader(const struct vks_model *model, size_t index);
/* The text of that shader as its files are now, with those that it includes, to be freed; NULL with
 * a message. *file: its name in the folder. */
char *vks_folder_text(const struct vks_model *model, size_t index, const char **file);

/* --- in scenes, presets and state files (embed.c) -------------------------------------------- */

/* Sets the object's "formula" to the text of the model, if it is one of formulas, or its "shaders"
 * or "plugin" to the digest of the folder or the file, if it is one of these. */
enum vks_result vks_formula_embed(const struct vks_model *model, json_t *object);
/* Makes the simulation of the formula that the object of a file holds, as vks_formula_load(),
 * unless it holds none or a simulation has its name: then *model is NULL. VKS_ERROR_USAGE if there
 * is something wrong with it. */
enum vks_result vks_formula_take(const json_t *object, const char *path,
                                 const struct vks_model **model);
/* VKS_ERROR_USAGE, with both digests, if the object holds a formula other than the model's, or
 * another version of its folder or plug-in. */
enum vks_result vks_formula_compare(const json_t *object, const char *path,
                                    const struct vks_model *model);

#endif
