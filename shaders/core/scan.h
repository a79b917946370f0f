/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_SCAN_H
#define VKS_CORE_SCAN_H

#include "lib/shared.h"

#define SCAN_ITEMS 8192u /* per tile, one tile per workgroup */

struct scan_params {
    VKS_UINT count; /* items */
    VKS_UINT tiles; /* count / SCAN_ITEMS, rounded up */
};

#endif
