/* SPDX-License-Identifier: MIT */
#include "io/npz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zip.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/file.h"
#include "base/task.h"
#include "io/npy.h"

enum {
    CHUNK = 1 << 20,    /* bytes read by one call of libzip */
    SCATTER = 1 << 16,  /* bytes of a Fortran-order member read at a time */
    MAX_DEFLATE = 1032, /* the highest possible ratio of deflate */
};

struct member {
    struct vks_npy array;
    zip_uint64_t index; /* in the archive */
    size_t data_offset; /* offset of the elements in the member */
    bool fortran;
};

struct vks_npz {
    char *path;
    zip_t *zip;
    struct member *members; /* the arrays */
    size_t count;
};

/* A member's name: UTF-8, owned by the archive. */
static const char *member_name(const struct vks_npz *npz, zip_uint64_t index)
{
    const char *name = zip_get_name(npz->zip, index, 0);
    return name ? name : "?";
}

static enum vks_result fail_member(const struct vks_npz *npz, zip_uint64_t index, const char *what)
{
    return vks_fail(VKS_ERROR_FILE, "'%s': member '%s': %s", npz->path, member_name(npz, index),
                    what);
}

static enum vks_result open_member(const struct vks_npz *npz, zip_uint64_t index, zip_file_t **file)
{
    *file = zip_fopen_index(npz->zip, index, 0);
    return *file ? VKS_OK : fail_member(npz, index, zip_strerror(npz->zip));
}

static enum vks_result read_exactly(const struct vks_npz *npz, zip_uint64_t index, zip_file_t *file,
                                    void *data, size_t size)
{
    char *to = data;
    while (size > 0) {
        zip_int64_t got = zip_fread(file, to, size < CHUNK ? size : CHUNK);
        if (got < 0) {
            return fail_member(npz, index, zip_file_strerror(file));
        }
        if (got == 0) {
            return fail_member(npz, index, "it ends before all of its data was read");
        }
        to += got;
        size -= (size_t)got;
        const enum vks_result result = vks_task_advance((uint64_t)got);
        if (result != VKS_OK) {
            return result;
        }
    }
    return VKS_OK;
}

/* libzip verifies the checksum when it reaches the end, so the end must be read, too. */
static enum vks_result read_end(const struct vks_npz *npz, zip_uint64_t index, zip_file_t *file)
{
    char byte;
    zip_int64_t got = zip_fread(file, &byte, 1);
    if (got < 0) {
        return fail_member(npz, index, zip_file_strerror(file));
    }
    return got == 0 ? VKS_OK : fail_member(npz, index, "it is longer than its header says");
}

/* Checks a member's directory entry before anything is allocated for it. */
static enum vks_result check_member(const struct vks_npz *npz, zip_uint64_t index, uint64_t *budget,
                                    zip_stat_t *stat)
{
    const zip_uint64_t needed =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(npz->zip, index, 0, stat) != 0) {
        return fail_member(npz, index, zip_strerror(npz->zip));
    }
    if ((stat->valid & needed) != needed) {
        return fail_member(npz, index, "the archive does not state its size");
    }
    for (const char *c = stat->name; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            return vks_fail(VKS_ERROR_FILE, "'%s': a member's name has control characters",
                            npz->path);
        }
    }
    for (zip_uint64_t i = 0; i < index; i++) {
        if (strcmp(member_name(npz, i), stat->name) == 0) {
            return fail_member(npz, index, "the archive contains this name twice");
        }
    }
    if ((stat->valid & ZIP_STAT_ENCRYPTION_METHOD) && stat->encryption_method != ZIP_EM_NONE) {
        return fail_member(npz, index, "it is encrypted");
    }
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE) {
        return fail_member(npz, index, "it is compressed by another method than deflate");
    }
    /* Sizes that the file cannot contain are rejected here, so that a small file cannot cause a
     * large allocation. */
    bool fits = stat->comp_size <= *budget;
    if (stat->comp_method == ZIP_CM_STORE) {
        fits = fits && stat->comp_size == stat->size;
    } else {
        fits = fits && stat->size / MAX_DEFLATE <= stat->comp_size;
    }
    if (!fits) {
        return fail_member(npz, index, "the file is too short for the size that it states");
    }
    *budget -= stat->comp_size;
    return VKS_OK;
}

