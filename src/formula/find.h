/* SPDX-License-Identifier: MIT */
/* Where files of models are. */
#ifndef VKS_FORMULA_FIND_H
#define VKS_FORMULA_FIND_H

/* The path of the file that a word names, to be freed: a path that ends in ".json" or ".so", else
 * WORD/model.json, else NAME.json, NAME/model.json or libNAME.so in a folder of VKSIM_MODEL_PATH,
 * in $XDG_DATA_HOME/vksim/models or in the folder that comes with vksim. NULL if it names none. */
char *vks_find_model_file(const char *word);

/* The same for a name. */
char *vks_search_model(const char *name);

/* Calls print() for each model that is found by its name, folder by folder. */
void vks_list_model_files(void (*print)(const char *name, const char *summary));

#endif
