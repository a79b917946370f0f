/* SPDX-License-Identifier: MIT */
/* What the core offers to models: ranges, sums, scans and sorting against loops on the host, FFTs
 * against recorded digests. */
#include "selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>

#include <vksim/model.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "selftest/numbers.h"

#include "core/scan.h"
#include "selftest/wander.h"

enum { COUNT = 1000003 }; /* several levels, and no multiple of a workgroup */

/* A graph of a declaration, which it frees, at its start, with `data` in a field. */
static enum vks_result begin(const struct vks_selftest *test, struct vks_declaration *declaration,
                             const char *field, const void *data, struct vks_graph **graph)
{
    enum vks_result result = vks_graph_create(&test->context->gpu, declaration, graph);
    vks_declaration_free(declaration);
    result = result == VKS_OK ? vks_graph_start(*graph, 0, true) : result;
    result = result == VKS_OK ? vks_graph_fill(*graph, false, NULL) : result;
    return result == VKS_OK ? vks_graph_upload(*graph, field, data) : result;
}

/* Runs a step and reads a field. */
static enum vks_result finish(struct vks_graph *graph, const char *field, void *data)
{
    const enum vks_result result = vks_graph_run(graph, 1);
    return result == VKS_OK ? vks_graph_download_to(graph, field, data) : result;
}

/* --- reductions ------------------------------------------------------------------------------ */

enum { EXPONENT = 24 }; /* of the sum's unit, 2^-24 */

static void reduce(const float *values, uint32_t range[2], uint32_t sum[2])
{
    float min = values[0], max = values[0];
    uint64_t total = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const vks_uvec2 fixed = vks_fixed(values[i], vks_power_of_two(EXPONENT));
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
        total += (uint64_t)fixed.y << 32 | fixed.x;
    }
    range[0] = bits_of(min);
    range[1] = bits_of(max);
    sum[0] = (uint32_t)total;
    sum[1] = (uint32_t)(total >> 32);
}

static enum vks_result test_reductions(const struct vks_selftest *test, uint32_t *words,
                                       struct vks_selftest_result *result)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t range[2], sum[2], expected_range[2], expected_sum[2];
    float *values = (float *)(void *)words;
    uint64_t random = 1;
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = (float)between(&random, -1000, 1000);
    }
    VKS_FIELD(&declaration, .name = "values", .element = VKS_F32, .rank = 1, .shape = {COUNT});
    vks_declare_range(&declaration, "values", "range", VKS_EACH_STEP);
    vks_declare_sum(&declaration, "values", EXPONENT, "sum", VKS_EACH_STEP);
    enum vks_result ended = begin(test, &declaration, "values", values, &graph);
    ended = ended == VKS_OK ? finish(graph, "range", range) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "sum", sum) : ended;
    if (ended == VKS_OK) {
        reduce(values, expected_range, expected_sum);
        vks_selftest_compare(result, "the minimum and maximum", range, expected_range, 2);
        vks_selftest_compare(result, "the sum, low word first", sum, expected_sum, 2);
        result->count = COUNT;
    }
    vks_graph_destroy(graph);
    return ended;
}

/* --- scans ----------------------------------------------------------------------------------- */

/* Its tiles in order, as vks_declare_scan() has it, or the last tile first: then none of those
 * before it has started, and it computes their sums by itself. */
static void declare_scan(struct vks_declaration *declaration, bool backwards)
{
    const uint32_t tiles = (COUNT + SCAN_ITEMS - 1) / SCAN_ITEMS;
    const struct scan_params params = {COUNT, tiles};
    VKS_FIELD(declaration, .name = "values", .element = VKS_U32, .rank = 1, .shape = {COUNT});
    if (!backwards) {
        vks_declare_scan(declaration, "values", "sums", VKS_EACH_STEP);
        return;
    }
    VKS_FIELD(declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {COUNT + 1});
    VKS_FIELD(declaration, .name = "states", .element = VKS_U32X2, .rank = 1, .shape = {tiles},
              .ping_pong = true);
    VKS_PASS(declaration, .name = "scan", .shader = "core/scan_floor",
             .uses = VKS_USES({"values", VKS_READ, "scan_in"}, {"sums", VKS_WRITE, "scan_out"},
                              {"states", VKS_ATOMIC}, {"states", VKS_WRITE_NEXT}),
             .specializations =
                 VKS_SPECIALIZATIONS({"max_retries", 0}, {"backwards", true}, {"window", 64}),
             VKS_PUSH(params), .items = {(uint64_t)tiles * 256});
}

