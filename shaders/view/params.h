/* SPDX-License-Identifier: MIT */
/* Constants of the passes that draw a field; docs/pictures.md. */
#ifndef VKS_VIEW_PARAMS_H
#define VKS_VIEW_PARAMS_H

#include "lib/shared.h"

struct view_params {
    VKS_UINT width, height;             /* of the field and the picture */
    VKS_UINT coded_width, coded_height; /* of the YUV planes */
    float low, high;                    /* fixed range */
    float follow;                       /* smooth: share of the way to the frame's range */
    float gamma, contrast;
};

#define VIEW_FRAME 0
#define VIEW_FIXED 1
#define VIEW_SMOOTH 2

#endif
