/* SPDX-License-Identifier: MIT */
/* Recorded runs of the reversible mould (cipher_cases.def), for the reference and every device. */
#ifndef VKS_TESTS_SIM_CIPHER_CASES_H
#define VKS_TESTS_SIM_CIPHER_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cipher_reference.h"

enum { CIPHER_MOMENTS = 4, CIPHER_DIGEST_SIZE = 33 };

struct cipher_case {
    const char *name;
    uint32_t width, height;
    const char *start;   /* as --init takes it */
    const char *options; /* "name=value name=value ..." */
    const char *digests[CIPHER_MOMENTS];
};

extern const struct cipher_case cipher_cases[];
extern const size_t cipher_case_count;
/* Steps after which the digests were recorded, ascending. */
extern const uint32_t cipher_moments[CIPHER_MOMENTS];

/* A run of the reference at moment 0: the defaults of docs/sims/cipher.md, then the options in
 * order. NULL for an unknown name, an invalid value or image, or when memory ran out. */
struct cipher_state *cipher_begin(uint32_t width, uint32_t height, const char *start,
                                  const char *options);

/* XXH3-128 (hex) of the state's members, in the order of the declaration. Returns `digest`, "" when
 * memory ran out. */
const char *cipher_digest(const struct cipher_state *state, char digest[CIPHER_DIGEST_SIZE]);

#endif
