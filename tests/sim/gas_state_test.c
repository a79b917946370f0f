/* SPDX-License-Identifier: MIT */
/* The gas on a device: external states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../numbers.h"
#include "gas_test.h"
#include "io/npz.h"
#include "../npz_add.h"

enum { DEPTH = 4, HEIGHT = 6, WIDTH = 8, NODES = DEPTH * HEIGHT * WIDTH, PARTICLES = 600 };

/* --- files as a person makes them ------------------------------------------------------------ */

struct array {
    const char *name;
    double values[PARTICLES];
};

/* The arrays as float64 in a file without a header. */
static bool write_file(const char *path, const struct array *arrays, size_t count, uint32_t rank,
                       const uint64_t *shape)
{
    struct vks_npz_writer *writer;
    bool good = fine(vks_npz_create(path, true, &writer));
    for (size_t i = 0; good && i < count; i++) {
        good = fine(npz_add(writer, arrays[i].name, 'f', 8, rank, shape, arrays[i].values));
        if (!good) {
            vks_npz_abort(writer);
        }
    }
    return good && fine(vks_npz_finish(writer));
}

/* A run from that file, and the reference that `fill` has put into the same state. */
static bool follows(vks_context *context, const char *path, const struct gas_case *row,
                    void (*fill)(const char *name, void *data, size_t count,
                                 const struct array *arrays),
                    const struct array *arrays)
{
    const struct gas_reference *reference = gas_reference_of(row);
    /* Only the file determines the method. */
    char size[32];
    snprintf(size, sizeof(size), "size=%ux%ux%u", row->width, row->height, row->depth);
    const char *const options[] = {"gravity=0", "temperature=1", "dt=0.015", size, NULL};
    vks_simulation *simulation = NULL;
    void *state = reference->begin(row), *data;
    const char *name;
    size_t bytes;
    for (size_t i = 0; state && (name = reference->field(state, i, &data, &bytes)); i++) {
        memset(data, 0, bytes);
        fill(name, data, bytes / 4, arrays);
    }
    bool good =
        state &&
        fine(vks_simulation_create(context,
                                   &VKS_SIMULATION_PARAMS(.model = "gas", .preset = "plain",
                                                          .load_state = path, .options = options),
                                   &simulation));
    good = good && gas_same_state(simulation, reference, state, false);
    for (uint32_t i = 0; good && i < 5; i++) {
        good = reference->step(state);
    }
    good = good && fine(vks_simulation_run(simulation, 5)) &&
           gas_same_state(simulation, reference, state, true);
    reference->end(state);
    vks_simulation_destroy(simulation);
    remove(path);
    return good;
}

/* Places from -1.5 to 2.5 sides, and some at the edges: a fraction that rounds to 1 is 0. */
static double place_of(size_t i, double side)
{
    static const double edges[] = {0, 1, -1, 0.5, -1e-300, -1e-12, 1e-12, 1e9, -1e9, 2, -0.25};
    const size_t count = sizeof(edges) / sizeof(edges[0]);
    return i < count ? edges[i] * side : side * (4.0 * (double)(i * 7919 % 1000) / 1000 - 1.5);
}

/* The nearest fraction that is in the same cell; 0 if that is a whole side. */
static uint32_t fraction_of(double turns, double side)
{
    const double part = turns - floor(turns), nearest = floor(part * 0x1p32 + 0.5);
    const double first = ceil(floor(part * side) / side * 0x1p32); /* of the cell */
    const double fraction = nearest < first ? first : nearest;
    return fraction >= 0x1p32 ? 0 : (uint32_t)fraction;
}

static void fill_particles(const char *name, void *data, size_t count, const struct array *arrays)
{
    static const double sides[] = {DEPTH, HEIGHT, WIDTH};
    for (size_t a = 0; arrays[a].name; a++) {
        if (strcmp(arrays[a].name, name) != 0) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if (a < 3) {
                ((uint32_t *)data)[i] = fraction_of(arrays[a].values[i] / sides[a], sides[a]);
            } else {
                ((float *)data)[i] = (float)arrays[a].values[i];
            }
        }
    }
}

