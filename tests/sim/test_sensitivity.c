/* SPDX-License-Identifier: MIT */
/* Twins: their distances and contraction against the NumPy reference and against sums on the host.
 * TAP on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/twins.h"
#include "base/exact.h"
#include "base/memory.h"
#include "runs/sensitivity.h"
#include "sim_test.h"

enum { PERTURBED = 3, MAX_QUANTITIES = 16 };

static const char golden_options[] =
    "agents=820 sensor-angle=26 turn-angle=6 sensor-distance=9 step-size=2 jitter=17 decay=0.1 "
    "diffuse=0.4 start-radius=0.48";

/* Settings in a variant that twins can have; free them. */
static bool make_settings(vks_context *context, const struct sim_run *run,
                          struct vks_settings *settings)
{
    vks_simulation *simulation = sim_open(context, run);
    if (!simulation) {
        return false;
    }
    const bool good = fine(vks_settings_copy(settings, vks_simulation_settings(simulation)));
    vks_simulation_destroy(simulation);
    return good && fine(vks_twins_settle(&context->gpu, settings));
}

static struct vks_pair *make_pair(vks_context *context, const struct sim_run *run, uint32_t shrink)
{
    struct vks_settings settings = {0};
    struct vks_pair *pair = NULL;
    if (make_settings(context, run, &settings)) {
        (void)fine(vks_pair_create(context, &settings, shrink, &pair));
    }
    vks_settings_free(&settings);
    return pair;
}

static const struct sim_run golden_run = {.name = "golden twins",
                                          .model = "physarum",
                                          .basis = "",
                                          .width = 48,
                                          .height = 40,
                                          .seed = 7,
                                          .start = "disc",
                                          .options = golden_options};

/* --- the reference --------------------------------------------------------------------------- */

struct golden {
    enum vks_perturbed what;
    const char *field;
    double amount; /* units of angles and places */
    double rows[13][8];
};

#define TWINS(what, field, amount, ...) {what, field, amount, {__VA_ARGS__}},
static const struct golden goldens[] = {
#include "sensitivity_twins.def"
};
#undef TWINS

static bool follows(struct vks_pair *pair, const struct golden *golden)
{
    const struct vks_perturbation perturbation = {
        .what = golden->what, .units = (uint32_t)golden->amount, .amount = golden->amount};
    struct vks_perturbation own = perturbation;
    snprintf(own.field, sizeof(own.field), "%s", golden->field);
    bool good =
        fine(vks_pair_spin_up(pair, 7, 40)) && fine(vks_pair_perturb(pair, &own, PERTURBED));
    for (size_t i = 0; good && i < VKS_COUNT(golden->rows); i++) {
        double values[MAX_QUANTITIES];
        const uint64_t steps = i == 0 ? 0 : 5;
        good = fine(vks_simulation_run(vks_pair_own(pair), steps)) &&
               fine(vks_simulation_run(vks_pair_other(pair), steps)) &&
               fine(vks_twins_measure(vks_pair_twins(pair), values));
        for (size_t k = 0; good && k < 7; k++) {
            if (values[k] != golden->rows[i][1 + k]) {
                printf("# step %.0f: %s is %.0f, the reference has %.0f\n", golden->rows[i][0],
                       vks_twins_name(vks_pair_twins(pair), k), values[k], golden->rows[i][1 + k]);
                good = false;
            }
        }
    }
    return good;
}

static void test_twins(vks_context *context)
{
    static const char *const names[] = {"agents",  "apart", "position_y", "position_x",
                                        "heading", "trail", "trail_total"};
    struct vks_pair *pair = make_pair(context, &golden_run, 6);
    bool good = pair && vks_twins_count(vks_pair_twins(pair)) == VKS_COUNT(names) &&
                vks_twins_main(vks_pair_twins(pair)) == 5 &&
                !vks_twins_name(vks_pair_twins(pair), VKS_COUNT(names));
    for (size_t i = 0; good && i < VKS_COUNT(names); i++) {
        good = strcmp(vks_twins_name(vks_pair_twins(pair), i), names[i]) == 0;
    }
    report(good, "the quantities of Physarum");
    for (size_t i = 0; pair && i < VKS_COUNT(goldens); i++) {
        report(follows(pair, &goldens[i]), "distances of twins, perturbation %zu", i);
    }
    vks_pair_destroy(pair);
}