/* Fills the next entry of `members` from a member whose name ends in ".npy". */
static enum vks_result read_header(struct vks_npz *npz, const zip_stat_t *stat)
{
    struct member *member = &npz->members[npz->count];
    size_t length = strlen(stat->name) - strlen(".npy");
    if (length >= sizeof(member->array.name)) {
        return fail_member(npz, stat->index, "its name has more than 63 characters");
    }
    memset(member, 0, sizeof(*member));
    memcpy(member->array.name, stat->name, length);
    member->index = stat->index;

    uint8_t header[VKS_NPY_MAX_HEADER];
    size_t size = stat->size < sizeof(header) ? (size_t)stat->size : sizeof(header);
    zip_file_t *file;
    enum vks_result result = open_member(npz, stat->index, &file);
    if (result != VKS_OK) {
        return result;
    }
    result = read_exactly(npz, stat->index, file, header, size);
    zip_fclose(file); /* not read to its end, so there is no checksum to verify */
    if (result != VKS_OK) {
        return result;
    }
    struct vks_npy_place place = {npz->path, member->array.name};
    result =
        vks_npy_parse(header, size, place, &member->array, &member->fortran, &member->data_offset);
    if (result != VKS_OK) {
        return result;
    }
    uint64_t there = stat->size - member->data_offset;
    if (there != member->array.bytes || there > SIZE_MAX) {
        return vks_fail(VKS_ERROR_FILE,
                        "'%s': array '%s': its shape needs %" PRIu64 " bytes, but it has %" PRIu64,
                        npz->path, member->array.name, member->array.bytes, there);
    }
    npz->count++;
    return VKS_OK;
}

static enum vks_result read_directory(struct vks_npz *npz, uint64_t file_size)
{
    zip_int64_t entries = zip_get_num_entries(npz->zip, 0);
    if (entries < 0 || entries > VKS_NPZ_MAX_MEMBERS) {
        return vks_fail(VKS_ERROR_FILE, "'%s': the archive has more than %d members", npz->path,
                        VKS_NPZ_MAX_MEMBERS);
    }
    npz->members = calloc(entries ? (size_t)entries : 1, sizeof(*npz->members));
    if (!npz->members) {
        return vks_fail_memory();
    }
    uint64_t budget = file_size;
    for (zip_uint64_t i = 0; i < (zip_uint64_t)entries; i++) {
        zip_stat_t stat;
        enum vks_result result = check_member(npz, i, &budget, &stat);
        if (result != VKS_OK) {
            return result;
        }
        size_t length = strlen(stat.name);
        bool is_array = length >= 4 && strcmp(stat.name + length - 4, ".npy") == 0;
        if (is_array && (result = read_header(npz, &stat)) != VKS_OK) {
            return result;
        }
    }
    return VKS_OK;
}

/* Opens npz->path, which must be a regular file: the directory at its end is read first. */
static enum vks_result open_archive(struct vks_npz *npz, uint64_t *file_size)
{
    struct stat status;
    if (stat(npz->path, &status) != 0) {
        return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", npz->path, vks_errno_text(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return vks_fail(VKS_ERROR_FILE, "cannot read '%s': it is not a regular file", npz->path);
    }
    *file_size = (uint64_t)status.st_size;
    int code = 0;
    npz->zip = zip_open(npz->path, ZIP_RDONLY, &code);
    if (!npz->zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        vks_fail(VKS_ERROR_FILE, "cannot read '%s' as a .npz archive: %s", npz->path,
                 zip_error_strerror(&error));
        zip_error_fini(&error);
        return VKS_ERROR_FILE;
    }
    return VKS_OK;
}

enum vks_result vks_npz_open(const char *path, struct vks_npz **npz)
{
    *npz = NULL;
    struct vks_npz *opened = calloc(1, sizeof(*opened));
    if (!opened) {
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    uint64_t file_size = 0;
    opened->path = vks_strdup(path);
    if (!opened->path) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = open_archive(opened, &file_size);
    }
    if (result == VKS_OK) {
        result = read_directory(opened, file_size);
    }
    if (result != VKS_OK) {
        vks_npz_close(opened);
        return result;
    }
    *npz = opened;
    return VKS_OK;
}

void vks_npz_close(struct vks_npz *npz)
{
    if (!npz) {
        return;
    }
    if (npz->zip) {
        zip_discard(npz->zip);
    }
    free(npz->members);
    free(npz->path);
    free(npz);
}

size_t vks_npz_count(const struct vks_npz *npz)
{
    return npz->count;
}

