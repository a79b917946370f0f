/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct vks_digest {
    XXH3_state_t *state;
};

struct vks_digest *vks_digest_create(void)
{
    struct vks_digest *digest = malloc(sizeof(*digest));
    if (!digest) {
        return NULL;
    }
    digest->state = XXH3_createState();
    if (!digest->state || XXH3_128bits_reset(digest->state) != XXH_OK) {
        vks_digest_destroy(digest);
        return NULL;
    }
    return digest;
}

void vks_digest_destroy(struct vks_digest *digest)
{
    if (digest) {
        XXH3_freeState(digest->state);
        free(digest);
    }
}

void vks_digest_update(struct vks_digest *digest, const void *bytes, size_t size)
{
    XXH3_128bits_update(digest->state, bytes, size);
}

static void write_hex(XXH128_hash_t hash, char hex[33])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    for (unsigned i = 0; i < sizeof(canonical.digest); i++) {
        snprintf(hex + 2 * i, 3, "%02x", canonical.digest[i]);
    }
}

void vks_digest_hex(const struct vks_digest *digest, char hex[33])
{
    write_hex(XXH3_128bits_digest(digest->state), hex);
}

void vks_digest_of(const void *bytes, size_t size, char hex[33])
{
    write_hex(XXH3_128bits(bytes, size), hex);
}
