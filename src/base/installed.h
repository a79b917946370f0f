/* SPDX-License-Identifier: MIT */
/* What is installed beside vksim. */
#ifndef VKS_BASE_INSTALLED_H
#define VKS_BASE_INSTALLED_H

/* Paths from the folder of the program and from that of the library, up to NULL, in the order in
 * which they are looked for: those of an installation and of a build. */
struct vks_installed {
    const char *const *from_program, *const *from_library;
};

/* The first that exists, from that which this is a part of; to be freed. NULL: none does. */
char *vks_installed_find(const struct vks_installed *places);

#endif
