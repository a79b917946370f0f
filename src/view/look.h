/* SPDX-License-Identifier: MIT */
/* How pictures look: the options, and what their texts mean. */
#ifndef VKS_VIEW_LOOK_H
#define VKS_VIEW_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

#include "base/option.h"
#include "view/colormap.h"

/* Which share of its range a value is: by itself, or by its logarithm. */
enum vks_tone { VKS_TONE_LINEAR, VKS_TONE_LOG };
extern const char *const vks_tone_names[]; /* NULL-terminated, by enum vks_tone */

/* The line of sight through a volume, and what is seen of the cells along it. */
enum vks_sight { VKS_SIGHT_X, VKS_SIGHT_Y, VKS_SIGHT_Z };
enum vks_project { VKS_PROJECT_SLICE, VKS_PROJECT_MEAN, VKS_PROJECT_MAX, VKS_PROJECT_COLUMN };
extern const char *const vks_sight_names[];   /* NULL-terminated, by enum vks_sight */
extern const char *const vks_project_names[]; /* NULL-terminated, by enum vks_project */

/* The plane that a volume is turned into. */
struct vks_plane {
    enum vks_sight sight;
    enum vks_project project;
    double slice; /* 0 to 1: where the cell of VKS_PROJECT_SLICE is along the line */
};

/* Where a box of points is seen from. */
struct vks_camera {
    bool given;       /* false: along an axis, and the rest is 0 */
    uint32_t azimuth; /* at step 0 */
    uint32_t elevation;
    uint32_t spin; /* azimuth per step; all are binary angles, 2^32 in a full turn */
};

enum vks_fit { VKS_FIT_STRETCH, VKS_FIT_CROP };
extern const char *const vks_fit_names[]; /* NULL-terminated, by enum vks_fit */

/* The part of the field that is shown, in cells, and the size of the picture of it. Of a volume the
 * field is its plane. */
struct vks_part {
    uint32_t x, y, width, height;
    uint32_t out_width, out_height;
};

enum vks_range_mode { VKS_RANGE_FRAME, VKS_RANGE_FIXED, VKS_RANGE_SMOOTH };

struct vks_range {
    enum vks_range_mode mode;
    double low, high; /* of VKS_RANGE_FIXED; else 0 and 1 */
};

enum vks_ground_kind {
    VKS_GROUND_NONE,
    VKS_GROUND_TRANSPARENT,
    VKS_GROUND_COLOUR,
    VKS_GROUND_FILE,
};

struct vks_ground {
    enum vks_ground_kind kind;
    uint32_t colour; /* of VKS_GROUND_COLOUR: RGBA8, red in the low byte, alpha 255 */
};

/* What the texts of a look mean. */
struct vks_look_values {
    struct vks_range range;
    struct vks_plane plane;
    struct vks_camera camera;
    struct vks_part part;
    struct vks_ground ground; /* the file is the look's `background` */
    struct vks_colormap map;
};

struct vks_look {
    char *view;                   /* of the model's views; NULL: the first */
    char *axis, *project, *slice; /* how a volume becomes a plane; NULL: z, slice and 0.5 */
    char *camera;                 /* NULL: none, unless there is a spin */
    double spin, zoom;            /* degrees per step; 0: none. A factor */
    char *normalize;
    uint32_t tone; /* enum vks_tone */
    double gamma, contrast;
    char *colormap; /* a name or a file, see vks_colormap_load() */
    bool invert;
    double hillshade, bloom;       /* strengths; 0: none */
    char *background;              /* NULL: none */
    char *crop, *output_size;      /* NULL: all of the field, as it is */
    uint32_t fit;                  /* enum vks_fit */
    struct vks_look_values values; /* made by vks_look_finish(), for all that draws */
};

/* Checks what the table cannot and makes `values`: once, after the last option is set, for a grid
 * of this size and a view of points or of a field. */
enum vks_result vks_look_finish(struct vks_look *look, struct vks_size size, bool points);

/* Of a finished look: the size of the plane of a volume; that of a flat grid is its own. */
void vks_look_size(const struct vks_look *look, struct vks_size size, uint32_t *width,
                   uint32_t *height);
/* VKS_ERROR_USAGE if the look says from where to see a volume, which a flat field is not. --project
 * is allowed: a plane is its own projection. */
enum vks_result vks_look_flat(const struct vks_look *look);

#endif
