/* SPDX-License-Identifier: MIT */
/* Barriers, atomic operations and fields in chunks: what they leave is known however invocations
 * are ordered. */
#include "selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "selftest/numbers.h"

#include "selftest/atomics.h"

enum { GROUP = 256, COUNT = 1 << 16, STEPS = 64, CELLS = 7 };

/* A graph of a declaration, which it frees, at its start. */
static enum vks_result begin(const struct vks_selftest *test, struct vks_declaration *declaration,
                             struct vks_graph **graph)
{
    enum vks_result result = vks_graph_create(&test->context->gpu, declaration, graph);
    vks_declaration_free(declaration);
    return result == VKS_OK ? vks_graph_start(*graph, 0, true) : result;
}

static void fill(uint32_t *words, size_t count, uint64_t random)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = (uint32_t)next_word(&random);
    }
}

/* --- barriers -------------------------------------------------------------------------------- */

static void rotate(uint32_t *values)
{
    uint32_t before[GROUP];
    for (uint32_t round = 0; round < STEPS; round++) {
        memcpy(before, values, sizeof(before));
        for (uint32_t i = 0; i < GROUP; i++) {
            values[i] = before[i] * 3 + before[(i + 1 + round * 37) % GROUP];
        }
    }
}

static enum vks_result test_groups(const struct vks_selftest *test, uint32_t *words,
                                   uint32_t *expected, struct vks_selftest_result *result)
{
    const uint32_t rounds = STEPS;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    VKS_FIELD(&declaration, .name = "values", .element = VKS_U32, .rank = 1, .shape = {COUNT});
    VKS_PASS(&declaration, .name = "rotate", .shader = "selftest/rotate",
             .uses = VKS_USES({"values", VKS_READ_WRITE}), VKS_PUSH(rounds), .items = {COUNT},
             .group = {GROUP, 1}, .shared_bytes = sizeof(uint32_t) * GROUP);
    fill(expected, COUNT, 1);
    enum vks_result ended = begin(test, &declaration, &graph);
    ended = ended == VKS_OK ? vks_graph_upload(graph, "values", expected) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, 1) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "values", words) : ended;
    for (size_t i = 0; i < COUNT; i += GROUP) {
        rotate(expected + i);
    }
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the values", words, expected, COUNT);
    }
    vks_graph_destroy(graph);
    return ended;
}

/* What selftest/mix writes. */
static void mix(uint32_t *own, const uint32_t *other, uint32_t step)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t near = other[(i + 1) % COUNT];
        own[i] = own[i] + (near ^ (near >> 7)) + step + i;
    }
}

/* Two fields that are mixed in turns. */
static enum vks_result test_passes(const struct vks_selftest *test, uint32_t *words,
                                   uint32_t *expected, struct vks_selftest_result *result)
{
    static const char *const names[] = {"x", "y"};
    const uint32_t count = COUNT;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t *other = words; /* the host's y, until it is downloaded */
    for (int i = 0; i < 2; i++) {
        VKS_FIELD(&declaration, .name = names[i], .element = VKS_U32, .rank = 1, .shape = {COUNT},
                  .ping_pong = true);
    }
    for (int i = 0; i < 2; i++) {
        VKS_PASS(&declaration, .name = names[i], .shader = "selftest/mix",
                 .uses = VKS_USES({names[i], VKS_READ, "own"}, {names[1 - i], VKS_READ, "other"},
                                  {names[i], VKS_WRITE_NEXT, "own"}),
                 VKS_PUSH(count), .items = {COUNT});
    }
    fill(expected, COUNT, 2);
    fill(other, COUNT, 3);
    enum vks_result ended = begin(test, &declaration, &graph);
    ended = ended == VKS_OK ? vks_graph_upload(graph, "x", expected) : ended;
    ended = ended == VKS_OK ? vks_graph_upload(graph, "y", other) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, STEPS) : ended;
    for (uint32_t step = 0; step < STEPS; step++) {
        mix(expected, other, step);
        mix(other, expected, step);
    }
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "x", words) : ended;
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the values", words, expected, COUNT);
    }
    vks_graph_destroy(graph);
    return ended;
}

/* --- atomic operations ----------------------------------------------------------------------- */

/* What a word is after the operation with all of its items' values. */
static uint32_t combine(uint32_t operation, uint32_t word, uint32_t value)
{
    switch (operation) {
    case ATOMICS_MIN:
        return word < value ? word : value;
    case ATOMICS_MAX:
        return word > value ? word : value;
    case ATOMICS_AND:
        return word & value;
    case ATOMICS_OR:
        return word | value;
    default:
        return word ^ value;
    }
}

static bool starts_full(uint32_t operation)
{
    return operation == ATOMICS_MIN || operation == ATOMICS_AND;
}

