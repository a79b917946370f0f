/* SPDX-License-Identifier: MIT */
/* vks_declare_scan() and its kernel on a device against a loop. */
#include <vksim/model.h>

#include "gpu_test.h"

#include "core/scan.h"
#include "gpu/features.h"
#include "share.h"

struct scan_case {
    uint64_t count;
    const char *shader;           /* NULL: vks_declare_scan() */
    uint32_t window, max_retries; /* window 0: the shader has none */
    bool backwards;
};

static void declare(struct vks_declaration *declaration, const struct scan_case *c)
{
    VKS_FIELD(declaration, .name = "values", .element = VKS_U32, .rank = 1, .shape = {c->count});
    if (!c->shader) {
        vks_declare_scan(declaration, "values", "sums", VKS_EACH_STEP);
        return;
    }
    const uint64_t tiles = (c->count + SCAN_ITEMS - 1) / SCAN_ITEMS;
    const struct scan_params params = {(uint32_t)c->count, (uint32_t)tiles};
    VKS_FIELD(declaration, .name = "sums", .element = VKS_U32, .rank = 1, .shape = {c->count + 1});
    VKS_FIELD(declaration, .name = "states", .element = VKS_U32X2, .rank = 1, .shape = {tiles},
              .ping_pong = true);
    const struct vks_specialization values[] = {{"max_retries", c->max_retries},
                                                {"backwards", c->backwards},
                                                {c->window ? "window" : NULL, c->window},
                                                {0}};
    VKS_PASS(declaration, .name = "scan", .shader = c->shader,
             .feature = c->window ? VKS_FEATURE_NONE : VKS_FEATURE_SUBGROUP_SUMS,
             .uses = VKS_USES({"values", VKS_READ, "scan_in"}, {"sums", VKS_WRITE, "scan_out"},
                              {"states", VKS_ATOMIC}, {"states", VKS_WRITE_NEXT}),
             .specializations = values, VKS_PUSH(params), .items = {tiles * 256});
}

static void check(const struct scan_case *c, uint32_t mask)
{
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    const size_t size = (c->count + 1) * sizeof(uint32_t);
    uint32_t *values = allocate(size), *sums = allocate(size);
    uint64_t random = c->count;
    declare(&declaration, c);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    /* Each scan reuses the states of the previous one. */
    for (int again = 0; again < 3; again++) {
        for (size_t i = 0; i < c->count; i++) {
            values[i] = (uint32_t)next_word(&random) & mask;
        }
        ASSERT_FINE(vks_graph_upload(graph, "values", values));
        ASSERT_FINE(vks_graph_run(graph, 1));
        download(graph, "sums", sums);
        uint32_t sum = 0;
        for (size_t i = 0; i < c->count + 1; i++) {
            if (sums[i] != sum) {
                fail_msg("%llu items, scan %d: element %zu is %u, not %u",
                         (unsigned long long)c->count, again, i, sums[i], sum);
            }
            sum += i < c->count ? values[i] : 0;
        }
    }
    vks_graph_destroy(graph);
    vks_declaration_free(&declaration);
    free(sums);
    free(values);
}

static void test_sizes(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1,    2,    3,    4,     5,     255,   256,    257,    4097,
                                     8191, 8192, 8193, 16385, 65536, 99999, 262144, 1000003};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (share_due()) {
            check(&(struct scan_case){.count = sizes[i]}, 0xff);
        }
    }
}

/* A two-dimensional field in each frame, and several scans at once. */
static void test_several(void **state)
{
    (void)state;
    enum { ROWS = 37, COLUMNS = 333, COUNT = ROWS * COLUMNS };
    struct vks_declaration declaration = {0};
    struct vks_graph *graph = NULL;
    uint32_t values[COUNT], sums[COUNT + 1], again[COUNT + 1];
    uint64_t value;
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = i * i;
    }
    VKS_FIELD(&declaration, .name = "values", .element = VKS_U32, .rank = 2,
              .shape = {ROWS, COLUMNS});
    vks_declare_scan(&declaration, "values", "sums", VKS_EACH_FRAME);
    vks_declare_scan(&declaration, "values", "sums again", VKS_EACH_FRAME);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "values", values));
    for (int frame = 0; frame < 3; frame++) {
        ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
        download(graph, "sums", sums);
        download(graph, "sums again", again);
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= COUNT; i++) {
            assert_int_equal(sums[i], sum);
            assert_int_equal(again[i], sum);
            sum += i < COUNT ? values[i] : 0;
        }
    }
    vks_graph_destroy(graph);
}

/* Sums wrap. */
static void test_wrapping(void **state)
{
    (void)state;
    check(&(struct scan_case){.count = 100001}, UINT32_MAX);
}

/* The last tile first: none of the tiles before it has started, so it computes their sums. */
static void test_backwards(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {8192, 8193, 70000, 1000003};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct scan_case cases[] = {
            {sizes[i], "core/scan_floor", 64, 0, true},  {sizes[i], "core/scan_floor", 1, 2, true},
            {sizes[i], "core/scan_floor", 256, 1, true}, {sizes[i], "core/scan_floor", 3, 0, false},
            {sizes[i], "core/scan", 0, 0, true},         {sizes[i], "core/scan", 0, 2, true},
        };
        for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
            if (share_due()) {
                check(&cases[j], UINT32_MAX);
            }
        }
    }
}

/* A feature that the device lacks: another shader, or an error. */
static void test_features(void **state)
{
    (void)state;
    struct vks_graph *graph = NULL;
    const struct scan_case c = {100, "core/scan", 0, 8, false};
    struct vks_declaration declaration = {0};
    declare(&declaration, &c);
    if (vks_gpu_has(&gpu, VKS_FEATURE_SUBGROUP_SUMS)) {
        ASSERT_FINE(vks_graph_create(&gpu, &declaration, &graph));
        vks_graph_destroy(graph);
    } else {
        assert_int_equal(vks_graph_create(&gpu, &declaration, &graph), VKS_ERROR_DEVICE);
        assert_non_null(
            strstr(vks_error_text(), "pass 'scan' needs sums across subgroups, which "));
    }
    vks_declaration_free(&declaration);
}

/* A device without subgroup arithmetic. */
static void test_floor(void **state)
{
    assert_true(vks_gpu_has(&gpu, VKS_FEATURE_SUBGROUP_SUMS));
    vks_gpu_close(&gpu);
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true,
                                      .without = UINT32_C(1) << VKS_FEATURE_SUBGROUP_SUMS});
    test_features(state);
    test_sizes(state);
    test_several(state);
    test_wrapping(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_several),
        cmocka_unit_test(test_wrapping),  cmocka_unit_test(test_features),
        cmocka_unit_test(test_backwards), cmocka_unit_test(test_floor),
    };
    share_read(argc, argv);
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("scan", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
