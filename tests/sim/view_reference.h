/* SPDX-License-Identifier: MIT */
/* The picture passes (docs/pictures.md) in plain C: the bytes that every device must produce. */
#ifndef VKS_TESTS_SIM_VIEW_REFERENCE_H
#define VKS_TESTS_SIM_VIEW_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum view_mode { VIEW_OF_FRAME, VIEW_OF_FIXED, VIEW_OF_SMOOTH };
enum view_background { VIEW_ON_NOTHING, VIEW_ON_TRANSPARENCY, VIEW_ON_COLOUR, VIEW_ON_IMAGE };

/* The line of sight through a volume, and the projection of the cells along it. */
enum view_axis { VIEW_ALONG_X, VIEW_ALONG_Y, VIEW_ALONG_Z };
enum view_project { VIEW_SLICE, VIEW_MEAN, VIEW_MAX, VIEW_COLUMN };

struct view_reference {
    uint32_t field_width, field_height;
    uint32_t x, y, part_width, part_height; /* the displayed part, in cells */
    uint32_t width, height;                 /* of the picture */
    enum view_mode mode;
    float low, high; /* of VIEW_OF_FIXED */
    float gamma, contrast;
    bool symmetric;   /* about 0: low and high are of magnitudes */
    bool logarithmic; /* tones follow logarithms */
    float level[6];   /* low, high, 1 / (extent of tones) or 0, the drawn field or 0, the smallest
                       * distinguished value, and that measured; initially zero */
    const uint32_t *palette; /* 256, in the order of --invert */
    bool discrete;
    /* A field of several planes, mixed; 0: (field_height, field_width), with the palette above. */
    uint32_t planes;
    bool strongest;              /* else colours are added */
    const uint32_t *palettes[8]; /* of the planes, as `palette` */
    bool discretes[8];
    const uint32_t *tints; /* of each pixel, 0 to 65535, with a palette of hues; NULL: none */
    double hillshade, bloom;
    double light[2], gloss, bloom_radius; /* 0: 315, 45; none; 0.05 */
    enum view_background background;
    uint32_t colour;       /* of VIEW_ON_COLOUR: RGBA8 */
    const uint32_t *image; /* of VIEW_ON_IMAGE: RGBA8, width x height */
    const uint8_t *mask;   /* per cell of the field: 1 shows mask_colour over all; NULL: none */
    uint32_t mask_colour;
    const struct annotation_reference *annotation; /* over all that; NULL: none */
};

/* The outputs of a frame, each width x height; NULL: not needed. */
struct view_frame {
    float *values; /* of each plane */
    uint32_t *pixels;
    uint16_t *deep; /* four per pixel */
};

/* The whole field, one pixel per cell. */
struct view_reference view_of_field(uint32_t width, uint32_t height, const uint32_t *palette);

/* Draws a field, or `others` if it has no range (NULL: none, as with planes), and updates the
 * level. */
void view_draw(struct view_reference *view, const float *cells, const float *others,
               const struct view_frame *frame);

/* Covers pixel `i` with an opaque colour, RGBA8, by `cover` / 65536. */
void view_cover(const struct view_frame *frame, size_t i, uint32_t colour, uint64_t cover);

/* The tone of a value of the range, before the contrast. */
float view_tone(const struct view_reference *view, float value);

/* The plane of a volume of (depth, height, width) cells, whose size is stored in *columns and
 * *rows; `plane` has room for it. `slice` is the share of VIEW_SLICE. */
void view_flatten(const float *volume, uint32_t depth, uint32_t height, uint32_t width,
                  enum view_axis axis, enum view_project project, double slice, float *plane,
                  uint32_t *columns, uint32_t *rows);

/* Planar YUV 4:2:0 of the coded size (width to a multiple of 8, height to one of 2): Y, U, V. Those
 * of 10 bits from four channels of 16. */
void view_planes(uint32_t width, uint32_t height, const uint32_t *pixels, uint8_t *planes);
void view_planes10(uint32_t width, uint32_t height, const uint16_t *pixels, uint16_t *planes);

/* Luma of a pixel; blue and red difference of the sums of four pixels' channels. */
uint8_t view_luma(int red, int green, int blue);
uint8_t view_blue(int red4, int green4, int blue4);
uint8_t view_red(int red4, int green4, int blue4);
uint16_t view_luma10(uint32_t red, uint32_t green, uint32_t blue);
uint16_t view_blue10(int red4, int green4, int blue4);
uint16_t view_red10(int red4, int green4, int blue4);

#endif
