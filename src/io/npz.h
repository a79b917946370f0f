/* SPDX-License-Identifier: MIT */
/* NumPy .npz archives (zip64, members stored) of .npy arrays and one JSON member. */
#ifndef VKS_IO_NPZ_H
#define VKS_IO_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

/* One array. */
struct vks_npy {
    char name[64];       /* member name without ".npy" */
    char kind;           /* 'f' float, 'u' unsigned, 'i' signed integer */
    uint32_t item_bytes; /* 1, 2, 4 or 8 */
    uint32_t rank;       /* 0 to 4 */
    uint64_t shape[4];
    uint64_t bytes; /* of all elements */
};

struct vks_npz; /* an archive open for reading */

/* Opens an archive, reads the headers of all members and checks them against the members' sizes:
 * truncated or inconsistent files fail here with VKS_ERROR_FILE. Supports npy versions 1 to 3,
 * stored and deflated members, little-endian types, C and Fortran order. Everything else is an
 * error that names it: big-endian, objects, structured types, other kinds of numbers, rank over 4,
 * over 4096 members, duplicate names. Members not named *.npy are not arrays. */
enum vks_result vks_npz_open(const char *path, struct vks_npz **npz);
void vks_npz_close(struct vks_npz *npz); /* NULL is fine */
size_t vks_npz_count(const struct vks_npz *npz);
const struct vks_npy *vks_npz_at(const struct vks_npz *npz, size_t index);
const struct vks_npy *vks_npz_find(const struct vks_npz *npz, const char *name); /* or NULL */
/* Reads the elements in C order (transposing a Fortran-order member) and verifies the checksum.
 * `array` belongs to this archive; `size` must be its `bytes`. On failure *data is undefined. */
enum vks_result vks_npz_read(struct vks_npz *npz, const struct vks_npy *array, void *data,
                             size_t size);
/* The text of member `name` ("vksim.json"), at most 16 MiB, as a NUL-terminated string to be freed;
 * *text is NULL and the result VKS_OK if there is none. */
enum vks_result vks_npz_text(struct vks_npz *npz, const char *name, char **text);

/* Writes an atomic file. Members are stored uncompressed with fixed time stamps: equal content
 * gives identical bytes. */
struct vks_npz_writer;
enum vks_result vks_npz_create(const char *path, bool overwrite, struct vks_npz_writer **writer);
/* Writes the data before it returns, without a copy. kind, item_bytes and rank as above; a name has
 * 1 to 63 letters, digits, '_', '-' and '.'. data may be NULL if there are no elements. A refused
 * name (invalid or duplicate) leaves the archive unchanged; after a failed write finish fails,
 * too. */
enum vks_result vks_npz_add(struct vks_npz_writer *writer, const char *name, char kind,
                            uint32_t item_bytes, uint32_t rank, const uint64_t *shape,
                            const void *data);
enum vks_result vks_npz_add_text(struct vks_npz_writer *writer, const char *name, const char *text);
/* Completes, syncs and renames; on failure removes the partial file. Frees the writer. */
enum vks_result vks_npz_finish(struct vks_npz_writer *writer);
void vks_npz_abort(struct vks_npz_writer *writer); /* removes the partial file; NULL is fine */

#endif
