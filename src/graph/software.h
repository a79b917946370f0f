/* SPDX-License-Identifier: MIT */
/* What the code does for software drivers alone. */
#ifndef VKS_GRAPH_SOFTWARE_H
#define VKS_GRAPH_SOFTWARE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero on a GPU. No member changes a byte of any result. */
struct vks_software {
    bool driver;     /* the device is a software driver: the first candidate is used unmeasured,
                      * because building pipelines is slow there and variants differ little */
    bool one_by_one; /* each invocation counts its own item, because finding others of the same
                      * bin costs more than an atomic there */
    uint32_t texels; /* max elements of a field that shaders read as a texel buffer, because loads
                      * from storage buffers are done one lane at a time there; 0: none */
};

struct vks_gpu;

/* The only function that decides what software drivers need, as measured with the llvmpipe of Mesa
 * 22.3. Remove what later versions do not need. */
struct vks_software vks_software_of(const struct vks_gpu *gpu);

#endif
