/* SPDX-License-Identifier: MIT */
/* Simulations from files on the command line. */
#ifndef VKS_TOOL_MODEL_FILE_H
#define VKS_TOOL_MODEL_FILE_H

#include <vksim/result.h>

/* Loads the simulation that a word names: a path that ends in ".json", else NAME.json in a folder
 * of VKSIM_MODEL_PATH or in $XDG_DATA_HOME/vksim/models. *name becomes its name, which lives as
 * long as the process; NULL if the word names no file. */
enum vks_result vks_load_model_file(const char *word, const char **name);

#endif
