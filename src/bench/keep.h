/* SPDX-License-Identifier: MIT */
/* Ceilings on disk, next to the pipeline cache: one file per device and driver, and one per list of
 * devices that ranks have used. */
#ifndef VKS_BENCH_KEEP_H
#define VKS_BENCH_KEEP_H

#include "bench/ceilings.h"

/* Fills items that are in the file, and marks them as kept: all of the table have an item, in its
 * order. A file that is damaged, or of another device, driver or version, is ignored. */
void vks_ceilings_read(const struct vks_gpu *gpu, struct vks_ceilings *set);
/* Writes the measured ones. A failure is only logged. */
void vks_ceilings_write(const struct vks_gpu *gpu, const struct vks_ceilings *set);
/* The same of ranks with these devices, in order. */
void vks_ceilings_read_ranks(const struct vks_device_info *devices, size_t count,
                             struct vks_ceilings *set);
void vks_ceilings_write_ranks(const struct vks_device_info *devices, size_t count,
                              const struct vks_ceilings *set);

#endif
