/* SPDX-License-Identifier: MIT */
/* The pictures of presets, which tools/preset-pictures makes and the tool contains. */
#ifndef VKS_UI_PICTURES_H
#define VKS_UI_PICTURES_H

#include "graph/model.h"
#include "ui/draw.h"

enum {
    VKS_PICTURE_SIDE = 144, /* pixels */
    VKS_PICTURE_COLUMNS = 10,
};

/* The pictures of a simulation, in rows of VKS_PICTURE_COLUMNS. */
struct vks_picture_sheet {
    const char *model;               /* its name; NULL at the end of the list */
    const char *names;               /* of the presets, in order, a space before and after each */
    const unsigned char *jpeg, *end; /* the file */
};
extern const struct vks_picture_sheet vks_picture_sheets[];

/* Finds the pictures of a model's presets: thumbs[i] is that of preset i; without `rgba` if it has
 * none. *pixels is what they are in, a heap array; NULL if the model has none. */
enum vks_result vks_pictures_load(const struct vks_model *model, struct vks_thumb *thumbs,
                                  uint8_t **pixels);

/* --- of models from files, which are made when they are first shown, and kept in the cache --- */

enum { VKS_MADE_SIDE = 128, VKS_MADE_BYTES = VKS_MADE_SIDE * VKS_MADE_SIDE * 4 };

/* Whether a model has such pictures. */
bool vks_pictures_are_made(const struct vks_model *model);
/* Reads that of a preset as RGBA8; false: it has not been made. */
bool vks_picture_find(const struct vks_model *model, const char *preset, uint8_t *rgba);
/* Keeps it, as long as the model's files stay as they are. */
void vks_picture_keep(const struct vks_model *model, const char *preset, const uint8_t *rgba);

#endif
