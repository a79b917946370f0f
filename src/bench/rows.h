/* SPDX-License-Identifier: MIT */
/* How each row of ceilings.h is measured. */
#ifndef VKS_BENCH_ROWS_H
#define VKS_BENCH_ROWS_H

#include "bench/ceilings.h"
#include "bench/kernel.h"

/* What the device or this build lacks to measure the ceiling of that index: a phrase, or NULL. */
const char *vks_ceiling_missing(const struct vks_gpu *gpu, size_t index);

/* Buffers of ceilings that are measured over sizes: powers of two from the smallest to the largest,
 * which is several times the device's caches, smaller on a software driver. */
enum { VKS_SMALLEST_BUFFER = 1 << 16 };
uint64_t vks_largest_buffer(const struct vks_gpu *gpu);

/* About as many invocations as a large GPU runs at once; fewer on a software driver. */
uint32_t vks_resident_lanes(const struct vks_gpu *gpu);

/* The kernel of the ceiling of that index, with buffers of `bytes` if it is measured over sizes;
 * false if it has none. */
bool vks_ceiling_kernel(const struct vks_gpu *gpu, size_t index, uint64_t bytes,
                        struct vks_kernel *kernel);

/* Measures one; `bytes`: of the buffer if it is measured over sizes. Sets *used to the bytes of the
 * buffer that was used, 0 if that does not matter. */
enum vks_result vks_ceiling_measure(struct vks_gpu *gpu, size_t index, uint64_t bytes,
                                    const struct vks_effort *effort, struct vks_spread *value,
                                    uint64_t *used);

#endif
