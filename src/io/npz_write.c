/* SPDX-License-Identifier: MIT */
/* The zip format is written directly. Members are stored, so the format amounts to a checksum and
 * a few small records, and an array is written piece by piece as it arrives from the GPU. libzip
 * would choose some bytes of the records itself, by its version: equal states would no longer give
 * equal files on all systems. */
#include "io/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/file.h"
#include "io/npy.h"

enum {
    MAX_NAME = 63,
    VERSION_PLAIN = 20,
    VERSION_ZIP64 = 45,
    MADE_BY_UNIX = 3 << 8 | VERSION_ZIP64,
    DATE = 1 << 5 | 1, /* 1 January 1980, the format's first day */
    METHOD_STORED = 0,
    ZIP64_FIELD = 1,      /* tag of the extra field */
    CHECKSUM_OFFSET = 14, /* of the checksum in a local header */
};

#define MODE (UINT32_C(0100644) << 16) /* a file that everyone may read */
#define FULL16 UINT16_C(0xffff)        /* "see the zip64 field" */
#define FULL32 UINT32_C(0xffffffff)

struct entry {
    char name[MAX_NAME + 5]; /* with ".npy" */
    uint64_t offset;         /* of the local header in the file */
    uint64_t size;
    uint32_t crc;
};

struct vks_npz_writer {
    struct vks_atomic_file file;
    int fd;          /* of file.part, or the caller's */
    bool borrowed;   /* the latter: only file.path is used */
    uint64_t offset; /* bytes written */
    struct entry *entries;
    size_t count, capacity;
    uint64_t missing; /* bytes of the last member that are still to be written */
    bool damaged;     /* an earlier write failed: the file cannot be completed */
};

/* A record of the format under construction: little-endian, without padding. */
struct record {
    uint8_t bytes[192];
    size_t size;
};

static void put(struct record *record, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        record->bytes[record->size++] = (uint8_t)(value >> (8 * i));
    }
}

static void put16(struct record *record, uint32_t value)
{
    put(record, value, 2);
}

static void put32(struct record *record, uint32_t value)
{
    put(record, value, 4);
}

static void put64(struct record *record, uint64_t value)
{
    put(record, value, 8);
}

static void put_name(struct record *record, const char *name)
{
    size_t length = strlen(name);
    memcpy(record->bytes + record->size, name, length);
    record->size += length;
}

static uint32_t clamp32(uint64_t value)
{
    return value < FULL32 ? (uint32_t)value : FULL32;
}

static enum vks_result fail_damaged(struct vks_npz_writer *writer, int error)
{
    writer->damaged = true;
    return vks_fail_write(writer->file.path, error);
}

static enum vks_result check_undamaged(const struct vks_npz_writer *writer)
{
    return writer->damaged ? vks_fail(VKS_ERROR_FILE, "cannot write '%s': an earlier write failed",
                                      writer->file.path)
                           : VKS_OK;
}

/* All members so far are complete. */
static enum vks_result check_complete(const struct vks_npz_writer *writer)
{
    if (writer->missing == 0 || writer->damaged) {
        return check_undamaged(writer);
    }
    return vks_fail(VKS_ERROR_FILE, "cannot write '%s': member '%s' lacks %" PRIu64 " bytes",
                    writer->file.path, writer->entries[writer->count - 1].name, writer->missing);
}

static enum vks_result write_bytes(struct vks_npz_writer *writer, const void *bytes, size_t size)
{
    int error = vks_write_all(writer->fd, bytes, size);
    if (error != 0) {
        return fail_damaged(writer, error);
    }
    writer->offset += size;
    return VKS_OK;
}

static enum vks_result write_local_header(struct vks_npz_writer *writer, const struct entry *entry)
{
    struct record record = {.size = 0};
    bool large = entry->size >= FULL32;
    put32(&record, 0x04034b50);
    put16(&record, large ? VERSION_ZIP64 : VERSION_PLAIN);
    put16(&record, 0); /* flags */
    put16(&record, METHOD_STORED);
    put16(&record, 0); /* time of day */
    put16(&record, DATE);
    put32(&record, entry->crc);
    put32(&record, clamp32(entry->size)); /* compressed */
    put32(&record, clamp32(entry->size));
    put16(&record, (uint32_t)strlen(entry->name));
    put16(&record, large ? 20 : 0);
    put_name(&record, entry->name);
    if (large) {
        put16(&record, ZIP64_FIELD);
        put16(&record, 16);
        put64(&record, entry->size);
        put64(&record, entry->size);
    }
    return write_bytes(writer, record.bytes, record.size);
}