static enum vks_result scan(const struct vks_selftest *test, uint32_t *words, bool backwards,
                            struct vks_selftest_result *result)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t *sums = calloc(2 * (COUNT + 1), sizeof(*sums)), *expected = sums + COUNT + 1;
    if (!sums) {
        return vks_fail_memory();
    }
    uint64_t random = 2;
    for (size_t i = 0; i < COUNT; i++) {
        words[i] = (uint32_t)next_word(&random);
        expected[i + 1] = expected[i] + words[i];
    }
    declare_scan(&declaration, backwards);
    enum vks_result ended = begin(test, &declaration, "values", words, &graph);
    ended = ended == VKS_OK ? finish(graph, "sums", sums) : ended;
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the sums", sums, expected, COUNT + 1);
    }
    vks_graph_destroy(graph);
    free(sums);
    return ended;
}

static enum vks_result test_scan(const struct vks_selftest *test, uint32_t *words,
                                 struct vks_selftest_result *result)
{
    return scan(test, words, false, result);
}

static enum vks_result test_backwards(const struct vks_selftest *test, uint32_t *words,
                                      struct vks_selftest_result *result)
{
    return scan(test, words, true, result);
}

/* --- sorting --------------------------------------------------------------------------------- */

enum { ITEMS = 300000, SIDE = 256, TILES = (SIDE / 4) * (SIDE / 4) };

/* Items are sorted by the tile in which they are; `seen` has the tiles in the order of memory. */
static void declare_sorting(struct vks_declaration *declaration)
{
    const struct wander_params params = {ITEMS, SIDE};
    vks_declare_items(declaration, "wanderers", ITEMS);
    VKS_FIELD(declaration, .name = "place", .element = VKS_U32X2, .rank = 1, .shape = {ITEMS},
              .items = "wanderers");
    VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {ITEMS});
    VKS_FIELD(declaration, .name = "seen", .element = VKS_U32, .rank = 1, .shape = {ITEMS});
    VKS_PASS(declaration, .name = "tile", .shader = "selftest/tile", .every = 1,
             .uses = VKS_USES({"place", VKS_READ}, {"tile", VKS_WRITE}), VKS_PUSH(params),
             .items = {ITEMS});
    vks_declare_sorting(
        declaration,
        &(struct vks_sorting){.items = "wanderers", .key = "tile", .bins = TILES, .every = 1});
    VKS_PASS(declaration, .name = "see", .shader = "selftest/tile",
             .uses = VKS_USES({"place", VKS_READ}, {"seen", VKS_WRITE, "tile"}), VKS_PUSH(params),
             .items = {ITEMS});
}

/* The tiles of all places in ascending order. */
static void sort_tiles(const uint32_t *places, uint32_t *sorted)
{
    static uint32_t counts[TILES];
    const uint32_t across = SIDE / WANDER_TILE;
    memset(counts, 0, sizeof(counts));
    for (size_t i = 0; i < ITEMS; i++) {
        counts[vks_high(places[2 * i], across) * across + vks_high(places[2 * i + 1], across)]++;
    }
    for (uint32_t tile = 0; tile < TILES; tile++) {
        for (uint32_t i = 0; i < counts[tile]; i++) {
            *sorted++ = tile;
        }
    }
}

static enum vks_result test_sorting(const struct vks_selftest *test, uint32_t *words,
                                    struct vks_selftest_result *result)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t *found = calloc(3 * ITEMS, sizeof(*found)), *expected = found + 2 * ITEMS;
    if (!found) {
        return vks_fail_memory();
    }
    uint64_t random = 3;
    for (size_t i = 0; i < 2 * ITEMS; i++) {
        words[i] = (uint32_t)next_word(&random);
    }
    sort_tiles(words, expected);
    declare_sorting(&declaration);
    enum vks_result ended = begin(test, &declaration, "place", words, &graph);
    ended = ended == VKS_OK ? finish(graph, "seen", found) : ended;
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the tiles in the order of memory", found, expected, ITEMS);
        ended = vks_graph_download_to(graph, "place", found);
    }
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the places in the order of numbers", found, words, 2 * ITEMS);
    }
    vks_graph_destroy(graph);
    free(found);
    return ended;
}

