/* SPDX-License-Identifier: MIT */
/* How pictures look: the options, and what their texts mean. */
#ifndef VKS_OUT_LOOK_H
#define VKS_OUT_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

struct vks_look {
    char *normalize;
    double gamma, contrast;
    char *colormap; /* a name or a file, see vks_colormap_load() */
    bool invert;
    double hillshade, bloom;  /* strengths; 0: none */
    char *background;         /* NULL: none */
    char *crop, *output_size; /* NULL: all of the field, as it is */
    uint32_t fit;             /* enum vks_fit */
};

enum vks_fit { VKS_FIT_STRETCH, VKS_FIT_CROP };
extern const char *const vks_fit_names[]; /* NULL-terminated, by enum vks_fit */

/* The part of the field that is shown, in cells, and the size of the picture of it. */
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
    uint32_t colour;  /* of VKS_GROUND_COLOUR: RGBA8, red in the low byte, alpha 255 */
    const char *path; /* of VKS_GROUND_FILE: part of the look */
};

/* Checks what the table cannot: the texts, for a field of this size. */
enum vks_result vks_look_check(const struct vks_look *look, uint32_t width, uint32_t height);

/* What the texts mean. VKS_ERROR_USAGE with a sentence when they mean nothing. */
enum vks_result vks_look_range(const struct vks_look *look, struct vks_range *range);
enum vks_result vks_look_part(const struct vks_look *look, uint32_t width, uint32_t height,
                              struct vks_part *part);
enum vks_result vks_look_ground(const struct vks_look *look, struct vks_ground *ground);

#endif
