/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_DISTANCE_H
#define VKS_CORE_DISTANCE_H

#include "lib/shared.h"

#define DISTANCE_GROUPS 1024u /* max per pass */
#define DISTANCE_ITEMS 4096u  /* per group, if there are fewer groups */

/* Bits of an item's mark. */
#define DISTANCE_DIFFERS 1u
#define DISTANCE_APART 2u /* in another cell */

struct distance_params {
    VKS_UINT items;  /* of a field of items; of any other, words */
    VKS_UINT height; /* cells: of places */
    VKS_UINT width;
    VKS_UINT quantity; /* the first of those that the pass adds up */
    VKS_UINT shift;    /* contraction by 2^-shift */
    float scale;       /* of floats: units of a sum per 1, or 2^-shift */
    float limit;       /* 2^62 units: a value beyond it counts as the limit */
};

#endif
