/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_REDUCE_H
#define VKS_CORE_REDUCE_H

#include "lib/shared.h"

#define REDUCE_ITEMS 4096u /* of a group */

struct reduce_params {
    VKS_UINT first, count; /* items of this level */
};

#endif
