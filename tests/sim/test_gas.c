/* SPDX-License-Identifier: MIT */
/* The gas on a device: both methods against their C references, byte for byte; the digests of
 * gas_cases.def; the laws of runs; states from outside. TAP on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gas_test.h"

struct sim_run gas_run_of(const struct gas_case *row)
{
    return (struct sim_run){.name = row->name,
                            .model = "gas",
                            .preset = "plain",
                            .basis = gas_case_is_grid(row) ? "method=grid" : "method=particles",
                            .width = row->width,
                            .height = row->height,
                            .depth = row->depth,
                            .seed = GAS_SEED,
                            .start = row->start,
                            .options = row->options};
}

static bool same_field(vks_simulation *simulation, const char *field, const void *expected,
                       size_t size)
{
    uint32_t *got = malloc(size);
    const uint32_t *wanted = expected;
    bool same = got && fine(vks_simulation_read(simulation, field, got, size));
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

bool gas_same_state(vks_simulation *simulation, const struct gas_reference *reference, void *state,
                    bool with_clockwork)
{
    void *data;
    size_t bytes;
    const char *name;
    bool same = true;
    for (size_t i = 0; same && (name = reference->field(state, i, &data, &bytes)) != NULL; i++) {
        if (with_clockwork || strcmp(name, "clockwork") != 0) {
            same = same_field(simulation, name, data, bytes);
        }
    }
    return same;
}

static bool follows(vks_context *context, const struct gas_case *row)
{
    const struct gas_reference *reference = gas_reference_of(row);
    const struct sim_run run = gas_run_of(row);
    vks_simulation *simulation = sim_open(context, &run);
    void *state = reference->begin(row);
    /* The clockwork is measured later in the reference: by its first step. */
    bool good = simulation && state && gas_same_state(simulation, reference, state, false);
    for (size_t i = 0, done = 0; good && i < GAS_MOMENTS && row->digests[i]; i++) {
        good = fine(vks_simulation_run(simulation, gas_moments[i] - done));
        for (; good && done < gas_moments[i]; done++) {
            good = reference->step(state);
        }
        good = good && gas_same_state(simulation, reference, state, true) &&
               sim_has_digest(simulation, row->digests[i]);
    }
    reference->end(state);
    vks_simulation_destroy(simulation);
    return good;
}

/* Tracers and their oscillators where half of the box becomes empty after a step. */
static bool follows_into_vacuum(vks_context *context)
{
    const struct gas_case *row = gas_find_case("grid", "tracers that exchange heat by conduction");
    const struct gas_reference *reference = gas_reference_of(row);
    const struct sim_run run = gas_run_of(row);
    vks_simulation *simulation = sim_open(context, &run);
    void *state = reference->begin(row), *data;
    size_t bytes;
    bool good =
        simulation && state && fine(vks_simulation_run(simulation, 1)) && reference->step(state);
    for (size_t i = 0; good && i < 6; i++) { /* density to internal energy */
        const char *name = reference->field(state, i, &data, &bytes);
        float *values = data;
        for (size_t node = 0; node < bytes / sizeof(float); node++) {
            values[node] = node % row->width < row->width / 2 ? 0 : values[node];
        }
        good = fine(vks_simulation_write(simulation, name, data, bytes));
    }
    for (int step = 0; good && step < 12; step++) {
        good = fine(vks_simulation_run(simulation, 1)) && reference->step(state) &&
               gas_same_state(simulation, reference, state, true);
    }
    reference->end(state);
    vks_simulation_destroy(simulation);
    return good;
}

static void tests(vks_context *context)
{
    if (sim_due()) {
        report(follows_into_vacuum(context), "grid: tracers beside vacuum");
    }
    for (size_t i = 0; i < gas_case_count; i++) {
        if (!sim_due()) {
            continue;
        }
        report(follows(context, &gas_cases[i]), "%s: %s", gas_cases[i].method, gas_cases[i].name);
    }
    gas_test_runs(context);
    gas_test_states(context);
}

static void few(vks_context *context)
{
    static const char *const names[][2] = {
        {"particles", "7x5x3"}, {"particles", "gravity in a flat box"}, {"grid", "clumps"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct gas_case *row = gas_find_case(names[i][0], names[i][1]);
        report(follows(context, row), "%s: %s", row->method, row->name);
    }
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "gas", tests, few);
}
