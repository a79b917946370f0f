/* SPDX-License-Identifier: MIT */
/* The gas on a device: both methods against their C references, byte for byte. TAP on standard
 * output. */
#include "gas_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_run gas_run_of(const struct gas_case *row, const char *method)
{
    return (struct sim_run){.name = row->name,
                            .model = "gas",
                            .preset = "plain",
                            .basis = method,
                            .width = row->width,
                            .height = row->height,
                            .depth = row->depth,
                            .seed = 1,
                            .start = row->start,
                            .options = row->options};
}

bool gas_read(vks_simulation *simulation, const char *field, void *data, size_t size)
{
    return fine(vks_simulation_read(simulation, field, data, size));
}

bool gas_same(vks_simulation *simulation, const char *field, const void *expected, size_t size)
{
    uint32_t *got = malloc(size);
    const uint32_t *wanted = expected;
    bool same = got && gas_read(simulation, field, got, size);
    for (size_t i = 0; same && i < size / 4; i++) {
        if (got[i] != wanted[i]) {
            const union {
                uint32_t bits;
                float value;
            } a = {got[i]}, b = {wanted[i]};
            printf("# after %llu steps %s[%zu] is %08x (%a), in the reference %08x (%a)\n",
                   (unsigned long long)vks_simulation_steps(simulation), field, i, got[i],
                   (double)a.value, wanted[i], (double)b.value);
            same = false;
        }
    }
    free(got);
    return same;
}

static void tests(vks_context *context)
{
    gas_test_grid(context);
    gas_test_particles(context);
}

int main(void)
{
    return sim_test_main("gas", tests);
}
