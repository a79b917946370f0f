/* SPDX-License-Identifier: MIT */
/* Recorded runs of Gray-Scott (gray_scott_cases.def), for the reference and for every device. */
#ifndef VKS_TESTS_SIM_GRAY_SCOTT_CASES_H
#define VKS_TESTS_SIM_GRAY_SCOTT_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gray_scott_reference.h"

enum { GRAY_SCOTT_MOMENTS = 5, GRAY_SCOTT_DIGEST_SIZE = 33 };

struct gray_scott_case {
    const char *name;
    uint32_t width, height, seed;
    const char *start;   /* as --init takes it */
    const char *options; /* "name=value name=value ..." */
    const char *digests[GRAY_SCOTT_MOMENTS];
};

extern const struct gray_scott_case gray_scott_cases[];
extern const size_t gray_scott_case_count;
/* Steps after which the digests were recorded, ascending. */
extern const uint32_t gray_scott_moments[GRAY_SCOTT_MOMENTS];

/* The defaults of docs/sims/gray-scott.md, then the options in order. False for an unknown name or
 * an invalid value, which is printed to standard error. */
bool gray_scott_parse(const char *options, struct gray_scott_settings *settings);

/* A run of the reference at step 0 with these words; the files of "image:FILE" and of maps are read
 * (vks_image_brightness()). NULL if a file is invalid, dt is unstable, or memory ran out. */
struct gray_scott_state *gray_scott_begin(uint32_t width, uint32_t height, uint32_t seed,
                                          const char *start, const char *options);

/* A field as stored in the state, float32 or halves: its bytes, and conversions. */
size_t gray_scott_bytes(const struct gray_scott_state *state);
void gray_scott_store(const struct gray_scott_state *state, const float *field, void *bytes);
void gray_scott_load(const struct gray_scott_state *state, const void *bytes, float *field);

/* XXH3-128 (hex) of the bytes of u and v, one after the other. Returns `digest`, "" when memory ran
 * out. */
const char *gray_scott_digest(const struct gray_scott_state *state,
                              char digest[GRAY_SCOTT_DIGEST_SIZE]);

#endif
