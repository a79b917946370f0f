/* SPDX-License-Identifier: MIT */
#ifndef VKS_CORE_CHECK_H
#define VKS_CORE_CHECK_H

#include "lib/shared.h"

struct check_params {
    VKS_UINT low, high; /* the ends of the range: bits of floats */
};

#endif