static void test_particles(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    static struct array arrays[] = {{.name = "z"},         {.name = "y"},    {.name = "x"},
                                    {.name = "vz"},        {.name = "vy"},   {.name = "vx"},
                                    {.name = "mass"},      {.name = "heat"}, {.name = "oscillator"},
                                    {.name = "frequency"}, {.name = NULL}};
    static const double sides[] = {DEPTH, HEIGHT, WIDTH};
    static const struct gas_case row = {"particles", "",      WIDTH,           HEIGHT,
                                        DEPTH,       "waves", "particles=600", {NULL}};
    uint64_t seed = 5;
    for (size_t i = 0; i < PARTICLES; i++) {
        for (size_t a = 0; a < 3; a++) {
            arrays[a].values[i] = place_of(i, sides[a]);
            arrays[3 + a].values[i] = between(&seed, -0.5, 0.5);
        }
        arrays[6].values[i] = between(&seed, 0.001, 0.01);
        arrays[7].values[i] = between(&seed, 0, 2);
    }
    const uint64_t shape[] = {PARTICLES};
    const bool good = write_file(in_folder("made.npz"), arrays, 10, 1, shape) &&
                      follows(context, in_folder("made.npz"), &row, fill_particles, arrays);
    report(good, "particles in cells, float64, without a header: as the reference has them");
}

static void fill_grid(const char *name, void *data, size_t count, const struct array *arrays)
{
    for (size_t a = 0; arrays[a].name; a++) {
        for (size_t i = 0; strcmp(arrays[a].name, name) == 0 && i < count; i++) {
            ((float *)data)[i] = (float)arrays[a].values[i];
        }
    }
}

static void test_grid(vks_context *context)
{
    if (!sim_due()) {
        return;
    }
    static struct array arrays[] = {
        {.name = "density"}, {.name = "momentum_z"}, {.name = "momentum_y"}, {.name = "momentum_x"},
        {.name = "energy"},  {.name = "internal"},   {.name = NULL}};
    static const struct gas_case row = {"grid", "", WIDTH, HEIGHT, DEPTH, "waves", "", {NULL}};
    uint64_t seed = 9;
    for (size_t i = 0; i < NODES; i++) {
        arrays[0].values[i] = between(&seed, 0.5, 2);
        for (size_t a = 1; a < 4; a++) {
            arrays[a].values[i] = between(&seed, -0.5, 0.5);
        }
        arrays[5].values[i] = between(&seed, 0.5, 2);
        arrays[4].values[i] = arrays[5].values[i] + 1;
    }
    const uint64_t shape[] = {DEPTH, HEIGHT, WIDTH};
    const bool good = write_file(in_folder("made.npz"), arrays, 6, 3, shape) &&
                      follows(context, in_folder("made.npz"), &row, fill_grid, arrays);
    report(good, "a grid in float64, without a header, finds its method: as the reference has it");
}

/* --- nonsense -------------------------------------------------------------------------------- */

/* A problematic word, or a slight change of the old one. */
static uint32_t trouble(uint64_t *seed, uint32_t before)
{
    static const uint32_t words[] = {
        0,          0x80000000, 1,          0x007fffff, 0x00800000, /* zeros, subnormals */
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff,             /* infinity, NaN, the largest */
        0x4e800000, 0xce800000, 0x4e7fffff, 0x4e800001,             /* 2^30 and its neighbours */
        0x30800000, 0x307fffff, 0xb0800000,                         /* 2^-30 */
        0xffffffff, 0x3f800000, 0xbf800000, 0x5f000000,
    };
    switch (next_word(seed) % 4) {
    case 0:
        return words[next_word(seed) % (sizeof(words) / sizeof(words[0]))];
    case 1: /* any float within the limits */
        return bits_of((float)ldexp(between(seed, 1, 2), (int)(next_word(seed) % 90) - 60));
    case 2:
        return before ^ 1u << next_word(seed) % 32;
    default:
        return before;
    }
}

