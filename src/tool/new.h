/* SPDX-License-Identifier: MIT */
/* The files that the command `new` writes: src/tool/new/KIND/FILE, in which NAME stands for the
 * name of the simulation, in texts and in names of files. */
#ifndef VKS_TOOL_NEW_H
#define VKS_TOOL_NEW_H

#include <stddef.h>

struct vks_template {
    const char *kind; /* NULL ends the list */
    const char *file;
    const char *const *lines; /* NULL ends them */
};
extern const struct vks_template vks_templates[];

#endif
