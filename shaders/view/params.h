/* SPDX-License-Identifier: MIT */
/* Constants of the passes that draw a field; docs/pictures.md. */
#ifndef VKS_VIEW_PARAMS_H
#define VKS_VIEW_PARAMS_H

#include "lib/shared.h"

struct view_params {
    VKS_UINT width, height;             /* of the picture; colour: of the band */
    VKS_UINT coded_width, coded_height; /* of the YUV planes */
    float low, high;                    /* fixed range */
    float gamma, contrast;
    VKS_UINT origin; /* colour: offset of the first drawn cell in the field */
};

struct level_params {
    float low, high; /* fixed range */
    float follow;    /* smooth: fraction of the distance to the frame's range */
    VKS_UINT values; /* of which some are compared with a fixed range; 0: none */
};

#define VIEW_FRAME 0
#define VIEW_FIXED 1
#define VIEW_SMOOTH 2

/* Tones to the power of gamma, which is 1, 0.5 or another number. */
#define TONE_LINEAR 0
#define TONE_ROOT 1
#define TONE_POWER 2

/* The field "view_level", float32: */
#define LEVEL_LOW 0 /* range of the frame */
#define LEVEL_HIGH 1
#define LEVEL_SCALE 2 /* 1 / (measured max - LEVEL_BASE), or 0 */
#define LEVEL_FIELD 3 /* field drawn with a range: 1, 2, or 0 for none */
#define LEVEL_FIRST 4 /* smallest distinguished value */
#define LEVEL_BASE 5  /* measured: LEVEL_FIRST or its logarithm */
#define LEVEL_BELOW 6 /* fraction of the values that are negative and below a fixed range */
#define LEVEL_ABOVE 7 /* and of those above it */
#define LEVEL_WORDS 8

#define LEVEL_SAMPLES 256   /* invocations that count them */
#define LEVEL_PER_SAMPLER 4 /* values of each */

/* A volume as a plane. Strides are in cells of the volume. */
struct plane_params {
    VKS_UINT width, height; /* of the plane */
    VKS_UINT across, down;  /* strides of columns and rows of the plane */
    VKS_UINT along;         /* stride along a line of sight */
    VKS_UINT first;         /* first cell of the first line of sight */
    VKS_UINT count;         /* cells per line of sight */
    float factor;           /* of their sum */
};

/* Rays through a rotated volume, one per pixel. */
struct rays_params {
    VKS_UINT azimuth, spin;         /* binary angles: at step 0, and per step */
    float sine, cosine;             /* of the elevation */
    float half_pixel;               /* in cells */
    float absorption;               /* per cell */
    VKS_UINT columns, rows, layers; /* cells of the volume */
    VKS_UINT width, height;         /* of the picture */
    VKS_UINT first, values;         /* its rows that are computed: the first and how many */
};

/* Points counted per pixel, seen along an axis of their box. */
struct points_params {
    VKS_UINT count;         /* points */
    VKS_UINT columns, rows; /* cells of the box's plane */
    VKS_UINT x, y;          /* of the displayed part, in cells */
    VKS_UINT part_width, part_height;
    VKS_UINT width, height; /* of the picture */
    VKS_UINT first, values; /* its rows that are counted: the first and how many */
};

/* Points of a rotated box. Lengths are in units of 2^-shift pixels. */
struct camera_params {
    VKS_UINT azimuth, spin;   /* binary angles: at step 0, and per step */
    float across_x, across_y; /* of sides x and y */
    float down_x, down_y;     /* the same, times the sine of the elevation */
    VKS_UINT down_z;          /* of the side z, times the cosine: an integer */
    VKS_UINT shift;
    VKS_UINT count;         /* points */
    VKS_UINT width, height; /* of the picture */
    VKS_UINT first, values; /* its rows that are counted: the first and how many */
};

/* The field "view_camera": signed integers, in the unit of camera_params. */
#define CAMERA_ACROSS_X 0
#define CAMERA_ACROSS_Y 1
#define CAMERA_DOWN_X 2
#define CAMERA_DOWN_Y 3
#define CAMERA_WORDS 4

/* Quantities of points. */
struct tints_params {
    VKS_UINT count; /* points */
};

#define TINTS_PER_ITEM 16 /* points per invocation */

