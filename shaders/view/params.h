/* SPDX-License-Identifier: MIT */
/* Constants of the passes that draw a field; docs/pictures.md. */
#ifndef VKS_VIEW_PARAMS_H
#define VKS_VIEW_PARAMS_H

#include "lib/shared.h"

struct view_params {
    VKS_UINT width, height;             /* of the picture; colour: of the band */
    VKS_UINT coded_width, coded_height; /* of the YUV planes */
    float low, high;                    /* fixed range */
    float follow;                       /* smooth: share of the way to the frame's range */
    float gamma, contrast;
    VKS_UINT origin; /* colour: cells of the field before the first that is drawn */
};

#define VIEW_FRAME 0
#define VIEW_FIXED 1
#define VIEW_SMOOTH 2

/* The field "view_level", float32: */
#define LEVEL_LOW 0 /* the range that the frame is drawn with */
#define LEVEL_HIGH 1
#define LEVEL_SCALE 2 /* of tones: 1 / (the last value as tones measure it - LEVEL_BASE) or 0 */
#define LEVEL_FIELD 3 /* which field was drawn with a range: 1, 2, or 0 for none */
#define LEVEL_FIRST 4 /* the first value that tones tell from lower ones */
#define LEVEL_BASE 5  /* that as tones measure it: itself, or its logarithm */
#define LEVEL_WORDS 6

/* A volume as a plane. Steps are in cells of the volume. */
struct plane_params {
    VKS_UINT width, height; /* of the plane */
    VKS_UINT across, down;  /* from one column and from one row of the plane to the next */
    VKS_UINT along;         /* from one cell of a line of sight to the next */
    VKS_UINT first;         /* cell of the first line of sight that is seen first */
    VKS_UINT count;         /* cells that are seen of a line */
    float factor;           /* on their sum */
};

/* Points that are counted where they fall on a picture, seen along an axis of their box. */
struct points_params {
    VKS_UINT count;         /* points */
    VKS_UINT columns, rows; /* cells of the box's plane */
    VKS_UINT x, y;          /* of the part that is shown, in cells */
    VKS_UINT part_width, part_height;
    VKS_UINT width, height; /* of the picture */
    VKS_UINT first, values; /* its rows that are counted: the first and how many */
};

/* Points of a turned box. Lengths are in units of 2^-shift pixels. */
struct camera_params {
    VKS_UINT azimuth, spin;   /* binary angles: at step 0, and per step */
    float across_x, across_y; /* of the sides x and y */
    float down_x, down_y;     /* the same, times the sine of the elevation */
    VKS_UINT down_z;          /* of the side z, times the cosine: an integer */
    VKS_UINT shift;
    VKS_UINT count;         /* points */
    VKS_UINT width, height; /* of the picture */
    VKS_UINT first, values; /* its rows that are counted: the first and how many */
};

/* The field "view_camera": integers with a sign, in the unit of camera_params. */
#define CAMERA_ACROSS_X 0
#define CAMERA_ACROSS_Y 1
#define CAMERA_DOWN_X 2
#define CAMERA_DOWN_Y 3
#define CAMERA_WORDS 4

/* Numbers of points as values. */
struct counted_params {
    VKS_UINT pixels;
};

/* A field as it is. */
struct cells_params {
    VKS_UINT count;
};

/* One axis of a field to another size. */
struct resample_params {
    VKS_UINT width, height; /* of the result */
    VKS_UINT row;           /* cells from one row of the source to the next */
    VKS_UINT from;          /* the source's first line along the axis that keeps its size */
    VKS_UINT origin;        /* what the table calls the source's first line along the other */
    VKS_UINT size;          /* results in the table of the axis */
    VKS_UINT first;         /* of them, the first that is made */
};

#define RESAMPLE_ACROSS 0
#define RESAMPLE_DOWN 1

/* Bloom: the bright parts in blocks of 2^shift x 2^shift pixels. */
struct glow_params {
    VKS_UINT width, height; /* of the picture */
    VKS_UINT glow_width, glow_height;
    VKS_UINT shift;
    float gamma, contrast;
    VKS_UINT first, rows; /* of blocks: those that are made */
    VKS_UINT origin;      /* row of the picture for the first row of values */
};

struct blur_params {
    VKS_UINT width, height;
    VKS_UINT radius;
};

#define BLUR_ACROSS 0
#define BLUR_DOWN 1

struct paint_params {
    VKS_UINT width, height;
    float gamma, contrast;
    float relief_x, relief_y;         /* cells of height a unit of value and a pixel's way */
    VKS_UINT glow_width, glow_height; /* blocks */
    VKS_UINT glow_shift;
    VKS_UINT tight, wide;  /* strength of either glow, in 1/256 */
    VKS_UINT ground;       /* background colour, RGBA8 with red in the low byte */
    VKS_UINT first, rows;  /* of the picture: the band that is drawn */
    VKS_UINT origin;       /* row of the picture for the first row of values */
};

/* The range of a picture from the ranges of its bands. */
struct widen_params {
    VKS_UINT first; /* 1: this is the first band */
};

#define GROUND_NONE 0
#define GROUND_TRANSPARENT 1
#define GROUND_COLOUR 2
#define GROUND_PICTURE 3

/* The field "palette": 256 colours, RGBA8 with red in the low byte, and a word that is 1 when there
 * is nothing between one colour and the next. */
#define PALETTE_DISCRETE 256
#define PALETTE_WORDS 257

#endif
