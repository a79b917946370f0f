/* SPDX-License-Identifier: MIT */
/* Presets that a person has saved: scenes NAME.json without a length in vksim/presets of the folder
 * of configurations, XDG_CONFIG_HOME or ~/.config. They stand beside the built-in ones, whose names
 * come first. Only the tool reads them. */
#ifndef VKS_RUNS_PRESETS_H
#define VKS_RUNS_PRESETS_H

#include "api/settings.h"

enum { VKS_PRESET_NAME_SIZE = 41, VKS_MAX_OWN_PRESETS = 200 };

struct vks_own_preset {
    char name[VKS_PRESET_NAME_SIZE];
    char *path;
    json_t *scene;
};

/* Zeroed: none. */
struct vks_own_presets {
    struct vks_own_preset items[VKS_MAX_OWN_PRESETS]; /* in the order of their names */
    size_t count;
    unsigned version; /* another after each reading */
};

/* Lists those of the model. A damaged file is a warning. `presets` is freed before. */
enum vks_result vks_own_presets_list(struct vks_own_presets *presets,
                                     const struct vks_model *model);
void vks_own_presets_free(struct vks_own_presets *presets);
/* The one of that name; NULL: there is none. */
const struct vks_own_preset *vks_own_preset_find(const struct vks_own_presets *presets,
                                                 const char *name);
/* Applies it as vks_settings_preset() does a built-in one. VKS_ERROR_USAGE if its values are wrong.
 */
enum vks_result vks_own_preset_apply(const struct vks_own_preset *preset,
                                     struct vks_settings *settings);

/* vks_settings_preset(), also with a name that is not built in. VKS_ERROR_FILE for a damaged file.
 */
enum vks_result vks_preset_apply(struct vks_settings *settings, const char *name);
/* Whether there is a preset of that name for the model; without a message. */
bool vks_preset_exists(const struct vks_model *model, const char *name);
/* Makes the simulation of such a preset: vks_formula_take(). What cannot be read has none. */
enum vks_result vks_own_preset_formula(const char *name, const struct vks_model **model);
/* The model of a saved preset; NULL: there is none of that name, or it is damaged. */
const struct vks_model *vks_own_preset_model(const char *name);

/* Saves the options, without the seed, and without the size if that of the model's presets does not
 * count. VKS_ERROR_USAGE for a name that no file should have, VKS_ERROR_EXISTS for one that is
 * taken, unless it is saved and `replace` is set. */
enum vks_result vks_own_preset_save(const struct vks_settings *settings, const char *name,
                                    bool replace);

#endif
