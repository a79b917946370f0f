/* SPDX-License-Identifier: MIT */
#ifndef VKS_TESTS_STENCIL_H
#define VKS_TESTS_STENCIL_H

#include "lib/shared.h"

struct stencil_params {
    VKS_UINT width, height, depth; /* cells */
};

#endif
