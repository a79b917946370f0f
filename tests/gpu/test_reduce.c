/* SPDX-License-Identifier: MIT */
/* vks_declare_range() and vks_declare_sum() against loops, bit for bit. */
#include "gpu_test.h"

#include <math.h>
#include <vksim/model.h>

#include "base/error.h"
#include "base/exact.h"
#include "share.h"

static const uint64_t sizes[] = {1,    2,    3,    255,   256,   257,     4095,    4096,
                                 4097, 4100, 8193, 65536, 99999, 1000003, 16777217};

static float *make_values(uint64_t count, double low, double high)
{
    float *values = allocate(count * sizeof(*values));
    uint64_t random = count;
    for (uint64_t i = 0; i < count; i++) {
        values[i] = vks_flush((float)between(&random, low, high));
    }
    return values;
}

static uint64_t fixed(float value, int exponent)
{
    const double limit = ldexp(1, 62 - exponent);
    const float clipped = (float)fmax(-limit, fmin((double)value, limit));
    const vks_uvec2 pair = vks_fixed(clipped, vks_power_of_two(exponent));
    return (uint64_t)pair.y << 32 | pair.x;
}

static uint64_t download_sum(struct vks_graph *graph, const char *field)
{
    uint32_t words[2];
    download(graph, field, words);
    return (uint64_t)words[1] << 32 | words[0];
}

static uint64_t sum_of(const float *values, uint64_t count, int exponent)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += fixed(values[i], exponent);
    }
    return sum;
}

static void run_with(uint32_t texels, uint64_t rows, uint64_t columns, const float *values,
                     int exponent, float range[2], uint64_t *sum)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    assert_non_null(declaration);
    declaration->software.texels = texels;
    VKS_FIELD(declaration, .name = "values", .element = VKS_F32, .rank = columns ? 2 : 1,
              .shape = {rows, columns});
    vks_declare_range(declaration, "values", "min and max", VKS_EACH_FRAME);
    vks_declare_sum(declaration, "values", exponent, "total", VKS_EACH_STEP);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_upload(graph, "values", values));
    uint64_t value;
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
    ASSERT_FINE(vks_graph_run(graph, 1));
    download(graph, "min and max", range);
    *sum = download_sum(graph, "total");
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* On a software driver also with the pass that reads texels; both ranges must be the same. */
static void run(uint64_t rows, uint64_t columns, const float *values, int exponent, float range[2],
                uint64_t *sum)
{
    const struct vks_limits limits = vks_graph_limits(&gpu);
    run_with(0, rows, columns, values, exponent, range, sum);
    if (limits.software.texels > 0) {
        float again[2];
        uint64_t same;
        run_with(limits.software.texels, rows, columns, values, exponent, again, &same);
        assert_memory_equal(again, range, sizeof(again));
        assert_true(same == *sum);
    }
}

static void check(uint64_t rows, uint64_t columns, double low, double high)
{
    const uint64_t count = rows * (columns ? columns : 1);
    float *values = make_values(count, low, high);
    float min = values[0], max = values[0];
    for (uint64_t i = 1; i < count; i++) {
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
    }
    for (int exponent = -4; exponent <= 40; exponent += 22) {
        float range[2];
        uint64_t sum;
        run(rows, columns, values, exponent, range, &sum);
        if (bits_of(range[0]) != bits_of(min) || bits_of(range[1]) != bits_of(max)) {
            fail_msg("%llu items: %.9g to %.9g, in C %.9g to %.9g", (unsigned long long)count,
                     range[0], range[1], min, max);
        }
        if (sum != sum_of(values, count, exponent)) {
            fail_msg("%llu items: sum %llu, in C %llu", (unsigned long long)count,
                     (unsigned long long)sum, (unsigned long long)sum_of(values, count, exponent));
        }
        if (count > 100000) {
            break;
        }
    }
    free(values);
}

