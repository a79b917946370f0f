/* SPDX-License-Identifier: MIT */
/* Fields in chunks on a device (graph/chunks.c), under the validation layers: a kernel with reads,
 * writes, atomic operations and views of several element sizes against the same in C; fields in
 * and out and between graphs; what cannot be split. */
#include "gpu_test.h"
#include "base/log.h"
#include "graph/internal.h"
#include "graph/snapshot.h"

enum { COUNT = 3000, FACTOR = 1009, WORDS = 7 }; /* numbers without a common divisor */

static uint64_t messages;
static char first_message[2000];

static void on_log(void *user, enum vks_log_level level, const char *message)
{
    (void)user;
    if (level == VKS_LOG_WARNING && strstr(message, "validation") && messages++ == 0) {
        snprintf(first_message, sizeof(first_message), "%s", message);
    }
}

/* --- the kernel ------------------------------------------------------------------------------- */

static void declare_spreading(struct vks_declaration *declaration, bool many)
{
    static const uint32_t count = COUNT;
    *declaration = (struct vks_declaration){0};
    VKS_FIELD(declaration, .name = "from", .element = VKS_U32, .rank = 1, .shape = {COUNT},
              .persistent = true);
    VKS_FIELD(declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {COUNT},
              .ping_pong = true);
    VKS_FIELD(declaration, .name = "pairs", .element = VKS_U32X2, .rank = 1, .shape = {COUNT});
    VKS_FIELD(declaration, .name = "factor", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_FIELD(declaration, .name = "seven", .element = VKS_U32, .rank = 1, .shape = {WORDS},
              .persistent = true);
    VKS_PASS(declaration, .name = "spread", .shader = "selftest/spread",
             .uses = VKS_USES({"from", VKS_READ}, {"sums", VKS_ATOMIC}, {"pairs", VKS_WRITE},
                              {"factor", VKS_READ}),
             .constants = &count, .constants_size = sizeof(count), .items = {COUNT});
    if (many) { /* has no wide version */
        VKS_PASS(declaration, .name = "mix", .shader = "selftest/mix",
                 .uses = VKS_USES({"sums", VKS_READ, "own"}, {"factor", VKS_READ, "other"},
                                  {"sums", VKS_WRITE_NEXT, "own"}),
                 .constants = &count, .constants_size = sizeof(count), .items = {COUNT});
    }
    ASSERT_FINE(declaration->result);
}

static struct vks_graph *create(uint64_t range, bool many)
{
    struct vks_declaration declaration;
    struct vks_graph *graph = NULL;
    const uint64_t before = gpu.field_range;
    declare_spreading(&declaration, many);
    gpu.field_range = range;
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    gpu.field_range = before;
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    return graph;
}

static uint64_t first_piece(const struct vks_graph *graph, const char *field)
{
    return vks_graph_piece(graph, field, 0).size;
}

static void check_spreading(uint64_t range, uint64_t from, uint64_t pairs)
{
    const uint32_t factor = FACTOR;
    uint32_t *words = allocate(4 * COUNT), *sums = calloc(COUNT, 4), *got = allocate(8 * COUNT);
    uint32_t(*doubles)[2] = allocate(8 * COUNT);
    uint64_t random = range;
    struct vks_graph *graph = create(range, false);
    assert_int_equal(first_piece(graph, "from"), from);
    assert_int_equal(first_piece(graph, "pairs"), pairs);
    assert_int_equal(first_piece(graph, "factor"), 4);
    for (uint32_t i = 0; i < COUNT; i++) {
        words[i] = (uint32_t)next_word(&random);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t place = i * FACTOR % COUNT;
        sums[place] += 2 * words[i];
        doubles[place][0] = words[i / 4 * 4] + words[i / 4 * 4 + 3];
        doubles[place][1] = words[COUNT - 1 - i];
    }
    ASSERT_FINE(vks_graph_upload(graph, "from", words));
    ASSERT_FINE(vks_graph_upload(graph, "factor", &factor));
    ASSERT_FINE(vks_graph_run(graph, 2));
    download(graph, "sums", got);
    assert_memory_equal(got, sums, 4 * COUNT);
    download(graph, "pairs", got);
    assert_memory_equal(got, doubles, 8 * COUNT);
    download(graph, "from", got);
    assert_memory_equal(got, words, 4 * COUNT);
    vks_graph_destroy(graph);
    free(doubles);
    free(got);
    free(sums);
    free(words);
}

static void test_spreading(void **state)
{
    (void)state;
    check_spreading(UINT64_C(1) << 20, 4 * COUNT, 8 * COUNT); /* in one piece each */
    check_spreading(4096, 4096, 4096);
    check_spreading(8191, 4096, 4096);
    /* `from` is in one piece, of which the shader sees two chunks. */
    check_spreading(14000, 4 * COUNT, 8192);
    check_spreading(256, 256, 256);
}

/* --- in and out ------------------------------------------------------------------------------- */

/* Pieces of 64 MiB, copied in two parts. */
static void test_large(void **state)
{
    (void)state;
    const uint64_t count = (UINT64_C(80) << 20) / 4 + 3;
    static const uint32_t none = 0;
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    const uint64_t before = gpu.field_range;
    uint32_t *data = allocate(4 * count), *back = calloc(count, 4);
    for (uint64_t i = 0; i < count; i++) {
        data[i] = (uint32_t)(i * 2654435761u);
    }
    VKS_FIELD(&declaration, .name = "from", .element = VKS_U32, .rank = 1, .shape = {count});
    VKS_FIELD(&declaration, .name = "pairs", .element = VKS_U32X2, .rank = 1, .shape = {4});
    VKS_FIELD(&declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {4});
    VKS_FIELD(&declaration, .name = "factor", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_PASS(&declaration, .name = "spread", .shader = "selftest/spread",
             .uses = VKS_USES({"from", VKS_READ}, {"sums", VKS_ATOMIC}, {"pairs", VKS_WRITE},
                              {"factor", VKS_READ}),
             .constants = &none, .constants_size = sizeof(none), .items = {1});
    gpu.field_range = (UINT64_C(64) << 20) + 5;
    const enum vks_result result = vks_graph_create(&gpu, &declaration, &graph);
    gpu.field_range = before;
    ASSERT_FINE(result);
    assert_int_equal(first_piece(graph, "from"), 64 << 20);
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "from", data));
    download(graph, "from", back);
    assert_int_equal(memcmp(data, back, 4 * count), 0);
    vks_graph_destroy(graph);
    free(back);
    free(data);
}