/* The code of a quantity of 1, in units of 2^-8 of log2 of the square. */
#define TINT_ZERO 32768

/* The field "view_tint_sums", over the points with a code: */
#define TINT_COUNT 0
#define TINT_SUM 1
#define TINT_SQUARES 2
#define TINT_SUMS 3

/* The field "view_tint", float32: */
#define TINT_LOW 0   /* code of tint 0 */
#define TINT_SCALE 1 /* tints per code */
#define TINT_WORDS 2
#define TINT_LEVELS 4095.0f    /* the largest tint of a point */
#define TINT_WIDER 16.0036621f /* from there to 65535 */
#define TINT_REACH 128.0f      /* the smallest half range, in codes: a factor of 2^(1/4) */

/* Points distributed over pixels, as a camera sees them. Sums have a border of one pixel. */
struct splat_params {
    VKS_UINT down_z, shift;      /* of camera_params */
    VKS_UINT middle_x, middle_y; /* of the box, from the picture's corner, in its unit: signed */
    VKS_UINT count;              /* points */
    VKS_UINT first;              /* row of the picture */
    VKS_UINT columns, rows;      /* of the sums */
};

struct splatted_params {
    VKS_UINT width, rows; /* of the values */
};

#define SPLATTED_ROWS 8 /* rows per invocation */

/* Counts of points as values. */
struct counted_params {
    VKS_UINT pixels;
};

/* Heights of the values of a picture or a band. */
struct heights_params {
    VKS_UINT pixels;
    VKS_UINT origin; /* the first value in its plane */
    VKS_UINT plane;  /* values of a plane */
};

/* A field as it is. */
struct cells_params {
    VKS_UINT count;
};

/* Resizing of one axis of a field. */
struct resample_params {
    VKS_UINT width, height; /* of the result */
    VKS_UINT row;           /* stride of rows of the source, in cells */
    VKS_UINT from;          /* the source's first line along the other axis */
    VKS_UINT origin;        /* number of the source's first line in the table of the axis */
    VKS_UINT size;          /* results in the table of the axis */
    VKS_UINT first;         /* the first computed one */
    VKS_UINT plane;         /* stride of planes of the source, in cells */
    VKS_UINT rows;          /* and of the result, in rows */
};

#define RESAMPLE_ACROSS 0
#define RESAMPLE_DOWN 1

/* Bloom: the bright parts in blocks of 2^shift x 2^shift pixels. */
struct glow_params {
    VKS_UINT width, height; /* of the picture */
    VKS_UINT glow_width, glow_height;
    VKS_UINT shift;
    float gamma, contrast;
    VKS_UINT first, rows; /* computed rows of blocks */
    VKS_UINT origin;      /* row of the picture for the first row of values */
    VKS_UINT plane;       /* stride of planes of values */
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
    float relief_x, relief_y;         /* height in cells per unit of value and pixel */
    float light_x, light_y;           /* away from the light, on level ground 1 high */
    float half_x, half_y, half_z;     /* unit vector between the light and the eye */
    float gloss;                      /* strength of highlights */
    VKS_UINT glow_width, glow_height; /* blocks */
    VKS_UINT glow_shift;
    VKS_UINT tight, wide; /* strength of either glow, in 1/256 */
    VKS_UINT background;  /* colour, RGBA8 with red in the low byte */
    VKS_UINT first, rows; /* of the picture: the drawn band */
    VKS_UINT origin;      /* row of the picture for the first row of values */
    VKS_UINT plane;       /* stride of planes of values */
};

/* Cells of a mask over a finished picture. */
struct mask_params {
    VKS_UINT width, height;           /* of the picture */
    VKS_UINT first, rows;             /* of the picture: the drawn band */
    VKS_UINT x, y;                    /* the displayed part, in cells */
    VKS_UINT part_width, part_height; /* at most 65536, as the picture's sides */
    VKS_UINT stride;                  /* words in a row of the mask */
    VKS_UINT colour;                  /* RGBA8 with red in the low byte */
};

/* Annotations: panels over the finished picture, each with lines of text. */
#define PANEL_TIME 0
#define PANEL_BAR 1 /* colour bars: one, or one of each plane of a mix */
#define PANEL_SCALE 2
#define PANELS 3

