/* SPDX-License-Identifier: MIT */
/* Recorded runs of the gas (gas_cases.def), for the references and for every device. */
#ifndef VKS_TESTS_SIM_GAS_CASES_H
#define VKS_TESTS_SIM_GAS_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gas_energies_reference.h"

enum { GAS_MOMENTS = 4, GAS_DIGEST_SIZE = 33, GAS_SEED = 1 };

struct gas_case {
    const char *method, *name;
    uint32_t width, height, depth;
    const char *start;                /* as --init takes it */
    const char *options;              /* "name=value name=value ..." */
    const char *digests[GAS_MOMENTS]; /* NULL: not that far */
};

extern const struct gas_case gas_cases[];
extern const size_t gas_case_count;
/* Steps after which the digests were recorded, ascending. */
extern const uint32_t gas_moments[GAS_MOMENTS];

/* The case of a method with that name; ends the program if there is none. */
const struct gas_case *gas_find_case(const char *method, const char *name);
bool gas_case_is_grid(const struct gas_case *row);

/* A method's C reference, type-erased. */
struct gas_reference {
    /* A run at step 0; NULL if a word is invalid or memory ran out. Free it with end(). */
    void *(*begin)(const struct gas_case *row);
    /* One step; false if the run ends with an error. */
    bool (*step)(void *state);
    void (*end)(void *state); /* takes NULL */
    /* The state's fields in their order, the last of them "clockwork"; NULL after that. */
    const char *(*field)(void *state, size_t index, void **data, size_t *bytes);
    /* The energies that --watch reports, in the order of the scalars; false if memory ran out. */
    bool (*energies)(void *state, float energies[GAS_ENERGIES]);
};
const struct gas_reference *gas_reference_of(const struct gas_case *row);
extern const struct gas_reference gas_grid_reference, gas_particles_reference;

/* XXH3-128 (hex) of the bytes of the state's fields. Returns `digest`, "" when memory ran out. */
const char *gas_digest(const struct gas_reference *reference, void *state,
                       char digest[GAS_DIGEST_SIZE]);

#endif
