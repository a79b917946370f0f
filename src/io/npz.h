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

/* Opens an archive and reads the headers of all members. They are checked against the members'
 * sizes, so that a truncated or forged file fails here with VKS_ERROR_FILE. Supports npy versions 1
 * to 3, stored and deflated members, little-endian types and those of one byte, C and Fortran
 * order. The message names what is not supported (big-endian, objects, structured types, other
 * kinds of numbers, rank over 4, over 4096 members, a name twice). Members not named *.npy are not
 * arrays. */
enum vks_result vks_npz_open(const char *path, struct vks_npz **npz);
void vks_npz_close(struct vks_npz *npz); /* NULL is fine */
size_t vks_npz_count(const struct vks_npz *npz);
const struct vks_npy *vks_npz_at(const struct vks_npz *npz, size_t index);
const struct vks_npy *vks_npz_find(const struct vks_npz *npz, const char *name); /* or NULL */
/* Reads the elements in C order (a Fortran-order member is transposed). `array` must be of this
 * archive, and size its `bytes`. Verifies the checksum; on failure *data is undefined. */
enum vks_result vks_npz_read(struct vks_npz *npz, const struct vks_npy *array, void *data,
                             size_t size);
enum { VKS_NPZ_MAX_TEXT = 16 << 20 }; /* bytes of a text member */
/* The text of member `name` ("vksim.json"), a NUL-terminated heap string, the caller's; if there is
 * none, *text is NULL and the result VKS_OK. */
enum vks_result vks_npz_text(struct vks_npz *npz, const char *name, char **text);

/* Writing: into a file next to the final name, renamed by finish. Members are stored (not
 * compressed) with a fixed time stamp: equal content gives equal bytes. */
struct vks_npz_writer;
enum vks_result vks_npz_create(const char *path, bool overwrite, struct vks_npz_writer **writer);
/* The same into an open file, which remains the caller's; `path` is for messages. */
enum vks_result vks_npz_create_in(int fd, const char *path, struct vks_npz_writer **writer);
/* Starts an array. Its elements follow through vks_npz_write(), all of them before the next member.
 * kind, item_bytes and the maximum rank are as above; a name has 1 to 63 letters, digits, '_', '-'
 * and '.'. A refused array (a bad or taken name, say) leaves the archive as it was. */
enum vks_result vks_npz_begin_array(struct vks_npz_writer *writer, const char *name, char kind,
                                    uint32_t item_bytes, uint32_t rank, const uint64_t *shape);
/* The next bytes of the array's elements, in C order and in pieces of any size. They are in the
 * file when the call returns. After a failed write, all later calls fail, also finish. */
enum vks_result vks_npz_write(struct vks_npz_writer *writer, const void *data, size_t size);
/* VKS_ERROR_FILE for a text that could not be read again. */
enum vks_result vks_npz_add_text(struct vks_npz_writer *writer, const char *name, const char *text);
/* Completes, syncs and renames; on failure removes the partial file. Frees the writer. */
enum vks_result vks_npz_finish(struct vks_npz_writer *writer);
void vks_npz_abort(struct vks_npz_writer *writer); /* removes the partial file; NULL is fine */

#endif
