/* SPDX-License-Identifier: MIT */
/* The header of a .npy file, alone or inside an .npz archive. */
#ifndef VKS_IO_NPY_H
#define VKS_IO_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/npz.h"

enum {
    VKS_NPY_MAX_HEADER = 16384,   /* bytes of header; NumPy's own limit is 10000 */
    VKS_NPY_HEADER_WRITTEN = 192, /* the longest that vks_npy_format() writes */
    VKS_NPZ_MAX_MEMBERS = 4096,   /* members of an archive, read or written */
};

/* The origin of a header, for error messages. */
struct vks_npy_place {
    const char *path, *member;
};

/* Parses the header at the start of `bytes`, which has `size` bytes (the beginning of the file,
 * possibly all). Fills all of `array` except the name; *data_offset is the offset of the elements.
 * The product of the shape and item_bytes fits `bytes`; the caller must check the length of the
 * file. VKS_ERROR_FILE: the message names the place. */
enum vks_result vks_npy_parse(const uint8_t *bytes, size_t size, struct vks_npy_place place,
                              struct vks_npy *array, bool *fortran, size_t *data_offset);

/* True for the types that struct vks_npy supports. */
bool vks_npy_type_valid(char kind, uint32_t item_bytes);

/* Bytes of an array; false on 64-bit overflow. Extents of 0 count as 1 in that check, so that any
 * product of extents is safe to compute later. */
bool vks_npy_size(uint32_t item_bytes, uint32_t rank, const uint64_t *shape, uint64_t *bytes);

/* Writes a version 1 header, padded to a multiple of 64 bytes. Type and rank must be valid.
 * Returns its length. */
size_t vks_npy_format(uint8_t header[VKS_NPY_HEADER_WRITTEN], char kind, uint32_t item_bytes,
                      uint32_t rank, const uint64_t *shape);

#endif