static void combine_all(uint32_t operation, uint32_t expected[CELLS])
{
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        expected[cell] = starts_full(operation) ? UINT32_MAX : 0;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t value = vks_random(1, i, 0, 0).x;
        expected[i % CELLS] = combine(operation, expected[i % CELLS], value);
    }
}

/* The items of each word are handed the numbers from 0 on, each once: those that were returned to
 * them, and of exchanges what is left in the word. `seen` has room for COUNT marks. */
static void compare_numbers(uint32_t operation, const uint32_t *returned, const uint32_t *words,
                            uint32_t *seen, struct vks_selftest_result *result)
{
    memset(seen, 0, COUNT * sizeof(*seen));
    result->count = COUNT;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t cell = i % CELLS, items = (COUNT - cell + CELLS - 1) / CELLS;
        /* The number that an exchange has left in the word returns to nobody. */
        const uint32_t most = operation == ATOMICS_EXCHANGE ? items : items - 1;
        const uint64_t place = (uint64_t)returned[i] * CELLS + cell;
        if (returned[i] > most || (place < COUNT && seen[place]++)) {
            vks_selftest_fail(result,
                              "item %u of word %u was returned %08x, a number %s; the word is %08x",
                              (unsigned)i, (unsigned)cell, (unsigned)returned[i],
                              returned[i] > most ? "of no item" : "that another item was returned",
                              (unsigned)words[cell]);
            return;
        }
    }
    for (uint32_t cell = 0; cell < CELLS && operation != ATOMICS_EXCHANGE; cell++) {
        const uint32_t items = (COUNT - cell + CELLS - 1) / CELLS;
        if (words[cell] != items) {
            vks_selftest_fail(result, "word %u: expected %08x, found %08x", (unsigned)cell,
                              (unsigned)items, (unsigned)words[cell]);
        }
    }
}

static enum vks_result run_atomics(const struct vks_selftest *test, uint32_t operation,
                                   uint32_t words[CELLS], uint32_t *returned)
{
    const uint32_t params[] = {COUNT, CELLS};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    VKS_FIELD(&declaration, .name = "words", .element = VKS_U32, .rank = 1, .shape = {CELLS});
    VKS_FIELD(&declaration, .name = "returned", .element = VKS_U32, .rank = 1, .shape = {COUNT});
    VKS_PASS(&declaration, .name = "atomics", .shader = "selftest/atomics",
             .uses = VKS_USES({"words", VKS_ATOMIC}, {"returned", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS({"operation", operation}), VKS_PUSH(params),
             .items = {COUNT});
    for (uint32_t i = 0; i < CELLS; i++) {
        words[i] = starts_full(operation) ? UINT32_MAX : 0;
    }
    enum vks_result ended = begin(test, &declaration, &graph);
    ended = ended == VKS_OK ? vks_graph_upload(graph, "words", words) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, 1) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "words", words) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "returned", returned) : ended;
    vks_graph_destroy(graph);
    return ended;
}

static enum vks_result test_atomics(const struct vks_selftest *test, uint32_t operation,
                                    uint32_t *returned, uint32_t *seen,
                                    struct vks_selftest_result *result)
{
    uint32_t words[CELLS], expected[CELLS];
    const enum vks_result ended = run_atomics(test, operation, words, returned);
    if (ended == VKS_OK && operation <= ATOMICS_SWAP) {
        compare_numbers(operation, returned, words, seen, result);
    } else if (ended == VKS_OK) {
        combine_all(operation, expected);
        vks_selftest_compare(result, "the words", words, expected, CELLS);
        result->count = COUNT;
    }
    return ended;
}

/* Amounts of all sizes and both signs, so that carries are frequent, added up in fixed point. */
static enum vks_result test_sums(const struct vks_selftest *test, uint32_t *values,
                                 uint32_t *unused, struct vks_selftest_result *result)
{
    enum { AMOUNTS = COUNT / 2 };
    const uint32_t params[] = {AMOUNTS, CELLS};
    uint32_t found[2 * CELLS], expected[2 * CELLS];
    uint64_t random = 4, sums[CELLS] = {0};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    (void)unused;
    for (uint32_t i = 0; i < AMOUNTS; i++) {
        const uint64_t size = next_word(&random) >> next_word(&random) % 64;
        const uint64_t value = next_word(&random) & 1 ? size : 0 - size;
        values[2 * i] = (uint32_t)value;
        values[2 * i + 1] = (uint32_t)(value >> 32);
        sums[i % CELLS] += value;
    }
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        expected[2 * cell] = (uint32_t)sums[cell];
        expected[2 * cell + 1] = (uint32_t)(sums[cell] >> 32);
    }
    VKS_FIELD(&declaration, .name = "amounts", .element = VKS_U32X2, .rank = 1, .shape = {AMOUNTS});
    VKS_FIELD(&declaration, .name = "totals", .element = VKS_U32X2, .rank = 1, .shape = {CELLS});
    VKS_PASS(&declaration, .name = "accumulate", .shader = "selftest/accumulate",
             .uses = VKS_USES({"amounts", VKS_READ}, {"totals", VKS_ATOMIC}), VKS_PUSH(params),
             .items = {AMOUNTS});
    enum vks_result ended = begin(test, &declaration, &graph);
    ended = ended == VKS_OK ? vks_graph_upload(graph, "amounts", values) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, 1) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "totals", found) : ended;
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the sums, low words first", found, expected, 2 * CELLS);
        result->count = AMOUNTS;
    }
    vks_graph_destroy(graph);
    return ended;
}

