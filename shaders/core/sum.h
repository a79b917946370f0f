/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_SUM_H
#define VKS_CORE_SUM_H

#include "lib/shared.h"

#define SUM_GROUPS 2048u /* max: enough to fill a GPU, few enough for one group to sum */
#define SUM_ITEMS 4096u  /* per group, if there are fewer groups */

struct sum_params {
    VKS_UINT first, end; /* words of the field that are summed */
    float scale;         /* a power of two: units of the sum per 1 */
    float limit;         /* 2^62 units: a value beyond it counts as the limit */
};

#endif
