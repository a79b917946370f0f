/* SPDX-License-Identifier: MIT */
/* vks_declare_range() and vks_declare_sum() against the tree that shaders/core/reduce.comp
 * documents, bit for bit. */
#include "gpu_test.h"

#include "base/error.h"

static const uint64_t sizes[] = {1,    2,    3,    255,   256,   257,     4095,
                                 4096, 4097, 8193, 65536, 99999, 1000003, 16777217};

/* One level: each group of 4096 to one value. Returns the number of groups. */
static size_t reduce_level(float *values, size_t count)
{
    size_t groups = (count + 4095) / 4096;
    for (size_t group = 0; group < groups; group++) {
        const float *items = values + group * 4096;
        size_t size = count - group * 4096 < 4096 ? count - group * 4096 : 4096;
        float folded[256];
        for (size_t t = 0; t < 256; t++) {
            float value = t < size ? items[t] : 0.0f;
            for (size_t i = t + 256; i < size; i += 256) {
                value = value + items[i];
            }
            folded[t] = value;
        }
        for (size_t half = 128; half > 0; half /= 2) {
            for (size_t t = 0; t < half; t++) {
                folded[t] = folded[t] + folded[t + half];
            }
        }
        values[group] = folded[0]; /* the items of this group have been read */
    }
    return groups;
}

static float *make_values(uint64_t count, double low, double high)
{
    float *values = allocate(count * sizeof(*values));
    uint64_t random = count;
    for (uint64_t i = 0; i < count; i++) {
        /* A grid, so that no partial sum can be subnormal. */
        values[i] = (float)((double)(int64_t)(between(&random, low, high) * 0x1p20) * 0x1p-20);
    }
    return values;
}

static void run(uint64_t rows, uint64_t columns, const float *values, float range[2], float *sum)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    assert_non_null(declaration);
    VKS_FIELD(declaration, .name = "values", .element = VKS_F32, .rank = columns ? 2 : 1,
              .shape = {rows, columns});
    vks_declare_range(declaration, "values", "least and most", VKS_EACH_FRAME);
    vks_declare_sum(declaration, "values", "total", VKS_EACH_STEP);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "values", values));
    uint64_t value;
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
    ASSERT_FINE(vks_graph_run(graph, 1));
    download(graph, "least and most", range);
    download(graph, "total", sum);
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

static void check(uint64_t rows, uint64_t columns, double low, double high)
{
    const uint64_t count = rows * (columns ? columns : 1);
    float *values = make_values(count, low, high);
    float least = values[0], most = values[0];
    for (uint64_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    float range[2], sum;
    run(rows, columns, values, range, &sum);
    size_t left = count;
    do {
        left = reduce_level(values, left);
    } while (left > 1);
    if (bits_of(range[0]) != bits_of(least) || bits_of(range[1]) != bits_of(most)) {
        fail_msg("%llu items: %.9g to %.9g, in C %.9g to %.9g", (unsigned long long)count, range[0],
                 range[1], least, most);
    }
    if (bits_of(sum) != bits_of(values[0])) {
        fail_msg("%llu items: sum %.9g, in C %.9g", (unsigned long long)count, sum, values[0]);
    }
    free(values);
}

static void test_size(void **state)
{
    const uint64_t count = *(const uint64_t *)*state;
    check(count, 0, -1000, 1000);
    if (count < 2000000) {
        check(count, 0, 5, 6); /* an item that is not there would show as 0 */
        check(count, 0, -6, -5);
    }
}

static void test_two_dimensions(void **state)
{
    (void)state;
    check(5, 3, -1, 1);
    check(1023, 7, -1, 1);
    check(64, 64, -1, 1);
}

/* A constant field, and one whose extremes are its last items. */
static void test_extremes(void **state)
{
    (void)state;
    enum { count = 4097 };
    float *values = allocate(count * sizeof(*values)), range[2], sum;
    for (size_t i = 0; i < count; i++) {
        values[i] = 0.25f;
    }
    run(count, 0, values, range, &sum);
    assert_true(range[0] == 0.25f && range[1] == 0.25f && sum == 0.25f * count);
    values[count - 1] = -7;
    values[count - 2] = 9;
    run(count, 0, values, range, &sum);
    assert_true(range[0] == -7 && range[1] == 9);
    values[0] = 1e30f;
    values[1] = -1e30f;
    run(count, 0, values, range, &sum);
    assert_true(range[0] == -1e30f && range[1] == 1e30f);
    free(values);
}

/* Any number of reductions beside each other, of floats and of halves. */
static void test_several(void **state)
{
    (void)state;
    enum { COUNT = 10000, MOST = 40 };
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    char ranges[MOST][8];
    uint16_t halves[COUNT];
    uint64_t value;
    float range[2], sum;
    float *floats = make_values(COUNT, -100, 100);
    float least = floats[0], most = floats[0];
    assert_non_null(declaration);
    for (size_t i = 0; i < COUNT; i++) {
        least = floats[i] < least ? floats[i] : least;
        most = floats[i] > most ? floats[i] : most;
        halves[i] = 0x3c00; /* 1 */
    }
    halves[COUNT - 1] = 0xc500; /* -5 */
    halves[4097] = 0x5640;      /* 100 */
    VKS_FIELD(declaration, .name = "floats", .element = VKS_F32, .rank = 1, .shape = {COUNT});
    VKS_FIELD(declaration, .name = "halves", .element = VKS_F16, .rank = 1, .shape = {COUNT});
    for (size_t i = 0; i < MOST; i++) {
        snprintf(ranges[i], sizeof(ranges[i]), "r%zu", i);
        vks_declare_range(declaration, i % 2 ? "halves" : "floats", ranges[i], VKS_EACH_FRAME);
    }
    vks_declare_sum(declaration, "halves", "total", VKS_EACH_FRAME);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_upload(graph, "floats", floats));
    ASSERT_FINE(vks_graph_upload(graph, "halves", halves));
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
    for (size_t i = 0; i < MOST; i++) {
        download(graph, ranges[i], range);
        assert_true(range[0] == (i % 2 ? -5 : least) && range[1] == (i % 2 ? 100 : most));
    }
    download(graph, "total", &sum);
    assert_true(sum == COUNT - 2 + 95);
    vks_graph_destroy(graph);
    free(floats);
    free_declaration(declaration);
}

int main(void)
{
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
    static char names[SIZES][32];
    struct CMUnitTest tests[SIZES + 3] = {
        [SIZES] = cmocka_unit_test(test_two_dimensions),
        [SIZES + 1] = cmocka_unit_test(test_extremes),
        [SIZES + 2] = cmocka_unit_test(test_several),
    };
    for (size_t i = 0; i < SIZES; i++) {
        snprintf(names[i], sizeof(names[i]), "%llu items", (unsigned long long)sizes[i]);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = test_size,
                                       .initial_state = (void *)(uintptr_t)&sizes[i]};
    }
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