/* Writes a field with problematic words, sometimes all; a refusal must have a message. */
static bool write_trouble(vks_simulation *simulation, const struct vks_field_info *field,
                          uint64_t *seed, bool *refused)
{
    uint32_t *words = malloc(field->bytes);
    const size_t count = field->bytes / 4;
    bool good = words && fine(vks_simulation_read(simulation, field->name, words, field->bytes));
    const bool everywhere = next_word(seed) % 4 == 0, same = next_word(seed) % 2 == 0;
    const size_t where = next_word(seed) % count;
    uint32_t word = 0;
    for (size_t i = everywhere ? 0 : where; good && i < (everywhere ? count : where + 1); i++) {
        word = everywhere && same && i > 0 ? word : trouble(seed, words[i]);
        words[i] = word;
    }
    if (good) {
        const enum vks_result result =
            vks_simulation_write(simulation, field->name, words, field->bytes);
        *refused = *refused || result != VKS_OK;
        good = result == VKS_OK ||
               (result == VKS_ERROR_USAGE && strstr(vks_error_text(), field->name));
        if (!good) {
            printf("# %s: %d, %s\n", field->name, (int)result, vks_error_text());
        }
    }
    free(words);
    return good;
}

/* No field has an infinity or a NaN, and masses, densities, energies and heat are not below 0. */
static bool is_sound(vks_simulation *simulation)
{
    struct vks_field_info field = {.size = sizeof(field)};
    bool good = true;
    for (size_t i = 0; good && vks_simulation_field(simulation, i, &field); i++) {
        float *values = malloc(field.bytes);
        good = values && fine(vks_simulation_read(simulation, field.name, values, field.bytes));
        const bool any_sign = field.name[0] == 'v' || field.name[0] == 'i' || /* internal */
                              strncmp(field.name, "momentum", 8) == 0;
        for (size_t j = 0; good && field.element == VKS_F32 && j < field.bytes / 4; j++) {
            good = isfinite(values[j]) && (any_sign || values[j] >= 0);
            if (!good) {
                printf("# %s[%zu] is %a\n", field.name, j, (double)values[j]);
            }
        }
        free(values);
    }
    return good;
}

/* Invalid states are refused, or the state stays free of infinities; a run may end with a
 * message. */
static void test_nonsense(vks_context *context, const char *basis, const char *options)
{
    if (!sim_due()) {
        return;
    }
    enum { ROUNDS = 120 };
    const struct sim_run run = {.name = basis,
                                .model = "gas",
                                .preset = "plain",
                                .basis = basis,
                                .width = 8,
                                .height = 4,
                                .depth = 4,
                                .seed = 1,
                                .start = "waves",
                                .options = options};
    vks_simulation *simulation = sim_open(context, &run);
    unsigned refusals = 0, stops = 0, sound = 0;
    bool good = simulation != NULL;
    for (uint64_t round = 1; good && round <= ROUNDS; round++) {
        uint64_t seed = round;
        struct vks_field_info field = {.size = sizeof(field)};
        bool refused = false;
        good = fine(vks_simulation_restart(simulation, 1));
        for (size_t i = 0; good && vks_simulation_field(simulation, i, &field); i++) {
            if (next_word(&seed) % 3 == 0) {
                good = write_trouble(simulation, &field, &seed, &refused);
            }
        }
        enum vks_result result = good ? vks_simulation_run(simulation, 3) : VKS_OK;
        result = good && result == VKS_OK ? vks_simulation_wait(simulation) : result;
        refusals += refused;
        stops += result == VKS_ERROR_STOPPED;
        sound += result == VKS_OK;
        if (good && result != VKS_ERROR_STOPPED) {
            good = fine(result) && is_sound(simulation);
        }
        if (!good) {
            printf("# round %llu\n", (unsigned long long)round);
        }
    }
    vks_simulation_destroy(simulation);
    printf("# %u of %d states with refused fields, %u runs that ended, %u that went on\n", refusals,
           (int)ROUNDS, stops, sound);
    report(good && refusals > 20 && sound > 20, "%s %s: nonsense is refused or harmless", basis,
           options);
}

void gas_test_states(vks_context *context)
{
    test_particles(context);
    test_grid(context);
    test_nonsense(context, "method=grid", "gravity=1 conductivity=0.1");
    test_nonsense(context, "method=particles", "particles=300 gravity=1 conductivity=0.1");
    test_nonsense(context, "method=particles", "particles=40 mixing=10");
}
