/* SPDX-License-Identifier: MIT */
#ifndef VKS_BENCH_COPY_H
#define VKS_BENCH_COPY_H

#include "lib/shared.h"

struct copy_params {
    VKS_UINT count; /* elements of 8 bytes, a multiple of 4 */
};

#endif
