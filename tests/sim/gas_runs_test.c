/* SPDX-License-Identifier: MIT */
/* The gas on a device: laws of runs, of both methods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../numbers.h"
#include "gas_test.h"

/* Runs with all four digests: gravity, conduction, waves of the seed. */
static const struct {
    const char *method, *name;
} rows[] = {
    {"grid", "gravity in a flat box"},
    {"particles", "gravity in a flat box"},
};

/* --- changes in the run ----------------------------------------------------------------------- */

/* A reference that continues from `state`, which it takes over, with other options. */
static void *go_on(void *state, const struct gas_case *row)
{
    const struct gas_reference *reference = gas_reference_of(row);
    void *next = reference->begin(row), *from, *to;
    size_t bytes;
    for (size_t i = 0; next && reference->field(state, i, &from, &bytes); i++) {
        (void)reference->field(next, i, &to, &bytes);
        memcpy(to, from, bytes);
    }
    reference->end(state);
    return next;
}

static bool step_both(vks_simulation *simulation, const struct gas_reference *reference,
                      void *state, uint32_t steps)
{
    bool good = fine(vks_simulation_run(simulation, steps));
    for (uint32_t i = 0; good && i < steps; i++) {
        good = reference->step(state);
    }
    return good;
}

/* The run and the reference take every change after the same step. */
static void test_changes(vks_context *context, const struct gas_case *row)
{
    if (!sim_due()) {
        return;
    }
    static const char *const changes[] = {"cfl=0.2",
                                          "conductivity=0.05",
                                          "adiabatic-index=1.6667 gravity=9",
                                          "dt=0.0001",
                                          "dt=0.1 cfl=0.5",
                                          "mixing=2 conductivity=0",
                                          "gravity=0.0625",
                                          NULL};
    const struct gas_reference *reference = gas_reference_of(row);
    const struct sim_run run = gas_run_of(row);
    struct gas_case changed = *row;
    char options[1024];
    vks_simulation *simulation = sim_open(context, &run);
    void *state = reference->begin(row);
    bool good = simulation && state && step_both(simulation, reference, state, 2);
    snprintf(options, sizeof(options), "%s", row->options);
    changed.options = options;
    for (size_t i = 0; good && changes[i]; i++) {
        const size_t length = strlen(options);
        snprintf(options + length, sizeof(options) - length, " %s", changes[i]);
        state = go_on(state, &changed);
        good = state && sim_set(simulation, changes[i]) &&
               step_both(simulation, reference, state, (uint32_t)(1 + i % 4)) &&
               gas_same_state(simulation, reference, state, true);
        if (!good) {
            printf("# after '%s'\n", changes[i]);
        }
    }
    if (state) {
        reference->end(state);
    }
    vks_simulation_destroy(simulation);
    report(good, "%s: changes in the run equal the reference's", row->method);
}

/* Changes that need another graph and invalid values are refused; the run continues. */
static void test_refused_changes(vks_context *context, const struct gas_case *row)
{
    if (!sim_due()) {
        return;
    }
    const struct sim_run run = gas_run_of(row);
    const bool is_grid = gas_case_is_grid(row);
    vks_simulation *simulation = sim_open(context, &run);
    const bool good =
        simulation && fine(vks_simulation_run(simulation, 5)) &&
        sim_refuses(simulation, "gravity=0", false,
                    "removes the field 'potential', which needs a new simulation") &&
        sim_refuses(simulation, "size=64x32", false, "needs a new simulation") &&
        sim_refuses(simulation, "size=60x16", false, "choose 32 or 64, or gravity 0") &&
        sim_refuses(simulation, is_grid ? "method=particles" : "method=grid", false,
                    "needs a new simulation") &&
        sim_refuses(simulation, "view=swirl", false,
                    "'swirl' is not a view of gas, whose views are: density, temp") &&
        sim_refuses(simulation, "cfl=0.51", false, "0.01 to 0.5") &&
        sim_refuses(simulation, "adiabatic-index=1", false, "1.00098 to 3") &&
        sim_refuses(simulation, "dt=0", false, "1e-09 to 1024") &&
        (is_grid || sim_refuses(simulation, "particles=4095", false, "needs a new simulation")) &&
        fine(vks_simulation_run(simulation, 7)) && sim_has_digest(simulation, row->digests[2]);
    vks_simulation_destroy(simulation);
    report(good, "%s: changes that are refused have sentences and no effect", row->method);
}

