/* SPDX-License-Identifier: MIT */
/* Constants of the composite pass; docs/sheets.md. */
#ifndef VKS_SHEET_PARAMS_H
#define VKS_SHEET_PARAMS_H

#include "lib/shared.h"

/* Pixels. */
struct sheet_params {
    VKS_UINT cell_width, cell_height; /* of a picture */
    VKS_UINT count, columns;          /* of pictures */
    VKS_UINT left, top;               /* of the first one on the sheet */
    VKS_UINT across, down;            /* from one to the next */
    VKS_UINT width;                   /* of the sheet */
};

/* A workgroup moves a tile of this size of the pictures in memory, in pixels; an invocation several
 * pixels of a line. */
#define SHEET_TILE_WIDTH 256u
#define SHEET_TILE_HEIGHT 8u
#define SHEET_RUN 8u

#endif