/* The digest is of the perturbed twin, after contractions. */
static void test_growth(vks_context *context, const char *how)
{
    static const uint64_t cycles[] = {2, 13, 16, 15, 16, 17, 12, 17};
    static const double last[] = {223,        27,       2767444827, 3627102138,
                                  4043743029, 96319399, 7738491509};
    const struct vks_perturbation perturbation = {
        .what = VKS_PERTURBED_ANGLES, .field = "heading", .units = 1 << 24};
    struct vks_sensitivity plan = {
        .steps = 120, .every = 1, .shrink = 6, .limit = 50, .quantities = 7, .main = 5, .items = 1};
    struct vks_sensitivity_seed seed = {.seed = 7};
    double values[MAX_QUANTITIES];
    struct vks_pair *pair = make_pair(context, &golden_run, plan.shrink);
    bool good = pair && fine(vks_pair_spin_up(pair, 7, 100)) &&
                fine(vks_pair_measure(pair, &plan, &perturbation, 0, false, &seed)) &&
                seed.cycle_count == VKS_COUNT(cycles) &&
                memcmp(seed.cycles, cycles, sizeof(cycles)) == 0 &&
                fabs(seed.rate - 0.274643222486016) < 1e-12 &&
                fine(vks_twins_measure(vks_pair_twins(pair), values)) &&
                memcmp(values, last, sizeof(last)) == 0;
    report(good, "cycles of contraction, and the rate%s", how);
    report(good && sim_has_digest(vks_pair_other(pair), "8e72ded03d832b316a6fda032120e7ab"),
           "the contracted twin%s", how);
    free(seed.cycles);
    vks_pair_destroy(pair);
}

/* Fields in chunks of 512 bytes, as if they were larger than a buffer. */
static void test_wide(vks_context *context)
{
    const uint64_t range = context->gpu.field_range;
    context->gpu.field_range = 1000;
    test_growth(context, ", of fields in chunks");
    context->gpu.field_range = range;
}

/* --- sums on the host ------------------------------------------------------------------------ */

static void *fetch(vks_simulation *simulation, const char *field, uint64_t *count)
{
    struct vks_graph *graph = vks_simulation_graph(simulation);
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    const struct vks_field *found = &declaration->fields[vks_find_field(declaration, field)];
    void *data = malloc((size_t)vks_field_bytes(found));
    *count = vks_field_bytes(found) / 4;
    if (!data || !fine(vks_graph_download_to(graph, field, data))) {
        free(data);
        return NULL;
    }
    return data;
}

static double magnitude(uint32_t a, uint32_t b)
{
    return fabs((double)(int32_t)(b - a));
}

struct sums {
    double y, x; /* of words: of the even and the odd ones; of floats, the distance and the total */
};

static bool is_sum(vks_simulation *own, vks_simulation *other, const char *field, bool reals,
                   struct sums *sums)
{
    uint64_t count, unused;
    uint32_t *a = fetch(own, field, &count), *b = fetch(other, field, &unused);
    *sums = (struct sums){0};
    for (uint64_t i = 0; a && b && i < count; i++) {
        float value, other_value;
        memcpy(&value, &a[i], 4);
        memcpy(&other_value, &b[i], 4);
        if (reals) {
            const float d = value - other_value;
            sums->y += nearbyint(fabs((double)d) * 0x1p20);
            sums->x += nearbyint(fabs((double)value) * 0x1p20);
        } else {
            *(i % 2 ? &sums->x : &sums->y) += magnitude(a[i], b[i]);
        }
    }
    const bool good = a && b;
    free(a);
    free(b);
    return good;
}

