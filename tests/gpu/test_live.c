/* SPDX-License-Identifier: MIT */
/* graph/graph.h during a run, on a device: watched words of batches and frames, status words that
 * end the run, and new values between steps. */
#include "gpu_test.h"
#include "graph/internal.h"

enum { ITEMS = 5 };

/* The passes in C, with their parameters. A pass with a smaller count does not change the rest of
 * the next buffer. */
struct twin {
    uint32_t x[ITEMS], y[ITEMS];           /* the fields now */
    uint32_t next_x[ITEMS], next_y[ITEMS]; /* their other buffers */
    uint32_t factor, count;
};

static void swap(uint32_t *a, uint32_t *b)
{
    for (size_t i = 0; i < ITEMS; i++) {
        const uint32_t was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

static void step_in_c(struct twin *twin, uint32_t step)
{
    for (int f = 0; f < 2; f++) {
        uint32_t *own = f ? twin->y : twin->x;
        uint32_t *next = f ? twin->next_y : twin->next_x;
        const uint32_t *other = f ? twin->x : twin->y;
        for (uint32_t i = 0; i < twin->count; i++) {
            const uint32_t near = other[(i + 1) % twin->count];
            next[i] = own[i] * (f ? 1 : twin->factor) + (near ^ near >> 7) + step + i;
        }
        swap(own, next);
    }
}

/* Declares steps of x and y, x with the factor; the test chooses the watched fields. */
static void declare(struct vks_declaration *declaration, const struct twin *twin,
                    const struct vks_scalar *watched, uint64_t extra)
{
    for (int i = 0; i < 2; i++) {
        VKS_FIELD(declaration, .name = i ? "y" : "x", .element = VKS_U32, .rank = 1,
                  .shape = {ITEMS}, .ping_pong = true, .watched = i ? NULL : watched);
    }
    if (extra) {
        VKS_FIELD(declaration, .name = "extra", .element = VKS_U32, .rank = 1, .shape = {extra});
    }
    for (int i = 0; i < 2; i++) {
        VKS_PASS(declaration, .name = i ? "mix y" : "mix x", .shader = "selftest/mix",
                 .uses =
                     VKS_USES({i ? "y" : "x", VKS_READ, "own"}, {i ? "x" : "y", VKS_READ, "other"},
                              {i ? "y" : "x", VKS_WRITE_NEXT, "own"}),
                 .specializations = VKS_SPECIALIZATIONS({"factor", i ? 1 : twin->factor}),
                 VKS_PUSH(twin->count), .items = {ITEMS});
    }
    assert_int_equal(declaration->result, VKS_OK);
}

static struct vks_graph *create(const struct twin *twin, const struct vks_scalar *watched)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    declare(&declaration, twin, watched, 0);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    return graph;
}

static void assert_equal(struct vks_graph *graph, const struct twin *twin)
{
    uint32_t x[ITEMS], y[ITEMS];
    download(graph, "x", x);
    download(graph, "y", y);
    assert_memory_equal(x, twin->x, sizeof(x));
    assert_memory_equal(y, twin->y, sizeof(y));
}

/* --- watched words ---------------------------------------------------------------------------- */

struct rows {
    struct twin twin;
    uint64_t steps, rows, frames, last_frame;
};

/* Every row arrives in order with the values of the fields after its step. */
static void check_row(void *user, const struct vks_row *row)
{
    struct rows *rows = user;
    assert_int_equal(row->count, ITEMS);
    assert_true(row->step >= rows->steps);
    for (; rows->steps < row->step; rows->steps++) {
        step_in_c(&rows->twin, (uint32_t)rows->steps);
    }
    for (size_t i = 0; i < ITEMS; i++) {
        assert_true(row->values[i] == rows->twin.x[i] * (i == 1 ? 0.25 : 1));
    }
    rows->rows++;
    rows->frames += row->frame;
    rows->last_frame = row->frame ? row->step : rows->last_frame;
}

static void test_rows(void **state)
{
    (void)state;
    struct rows rows = {.twin = {.factor = 3, .count = ITEMS}};
    struct vks_row row;
    uint64_t value, submitted = 0;
    struct vks_graph *graph =
        create(&rows.twin, VKS_SCALARS({"a"}, {"b", .unit = 0.25}, {"c"}, {"d"}, {"e"}));
    assert_false(vks_graph_watched(graph, &row));
    vks_graph_on_row(graph, check_row, &rows);
    for (int pieces = 0; pieces < 100; pieces++) { /* more than batches are kept */
        ASSERT_FINE(vks_graph_run(graph, (uint64_t)(1 + pieces % 7)));
        ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
        submitted += (uint64_t)(1 + pieces % 7);
    }
    ASSERT_FINE(vks_graph_wait(graph));
    assert_int_equal(rows.frames, 100);
    assert_true(rows.rows >= 200);
    assert_int_equal(rows.last_frame, submitted);
    assert_true(vks_graph_watched(graph, &row));
    assert_int_equal(row.step, submitted);
    assert_string_equal(vks_graph_scalar(graph, 1)->name, "b");
    assert_null(vks_graph_scalar(graph, ITEMS));
    assert_equal(graph, &rows.twin);

    /* A new start forgets the old run. */
    ASSERT_FINE(vks_graph_run(graph, 3));
    vks_graph_on_row(graph, NULL, NULL);
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    rows = (struct rows){.twin = {.factor = 3, .count = ITEMS}};
    vks_graph_on_row(graph, check_row, &rows);
    ASSERT_FINE(vks_graph_run(graph, 20));
    ASSERT_FINE(vks_graph_wait(graph));
    assert_int_equal(rows.steps, 20);
    vks_graph_destroy(graph);
}

/* Floats, integers of 32 and of 64 bits, several fields. */
static void test_scalars(void **state)
{
    (void)state;
    static const float reals[] = {1.5f, -0.25f};
    static const uint32_t wide[][2] = {{5, 0}, {0xfffffffe, 0xffffffff}, {0, 0x40000000}};
    static const uint32_t words[] = {4000000000u};
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    struct vks_row row;
    uint64_t value;
    VKS_FIELD(&declaration, .name = "reals", .element = VKS_F32, .rank = 1, .shape = {2},
              .watched = VKS_SCALARS({"r", .unit = 2}, {"s"}));
    VKS_FIELD(&declaration, .name = "wide", .element = VKS_U32X2, .rank = 1, .shape = {3},
              .watched = VKS_SCALARS({"five"}, {"minus two"}, {"time", .unit = 0x1p-40}));
    VKS_FIELD(&declaration, .name = "words", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"w"}));
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "reals", reals));
    ASSERT_FINE(vks_graph_upload(graph, "wide", wide));
    ASSERT_FINE(vks_graph_upload(graph, "words", words));
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
    ASSERT_FINE(vks_graph_wait(graph));
    assert_true(vks_graph_watched(graph, &row));
    static const double expected[] = {3, -0.25, 5, -2, 0x1p22, 4e9};
    assert_int_equal(row.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_true(row.values[i] == expected[i]);
    }
    vks_graph_destroy(graph);
}

