/* SPDX-License-Identifier: MIT */
/* Recorded runs of Physarum in a volume (physarum_3d_cases.def), for the reference and for every
 * device. */
#ifndef VKS_TESTS_SIM_PHYSARUM_3D_CASES_H
#define VKS_TESTS_SIM_PHYSARUM_3D_CASES_H

#include "physarum_3d_reference.h"

enum { PHYSARUM_3D_MOMENTS = 3, PHYSARUM_3D_DIGEST_SIZE = 33 };

#define PHYSARUM_3D_SEED 7u

struct physarum_3d_case {
    const char *name;
    uint32_t width, height, depth;
    const char *options; /* "name=value name=value ..." */
    const char *digests[PHYSARUM_3D_MOMENTS];
};

extern const struct physarum_3d_case physarum_3d_cases[];
extern const size_t physarum_3d_case_count;
/* Steps after which the digests were recorded, ascending. */
extern const uint32_t physarum_3d_moments[PHYSARUM_3D_MOMENTS];

/* The defaults of docs/sims/physarum-3d.md, then the options in order. False for an unknown name or
 * an invalid value, which is printed to standard error. */
bool physarum_3d_parse(const char *options, struct physarum_3d_settings *settings);

/* XXH3-128 (canonical form, hex) over the bytes of trail, trace, food if any, z, y, x, dz, dy and
 * dx, one after the other. Returns `digest`. */
const char *physarum_3d_digest(const struct physarum_3d_state *state,
                               char digest[PHYSARUM_3D_DIGEST_SIZE]);

#endif