static enum vks_result write_directory_entry(struct vks_npz_writer *writer,
                                             const struct entry *entry)
{
    struct record record = {.size = 0};
    bool large = entry->size >= FULL32, far = entry->offset >= FULL32;
    uint32_t extra = (large ? 16u : 0u) + (far ? 8u : 0u);
    put32(&record, 0x02014b50);
    put16(&record, MADE_BY_UNIX);
    put16(&record, extra ? VERSION_ZIP64 : VERSION_PLAIN);
    put16(&record, 0); /* flags */
    put16(&record, METHOD_STORED);
    put16(&record, 0); /* time of day */
    put16(&record, DATE);
    put32(&record, entry->crc);
    put32(&record, clamp32(entry->size));
    put32(&record, clamp32(entry->size));
    put16(&record, (uint32_t)strlen(entry->name));
    put16(&record, extra ? extra + 4 : 0);
    put16(&record, 0); /* comment */
    put16(&record, 0); /* disk */
    put16(&record, 0); /* binary, not text */
    put32(&record, MODE);
    put32(&record, clamp32(entry->offset));
    put_name(&record, entry->name);
    if (extra) {
        put16(&record, ZIP64_FIELD);
        put16(&record, extra);
        if (large) {
            put64(&record, entry->size);
            put64(&record, entry->size);
        }
        if (far) {
            put64(&record, entry->offset);
        }
    }
    return write_bytes(writer, record.bytes, record.size);
}

static enum vks_result write_directory(struct vks_npz_writer *writer)
{
    uint64_t start = writer->offset;
    for (size_t i = 0; i < writer->count; i++) {
        enum vks_result result = write_directory_entry(writer, &writer->entries[i]);
        if (result != VKS_OK) {
            return result;
        }
    }
    uint64_t end = writer->offset, size = end - start;
    struct record record = {.size = 0};
    if (start >= FULL32) { /* counts and the directory's size stay small */
        put32(&record, 0x06064b50);
        put64(&record, 44); /* bytes that follow in this record */
        put16(&record, MADE_BY_UNIX);
        put16(&record, VERSION_ZIP64);
        put32(&record, 0); /* disk */
        put32(&record, 0); /* disk of the directory */
        put64(&record, writer->count);
        put64(&record, writer->count);
        put64(&record, size);
        put64(&record, start);
        put32(&record, 0x07064b50);
        put32(&record, 0); /* disk of the record above */
        put64(&record, end);
        put32(&record, 1); /* disks */
    }
    put32(&record, 0x06054b50);
    put16(&record, 0); /* disk */
    put16(&record, 0); /* disk of the directory */
    put16(&record, (uint32_t)writer->count);
    put16(&record, (uint32_t)writer->count);
    put32(&record, (uint32_t)size);
    put32(&record, clamp32(start));
    put16(&record, 0); /* comment */
    return write_bytes(writer, record.bytes, record.size);
}

/* Plain ASCII needs no encoding flag and no escaping. */
static bool is_name(const char *name)
{
    size_t length = strlen(name);
    if (length < 1 || length > MAX_NAME) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.') {
            return false;
        }
    }
    return true;
}

static enum vks_result check_member(const struct vks_npz_writer *writer, const char *name,
                                    const struct entry *entry)
{
    const char *path = writer->file.path;
    const enum vks_result result = check_complete(writer);
    if (result != VKS_OK) {
        return result;
    }
    if (!is_name(name)) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': '%s' is not a name for a member; 1 to %d letters, "
                        "digits, '_', '-' and '.' are",
                        path, name, MAX_NAME);
    }
    if (writer->count == VKS_NPZ_MAX_MEMBERS) {
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': more than %d members", path,
                        VKS_NPZ_MAX_MEMBERS);
    }
    for (size_t i = 0; i < writer->count; i++) {
        if (strcmp(writer->entries[i].name, entry->name) == 0) {
            return vks_fail(VKS_ERROR_FILE, "cannot write '%s': member '%s' is there already", path,
                            entry->name);
        }
    }
    return VKS_OK;
}

/* Puts the checksum of the last member, now complete, into its local header. */
static enum vks_result write_checksum(struct vks_npz_writer *writer)
{
    const struct entry *entry = &writer->entries[writer->count - 1];
    struct record record = {.size = 0};
    put32(&record, entry->crc);
    int error =
        lseek(writer->fd, (off_t)(entry->offset + CHECKSUM_OFFSET), SEEK_SET) < 0 ? errno : 0;
    if (error == 0) {
        error = vks_write_all(writer->fd, record.bytes, record.size);
    }
    if (error == 0 && lseek(writer->fd, 0, SEEK_END) < 0) {
        error = errno;
    }
    return error == 0 ? VKS_OK : fail_damaged(writer, error);
}