const struct vks_npy *vks_npz_at(const struct vks_npz *npz, size_t index)
{
    return index < npz->count ? &npz->members[index].array : NULL;
}

const struct vks_npy *vks_npz_find(const struct vks_npz *npz, const char *name)
{
    for (size_t i = 0; i < npz->count; i++) {
        if (strcmp(npz->members[i].array.name, name) == 0) {
            return &npz->members[i].array;
        }
    }
    return NULL;
}

static enum vks_result skip_header(const struct vks_npz *npz, const struct member *member,
                                   zip_file_t *file)
{
    uint8_t header[VKS_NPY_MAX_HEADER];
    return read_exactly(npz, member->index, file, header, member->data_offset);
}

/* Reads elements in Fortran order (the first index varies fastest) and stores them in C order. */
static enum vks_result read_transposed(const struct vks_npz *npz, const struct member *member,
                                       zip_file_t *file, char *data)
{
    const struct vks_npy *array = &member->array;
    size_t item = array->item_bytes;
    size_t stride[4] = {0}, at[4] = {0}, offset = 0;
    size_t step = item;
    for (uint32_t i = array->rank; i-- > 0;) {
        stride[i] = step;
        step *= (size_t)array->shape[i];
    }
    char *part = malloc(SCATTER);
    if (!part) {
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    size_t left = (size_t)array->bytes;
    while (left > 0) {
        size_t size = left < SCATTER ? left : SCATTER;
        result = read_exactly(npz, member->index, file, part, size);
        if (result != VKS_OK) {
            break;
        }
        for (size_t i = 0; i < size; i += item) {
            memcpy(data + offset, part + i, item);
            for (uint32_t axis = 0; axis < array->rank; axis++) {
                offset += stride[axis];
                if (++at[axis] < array->shape[axis]) {
                    break;
                }
                offset -= stride[axis] * at[axis];
                at[axis] = 0;
            }
        }
        left -= size;
    }
    free(part);
    return result;
}

enum vks_result vks_npz_read(struct vks_npz *npz, const struct vks_npy *array, void *data,
                             size_t size)
{
    const struct member *member = NULL;
    for (size_t i = 0; i < npz->count && !member; i++) {
        member = array == &npz->members[i].array ? &npz->members[i] : NULL;
    }
    if (!member) {
        return vks_fail(VKS_ERROR_FILE, "'%s': the array is not in this archive", npz->path);
    }
    if (size != array->bytes) {
        return vks_fail(VKS_ERROR_FILE, "'%s': array '%s' has %" PRIu64 " bytes, not %zu",
                        npz->path, array->name, array->bytes, size);
    }
    zip_file_t *file;
    enum vks_result result = open_member(npz, member->index, &file);
    if (result != VKS_OK) {
        return result;
    }
    result = skip_header(npz, member, file);
    if (result == VKS_OK) {
        result = member->fortran && array->rank > 1
                     ? read_transposed(npz, member, file, data)
                     : read_exactly(npz, member->index, file, data, size);
    }
    if (result == VKS_OK) {
        result = read_end(npz, member->index, file);
    }
    zip_fclose(file);
    return result;
}

enum vks_result vks_npz_text(struct vks_npz *npz, const char *name, char **text)
{
    *text = NULL;
    zip_int64_t found = zip_name_locate(npz->zip, name, 0);
    if (found < 0) {
        return VKS_OK;
    }
    zip_uint64_t index = (zip_uint64_t)found;
    zip_stat_t stat;
    if (zip_stat_index(npz->zip, index, 0, &stat) != 0) {
        return fail_member(npz, index, zip_strerror(npz->zip));
    }
    if (stat.size > VKS_NPZ_MAX_TEXT) {
        return fail_member(npz, index, "it has more than 16 MiB");
    }
    size_t size = (size_t)stat.size;
    char *string = malloc(size + 1);
    if (!string) {
        return vks_fail_memory();
    }
    zip_file_t *file;
    enum vks_result result = open_member(npz, index, &file);
    if (result == VKS_OK) {
        result = read_exactly(npz, index, file, string, size);
        if (result == VKS_OK) {
            result = read_end(npz, index, file);
        }
        zip_fclose(file);
    }
    if (result == VKS_OK && memchr(string, '\0', size)) {
        result = fail_member(npz, index, "it has a NUL character, which no text has");
    }
    if (result != VKS_OK) {
        free(string);
        return result;
    }
    string[size] = '\0';
    *text = string;
    return VKS_OK;
}