/* --- scalars ---------------------------------------------------------------------------------- */

static bool has_clock(vks_simulation *simulation, const uint32_t *clock, uint64_t step)
{
    struct vks_watched status = {.size = sizeof(status)}, time = status, dt = status, more = status;
    const uint64_t units = clock[0] + ((uint64_t)clock[1] << 32);
    const bool good =
        fine(vks_simulation_wait(simulation)) && vks_simulation_watched(simulation, 0, &status) &&
        vks_simulation_watched(simulation, 1, &time) &&
        vks_simulation_watched(simulation, 2, &dt) &&
        !vks_simulation_watched(simulation, 3, &more) && strcmp(status.name, "status") == 0 &&
        strcmp(time.name, "time") == 0 && strcmp(dt.name, "dt") == 0 && time.known && dt.known &&
        status.value == 0 && time.step == step && dt.step == step &&
        time.value == (double)units * 0x1p-40 && dt.value == (double)float_of(clock[2]);
    if (!good) {
        printf("# step %llu: status %g, time %a, dt %a; the reference has %a, %a\n",
               (unsigned long long)time.step, status.value, time.value, dt.value,
               (double)units * 0x1p-40, (double)float_of(clock[2]));
    }
    return good;
}

/* The clockwork of a reference, its last field. */
static const uint32_t *clock_of(const struct gas_reference *reference, void *state)
{
    void *data = NULL, *clock = NULL;
    size_t bytes;
    for (size_t i = 0; reference->field(state, i, &data, &bytes); i++) {
        clock = data;
    }
    return clock;
}

/* Time, dt and status arrive with frames, including those of a loaded state before its first
 * step. */
static void test_watched(vks_context *context, const struct gas_case *row)
{
    if (!sim_due()) {
        return;
    }
    const struct gas_reference *reference = gas_reference_of(row);
    struct sim_run run = gas_run_of(row);
    vks_simulation *simulation = sim_open(context, &run), *loaded = NULL;
    void *state = reference->begin(row);
    bool good = simulation && state && fine(vks_simulation_draw(simulation)) &&
                has_clock(simulation, clock_of(reference, state), 0);
    for (uint32_t step = 4; good && step <= 12; step += 4) {
        good = step_both(simulation, reference, state, 4) &&
               fine(vks_simulation_draw(simulation)) &&
               has_clock(simulation, clock_of(reference, state), step);
    }
    good = good && fine(vks_simulation_save(simulation, in_folder("watched.npz"), true));
    if (good) {
        loaded = sim_load(context, &run, in_folder("watched.npz"));
        good = loaded && fine(vks_simulation_draw(loaded)) &&
               has_clock(loaded, clock_of(reference, state), 12);
        remove(in_folder("watched.npz"));
    }
    vks_simulation_destroy(loaded);
    vks_simulation_destroy(simulation);
    reference->end(state);
    report(good, "%s: time, dt and status", row->method);
}

/* The energies of a frame. */
static bool has_energies(vks_simulation *simulation, const struct gas_reference *reference,
                         void *state)
{
    static const char *const names[] = {"kinetic", "heat", "oscillators", "potential", "energy"};
    float energies[GAS_ENERGIES];
    struct vks_watched scalar = {.size = sizeof(scalar)};
    bool good = reference->energies(state, energies) && fine(vks_simulation_wait(simulation));
    for (uint32_t i = 0; good && i < GAS_ENERGIES; i++) {
        good = vks_simulation_watched(simulation, 3 + i, &scalar) && scalar.known &&
               strcmp(scalar.name, names[i]) == 0 && scalar.value == (double)energies[i];
        if (!good) {
            printf("# step %llu: %s is %a, and the reference has %a\n",
                   (unsigned long long)scalar.step, names[i], scalar.value, (double)energies[i]);
        }
    }
    return good;
}

