/* SPDX-License-Identifier: MIT */
/* The pictures and videos that were saved in the window, in two folders that all runs share, and
 * their thumbnails for the panel. Independent of SDL. */
#ifndef VKS_UI_GALLERY_H
#define VKS_UI_GALLERY_H

#include "ui/panel.h"

enum {
    VKS_MAX_GALLERY = 200,
    VKS_THUMB_SIDE = 96,
    VKS_THUMB_BYTES = VKS_THUMB_SIDE * VKS_THUMB_SIDE * 4, /* RGBA8 */
};

/* Of enlarged pictures: the factor for each side, and what their names end with. */
enum { VKS_ENLARGED = 4 };
#define VKS_ENLARGED_END "-4x"
#define VKS_VIDEO_END "-4k.mp4" /* of videos in 4K */

enum vks_media { VKS_PICTURES, VKS_VIDEOS };

/* The folder for them, which need not exist, as a heap string: "vksim" in XDG_PICTURES_DIR or
 * XDG_VIDEOS_DIR of the environment, else of user-dirs.dirs in the folder of configurations, else
 * in ~/Pictures or ~/Videos. Relative paths are ignored. VKS_ERROR_FILE without a HOME. */
enum vks_result vks_media_folder(enum vks_media media, char **folder);
/* The path for a new file, BASE and END such as "-4x.png", or the first of "BASE-4x-2.png" and so
 * on that does not exist; NULL if memory ran out. */
char *vks_free_name(const char *base, const char *end);
/* That for the picture of a state, such as "FOLDER/physarum-dahlia-s1-012480.png". */
char *vks_picture_name(const char *folder, const char *model, const char *preset, uint64_t seed,
                       uint64_t step, const char *end);
/* Moves a file to the user's trash, as freedesktop.org specifies. VKS_ERROR_FILE, with nothing
 * changed, if that is impossible, for example because the trash is on another file system. */
enum vks_result vks_trash(const char *path);

struct vks_gallery;

enum vks_result vks_gallery_create(struct vks_gallery **gallery);
void vks_gallery_destroy(struct vks_gallery *gallery); /* NULL is fine */

/* Makes the folder where it is missing. If that fails, the current folder takes its place, and a
 * message says so. NULL if memory ran out. Valid as long as the gallery. */
const char *vks_gallery_folder(struct vks_gallery *gallery, enum vks_media media);

/* Reads the newest pictures and videos with a scene in both folders, in the order of their age, for
 * about `seconds`. Those that are there already are left out. */
enum vks_result vks_gallery_read(struct vks_gallery *gallery, double seconds);
bool vks_gallery_is_read(const struct vks_gallery *gallery); /* there is nothing left to read */
/* Adds a picture or a video that was just saved as the newest, with RGBA8 pixels for its thumbnail:
 * its own, or fewer; NULL: it is decoded. */
enum vks_result vks_gallery_add(struct vks_gallery *gallery, const char *path, const uint8_t *rgba,
                                uint32_t width, uint32_t height);
/* A thumbnail of VKS_THUMB_SIDE x VKS_THUMB_SIDE pixels: the middle of the picture, reduced. */
void vks_make_thumb(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t *thumb);
/* Moves a picture to the trash. */
enum vks_result vks_gallery_delete(struct vks_gallery *gallery, size_t index);

/* Newest first; valid until the gallery changes. Their names and pixels stay as long as it. */
const struct vks_gallery_item *vks_gallery_items(const struct vks_gallery *gallery, size_t *count);
const char *vks_gallery_path(const struct vks_gallery *gallery, size_t index);
/* Pixels per pixel of the run that saved it, by its name: VKS_ENLARGED, 0 for a video in 4K, whose
 * factor is not known, else 1. */
uint32_t vks_gallery_enlarged(const struct vks_gallery *gallery, size_t index);
/* The preset in the name of the file; "": none. */
const char *vks_gallery_preset(const struct vks_gallery *gallery, size_t index);

#endif