static const char *const failures[] = {"one thing is wrong", "many things are wrong", NULL};

/* x[0] is 0 after the first step and not after the second. */
static void test_status(void **state)
{
    (void)state;
    const struct twin twin = {.factor = 1, .count = ITEMS};
    struct vks_graph *graph =
        create(&twin, VKS_SCALARS({"state", .failures = failures}, {"b"}, {"c"}, {"d"}, {"e"}));
    uint64_t value;
    ASSERT_FINE(vks_graph_run(graph, 1));
    ASSERT_FINE(vks_graph_wait(graph));
    ASSERT_FINE(vks_graph_run(graph, 1));
    assert_int_equal(vks_graph_wait(graph), VKS_ERROR_STOPPED);
    assert_string_equal(vks_error_text(), "many things are wrong (seen after step 2)");
    assert_int_equal(vks_graph_run(graph, 1), VKS_ERROR_STOPPED);
    assert_int_equal(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value),
                     VKS_ERROR_STOPPED);
    assert_int_equal(vks_graph_steps(graph), 2);
    /* Reading, changing and restarting the state still work. */
    ASSERT_FINE(vks_run_once(graph, VKS_BEFORE_READ, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE));
    ASSERT_FINE(vks_run_once(graph, VKS_AT_CHANGE, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE));

    /* Many batches: the run ends while they are submitted. */
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    enum vks_result result = VKS_OK;
    for (int i = 0; i < 100000 && result == VKS_OK; i++) {
        result = vks_graph_run(graph, 1);
    }
    assert_int_equal(result, VKS_ERROR_STOPPED);
    assert_true(vks_graph_steps(graph) < 1000);
    vks_graph_destroy(graph);
}