#define LINE_TITLE 0
#define LINE_NUMBERS 1
#define LINE_TIME 2
#define LINE_SCALE 3
#define LINE_NAMES 4 /* of up to 8 planes */
#define LINES 12
#define LINE_GLYPHS 64

/* The field "annotation_table", in words. The font has the characters from FONT_FIRST on. */
#define FONT_FIRST 32u
#define FONT_SIZE 95
#define TABLE_PANELS 0 /* of each: */
#define PANEL_X 0
#define PANEL_Y 1
#define PANEL_WIDTH 2
#define PANEL_HEIGHT 3
#define PANEL_ROWS 4 /* rows of the panels before it */
#define PANEL_WORDS 5
#define TABLE_TEXTS 15   /* of each line: first word and length; last, of the fallback's title */
#define TABLE_LEFT 41    /* of each line: where its text begins in its panel */
#define TABLE_WIDTHS 53  /* of each character */
#define TABLE_STARTS 148 /* of each character: its first column in the atlas */
#define TABLE_POWERS 243 /* float32: powers of ten from 10^POWERS_FIRST on */
#define POWERS_FIRST -20
#define POWERS 59
#define TABLE_STRINGS 302 /* a word per character */
#define TABLE_HEAD 640    /* then rows, a quarter of a disc for the corners, the atlas */

/* A row of a panel: the row of its text's glyphs, from 1; the line; what else it shows. */
#define ROW_GLYPHS 0x3ffu
#define ROW_LINE_SHIFT 10
#define ROW_LINE 0xfu
#define ROW_PANEL_SHIFT 14
#define ROW_PANEL 0x3u
#define ROW_PLANE_SHIFT 16
#define ROW_PLANE 0x7u
#define ROW_BAR 0x80000u
#define ROW_TICKS 0x100000u
#define ROW_SCALE 0x200000u
#define ROW_FRAME 0x400000u /* around a bar */

/* The field "annotation_columns": of each line, the columns of its panel, and last the width of
 * PANEL_TIME. A column: that of the atlas, from 1. */
#define COLUMN_ATLAS 0xffffffu
#define COLUMN_TICK 0x1000000u

#define TIME_CLOCK 0  /* steps */
#define TIME_STEPS 1  /* steps, of a field */
#define TIME_AMOUNT 2 /* of a field, in units of 2^-40 */

struct annotate_text_params {
    float gamma;
    VKS_UINT trims;            /* 1: the ends of the range without final zeros */
    VKS_UINT lines;            /* those that are used */
    VKS_UINT stride;           /* columns of a line */
    VKS_UINT digit;            /* width of every digit of the time */
    VKS_UINT gap;              /* between numbers */
    VKS_UINT pad;              /* of a panel */
    VKS_UINT bar_x, bar_width; /* in its panel */
    VKS_UINT stroke;           /* width of a tick */
};

struct annotate_params {
    VKS_UINT width;                         /* of the picture */
    VKS_UINT first, end;                    /* of the picture: rows of the drawn band */
    VKS_UINT rows;                          /* of all panels */
    VKS_UINT stride;                        /* columns of a line */
    VKS_UINT bar_x, bar_width;              /* in its panel */
    VKS_UINT scale_x, scale_width;          /* in its panel */
    VKS_UINT frame;                         /* width of that around a bar */
    VKS_UINT radius;                        /* of corners */
    VKS_UINT rows_at, corners_at, atlas_at; /* in the table */
    VKS_UINT atlas_width;
    VKS_UINT ink, shade; /* colours, RGBA8 with red in the low byte */
    VKS_UINT share;      /* of the shade, in 1/65536 */
    float contrast;
};

/* The range of a picture from the ranges of its bands. */
struct widen_params {
    VKS_UINT first; /* 1: the first band */
};

/* Rows of values that a hillshade needs above and below a pixel: of the smoothed height, and of its
 * slope. */
#define RELIEF_SMOOTH 3
#define RELIEF_ROWS (RELIEF_SMOOTH + 1)

#define BACKGROUND_NONE 0
#define BACKGROUND_TRANSPARENT 1
#define BACKGROUND_COLOUR 2
#define BACKGROUND_IMAGE 3

/* The field "palette", of each plane: 256 colours, RGBA8 with red in the low byte, and a word that
 * is 1 if colours are not interpolated. */
#define PALETTE_DISCRETE 256
#define PALETTE_WORDS 257

#endif
