/* SPDX-License-Identifier: MIT */
/* Pooling of a matrix: maxima of its windows. */
#include "ladder/pool.h"

const struct vks_ladder_kernel vks_kernel_pool_max = {
    .name = "pool-max",
    .help = "maxima of windows: accesses that overlap",
    .axes = VKS_POOL_AXES,
    .sizes = VKS_POOL_SIZES,
    .software_sizes = VKS_POOL_SOFTWARE_SIZES,
    .awkward_sizes = VKS_POOL_AWKWARD_SIZES,
    .ceiling = "copy",
    .element = VKS_F32,
    .refuse = vks_pool_refuse,
    .buffers = vks_pool_buffers,
    .bytes = vks_pool_bytes,
    .operations = vks_pool_operations,
    .check = vks_pool_check,
    .rungs = vks_pool_rungs,
};
