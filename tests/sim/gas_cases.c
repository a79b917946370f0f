/* SPDX-License-Identifier: MIT */
#include "gas_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

const struct gas_case gas_cases[] = {
#define GAS_CASE(method, name, width, height, depth, start, options, d1, d4, d12, d40) \
    {method, name, width, height, depth, start, options, {d1, d4, d12, d40}},
#include "selftest/gas_cases.def"
#undef GAS_CASE
};
const size_t gas_case_count = sizeof(gas_cases) / sizeof(gas_cases[0]);
const uint32_t gas_moments[GAS_MOMENTS] = {1, 4, 12, 40};

const struct gas_case *gas_find_case(const char *method, const char *name)
{
    for (size_t i = 0; i < gas_case_count; i++) {
        if (strcmp(gas_cases[i].method, method) == 0 && strcmp(gas_cases[i].name, name) == 0) {
            return &gas_cases[i];
        }
    }
    printf("Bail out! there is no case '%s' of %s\n", name, method);
    exit(1);
}

bool gas_case_is_grid(const struct gas_case *row)
{
    return strcmp(row->method, "grid") == 0;
}

const struct gas_reference *gas_reference_of(const struct gas_case *row)
{
    return gas_case_is_grid(row) ? &gas_grid_reference : &gas_particles_reference;
}

const char *gas_digest(const struct gas_reference *reference, void *state,
                       char digest[GAS_DIGEST_SIZE])
{
    struct vks_digest *hash = vks_digest_create();
    void *data;
    size_t bytes;
    digest[0] = '\0';
    for (size_t i = 0; hash && reference->field(state, i, &data, &bytes); i++) {
        vks_digest_update(hash, data, bytes);
    }
    if (hash) {
        vks_digest_hex(hash, digest);
    }
    vks_digest_destroy(hash);
    return digest;
}
