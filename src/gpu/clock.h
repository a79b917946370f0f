/* SPDX-License-Identifier: MIT */
/* The GPU's clock: timestamps. */
#ifndef VKS_GPU_CLOCK_H
#define VKS_GPU_CLOCK_H

#include "base/profile.h"
#include "gpu/device.h"

/* Sets the period and the mask of the queue's timestamps from what the device reports. `valid_bits`
 * 0 or a period that is not positive and finite: no timestamps, both are 0. */
void vks_gpu_clock_init(struct vks_gpu *gpu, uint32_t valid_bits, double period_ns);

/* VKS_OK if the queue has timestamps; else VKS_ERROR_DEVICE, because nothing can be measured. */
enum vks_result vks_gpu_need_timestamps(const struct vks_gpu *gpu);

/* Seconds from one timestamp to a later one, across at most one wrap-around. */
double vks_gpu_seconds(const struct vks_gpu *gpu, uint64_t begin, uint64_t end);

/* Seconds after which timestamps wrap around: longer durations are unknown. */
double vks_gpu_clock_range(const struct vks_gpu *gpu);

/* Reads timestamps of completed commands; false on failure. Some drivers wait for the whole queue
 * meanwhile, so the time counts as waiting for the GPU. */
bool vks_gpu_read_ticks(const struct vks_gpu *gpu, VkQueryPool queries, uint32_t first,
                        uint32_t count, uint64_t *ticks);

/* Reads both clocks: at once where the device can (VK_KHR_calibrated_timestamps); elsewhere
 * estimates from submissions, which waits for the GPU. Needs timestamps. */
enum vks_result vks_gpu_read_clocks(struct vks_gpu *gpu, struct vks_clock_pair *pair);

#endif
