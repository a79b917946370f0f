/* SPDX-License-Identifier: MIT */
/* Items whose order in memory the core chooses: downloaded data does not depend on the sorting, and
 * is correct. */
#include <vksim/model.h>

#include "gpu_test.h"

#include "base/error.h"
#include "base/exact.h"
#include "selftest/wander.h"

enum { SIDE = 64, CELLS = SIDE * SIDE, ACROSS = SIDE / WANDER_TILE, STEPS = 20, UPLOAD_AT = 11 };

struct state {
    uint32_t (*place)[2], *heading, *ground;
};

static struct state new_state(uint32_t count)
{
    return (struct state){allocate(count * 8), allocate(count * 4), calloc(CELLS, 4)};
}

static void free_state(struct state *state)
{
    free(state->place);
    free(state->heading);
    free(state->ground);
}

/* Places for all items, by number. */
static void scatter(struct state *state, uint32_t count, uint64_t random)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t word = next_word(&random);
        state->place[i][0] = (uint32_t)word;
        state->place[i][1] = (uint32_t)(word >> 32);
    }
}

/* --- the model in C -------------------------------------------------------------------------- */

static uint32_t cell_of(const uint32_t place[2])
{
    return vks_high(place[0], SIDE) * SIDE + vks_high(place[1], SIDE);
}

static void step(struct state *state, uint32_t count, uint32_t number)
{
    static uint32_t left[CELLS];
    memset(left, 0, sizeof(left));
    for (uint32_t i = 0; i < count; i++) {
        const vks_uvec4 r = vks_random(1, i, number, 0);
        state->heading[i] += (r.x >> 4) + state->ground[cell_of(state->place[i])];
        state->place[i][0] += (state->heading[i] >> 5) + (r.y >> 6);
        state->place[i][1] += (state->heading[i] >> 7) + (r.z >> 4);
        left[cell_of(state->place[i])] += (state->heading[i] >> 3) ^ i;
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        state->ground[i] = state->ground[i] * 3 + left[i];
    }
}

/* --- on the device --------------------------------------------------------------------------- */

struct order {
    uint32_t every; /* 0: never sorted */
    bool backwards;
    uint64_t bins; /* 0: as many as there are tiles */
    bool software; /* counted as on software drivers */
};

static void declare(struct vks_declaration *declaration, uint32_t count, struct order order)
{
    const struct wander_params params = {count, SIDE};
    declaration->software.one_by_one = order.software;
    vks_declare_items(declaration, "wanderers", count);
    vks_declare_numbers(declaration, "wanderers");
    VKS_FIELD(declaration, .name = "place", .element = VKS_U32X2, .rank = 1, .shape = {count},
              .items = "wanderers");
    VKS_FIELD(declaration, .name = "heading", .element = VKS_U32, .rank = 1, .shape = {count},
              .items = "wanderers");
    VKS_FIELD(declaration, .name = "ground", .element = VKS_U32, .rank = 2, .shape = {SIDE, SIDE});
    VKS_FIELD(declaration, .name = "left", .element = VKS_U32, .rank = 2, .shape = {SIDE, SIDE});
    VKS_FIELD(declaration, .name = "seen", .element = VKS_U32, .rank = 1, .shape = {count});
    if (order.every > 0) {
        VKS_FIELD(declaration, .name = "tile", .element = VKS_U32, .rank = 1, .shape = {count});
        VKS_PASS(declaration, .name = "tile", .shader = "selftest/tile", .every = order.every,
                 .uses = VKS_USES({"place", VKS_READ}, {"tile", VKS_WRITE}),
                 .specializations = VKS_SPECIALIZATIONS({"backwards", order.backwards}),
                 VKS_PUSH(params), .items = {count});
        vks_declare_sorting(declaration,
                            &(struct vks_sorting){.items = "wanderers",
                                                  .key = "tile",
                                                  .bins = order.bins ? order.bins : ACROSS * ACROSS,
                                                  .every = order.every});
    }
    /* Records the order in memory in a field without items. */
    VKS_PASS(declaration, .name = "see", .shader = "selftest/tile",
             .uses = VKS_USES({"place", VKS_READ}, {"seen", VKS_WRITE, "tile"}),
             .specializations = VKS_SPECIALIZATIONS({"backwards", order.backwards}),
             VKS_PUSH(params), .items = {count});
    VKS_PASS(declaration, .name = "wander", .shader = "test/wander",
             .uses = VKS_USES({"ground", VKS_READ}, {"place", VKS_READ_WRITE},
                              {"heading", VKS_READ_WRITE}, {"wanderers_number", VKS_READ},
                              {"left", VKS_ATOMIC}),
             VKS_PUSH(params), .items = {count});
    VKS_PASS(declaration, .name = "settle", .shader = "test/settle",
             .uses = VKS_USES({"ground", VKS_READ_WRITE}, {"left", VKS_READ_WRITE}),
             VKS_PUSH(params), .items = {CELLS});
}