/* --- FFTs ------------------------------------------------------------------------------------ */

/* Squares of the wave numbers, which float32 has exactly. */
static void fill_squares(float *table, size_t side)
{
    for (size_t i = 0; i < side; i++) {
        const size_t k = i > side / 2 ? side - i : i;
        table[i] = (float)(k * k);
    }
}

/* Solves Poisson's equation in a periodic box of the shape (depth, height, width). */
static enum vks_result solve(const struct vks_selftest *test, const size_t shape[3], float *density,
                             struct vks_graph **graph)
{
    static float tables[3][2048];
    struct vks_declaration declaration = {0};
    uint64_t random = 4;
    const size_t cells = shape[0] * shape[1] * shape[2];
    for (int axis = 0; axis < 3; axis++) {
        fill_squares(tables[axis], shape[axis]);
    }
    for (size_t i = 0; i < cells; i++) {
        density[i] = (float)between(&random, 0, 2);
    }
    vks_declaration_grid(&declaration, shape[0], shape[1], shape[2]);
    VKS_FIELD(&declaration, .name = "density", .element = VKS_F32);
    VKS_FIELD(&declaration, .name = "potential", .element = VKS_F32);
    vks_declare_fft(&declaration, &(struct vks_fft){.name = "gravity",
                                                    .source = "density",
                                                    .target = "potential",
                                                    .mean = 1,
                                                    .factor = -12.566371f,
                                                    .symbol = {tables[0], tables[1], tables[2]},
                                                    .when = VKS_EACH_STEP});
    const enum vks_result result = begin(test, &declaration, "density", density, graph);
    return result == VKS_OK ? finish(*graph, "potential", density) : result;
}

static enum vks_result test_fft(const struct vks_selftest *test, uint32_t *words,
                                const size_t shape[3], const char *digest,
                                struct vks_selftest_result *result)
{
    struct vks_graph *graph = NULL;
    char found[33];
    const enum vks_result ended = solve(test, shape, (float *)(void *)words, &graph);
    if (ended == VKS_OK) {
        result->count = shape[0] * shape[1] * shape[2];
        vks_digest_of(words, result->count * sizeof(*words), found);
        vks_selftest_compare_digests(result, "the potential", found, digest);
    }
    vks_graph_destroy(graph);
    return ended;
}

/* --- the rows -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum vks_result (*run)(const struct vks_selftest *test, uint32_t *words,
                           struct vks_selftest_result *result); /* NULL: an FFT */
    size_t shape[3];
    const char *digest;
} rows[] = {
    {.name = "minimum, maximum and sum", .run = test_reductions},
    {.name = "scan", .run = test_scan},
    {.name = "scan, the last tile first", .run = test_backwards},
    {.name = "sorting", .run = test_sorting},
    {.name = "FFT of a line of 2048",
     .shape = {1, 1, 2048},
     .digest = "bdf3709e7178b20f0170955db9ac993d"},
    {.name = "FFT of a plane of 512 x 128",
     .shape = {1, 128, 512},
     .digest = "109cf0863e4fcce854810c7efee3ea4f"},
    {.name = "FFT of a volume of 64 x 32 x 16",
     .shape = {16, 32, 64},
     .digest = "b3fcc38b2bb5bfa658a0a40412f0b703"},
};

static size_t count_primitives(enum vks_selftest_length length)
{
    (void)length;
    return VKS_COUNT(rows);
}

static enum vks_result test_primitive(const struct vks_selftest *test, size_t row,
                                      struct vks_selftest_result *result)
{
    uint32_t *words = calloc(COUNT, sizeof(*words));
    snprintf(result->name, sizeof(result->name), "%s", rows[row].name);
    if (!words) {
        return vks_fail_memory();
    }
    const enum vks_result ended =
        rows[row].run ? rows[row].run(test, words, result)
                      : test_fft(test, words, rows[row].shape, rows[row].digest, result);
    free(words);
    return ended;
}

const struct vks_selftest_group vks_selftest_primitives = {"primitives", count_primitives,
                                                           test_primitive};
