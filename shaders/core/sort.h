/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_SORT_H
#define VKS_CORE_SORT_H

#include "lib/shared.h"

struct sort_params {
    VKS_UINT count; /* items, at most 2^31 */
    VKS_UINT bins;  /* at most 2^31; a key beyond the last bin counts as the last */
};

struct items_params {
    VKS_UINT count; /* items */
};

#endif
