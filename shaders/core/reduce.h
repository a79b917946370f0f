/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_REDUCE_H
#define VKS_CORE_REDUCE_H

#include "lib/shared.h"

#define REDUCE_ITEMS 4096u /* of a group */
#define REDUCE_RANGE 0
#define REDUCE_SUM 1

struct reduce_params {
    VKS_UINT count; /* items of this level */
};

#endif