/* --- chunks ---------------------------------------------------------------------------------- */

enum { SPREAD_FACTOR = 4097, SPREAD_RANGE = 4096 };

static enum vks_result create_chunks(const struct vks_selftest *test, struct vks_graph **graph)
{
    const uint32_t count = COUNT;
    struct vks_gpu *gpu = &test->context->gpu;
    struct vks_declaration declaration = {0};
    const uint64_t range = gpu->field_range;
    VKS_FIELD(&declaration, .name = "from", .element = VKS_U32, .rank = 1, .shape = {COUNT});
    VKS_FIELD(&declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {COUNT});
    VKS_FIELD(&declaration, .name = "pairs", .element = VKS_U32X2, .rank = 1, .shape = {COUNT});
    VKS_FIELD(&declaration, .name = "factor", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_PASS(&declaration, .name = "spread", .shader = "selftest/spread",
             .uses = VKS_USES({"from", VKS_READ}, {"sums", VKS_ATOMIC}, {"pairs", VKS_WRITE},
                              {"factor", VKS_READ}),
             VKS_PUSH(count), .items = {COUNT});
    gpu->field_range = SPREAD_RANGE;
    const enum vks_result ended = begin(test, &declaration, graph);
    gpu->field_range = range;
    return ended;
}

/* Fields that are larger than a buffer may be, which shaders find by their addresses. */
static enum vks_result test_chunks(const struct vks_selftest *test, uint32_t *words,
                                   uint32_t *expected, struct vks_selftest_result *result)
{
    const uint32_t factor = SPREAD_FACTOR;
    struct vks_graph *graph = NULL;
    fill(words, COUNT, 5);
    for (uint32_t i = 0; i < COUNT; i++) {
        expected[i * SPREAD_FACTOR % COUNT] = words[i]; /* a permutation */
    }
    enum vks_result ended = create_chunks(test, &graph);
    ended = ended == VKS_OK ? vks_graph_upload(graph, "from", words) : ended;
    ended = ended == VKS_OK ? vks_graph_upload(graph, "factor", &factor) : ended;
    ended = ended == VKS_OK ? vks_graph_run(graph, 1) : ended;
    ended = ended == VKS_OK ? vks_graph_download_to(graph, "sums", words) : ended;
    if (ended == VKS_OK) {
        vks_selftest_compare(result, "the sums", words, expected, COUNT);
    }
    vks_graph_destroy(graph);
    return ended;
}

/* --- the rows -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    /* With room for COUNT words each; NULL: the atomic operation. */
    enum vks_result (*run)(const struct vks_selftest *test, uint32_t *words, uint32_t *expected,
                           struct vks_selftest_result *result);
    uint32_t operation;
} rows[] = {
    {"barriers within workgroups", test_groups, 0},
    {"barriers between passes", test_passes, 0},
    {"atomicAdd", NULL, ATOMICS_ADD},
    {"atomicExchange", NULL, ATOMICS_EXCHANGE},
    {"atomicCompSwap", NULL, ATOMICS_SWAP},
    {"atomicMin", NULL, ATOMICS_MIN},
    {"atomicMax", NULL, ATOMICS_MAX},
    {"atomicAnd", NULL, ATOMICS_AND},
    {"atomicOr", NULL, ATOMICS_OR},
    {"atomicXor", NULL, ATOMICS_XOR},
    {"sums in fixed point", test_sums, 0},
    {"fields in chunks", test_chunks, 0},
};

static size_t count_memories(enum vks_selftest_length length)
{
    (void)length;
    return VKS_COUNT(rows);
}

static enum vks_result test_memory(const struct vks_selftest *test, size_t row,
                                   struct vks_selftest_result *result)
{
    uint32_t *words = calloc(COUNT, sizeof(*words)), *expected = calloc(COUNT, sizeof(*expected));
    snprintf(result->name, sizeof(result->name), "%s", rows[row].name);
    enum vks_result ended;
    if (!words || !expected) {
        ended = vks_fail_memory();
    } else if (rows[row].run) {
        ended = rows[row].run(test, words, expected, result);
    } else {
        ended = test_atomics(test, rows[row].operation, words, expected, result);
    }
    free(expected);
    free(words);
    return ended;
}

const struct vks_selftest_group vks_selftest_memory = {"memory", count_memories, test_memory};
