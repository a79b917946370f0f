/* SPDX-License-Identifier: MIT */
/* Ceilings of a device, measured: what a pass can be compared with. */
#ifndef VKS_BENCH_CEILING_H
#define VKS_BENCH_CEILING_H

#include <vksim/vksim.h>

#include "gpu/device.h"

/* Bytes in a buffer that is several times the device's largest cache, smaller on a software driver.
 */
uint64_t vks_copy_bytes(const struct vks_gpu *gpu);

/* Times a copy between two buffers of `bytes` each, which is a multiple of 32: `timing` has the
 * bytes read and written; 0 samples when the device has no timestamps. */
enum vks_result vks_measure_copy(struct vks_gpu *gpu, uint64_t bytes,
                                 struct vks_pass_timing *timing);

/* Bytes per second, read and written, of a copy too large for the caches: the median of several; 0
 * when the device has no timestamps. */
enum vks_result vks_measure_bandwidth(struct vks_gpu *gpu, double *bandwidth);

#endif