struct copying {
    const struct vks_graph *from, *to;
};

static void record_copy(void *user, VkCommandBuffer commands)
{
    const struct copying *copying = user;
    vks_graph_copy(copying->from, copying->to, "from", commands);
}

/* Between graphs whose pieces differ. */
static void test_copy(void **state)
{
    (void)state;
    static const uint64_t ranges[] = {1 << 20, 4096, 1000};
    uint32_t *data = allocate(4 * COUNT), *back = allocate(4 * COUNT);
    for (size_t i = 0; i < 9; i++) {
        struct vks_graph *from = create(ranges[i / 3], false), *to = create(ranges[i % 3], false);
        struct copying copying = {from, to};
        for (uint32_t k = 0; k < COUNT; k++) {
            data[k] = k * 77777 + (uint32_t)i;
        }
        ASSERT_FINE(vks_graph_upload(from, "from", data));
        ASSERT_FINE(vks_transfer(to, record_copy, &copying));
        download(to, "from", back);
        assert_memory_equal(data, back, 4 * COUNT);
        vks_graph_destroy(to);
        vks_graph_destroy(from);
    }
    free(back);
    free(data);
}

/* Restored to graphs whose pieces differ, by the shader and by commands. Pieces of 16 bytes may be
 * where no buffer can be bound, and seven words are not a multiple of 16 bytes. */
static void test_snapshot(void **state)
{
    (void)state;
    static const uint64_t ranges[] = {1 << 20, 1000, 16};
    static const uint32_t seven[WORDS] = {1, 2, 3, 4, 5, 6, 7};
    uint32_t *data = allocate(4 * COUNT), *back = allocate(4 * COUNT);
    const bool before = gpu.copies_by_shader;
    for (size_t i = 0; i < 18; i++) {
        struct vks_graph *from = create(ranges[i / 3 % 3], false),
                         *to = create(ranges[i % 3], false);
        struct vks_graph_snapshot *snapshot = NULL;
        uint32_t seven_back[WORDS] = {0};
        for (uint32_t k = 0; k < COUNT; k++) {
            data[k] = k * 77777 + (uint32_t)i;
        }
        gpu.copies_by_shader = i < 9;
        ASSERT_FINE(vks_graph_upload(from, "from", data));
        ASSERT_FINE(vks_graph_upload(from, "seven", seven));
        ASSERT_FINE(vks_graph_snapshot_create(from, false, &snapshot));
        ASSERT_FINE(vks_graph_snapshot_take(from, snapshot));
        ASSERT_FINE(vks_graph_restore(to, snapshot));
        download(to, "from", back);
        download(to, "seven", seven_back);
        assert_memory_equal(data, back, 4 * COUNT);
        assert_memory_equal(seven, seven_back, sizeof(seven));
        vks_graph_snapshot_destroy(snapshot);
        vks_graph_destroy(to);
        vks_graph_destroy(from);
    }
    gpu.copies_by_shader = before;
    free(back);
    free(data);
}