/* More frames than kept batches, without waiting for any. */
static void test_many_frames(void **state)
{
    (void)state;
    struct twin twin = {.factor = 3, .count = ITEMS};
    struct vks_graph *graph = create(&twin, NULL);
    uint64_t value;
    for (uint32_t i = 0; i < 5 * VKS_MAX_BATCHES; i++) {
        ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
        ASSERT_FINE(i == 100 ? vks_graph_run(graph, 1) : VKS_OK);
    }
    step_in_c(&twin, 0);
    assert_equal(graph, &twin);
    vks_graph_destroy(graph);
}

/* --- new values ------------------------------------------------------------------------------- */

static void update(struct vks_graph *graph, const struct twin *twin)
{
    struct vks_declaration declaration = {0};
    declare(&declaration, twin, NULL, 0);
    ASSERT_FINE(vks_graph_update(graph, &declaration));
    assert_int_equal(declaration.field_count, 0);
}

static size_t stale_batches(const struct vks_graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->batch_count; i++) {
        count += graph->batches[i]->stale;
    }
    return count;
}

/* Factors (pipelines) and counts (push constants) change while batches are in flight; the result is
 * that of C with the same changes at the same steps. */
static void test_update(void **state)
{
    (void)state;
    static const struct {
        uint32_t factor, count, steps;
    } changes[] = {{3, 5, 7},   {3, 5, 40}, {3, 4, 33}, {5, 4, 64}, {5, 4, 1},
                   {7, 2, 100}, {3, 5, 1},  {3, 1, 5},  {9, 5, 3}};
    struct twin twin = {.factor = 3, .count = ITEMS};
    struct vks_graph *graph = create(&twin, NULL);
    uint32_t step = 0;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        const bool same = twin.factor == changes[i].factor && twin.count == changes[i].count;
        const VkPipeline x = graph->passes[0].pipeline.pipeline;
        const VkPipeline y = graph->passes[1].pipeline.pipeline;
        const bool factor_changes = twin.factor != changes[i].factor;
        twin.factor = changes[i].factor;
        twin.count = changes[i].count;
        const size_t stale = stale_batches(graph);
        update(graph, &twin);
        assert_true(same ? stale_batches(graph) == stale : stale_batches(graph) > 0);
        assert_true((graph->passes[0].pipeline.pipeline != x) == factor_changes);
        assert_true(graph->passes[1].pipeline.pipeline == y); /* unchanged */
        ASSERT_FINE(vks_graph_run(graph, changes[i].steps));
        for (const uint32_t end = step + changes[i].steps; step < end; step++) {
            step_in_c(&twin, step);
        }
        if (i % 2) {
            assert_equal(graph, &twin);
        }
    }
    assert_equal(graph, &twin);
    vks_graph_destroy(graph);
}

/* Stale batches of many changes do not accumulate. */
static void test_many_updates(void **state)
{
    (void)state;
    struct twin twin = {.factor = 3, .count = ITEMS};
    struct vks_graph *graph = create(&twin, NULL);
    for (uint32_t step = 0; step < 500; step++) {
        twin.count = 1 + step % ITEMS;
        update(graph, &twin);
        ASSERT_FINE(vks_graph_run(graph, 1));
        step_in_c(&twin, step);
    }
    assert_equal(graph, &twin);
    vks_graph_destroy(graph);
}

static void assert_restart(struct vks_graph *graph, struct vks_declaration *declaration,
                           const char *words)
{
    assert_int_equal(declaration->result, VKS_OK);
    assert_int_equal(vks_graph_update(graph, declaration), VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), words);
    assert_true(declaration->field_count > 0); /* is still the caller's */
    vks_declaration_free(declaration);
}