/* The energies equal the reference's, and watching does not change the state. */
static void test_energies(vks_context *context)
{
    static const struct {
        const char *method, *name, *look;
    } cases[] = {
        {"particles", "gravity in a flat box", ""},
        {"particles", "gravity", " view=points"},
        {"particles", "gravity", " view=points-speed"},
        {"particles", "gravity", " view=potential"},
        {"particles", "gravity in a flat box", " view=temperature"},
        {"particles", "exchange by conduction", " view=oscillators"},
        {"particles", "oscillators that are frozen", ""},
        {"particles", "one particle, one node", ""},
        {"particles", "tiny masses", ""},
        {"grid", "gravity in a flat box", " view=potential"},
        {"grid", "tracers with gravity", " view=points-temperature"},
        {"grid", "tracers that exchange heat", " view=oscillators"},
        {"grid", "many tracers in one cell", ""},
        {"grid", "a cold fast cloud", " view=speed"},
        {"grid", "one node", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!sim_due()) {
            continue;
        }
        const struct gas_case *row = gas_find_case(cases[i].method, cases[i].name);
        const struct gas_reference *reference = gas_reference_of(row);
        struct sim_run run = gas_run_of(row);
        char options[512];
        snprintf(options, sizeof(options), "%s%s", row->options, cases[i].look);
        run.options = options;
        run.watch = true;
        vks_simulation *simulation = sim_open(context, &run);
        void *state = reference->begin(row);
        bool good = simulation && state && fine(vks_simulation_draw(simulation)) &&
                    has_energies(simulation, reference, state);
        const uint32_t last = row->digests[1] ? 4 : 1; /* large cases end early */
        for (uint32_t step = 1; good && step <= last; step += 3) {
            good = step_both(simulation, reference, state, step == 1 ? 1 : 3) &&
                   fine(vks_simulation_draw(simulation)) &&
                   has_energies(simulation, reference, state) &&
                   (step > 1 || sim_has_digest(simulation, row->digests[0]));
        }
        vks_simulation_destroy(simulation);
        reference->end(state);
        report(good, "%s: energies of %s%s", row->method, row->name, cases[i].look);
    }
}

/* --- order ------------------------------------------------------------------------------------ */

/* The same particles in another order, with the clockwork measured again. */
static void test_order(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    const struct gas_case *row = gas_find_case("particles", "gravity in a flat box");
    const struct gas_reference *reference = gas_reference_of(row);
    const struct sim_run run = gas_run_of(row);
    vks_simulation *simulation = sim_open(context, &run);
    void *state = reference->begin(row), *data;
    size_t bytes;
    const char *name;
    bool good = simulation && state;
    for (int after = 0; good && after < 2; after++) {
        for (size_t i = 0; good && (name = reference->field(state, i, &data, &bytes)); i++) {
            const bool is_clock = strcmp(name, "clockwork") == 0;
            const size_t count = bytes / 4;
            const uint32_t *words = data;
            uint32_t *other = malloc(bytes);
            for (size_t j = 0; other && j < count; j++) { /* 1237 is prime, and so is not in N */
                other[j] = words[is_clock ? j : (j * 1237 + 11) % count];
            }
            if (after == 0) {
                good = other && fine(vks_simulation_write(simulation, name, other, bytes));
            } else {
                uint32_t *got = malloc(bytes);
                good = other && got && fine(vks_simulation_read(simulation, name, got, bytes)) &&
                       memcmp(got, other, bytes) == 0;
                free(got);
            }
            free(other);
        }
        good = good && (after == 1 || step_both(simulation, reference, state, 12));
    }
    char digest[GAS_DIGEST_SIZE];
    good = good && strcmp(gas_digest(reference, state, digest), row->digests[2]) == 0;
    reference->end(state);
    vks_simulation_destroy(simulation);
    report(good, "particles in another order have the same bytes in that order");
}

