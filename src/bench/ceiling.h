/* SPDX-License-Identifier: MIT */
/* Measured ceilings of a device, which passes are compared with. */
#ifndef VKS_BENCH_CEILING_H
#define VKS_BENCH_CEILING_H

#include "gpu/device.h"

/* Bytes per second, read and written, of a copy between two buffers too large for the caches: the
 * median of several. *bandwidth is 0 if the device has no timestamps. */
enum vks_result vks_measure_copy(struct vks_gpu *gpu, double *bandwidth);

#endif
