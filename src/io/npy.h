/* SPDX-License-Identifier: MIT */
/* The header of a .npy file, alone or inside an .npz archive. */
#ifndef VKS_IO_NPY_H
#define VKS_IO_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/npz.h"

enum {
    VKS_NPY_MAX_HEADER = 16384,   /* bytes of header taken; NumPy itself stops at 10000 */
    VKS_NPY_HEADER_WRITTEN = 192, /* the longest that vks_npy_format() writes */
    VKS_NPZ_MAX_MEMBERS = 4096,   /* members of an archive, read or written */
};

/* Where a header came from, for the sentence of an error. */
struct vks_npy_place {
    const char *path, *member;
};

/* Parses the header at the start of `bytes`, of which `size` are there (the start of the file, not
 * necessarily all of it). Fills all of `array` but the name; *data_offset is where the elements
 * begin. The product of the sides and item_bytes fits `bytes`; whether the file is that long is
 * the caller's to check. VKS_ERROR_FILE with a sentence naming the place otherwise. */
enum vks_result vks_npy_parse(const uint8_t *bytes, size_t size, struct vks_npy_place place,
                              struct vks_npy *array, bool *fortran, size_t *data_offset);

/* True for the types that struct vks_npy can hold. */
bool vks_npy_type_valid(char kind, uint32_t item_bytes);

/* Bytes of an array; false if they do not fit 64 bits. Sides of 0 count as 1 for that check, so
 * that any product of sides is safe to compute later. */
bool vks_npy_size(uint32_t item_bytes, uint32_t rank, const uint64_t *shape, uint64_t *bytes);

/* Writes a version 1 header, padded to a multiple of 64 bytes. Type and rank must be valid.
 * Returns its length. */
size_t vks_npy_format(uint8_t header[VKS_NPY_HEADER_WRITTEN], char kind, uint32_t item_bytes,
                      uint32_t rank, const uint64_t *shape);

#endif
