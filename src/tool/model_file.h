/* SPDX-License-Identifier: MIT */
/* Simulations from files on the command line. */
#ifndef VKS_TOOL_MODEL_FILE_H
#define VKS_TOOL_MODEL_FILE_H

#include "graph/model.h"

/* The simulation of a scene, a state or a preset. */
struct vks_held_model {
    const struct vks_model *formula; /* made of the text that the file holds; or NULL */
    char *path; /* else the file of the simulation that it names, found by that name, to be freed;
                 * or NULL */
};

/* Finds the simulation of the file of an option, if that is --scene, --load-state or --preset, and
 * makes it as vks_formula_take() does; both members are NULL if it is known. Files that cannot be
 * read, and pipes, which can be read only once, have none. */
enum vks_result vks_find_held_model(const char *option, const char *file,
                                    struct vks_held_model *held);

#endif
