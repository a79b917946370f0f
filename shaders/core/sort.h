/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_SORT_H
#define VKS_CORE_SORT_H

#include "lib/shared.h"

struct sort_params {
    VKS_UINT count; /* items, at most 2^31 */
    VKS_UINT bins;  /* at most 2^31; a key beyond the last bin counts as the last */
};

/* Key of invocations without an item and, on several ranks, of places in memory without one. */
#define SORT_NO_ITEM 0xffffffffu

struct items_params {
    VKS_UINT count; /* items */
};

#endif
