/* SPDX-License-Identifier: MIT */
/* Ceilings of a device, measured: what a pass can be compared with. */
#ifndef VKS_BENCH_CEILING_H
#define VKS_BENCH_CEILING_H

#include "gpu/device.h"

/* Bytes a second, read and written, of a copy between two buffers too large for the caches: the
 * median of several. 0 in *bandwidth when the device has no timestamps. */
enum vks_result vks_measure_copy(struct vks_gpu *gpu, double *bandwidth);

#endif