/* --- what cannot be split --------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    struct vks_graph *graph = create(4096, true);
    assert_int_equal(first_piece(graph, "sums"), 4 * COUNT); /* 'mix' takes one buffer */
    assert_int_equal(first_piece(graph, "from"), 4096);
    vks_graph_destroy(graph);

    /* A larger field would be an error. */
    const struct vks_device_info info = gpu.info;
    const uint64_t before = gpu.field_range;
    struct vks_declaration declaration;
    gpu.field_range = gpu.info.largest_buffer = 4096;
    declare_spreading(&declaration, false);
    ASSERT_FINE(vks_graph_fits(&gpu, &declaration));
    vks_declaration_free(&declaration);
    declare_spreading(&declaration, true);
    assert_int_equal(vks_graph_create(&gpu, &declaration, &graph), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "the field 'sums' needs 11.7 KiB, more than the 4.0 "
                                             "KiB that a buffer can have on "));
    vks_declaration_free(&declaration);
    gpu.info = info;
    gpu.field_range = before;
}

/* A watched field stays in one piece, as does an unused one. */
static void test_watched(void **state)
{
    (void)state;
    static const uint32_t count = 4;
    static const struct vks_scalar scalars[] = {{"a", 0, NULL}, {"b", 0, NULL}, {"c", 0, NULL},
                                                {"d", 0, NULL}, {"e", 0, NULL}, {0}};
    struct vks_declaration declaration = {0};
    const uint64_t before = gpu.field_range;
    VKS_FIELD(&declaration, .name = "from", .element = VKS_U32, .rank = 1, .shape = {8});
    VKS_FIELD(&declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {5},
              .watched = scalars);
    VKS_FIELD(&declaration, .name = "pairs", .element = VKS_U32X2, .rank = 1, .shape = {4});
    VKS_FIELD(&declaration, .name = "factor", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_FIELD(&declaration, .name = "unused", .element = VKS_U32, .rank = 1, .shape = {8});
    VKS_PASS(&declaration, .name = "spread", .shader = "selftest/spread",
             .uses = VKS_USES({"from", VKS_READ}, {"sums", VKS_ATOMIC}, {"pairs", VKS_WRITE},
                              {"factor", VKS_READ}),
             .constants = &count, .constants_size = sizeof(count), .items = {4});
    ASSERT_FINE(declaration.result);
    gpu.field_range = 16;
    assert_true(vks_field_splits(&gpu, &declaration, 0));
    assert_false(vks_field_splits(&gpu, &declaration, 1));
    assert_true(vks_field_splits(&gpu, &declaration, 2));
    assert_false(vks_field_splits(&gpu, &declaration, 3));
    assert_false(vks_field_splits(&gpu, &declaration, 4));
    assert_int_equal(vks_pass_range(&gpu, &declaration, &declaration.passes[0]), 16);
    gpu.field_range = 32;
    assert_int_equal(vks_pass_range(&gpu, &declaration, &declaration.passes[0]), 0);
    gpu.field_range = before;
    vks_declaration_free(&declaration);
}

static int open_under(enum vks_validation validation)
{
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true, .validation = validation});
    return 0;
}

static int open_core(void **state)
{
    (void)state;
    return open_under(VKS_VALIDATION_CORE);
}

static int open_sync(void **state)
{
    (void)state;
    return open_under(VKS_VALIDATION_SYNC);
}

static int open_instrumented(void **state)
{
    (void)state;
    return open_under(VKS_VALIDATION_GPU);
}

static int close_silent(void **state)
{
    (void)state;
    vks_gpu_close(&gpu);
    if (gpu.validation_messages > 0) {
        printf("# %s\n", first_message);
    }
    return gpu.validation_messages > 0;
}

#define UNDER(kind, test) cmocka_unit_test_setup_teardown(test, open_##kind, close_silent)

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNDER(core, test_spreading),
        UNDER(core, test_large),
        UNDER(core, test_copy),
        UNDER(core, test_snapshot),
        UNDER(core, test_refused),
        UNDER(core, test_watched),
        UNDER(sync, test_spreading),
        UNDER(sync, test_large),
        UNDER(sync, test_copy),
        UNDER(sync, test_snapshot),
        UNDER(instrumented, test_spreading),
        UNDER(instrumented, test_copy),
        UNDER(instrumented, test_snapshot),
    };
    vks_message_to(VKS_LOG_WARNING, on_log, NULL);
    return cmocka_run_group_tests_name("chunks", tests, NULL, NULL);
}
