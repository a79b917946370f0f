/* SPDX-License-Identifier: MIT */
/* What the kernels of shaders/bench compute: word `index` of the result. */
#ifndef VKS_BENCH_EXPECTED_H
#define VKS_BENCH_EXPECTED_H

#include "bench/kernel.h"

uint32_t vks_expected_content(const struct vks_kernel *kernel, uint64_t index); /* of a buffer */
uint32_t vks_expected_read(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_shared(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_matrix(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_float32(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_float16(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_int32(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_int32_add(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_shuffle(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_atomic(const struct vks_kernel *kernel, uint64_t index);
uint32_t vks_expected_random_read(const struct vks_kernel *kernel, uint64_t index);

#endif