/* Sorting changes no byte, whatever operations follow. */
static void test_sorted(vks_context *context)
{
    static const struct {
        const char *name, *sort;
    } sorted[] = {
        {"7x5x3", "variant=sorted-1"},
        {"a blast", "variant=sorted-5"},
        {"gravity in a flat box", "variant=sorted-3"},
        {"all in one cell", "variant=sorted-2"},
        {"conduction", "variant=sorted-1"},
        {"a column", "variant=sorted-2"},
        {"gravity", "variant=sorted-1"},
        {"tiles that end early", "variant=sorted-1"},
        {"a crowd", "variant=sorted-1"},
    };
    char options[256], name[80];
    struct sim_run run;
    for (size_t i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++) {
        const struct gas_case *row = gas_find_case("particles", sorted[i].name);
        run = gas_run_of(row);
        snprintf(options, sizeof(options), "%s %s", row->options, sorted[i].sort);
        snprintf(name, sizeof(name), "%s, %s", row->name, sorted[i].sort);
        run.options = options;
        run.name = name;
        size_t moments = 0;
        while (moments < 3 && row->digests[moments]) {
            moments++;
        }
        sim_test_moments(context, &run, gas_moments, row->digests, moments);
    }
    const struct gas_case *row = gas_find_case("particles", "gravity in a flat box");
    run = gas_run_of(row);
    static const char *const saved[] = {"variant=sorted-7",
                                        "variant=sorted-1"}; /* the latter counts a step ahead */
    for (size_t i = 0; i < sizeof(saved) / sizeof(saved[0]); i++) {
        snprintf(options, sizeof(options), "%s %s", row->options, saved[i]);
        run.options = options;
        sim_test_save_and_load(context, &run, 12, row->digests[2], 28, row->digests[3]);
    }
}

/* --- the end of time ---------------------------------------------------------------------------
 */

/* Steps change no byte. */
static bool stands_still(vks_simulation *simulation, uint64_t steps)
{
    char before[GAS_DIGEST_SIZE], after[GAS_DIGEST_SIZE];
    const bool good = fine(vks_simulation_digest(simulation, before)) &&
                      fine(vks_simulation_run(simulation, steps)) &&
                      fine(vks_simulation_digest(simulation, after));
    return good && strcmp(before, after) == 0;
}

/* Another end in the run, of both. */
static void *set_end(vks_simulation *simulation, void *state, const struct gas_case *row,
                     const char *end)
{
    char options[256];
    struct gas_case changed = *row;
    snprintf(options, sizeof(options), "%s end-time=%s", row->options, end);
    changed.options = options;
    return fine(vks_simulation_set(simulation, "end-time", end)) ? go_on(state, &changed) : state;
}

/* The time of the end is reached exactly and kept, in every variant; and it can move. */
static void test_end(vks_context *context, const struct gas_case *row, const char *variant)
{
    if (!sim_due()) {
        return;
    }
    const struct gas_reference *reference = gas_reference_of(row);
    const double end = strtod(strstr(row->options, "end-time=") + 9, NULL);
    char options[256], text[32];
    snprintf(options, sizeof(options), "%s variant=%s", row->options, variant);
    snprintf(text, sizeof(text), "%.17g", end);
    struct sim_run run = gas_run_of(row);
    run.options = options;
    vks_simulation *simulation = sim_open(context, &run);
    void *state = reference->begin(row);
    bool good = simulation && state && step_both(simulation, reference, state, 2) &&
                fine(vks_simulation_set(simulation, "end-time", "1e-9")) &&
                stands_still(simulation, 3) &&
                fine(vks_simulation_set(simulation, "end-time", text)) &&
                step_both(simulation, reference, state, 38) &&
                gas_same_state(simulation, reference, state, true) &&
                sim_has_digest(simulation, row->digests[3]) && stands_still(simulation, 5);
    if (good) {
        const uint32_t *clock = clock_of(reference, state);
        const uint64_t units = clock[0] + ((uint64_t)clock[1] << 32);
        good = units == (uint64_t)(end * 0x1p40 + 0.5) && clock[2] != 0;
    }
    for (size_t i = 0; good && i < 2; i++) { /* later; never */
        snprintf(text, sizeof(text), "%.17g", i == 0 ? end + 0x1p-9 : 0);
        state = set_end(simulation, state, row, text);
        good = state && step_both(simulation, reference, state, 7) &&
               gas_same_state(simulation, reference, state, true);
    }
    vks_simulation_destroy(simulation);
    if (state) {
        reference->end(state);
    }
    report(good, "%s: %s, %s: the time is reached exactly", row->method, row->name, variant);
}

