/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The numbers of a state: the accumulators, then what has been consumed. */
enum { ACCUMULATORS = 8, NUMBERS = ACCUMULATORS + 3, NUMBER_CHARS = 16 };

void vks_digest_save(const struct vks_digest *digest, char text[VKS_DIGEST_STATE_CHARS + 1])
{
    const XXH3_state_t *state = digest->state;
    for (size_t i = 0; i < NUMBERS; i++) {
        const uint64_t number = i < ACCUMULATORS        ? state->acc[i]
                                : i == ACCUMULATORS     ? state->totalLen
                                : i == ACCUMULATORS + 1 ? state->nbStripesSoFar
                                                        : state->bufferedSize;
        snprintf(text + i * NUMBER_CHARS, NUMBER_CHARS + 1, "%016" PRIx64, number);
    }
    for (size_t i = 0; i < sizeof(state->buffer); i++) {
        snprintf(text + NUMBERS * NUMBER_CHARS + 2 * i, 3, "%02x", state->buffer[i]);
    }
}

bool vks_digest_load(struct vks_digest *digest, const char *text)
{
    XXH3_state_t *state = digest->state;
    uint64_t numbers[NUMBERS];
    if (strlen(text) != VKS_DIGEST_STATE_CHARS ||
        strspn(text, "0123456789abcdef") != VKS_DIGEST_STATE_CHARS) {
        return false;
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        sscanf(text + i * NUMBER_CHARS, "%16" SCNx64, &numbers[i]);
    }
    memcpy(state->acc, numbers, sizeof(state->acc));
    state->totalLen = numbers[ACCUMULATORS];
    state->nbStripesSoFar = (size_t)numbers[ACCUMULATORS + 1];
    state->bufferedSize = (XXH32_hash_t)numbers[ACCUMULATORS + 2];
    for (size_t i = 0; i < sizeof(state->buffer); i++) {
        unsigned byte = 0;
        sscanf(text + NUMBERS * NUMBER_CHARS + 2 * i, "%2x", &byte);
        state->buffer[i] = (unsigned char)byte;
    }
    return numbers[ACCUMULATORS + 1] < state->nbStripesPerBlock &&
           numbers[ACCUMULATORS + 2] <= sizeof(state->buffer);
}