/* Fields of several groups. */
static void test_large(vks_context *context)
{
    const struct sim_run run = {.name = "large twins",
                                .model = "physarum",
                                .basis = "",
                                .width = 130,
                                .height = 97,
                                .seed = 3,
                                .options = "agents=5001 species=2 attraction=avoid jitter=20"};
    const struct vks_perturbation perturbation = {
        .what = VKS_PERTURBED_ANGLES, .field = "heading", .units = 1 << 27};
    double values[MAX_QUANTITIES];
    struct sums places, headings, trail;
    struct vks_pair *pair = make_pair(context, &run, 5);
    vks_simulation *own = pair ? vks_pair_own(pair) : NULL;
    vks_simulation *other = pair ? vks_pair_other(pair) : NULL;
    bool good = pair && fine(vks_pair_spin_up(pair, 3, 20)) &&
                fine(vks_pair_perturb(pair, &perturbation, 0)) &&
                fine(vks_simulation_run(own, 15)) && fine(vks_simulation_run(other, 15)) &&
                fine(vks_twins_measure(vks_pair_twins(pair), values)) &&
                is_sum(own, other, "position", false, &places) &&
                is_sum(own, other, "heading", false, &headings) &&
                is_sum(own, other, "trail", true, &trail);
    report(good && values[0] == 5001 && values[1] > 1000 && values[1] < 5001 &&
               values[2] == places.y && values[3] == places.x &&
               values[4] == headings.y + headings.x && values[5] == trail.y && values[6] == trail.x,
           "sums over several groups, with two species");
    vks_pair_destroy(pair);
}

static uint32_t nearer(uint32_t a, uint32_t b, uint32_t shift)
{
    const int64_t d = (int32_t)(b - a);
    return a + (uint32_t)(d / (INT64_C(1) << shift)); /* toward 0 */
}

static bool is_contracted(const char *field, const uint32_t *a, const uint32_t *b,
                          const uint32_t *now, uint64_t count, uint32_t shift)
{
    const bool reals = strcmp(field, "trail") == 0 || strcmp(field, "v") == 0;
    uint64_t moved = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t expected = strcmp(field, "species") == 0 ? a[i] : nearer(a[i], b[i], shift);
        float x, y, z;
        memcpy(&x, &a[i], 4);
        memcpy(&y, &b[i], 4);
        z = y - x;
        z = z * vks_power_of_two(-(int)shift);
        z = vks_flush(x + z);
        if (reals) {
            memcpy(&expected, &z, 4);
        }
        if (expected != now[i]) {
            printf("# %s: word %llu is %08x, not %08x\n", field, (unsigned long long)i, now[i],
                   expected);
            return false;
        }
        moved += now[i] != b[i];
    }
    return moved > 0;
}

/* `fields` end with NULL. */
static void test_contraction(vks_context *context, const struct sim_run *run,
                             const char *const *fields, const char *words)
{
    enum { SHIFT = 5, MAX_FIELDS = 4 };
    struct vks_perturbation perturbation;
    uint64_t count = 0;
    struct vks_pair *pair = make_pair(context, run, SHIFT);
    uint32_t *a[MAX_FIELDS] = {NULL}, *b[MAX_FIELDS] = {NULL};
    bool good = pair &&
                fine(vks_perturbation_parse(&perturbation,
                                            vks_simulation_settings(vks_pair_own(pair)), words)) &&
                fine(vks_pair_spin_up(pair, 3, 20)) &&
                fine(vks_pair_perturb(pair, &perturbation, 0)) &&
                fine(vks_simulation_run(vks_pair_own(pair), 31)) &&
                fine(vks_simulation_run(vks_pair_other(pair), 31));
    for (size_t i = 0; good && fields[i]; i++) {
        a[i] = fetch(vks_pair_own(pair), fields[i], &count);
        b[i] = fetch(vks_pair_other(pair), fields[i], &count);
    }
    good = good && fine(vks_twins_contract(vks_pair_twins(pair)));
    for (size_t i = 0; fields[i]; i++) {
        uint32_t *now = good ? fetch(vks_pair_other(pair), fields[i], &count) : NULL;
        report(a[i] && b[i] && now && is_contracted(fields[i], a[i], b[i], now, count, SHIFT),
               "contraction of the field '%s'", fields[i]);
        free(a[i]);
        free(b[i]);
        free(now);
    }
    vks_pair_destroy(pair);
}

