/* SPDX-License-Identifier: MIT */
/* Recorded runs of Physarum (physarum_cases.def, physarum_species.def, physarum_surroundings.def),
 * for the reference and for every device. */
#ifndef VKS_TESTS_SIM_PHYSARUM_CASES_H
#define VKS_TESTS_SIM_PHYSARUM_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physarum_reference.h"

enum { PHYSARUM_MOMENTS = 4, PHYSARUM_DIGEST_SIZE = 33 };

struct physarum_case {
    const char *name;
    uint32_t width, height, seed;
    const char *start;   /* as --init takes it */
    const char *options; /* "name=value name=value ..." */
    const char *digests[PHYSARUM_MOMENTS];
};

extern const struct physarum_case physarum_cases[];
extern const size_t physarum_case_count;
/* Steps after which the digests were recorded, ascending. */
extern const uint32_t physarum_moments[PHYSARUM_MOMENTS];

/* The defaults of docs/sims/physarum.md, then the options in order. False for an unknown name or an
 * invalid value, which is printed to standard error. */
bool physarum_parse(const char *options, struct physarum_settings *settings);

/* False for an unknown name. */
bool physarum_parse_start(const char *name, enum physarum_start_kind *kind);

/* XXH3-128 (canonical form, hex) over the bytes of trail, position, heading and, if there are such,
 * species, walls, food and food_trail, one after the other. Returns `digest`. */
const char *physarum_digest(const struct physarum_state *state, char digest[PHYSARUM_DIGEST_SIZE]);

#endif
