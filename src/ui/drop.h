/* SPDX-License-Identifier: MIT */
/* Files that are dropped on the window: what can be done with one. Independent of SDL. */
#ifndef VKS_UI_DROP_H
#define VKS_UI_DROP_H

#include "api/settings.h"

enum { VKS_MAX_DROP_CHOICES = 12 };

struct vks_drop_choice {
    const struct vks_option *option; /* that takes the file; NULL: its scene is opened */
    char words[48];
};

/* Zeroed: there is none. */
struct vks_drop {
    char *path; /* NULL: there is none */
    struct vks_drop_choice choices[VKS_MAX_DROP_CHOICES];
    size_t count;
    bool is_picture; /* a PNG or JPEG, whose scene leads to a state; else a scene is played */
};

/* Finds out what can be done with the file in a run with these finished settings: at least one
 * thing. VKS_ERROR_USAGE or VKS_ERROR_FILE, with an empty drop, if there is nothing. */
enum vks_result vks_drop_read(struct vks_drop *drop, const char *path,
                              const struct vks_settings *settings);
void vks_drop_free(struct vks_drop *drop); /* and zeroes it */

/* The value that the option gets, a heap string; NULL if memory ran out. */
char *vks_drop_value(const struct vks_drop *drop, const struct vks_option *option);

#endif