static void compare(struct vks_graph *graph, const struct state *truth, uint32_t count)
{
    struct state found = new_state(count);
    uint32_t *numbers = allocate(count * 4);
    const VkBuffer place = vks_graph_buffer(graph, "place");
    download(graph, "heading", found.heading);
    download(graph, "place", found.place);
    download(graph, "ground", found.ground);
    download(graph, "wanderers_number", numbers);
    assert_memory_equal(found.heading, truth->heading, count * 4);
    assert_memory_equal(found.place, truth->place, count * 8);
    assert_memory_equal(found.ground, truth->ground, CELLS * 4);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(numbers[i], i);
    }
    assert_true(vks_graph_buffer(graph, "place") == place); /* the order in memory is unchanged */
    free(numbers);
    free_state(&found);
}

/* True if the recorded order in memory was by tile. */
static bool was_sorted(struct vks_graph *graph, uint32_t count)
{
    uint32_t *seen = allocate(count * 4);
    bool sorted = true;
    download(graph, "seen", seen);
    for (uint32_t i = 1; i < count; i++) {
        sorted = sorted && seen[i - 1] <= seen[i];
    }
    free(seen);
    return sorted;
}

static void check(uint32_t count, struct order order)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    struct state truth = new_state(count);
    declare(&declaration, count, order);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    vks_declaration_free(&declaration);
    /* The second run is independent of the first. */
    for (uint64_t again = 0; again < 2; again++) {
        memset(truth.heading, 0, count * 4);
        memset(truth.ground, 0, CELLS * 4);
        scatter(&truth, count, again);
        ASSERT_FINE(vks_graph_start(graph, 0, true));
        ASSERT_FINE(vks_graph_upload(graph, "place", truth.place));
        for (uint32_t number = 0; number < STEPS; number++) {
            if (number == UPLOAD_AT) { /* one of the fields, while the others are in any order */
                scatter(&truth, count, 3 + again);
                ASSERT_FINE(vks_graph_upload(graph, "place", truth.place));
            }
            ASSERT_FINE(vks_graph_run(graph, 1));
            step(&truth, count, number);
            if (count > 1000 && !order.bins) {
                assert_int_equal(was_sorted(graph, count),
                                 order.every > 0 && number % order.every == 0);
            }
            if (number % 5 == 1 || number >= STEPS - 2) {
                compare(graph, &truth, count);
            }
        }
        compare(graph, &truth, count); /* reading changes nothing */
    }
    vks_graph_destroy(graph);
    free_state(&truth);
}

static void test_orders(void **state)
{
    (void)state;
    static const struct order orders[] = {
        {.every = 0},
        {.every = 1},
        {.every = 3},
        {.every = 8},
        {.every = 1, .backwards = true},
        {.every = 3, .backwards = true},
        {.every = 2, .bins = 1},     /* every item in the last bin */
        {.every = 2, .bins = 50000}, /* more bins than items */
        {.every = 3, .software = true},
        {.every = 2, .bins = 1, .software = true},
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        check(20011, orders[i]);
    }
}

static void test_counts(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 255, 256, 257, 4097};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        check(counts[i], (struct order){.every = 2});
        check(counts[i], (struct order){.every = 1, .backwards = true});
    }
}

/* Many steps to a batch, with a length that is not a multiple of `every`. */
static void test_batches(void **state)
{
    (void)state;
    enum { COUNT = 5000, MANY = 203 };
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    struct state truth = new_state(COUNT);
    memset(truth.heading, 0, COUNT * 4);
    scatter(&truth, COUNT, 7);
    declare(&declaration, COUNT, (struct order){.every = 3});
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    vks_declaration_free(&declaration);
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "place", truth.place));
    for (uint32_t number = 0; number < MANY; number++) {
        step(&truth, COUNT, number);
    }
    ASSERT_FINE(vks_graph_run(graph, 100));
    ASSERT_FINE(vks_graph_run(graph, MANY - 100));
    compare(graph, &truth, COUNT);
    vks_graph_destroy(graph);
    free_state(&truth);
}

/* If a graph cannot be created, the declaration with its items stays the caller's. */
static void test_failure(void **state)
{
    (void)state;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    declare(&declaration, 100, (struct order){.every = 1});
    declaration.passes[declaration.pass_count - 1].group[0] = 65536;
    assert_int_equal(vks_graph_create(&gpu, &declaration, &graph), VKS_ERROR_GPU);
    assert_null(graph);
    assert_string_equal(vks_find_items(&declaration, "wanderers")->name, "wanderers");
    declaration.passes[declaration.pass_count - 1].group[0] = 256;
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    vks_declaration_free(&declaration);
    vks_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_failure),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("sorting", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
