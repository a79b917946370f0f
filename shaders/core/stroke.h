/* SPDX-License-Identifier: MIT */
/* The words of the field `strokes`, and the constants of core/brush; docs/brushes.md. */
#ifndef VKS_CORE_STROKE_H
#define VKS_CORE_STROKE_H

#include "lib/shared.h"

/* Cells per side are counted in this unit: 2^-6 cells. */
#define STROKE_UNIT_BITS 6u

/* First the number of strokes and the sides of the grid in cells: x, y, z. Then a record for each
 * stroke: */
#define STROKE_HEADER 4u
#define STROKE_START 0u      /* int x, y, z: where the first of its images begins */
#define STROKE_ALONG 3u      /* int x, y, z: from there to the end */
#define STROKE_IMAGES 6u     /* x, y, z: how many images there are, one side apart */
#define STROKE_RADIUS 9u     /* float */
#define STROKE_SHARPNESS 10u /* float: 1 / width of the soft edge; 0: there is none */
#define STROKE_INVERSE 11u   /* float: 1 / length^2; 0: a dab */
#define STROKE_STRENGTH 12u  /* float, 0 to 1 */
#define STROKE_BACKWARD 13u  /* 1: the inverse */
#define STROKE_STREAM 14u    /* of random numbers */
#define STROKE_VALUES 15u    /* two floats: what it paints, of a brush that takes values */
#define STROKE_WORDS 17u

/* core/brush: what strokes do to a field, and what their inverse does. */
struct brush_params {
    VKS_UINT rows;    /* height x depth, or height x planes */
    VKS_UINT adds[2]; /* 1: the amount is added; 0: values move to it */
    float amounts[2];
    float min, max; /* values stay between these */
    VKS_UINT value; /* the amount is multiplied by this value of the stroke, from 1; 0: by none */
};

#endif