/* --- settings -------------------------------------------------------------------------------- */

static void refuses(bool refused, const char *words)
{
    const bool good = refused && strstr(vks_error_text(), words);
    if (!good) {
        printf("# '%s' does not say '%s'\n", vks_error_text(), words);
    }
    report(good, "refused: %s", words);
}

static void test_settings(vks_context *context)
{
    struct sim_run run = golden_run;
    struct vks_settings settings = {0};
    struct vks_perturbation perturbation;
    run.options = "agents=60000 variant=auto";
    report(make_settings(context, &run, &settings) &&
               strncmp(settings.common.variant, "sorted", 6) != 0 &&
               strncmp(settings.common.variant, "software-", 9) != 0,
           "many agents are not sorted");
    static const char *const texts[][2] = {
        {"headings:1e-12", "less than one unit, which is 2^-32 turns"},
        {"position:1e-9", "less than one unit, which is 2^-32 of the width"},
        {"trail:1e-8", "less than one unit, which is 2^-23"},
        {"heading:0.6", "at most half a turn"},
        {"position:25", "at most half the width, 24 cells"},
        {"all-trail:2", "at most 1 of itself"},
        {"headings", "is not WHAT:AMOUNT"},
        {"headings:-1", "is not WHAT:AMOUNT"},
        {"headings:1e-3x", "is not WHAT:AMOUNT"},
        {"food:1", "trail, all-trail, position, heading, headings"},
    };
    for (size_t i = 0; i < VKS_COUNT(texts); i++) {
        refuses(vks_perturbation_parse(&perturbation, &settings, texts[i][0]) == VKS_ERROR_USAGE,
                texts[i][1]);
    }
    char text[96];
    const bool parsed = fine(vks_perturbation_parse(&perturbation, &settings, "position:1.5"));
    vks_perturbation_text(&perturbation, text);
    report(parsed && perturbation.units == 134217728 && strcmp(text, "position:1.5") == 0,
           "a position in cells");
    vks_settings_free(&settings);
    settings = (struct vks_settings){0};
    run.options = "agents=60000 variant=sorted-16-bytes";
    refuses(!make_settings(context, &run, &settings), "sorts the items");
    vks_settings_free(&settings);
}

static void tests(vks_context *context)
{
    const struct sim_run species = {
        .name = "species",
        .model = "physarum",
        .basis = "",
        .width = 64,
        .height = 33,
        .seed = 3,
        .options = "agents=901 species=3 attraction=chase infection=cycle infection-time=2 "
                   "infection-trail=0.1 jitter=20"};
    const struct sim_run gray = {.name = "gray-scott",
                                 .model = "gray-scott",
                                 .basis = "",
                                 .width = 63,
                                 .height = 33,
                                 .seed = 3,
                                 .options = ""};
    test_twins(context);
    test_growth(context, "");
    test_wide(context);
    test_large(context);
    static const char *const all[] = {"position", "heading", "trail", "species", NULL};
    static const char *const v[] = {"v", NULL};
    test_contraction(context, &species, all, "headings:0.4");
    test_contraction(context, &gray, v, "all-v:0.01");
    test_settings(context);
}

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, "sensitivity", tests, NULL);
}
