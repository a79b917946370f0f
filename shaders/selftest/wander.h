/* SPDX-License-Identifier: MIT */
/* Shared by test_sorting.c and its shaders. */
#include "lib/shared.h"

#define WANDER_TILE 4u /* cells along a side */

struct wander_params {
    VKS_UINT count; /* items */
    VKS_UINT side;  /* cells, a multiple of WANDER_TILE */
};

#ifndef __STDC__
uint wander_cell(uvec2 at, uint side)
{
    return vks_high(at.x, side) * side + vks_high(at.y, side);
}
#endif