/* A change that needs another graph is refused, and the old one still runs. */
static void test_restarts(void **state)
{
    (void)state;
    struct twin twin = {.factor = 3, .count = ITEMS};
    struct vks_graph *graph = create(&twin, NULL);
    struct vks_declaration declaration = {0};
    declare(&declaration, &twin, VKS_SCALARS({"a"}, {"b"}, {"c"}, {"d"}, {"e"}), 0);
    assert_restart(graph, &declaration, "it changes the field 'x', which needs a new simulation");
    declare(&declaration, &twin, NULL, 4);
    assert_restart(graph, &declaration, "it adds the field 'extra', which needs a new simulation");
    declare(&declaration, &twin, NULL, 0);
    declaration.passes[1].every = 2;
    assert_restart(graph, &declaration,
                   "it changes the pass 'mix y', which needs a new simulation");
    declare(&declaration, &twin, NULL, 0);
    declaration.fields[1].shape[0]++;
    assert_restart(graph, &declaration, "it changes the field 'y', which needs a new simulation");
    /* A pipeline that cannot be built. */
    declare(&declaration, &twin, NULL, 0);
    declaration.passes[0].group[0] = 65536;
    assert_int_equal(vks_graph_update(graph, &declaration), VKS_ERROR_GPU);
    vks_declaration_free(&declaration);
    ASSERT_FINE(vks_graph_run(graph, 9));
    for (uint32_t step = 0; step < 9; step++) {
        step_in_c(&twin, step);
    }
    assert_equal(graph, &twin);
    vks_graph_destroy(graph);
}

static enum vks_result fill_ones(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    (void)user;
    (void)field;
    (void)source;
    for (size_t i = 0; i < ITEMS; i++) {
        ((uint32_t *)out)[i] = 1;
    }
    return VKS_OK;
}

/* Also a table with two buffers, which the twin's factor decides. */
static void declare_table(struct vks_declaration *declaration, const struct twin *twin)
{
    declare(declaration, twin, NULL, 0);
    VKS_FIELD(declaration, .name = "ones", .element = VKS_U32, .rank = 1, .shape = {ITEMS},
              .fill = fill_ones, .made_from = "nothing");
    VKS_FIELD(declaration, .name = "table", .element = VKS_U32, .rank = 1, .shape = {ITEMS},
              .ping_pong = true);
    VKS_PASS(declaration, .name = "table", .shader = "selftest/mix", .when = VKS_AT_CHANGE,
             .uses = VKS_USES({"ones", VKS_READ, "own"}, {"ones", VKS_READ, "other"},
                              {"table", VKS_WRITE_NEXT, "own"}),
             .specializations = VKS_SPECIALIZATIONS({"factor", twin->factor}),
             VKS_PUSH(twin->count), .items = {ITEMS});
    assert_int_equal(declaration->result, VKS_OK);
}

/* A snapshot does not hold tables: a restored graph keeps its own, in whichever buffer. */
static void test_tables(void **state)
{
    (void)state;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    struct vks_graph_snapshot *snapshot = NULL;
    uint32_t table[ITEMS];
    struct twin twin = {.factor = 3, .count = ITEMS};
    declare_table(&declaration, &twin);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_snapshot_create(graph, false, &snapshot));
    ASSERT_FINE(vks_graph_snapshot_take(graph, snapshot));
    for (int i = 2; i >= 0; i--) { /* an odd number of changes, back to the first */
        twin.factor = 3 + (uint32_t)i;
        declare_table(&declaration, &twin);
        ASSERT_FINE(vks_graph_update(graph, &declaration));
    }
    ASSERT_FINE(vks_graph_restore(graph, snapshot));
    download(graph, "table", table);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(table[i], 3 + 1 + i);
    }
    vks_graph_snapshot_destroy(snapshot);
    vks_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_status),   cmocka_unit_test(test_many_frames),
        cmocka_unit_test(test_update),   cmocka_unit_test(test_many_updates),
        cmocka_unit_test(test_restarts), cmocka_unit_test(test_tables),
    };
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true, .validation = VKS_VALIDATION_SYNC});
    int failed = cmocka_run_group_tests_name("live", tests, NULL, NULL);
    const uint64_t messages = gpu.validation_messages;
    vks_gpu_close(&gpu);
    if (messages + gpu.validation_messages > 0) {
        printf("# the validation layers reported messages\n");
    }
    return failed + (gpu.validation_messages > 0);
}
