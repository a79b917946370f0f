/* SPDX-License-Identifier: MIT */
/* A whole array in memory as a member of an .npz file. */
#ifndef VKS_TEST_NPZ_ADD_H
#define VKS_TEST_NPZ_ADD_H

#include "io/npz.h"

static inline enum vks_result npz_add(struct vks_npz_writer *writer, const char *name, char kind,
                                      uint32_t item_bytes, uint32_t rank, const uint64_t *shape,
                                      const void *data)
{
    const enum vks_result result = vks_npz_begin_array(writer, name, kind, item_bytes, rank, shape);
    uint64_t bytes = item_bytes;
    for (uint32_t i = 0; result == VKS_OK && i < rank; i++) {
        bytes *= shape[i];
    }
    return result == VKS_OK ? vks_npz_write(writer, data, bytes) : result;
}

#endif
