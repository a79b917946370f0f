/* SPDX-License-Identifier: MIT */
/* What the code does for software drivers alone. */
#ifndef VKS_GRAPH_SOFTWARE_H
#define VKS_GRAPH_SOFTWARE_H

#include <vksim/model.h>

struct vks_gpu;

/* The only function that decides what software drivers need, as measured with the llvmpipe of Mesa
 * 22.3. Remove what later versions do not need. */
struct vks_software vks_software_of(const struct vks_gpu *gpu);

#endif
