/* SPDX-License-Identifier: MIT */
/* Simulations from files on the command line. */
#ifndef VKS_TOOL_MODEL_FILE_H
#define VKS_TOOL_MODEL_FILE_H

#include "graph/model.h"

/* Makes the simulation that a word names, as vks_formula_load(): a path that ends in ".json", else
 * NAME.json or NAME/model.json in a folder of VKSIM_MODEL_PATH, in $XDG_DATA_HOME/vksim/models or
 * in the folder that comes with the program. *model: NULL if the word names no file. */
enum vks_result vks_load_model_file(const char *word, const struct vks_model **model);

/* Calls print() for each model that is found by its name, folder by folder. */
void vks_list_model_files(void (*print)(const char *name, const char *summary));

/* Makes the simulation of the formula that the file of an option holds, if it is --scene,
 * --load-state or --preset, as vks_formula_take(): *model. Files that cannot be
 * read, and pipes, which can be read only once, have none. */
enum vks_result vks_load_held_model(const char *option, const char *file,
                                    const struct vks_model **model);

#endif