/* Starts a member of `size` bytes, which vks_npz_write() then gets. */
static enum vks_result begin_member(struct vks_npz_writer *writer, const char *name,
                                    const char *suffix, uint64_t size)
{
    struct entry entry = {
        .offset = writer->offset, .size = size, .crc = (uint32_t)crc32_z(0, Z_NULL, 0)};
    snprintf(entry.name, sizeof(entry.name), "%s%s", name, suffix);
    enum vks_result result = check_member(writer, name, &entry);
    if (result != VKS_OK) {
        return result;
    }
    struct entry *entries =
        vks_grow(writer->entries, sizeof(*entries), writer->count, &writer->capacity);
    if (!entries) {
        return vks_fail_memory();
    }
    writer->entries = entries;
    entries[writer->count++] = entry;
    writer->missing = size;
    return write_local_header(writer, &entry);
}

enum vks_result vks_npz_create(const char *path, bool overwrite, struct vks_npz_writer **writer)
{
    *writer = NULL;
    struct vks_npz_writer *created = calloc(1, sizeof(*created));
    if (!created) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_atomic_file_begin(&created->file, path, overwrite);
    if (result == VKS_OK) {
        created->fd = vks_open(created->file.part.path, O_WRONLY | O_CLOEXEC, 0);
        if (created->fd < 0) {
            result = vks_fail_write(created->file.part.path, errno);
            vks_atomic_file_abort(&created->file);
        }
    }
    if (result != VKS_OK) {
        free(created);
        return result;
    }
    *writer = created;
    return VKS_OK;
}

enum vks_result vks_npz_create_in(int fd, const char *path, struct vks_npz_writer **writer)
{
    struct vks_npz_writer *created = calloc(1, sizeof(*created));
    *writer = created;
    if (created) {
        created->fd = fd;
        created->borrowed = true;
        created->file.path = vks_strdup(path);
    }
    if (!created || !created->file.path) {
        free(created);
        *writer = NULL;
        return vks_fail_memory();
    }
    return VKS_OK;
}

enum vks_result vks_npz_begin_array(struct vks_npz_writer *writer, const char *name, char kind,
                                    uint32_t item_bytes, uint32_t rank, const uint64_t *shape)
{
    uint64_t bytes = 0;
    bool valid = vks_npy_type_valid(kind, item_bytes) && rank <= 4 &&
                 vks_npy_size(item_bytes, rank, shape, &bytes) &&
                 bytes <= INT64_MAX - VKS_NPY_HEADER_WRITTEN;
    if (!valid) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': array '%s' has a type or shape that .npy files of "
                        "this program do not hold",
                        writer->file.path, name);
    }
    uint8_t header[VKS_NPY_HEADER_WRITTEN];
    size_t header_size = vks_npy_format(header, kind, item_bytes, rank, shape);
    enum vks_result result = begin_member(writer, name, ".npy", header_size + bytes);
    return result == VKS_OK ? vks_npz_write(writer, header, header_size) : result;
}

enum vks_result vks_npz_write(struct vks_npz_writer *writer, const void *data, size_t size)
{
    enum vks_result result = check_undamaged(writer);
    if (result == VKS_OK && size > writer->missing) {
        result = vks_fail(VKS_ERROR_FILE, "cannot write '%s': more bytes than its array has",
                          writer->file.path);
    }
    if (result == VKS_OK) {
        result = write_bytes(writer, data, size);
    }
    if (result != VKS_OK || size == 0) {
        return result;
    }
    struct entry *entry = &writer->entries[writer->count - 1];
    entry->crc = (uint32_t)crc32_z(entry->crc, data, size);
    writer->missing -= size;
    return writer->missing == 0 ? write_checksum(writer) : VKS_OK;
}

enum vks_result vks_npz_add_text(struct vks_npz_writer *writer, const char *name, const char *text)
{
    const size_t size = strlen(text);
    if (size > VKS_NPZ_MAX_TEXT) {
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': '%s' has more than 16 MiB",
                        writer->file.path, name);
    }
    enum vks_result result = begin_member(writer, name, "", size);
    return result == VKS_OK ? vks_npz_write(writer, text, size) : result;
}

static void free_writer(struct vks_npz_writer *writer)
{
    free(writer->entries);
    free(writer);
}

enum vks_result vks_npz_finish(struct vks_npz_writer *writer)
{
    enum vks_result result = check_complete(writer);
    if (result == VKS_OK) {
        result = write_directory(writer);
    }
    /* Some network file systems report a failed write only here. */
    if (!writer->borrowed && close(writer->fd) != 0 && errno != EINTR && result == VKS_OK) {
        result = vks_fail_write(writer->file.path, errno);
    }
    if (result == VKS_OK && !writer->borrowed) {
        result = vks_atomic_file_commit(&writer->file);
    } else {
        vks_atomic_file_abort(&writer->file);
    }
    free_writer(writer);
    return result;
}

void vks_npz_abort(struct vks_npz_writer *writer)
{
    if (!writer) {
        return;
    }
    if (!writer->borrowed) {
        (void)close(writer->fd); /* the file is deleted anyway */
    }
    vks_atomic_file_abort(&writer->file);
    free_writer(writer);
}
