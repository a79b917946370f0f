/* SPDX-License-Identifier: MIT */
/* Simulations from files on the command line. */
#ifndef VKS_TOOL_MODEL_FILE_H
#define VKS_TOOL_MODEL_FILE_H

#include "graph/model.h"

/* Makes the simulation that a word names, as vks_formula_load(): a path that ends in ".json", else
 * NAME.json in a folder of VKSIM_MODEL_PATH or in $XDG_DATA_HOME/vksim/models. *model: NULL if the
 * word names no file. */
enum vks_result vks_load_model_file(const char *word, const struct vks_model **model);

/* Makes the simulation of the formula that the file of an option holds, if it is --scene,
 * --load-state or --preset, as vks_formula_take(): *model. Files that cannot be
 * read, and pipes, which can be read only once, have none. */
enum vks_result vks_load_held_model(const char *option, const char *file,
                                    const struct vks_model **model);

#endif
