/* SPDX-License-Identifier: MIT */
/* How pictures look: the options and their parsed values. */
#ifndef VKS_VIEW_LOOK_H
#define VKS_VIEW_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

#include "base/option.h"
#include "graph/model.h"
#include "view/colormap.h"

/* Maps values to tones linearly or by their logarithm. */
enum vks_tone { VKS_TONE_LINEAR, VKS_TONE_LOG };
extern const char *const vks_tone_names[]; /* NULL-terminated, by enum vks_tone */

/* The line of sight through a volume, and the projection of the cells along it. */
enum vks_sight { VKS_SIGHT_X, VKS_SIGHT_Y, VKS_SIGHT_Z };
enum vks_project {
    VKS_PROJECT_SLICE,
    VKS_PROJECT_MEAN,
    VKS_PROJECT_MAX,
    VKS_PROJECT_COLUMN,
    VKS_PROJECT_SOFT, /* only with a camera */
};
extern const char *const vks_sight_names[];   /* NULL-terminated, by enum vks_sight */
extern const char *const vks_project_names[]; /* NULL-terminated, by enum vks_project */

/* The plane that a volume is reduced to. */
struct vks_plane {
    enum vks_sight sight;
    enum vks_project project;
    double slice; /* 0 to 1: place of the cell of VKS_PROJECT_SLICE along the line */
};

/* The camera of a box of points or cells. */
struct vks_camera {
    bool given;       /* false: along an axis, and the rest is 0 */
    uint32_t azimuth; /* at step 0 */
    uint32_t elevation;
    uint32_t spin; /* azimuth per step; all are binary angles, 2^32 to a full turn */
};

enum { VKS_LOWEST_LIGHT = 5 }; /* degrees of its elevation */

/* Where the light of a hillshade is. */
struct vks_light {
    uint32_t azimuth;   /* clockwise from the top of the picture */
    uint32_t elevation; /* above the picture; both are binary angles */
};

enum vks_fit { VKS_FIT_STRETCH, VKS_FIT_CROP, VKS_FIT_CELLS };
extern const char *const vks_fit_names[]; /* NULL-terminated, by enum vks_fit */

/* The displayed part of the field (of a volume: of its plane), in cells, and the size of its
 * picture. */
struct vks_part {
    uint32_t x, y, width, height;
    uint32_t out_width, out_height;
};

enum vks_range_mode { VKS_RANGE_FRAME, VKS_RANGE_FIXED, VKS_RANGE_SMOOTH };

struct vks_range {
    enum vks_range_mode mode;
    bool symmetric;   /* about 0: the range of magnitudes */
    double low, high; /* of VKS_RANGE_FIXED; else 0 and 1 */
};

enum vks_background_kind {
    VKS_BACKGROUND_NONE,
    VKS_BACKGROUND_TRANSPARENT,
    VKS_BACKGROUND_COLOUR,
    VKS_BACKGROUND_FILE,
};

struct vks_background {
    enum vks_background_kind kind;
    uint32_t colour; /* of VKS_BACKGROUND_COLOUR: RGBA8, red in the low byte, alpha 255 */
};

/* A field of several planes and their colours: struct vks_mix, with its texts parsed. */
struct vks_look_mix {
    uint32_t planes; /* below 2: the field is (H, W), and the rest is not set */
    uint32_t only;
    bool strongest;
    struct vks_colormap maps[VKS_MAX_MIX];
    const char *names[VKS_MAX_MIX]; /* NULL: its number, from 1 */
    char digest[33];                /* of the maps */
};

/* Cells in a colour of their own: struct vks_mask, with its text parsed. */
struct vks_look_mask {
    const char *field; /* NULL: none */
    uint32_t colour;   /* RGBA8, red in the low byte */
};

/* What the texts of a look mean. */
struct vks_look_values {
    struct vks_range range;
    struct vks_plane plane;
    struct vks_camera camera;
    struct vks_light light;
    struct vks_part part;
    struct vks_background background; /* the file is the look's `background` */
    struct vks_colormap map;
    struct vks_look_mix mix;
    struct vks_look_mask mask;
};

struct vks_look {
    char *view;                   /* of the model's views; NULL: the first */
    char *axis, *project, *slice; /* how a volume is reduced to a plane; NULL: z, slice (with a
                                   * camera soft) and 0.5 */
    char *camera;                 /* NULL: none, unless `spin` is set */
    double spin, zoom;            /* degrees per step; 0: none. A factor */
    char *normalize;
    uint32_t tone; /* enum vks_tone */
    double gamma, contrast;
    char *colormap; /* a name or a file, see vks_colormap_load() */
    bool invert;
    double hillshade, bloom;       /* strengths; 0: none */
    char *light;                   /* of the hillshade; NULL: the default of the option */
    double gloss, bloom_radius;    /* a strength; a share of the picture's shorter side */
    char *background;              /* NULL: none */
    char *crop, *output_size;      /* NULL: the whole field at its size */
    uint32_t fit;                  /* enum vks_fit */
    bool annotate;                 /* the time, colour bars and a scale bar over the picture */
    struct vks_look_values values; /* made by vks_look_finish(), for all that draws */
};

/* Checks what the table cannot and parses the texts into `values`: once, after the last option is
 * set, for a grid of this size and a view of points or of a field. */
enum vks_result vks_look_finish(struct vks_look *look, struct vks_size size, bool points);

/* Sets `values.mix` of a finished look, for a view of a field with several planes. With `only` the
 * map is that plane's. VKS_ERROR_USAGE or VKS_ERROR_FILE for colours that are neither "#rrggbb" nor
 * a colour map. */
enum vks_result vks_look_mix(struct vks_look *look, const struct vks_mix *mix);

/* Sets `values.mask` of a finished look. VKS_ERROR_USAGE for a text that is not a colour. */
enum vks_result vks_look_mask(struct vks_look *look, const struct vks_mask *mask);

/* Planes of the values of the look's pictures. */
uint32_t vks_look_value_planes(const struct vks_look *look);

/* Adds to the last failure, of reading a background, what the option may have meant. Returns
 * `result`. */
enum vks_result vks_look_fail_background(enum vks_result result, const char *path);

/* Of a finished look: the size of the plane of a volume; a flat grid is its own plane. */
void vks_look_size(const struct vks_look *look, struct vks_size size, uint32_t *width,
                   uint32_t *height);
/* Pixels per cell at which a rotated box of that grid fits a picture of the part's size at every
 * azimuth, times the look's zoom; for the sine and cosine of the elevation. */
double vks_look_scale(const struct vks_look *look, const struct vks_part *part,
                      const uint64_t grid[3], double sine, double cosine);
/* VKS_ERROR_USAGE if the look has options that require a volume. --project is allowed: a plane is
 * its own projection. */
enum vks_result vks_look_flat(const struct vks_look *look);

#endif