static void test_size(void **state)
{
    const uint64_t count = *(const uint64_t *)*state;
    check(count, 0, -1000, 1000);
    if (count < 2000000) {
        check(count, 0, 5, 6); /* an item past the end would count as 0 */
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
    float *values = allocate(count * sizeof(*values)), range[2];
    uint64_t sum;
    for (size_t i = 0; i < count; i++) {
        values[i] = 0.25f;
    }
    run(count, 0, values, 2, range, &sum);
    assert_true(range[0] == 0.25f && range[1] == 0.25f && sum == count);
    values[count - 1] = -7;
    values[count - 2] = 9;
    run(count, 0, values, -40, range, &sum);
    assert_true(range[0] == -7 && range[1] == 9);
    values[0] = 1e30f;
    values[1] = -1e30f;
    run(count, 0, values, -40, range, &sum);
    assert_true(range[0] == -1e30f && range[1] == 1e30f);
    assert_true(sum == sum_of(values, count, -40));
    values[1] = 3;
    run(count, 0, values, 0, range, &sum); /* 1e30 is beyond the limit */
    assert_true(sum == ((uint64_t)1 << 62) + 3 + 9 - 7);
    values[0] = -1e30f;
    run(count, 0, values, 0, range, &sum);
    assert_true(sum == (uint64_t)0 - ((uint64_t)1 << 62) + 3 + 9 - 7);
    free(values);
}

/* The sums of the parts of a field add up to the sum of the field, for every division. */
static void test_parts(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    static const uint64_t cuts[] = {1, 4097, 25000, COUNT - 2};
    float *values = make_values(COUNT, -1, 1), range[2];
    uint64_t whole, first, second;
    run(COUNT, 0, values, 40, range, &whole);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        run(cuts[i], 0, values, 40, range, &first);
        run(COUNT - cuts[i], 0, values + cuts[i], 40, range, &second);
        assert_true(first + second == whole);
    }
    free(values);
}

/* Any number of reductions of floats and halves at once. */
static void test_several(void **state)
{
    (void)state;
    enum { COUNT = 10000, EACH = 40 };
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    char ranges[EACH][8], sums[EACH][16];
    uint16_t halves[COUNT];
    uint64_t value;
    float range[2];
    float *floats = make_values(COUNT, -100, 100);
    float min = floats[0], max = floats[0];
    assert_non_null(declaration);
    for (size_t i = 0; i < COUNT; i++) {
        min = floats[i] < min ? floats[i] : min;
        max = floats[i] > max ? floats[i] : max;
        halves[i] = 0x3c00; /* 1 */
    }
    halves[COUNT - 1] = 0xc500; /* -5 */
    halves[4097] = 0x5640;      /* 100 */
    VKS_FIELD(declaration, .name = "floats", .element = VKS_F32, .rank = 1, .shape = {COUNT});
    VKS_FIELD(declaration, .name = "halves", .element = VKS_F16, .rank = 1, .shape = {COUNT});
    for (size_t i = 0; i < EACH; i++) {
        snprintf(ranges[i], sizeof(ranges[i]), "r%zu", i);
        vks_declare_range(declaration, i % 2 ? "halves" : "floats", ranges[i], VKS_EACH_FRAME);
    }
    for (int i = 0; i < EACH; i++) {
        snprintf(sums[i], sizeof(sums[i]), "s%d", i);
        vks_declare_sum(declaration, i % 2 ? "halves" : "floats", i - 3, sums[i], VKS_EACH_FRAME);
    }
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_upload(graph, "floats", floats));
    ASSERT_FINE(vks_graph_upload(graph, "halves", halves));
    ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
    for (size_t i = 0; i < EACH; i++) {
        download(graph, ranges[i], range);
        assert_true(range[0] == (i % 2 ? -5 : min) && range[1] == (i % 2 ? 100 : max));
    }
    for (int i = 0; i < EACH; i++) {
        const uint64_t of_halves =
            (COUNT - 2) * fixed(1, i - 3) + fixed(-5, i - 3) + fixed(100, i - 3);
        assert_true(download_sum(graph, sums[i]) ==
                    (i % 2 ? of_halves : sum_of(floats, COUNT, i - 3)));
    }
    vks_graph_destroy(graph);
    free(floats);
    free_declaration(declaration);
}

/* A share has no size that takes seconds. */
int main(int argc, char **argv)
{
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
    static char names[SIZES][32];
    struct CMUnitTest tests[SIZES + 4] = {
        [SIZES] = cmocka_unit_test(test_two_dimensions),
        [SIZES + 1] = cmocka_unit_test(test_extremes),
        [SIZES + 2] = cmocka_unit_test(test_several),
        [SIZES + 3] = cmocka_unit_test(test_parts),
    };
    share_read(argc, argv);
    for (size_t i = 0; i < SIZES; i++) { /* cmocka leaves out tests without a function */
        snprintf(names[i], sizeof(names[i]), "%llu items", (unsigned long long)sizes[i]);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func =
                                           share_is_all() || sizes[i] <= 1 << 20 ? test_size : NULL,
                                       .initial_state = (void *)(uintptr_t)&sizes[i]};
    }
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    return failed;
}
