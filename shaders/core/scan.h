/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_SCAN_H
#define VKS_CORE_SCAN_H

#include "lib/shared.h"

#define SCAN_ITEMS 8192u /* per tile, one tile per workgroup; half as many of up to 2^20 items */

struct scan_params {
    VKS_UINT count; /* items */
    VKS_UINT tiles; /* count / items of a tile, rounded up */
};

#endif
