/* SPDX-License-Identifier: MIT */
/* Simulations from files on the command line. */
#ifndef VKS_TOOL_MODEL_FILE_H
#define VKS_TOOL_MODEL_FILE_H

#include "graph/model.h"

/* Loads the simulation that a word names: a path that ends in ".json", else NAME.json in a folder
 * of VKSIM_MODEL_PATH or in $XDG_DATA_HOME/vksim/models. *name becomes its name, which lives as
 * long as the process; NULL if the word names no file. */
enum vks_result vks_load_model_file(const char *word, const char **name);

/* Registers the formula that the file of an option holds, if it is --scene, --load-state or
 * --preset: *model, NULL if there is none, or if a simulation has its name. Files that cannot be
 * read, and pipes, which can be read only once, have none. */
enum vks_result vks_load_held_model(const char *option, const char *file,
                                    const struct vks_model **model);

#endif