static void test_ends(vks_context *context)
{
    static const char *const variants[][3] = {{"runs-1", "runs-8", "faces"},
                                              {"unsorted", "sorted-1", "sorted-3"}};
    for (size_t i = 0; i < gas_case_count; i++) {
        const struct gas_case *row = &gas_cases[i];
        for (size_t j = 0; j < 3 && strstr(row->options, "end-time="); j++) {
            test_end(context, row, variants[!gas_case_is_grid(row)][j]);
        }
    }
}

/* --- runs that end ---------------------------------------------------------------------------- */

/* Time steps below the unit of time end the run with a message. */
static void test_stall(vks_context *context, uint32_t width, uint32_t height, const char *start,
                       const char *method, const char *options)
{
    if (!sim_due()) {
        return;
    }
    const struct sim_run run = {.name = method,
                                .model = "gas",
                                .preset = "plain",
                                .basis = method,
                                .width = width,
                                .height = height,
                                .seed = 1,
                                .start = start,
                                .options = options};
    vks_simulation *simulation = sim_open(context, &run);
    enum vks_result result = simulation ? vks_simulation_run(simulation, 3) : VKS_OK;
    if (simulation && result == VKS_OK) {
        result = vks_simulation_wait(simulation);
    }
    const bool good = result == VKS_ERROR_STOPPED && strstr(vks_error_text(), "time step");
    if (!good) {
        printf("# %d: %s\n", (int)result, vks_error_text());
    }
    vks_simulation_destroy(simulation);
    report(good, "%s: a time step of 0 ends the run", method);
}

void gas_test_runs(vks_context *context)
{
    static const uint32_t splits[][4] = {{1, 2, 37}, {33, 6, 1}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct gas_case *row = gas_find_case(rows[i].method, rows[i].name);
        const struct sim_run run = gas_run_of(row);
        sim_test_pieces(context, &run, splits[0], true, row->digests[3]);
        sim_test_pieces(context, &run, splits[1], false, row->digests[3]);
        sim_test_save_and_load(context, &run, 12, row->digests[2], 28, row->digests[3]);
        sim_test_restart(context, &run, 12, row->digests[2]);
        sim_test_changed_restart(context, &run, "temperature=0.5 wave-strength=0.1 cfl=0.3", 12);
        sim_test_changed_restart(context, &run, "init=shear speed=1", 12);
        sim_test_changed_look(context, &run, "tone=log colormap=iris normalize=frame", 4);
        test_changes(context, row);
        test_refused_changes(context, row);
        test_watched(context, row);
    }
    /* values far below realistic ones */
    const struct gas_case *cold = gas_find_case("grid", "a cold fast cloud");
    const struct gas_case *tiny = gas_find_case("particles", "tiny masses");
    const struct sim_run cold_run = gas_run_of(cold), tiny_run = gas_run_of(tiny);
    sim_test_save_and_load(context, &cold_run, 12, cold->digests[2], 28, cold->digests[3]);
    sim_test_save_and_load(context, &tiny_run, 4, tiny->digests[1], 8, tiny->digests[2]);
    test_energies(context);
    test_order(context);
    test_sorted(context);
    test_ends(context);
    test_stall(context, 16384, 1, "tube", "method=grid", "speed=1000000 cfl=0.01");
    test_stall(context, 65536, 2, "cloud", "method=particles",
               "particles=1000 mach=1000 temperature=1e9 radius=0.5");
}
