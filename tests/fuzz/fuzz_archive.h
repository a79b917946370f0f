/* SPDX-License-Identifier: MIT */
/* State files of a header and the arrays that it lists, without syncing them as vksim does. */
#ifndef FUZZ_ARCHIVE_H
#define FUZZ_ARCHIVE_H

#include "fuzz.h"

#include <fcntl.h>
#include <jansson.h>

#include "../npz_add.h"
#include "base/digest.h"

/* Headers have a further member, which vksim ignores: arrays, with their type, their shape and
 * the byte that all their elements consist of. The digest "right" becomes that of the arrays. */
#define FUZZ_STATE                                                            \
    "{\"format\":1,\"simulation\":\"gray-scott\",\"steps\":7,\"options\":{}," \
    "\"arrays\":{\"u\":[\"f4\",[8,8],0],\"v\":[\"f4\",[8,8],62]}}"
#define FUZZ_CHECKPOINT                                                                 \
    "{\"format\":1,\"simulation\":\"gray-scott\",\"steps\":7,\"options\":{},"           \
    "\"arrays\":{\"u\":[\"f4\",[8,8],0],\"v\":[\"f4\",[8,8],62]},\"digest\":\"right\"," \
    "\"run\":{\"number\":3,\"steps\":7,\"frames\":1,\"presented\":0,"                   \
    "\"options\":[[\"headless\",\"true\"],[\"frames\",\"9\"],[\"out\",\"a.npy\"]],"     \
    "\"scene\":{},\"start\":{\"step\":0,\"time\":0.0,\"seed\":1},\"outputs\":[]}}"

/* Adds the array that the value describes, if it is one of up to 1 MB. */
static inline void fuzz_add_array(struct vks_npz_writer *writer, const char *name,
                                  const json_t *value, struct vks_digest *digest)
{
    static uint8_t bytes[1 << 20];
    const char *type = json_string_value(json_array_get(value, 0));
    const json_t *shape = json_array_get(value, 1);
    uint64_t sides[4] = {0}, size = type && strlen(type) == 2 ? (uint64_t)type[1] - '0' : 0;
    for (size_t i = 0; i < json_array_size(shape) && i < 4; i++) {
        sides[i] = (uint64_t)json_integer_value(json_array_get(shape, i));
        size = sides[i] <= sizeof(bytes) ? size * sides[i] : UINT64_MAX;
    }
    if (size > sizeof(bytes) || json_array_size(shape) > 4 || !type || strlen(type) != 2) {
        return;
    }
    memset(bytes, (int)json_integer_value(json_array_get(value, 2)), size);
    if (npz_add(writer, name, type[0], (uint32_t)(type[1] - '0'), (uint32_t)json_array_size(shape),
                sides, bytes) == VKS_OK) {
        vks_digest_update(digest, bytes, size);
    }
}

/* The header with its digest, to be freed. */
static inline char *fuzz_right_header(const char *header, json_t *object, struct vks_digest *digest)
{
    const char *given = json_string_value(json_object_get(object, "digest"));
    char hex[33];
    if (!given || strcmp(given, "right") != 0) {
        return strdup(header);
    }
    vks_digest_hex(digest, hex);
    json_object_set_new(object, "digest", json_string(hex));
    return json_dumps(object, JSON_COMPACT);
}

/* Writes the archive with that header, which need not be JSON; without "format" the file is one of
 * NumPy's. */
static inline void fuzz_write_archive(const char *path, const char *header)
{
    struct vks_npz_writer *writer = NULL;
    const char *name;
    json_t *object = json_loads(header, 0, NULL), *value;
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct vks_digest *digest = vks_digest_create();
    fuzz_require(digest && fd >= 0 && vks_npz_create_in(fd, path, &writer) == VKS_OK, "an archive");
    json_object_foreach(json_object_get(object, "arrays"), name, value)
    {
        fuzz_add_array(writer, name, value, digest);
    }
    char *text = fuzz_right_header(header, object, digest);
    if (text && (!object || json_object_get(object, "format"))) {
        (void)vks_npz_add_text(writer, "vksim.json", text);
    }
    (void)vks_npz_finish(writer);
    vks_digest_destroy(digest);
    free(text);
    close(fd);
    json_decref(object);
}

#endif
