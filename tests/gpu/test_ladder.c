/* SPDX-License-Identifier: MIT */
/* The ladder of kernels on a device: every rung equals the reference, also at awkward sizes; a
 * wrong one is reported and not timed. */
#include "gpu_test.h"

#include "bench/ladder.h"

static const struct vks_effort verify = {.repeats = 0};
static const struct vks_effort little = {.seconds = 1e-4, .repeats = 3};

static const struct vks_ladder_size vectors[] = {
    {1, 1}, {3, 1}, {4, 1}, {255, 1}, {257, 1}, {8191, 1}, {100003, 1}, {300007, 1},
};
static const struct vks_ladder_size matrices[] = {
    {1, 1},   {1, 5003}, {100000, 1}, {1, 100000}, {31, 33},
    {32, 32}, {64, 8},   {127, 131},  {509, 257},
};

/* Calls `each` for every rung that the device can run, at every size of its kernel. */
static void walk(void (*each)(const struct vks_ladder_kernel *kernel, const struct vks_rung *rung,
                              const struct vks_ladder_size *size))
{
    size_t rungs = 0;
    for (const struct vks_ladder_kernel *kernel = vks_ladder; kernel->name; kernel++) {
        const struct vks_ladder_size *sizes = kernel->matrix ? matrices : vectors;
        const size_t count = kernel->matrix ? sizeof(matrices) / sizeof(matrices[0])
                                            : sizeof(vectors) / sizeof(vectors[0]);
        for (const struct vks_rung *rung = kernel->rungs; rung->name; rung++) {
            for (size_t i = 0; vks_gpu_has(&gpu, rung->feature) && i < count; i++) {
                each(kernel, rung, &sizes[i]);
                rungs++;
            }
        }
    }
    assert_true(rungs > 0);
}

static void verify_one(const struct vks_ladder_kernel *kernel, const struct vks_rung *rung,
                       const struct vks_ladder_size *size)
{
    struct vks_spread seconds;
    ASSERT_FINE(vks_rung_measure(&gpu, kernel, rung, size, &verify, &seconds));
}

static void test_verified(void **state)
{
    (void)state;
    walk(verify_one);
}

static void spoil_one(const struct vks_ladder_kernel *kernel, const struct vks_rung *rung,
                      const struct vks_ladder_size *size)
{
    struct vks_effort spoiled = little;
    struct vks_spread seconds = {.samples = 0};
    spoiled.spoiled = true;
    assert_int_equal(vks_rung_measure(&gpu, kernel, rung, size, &spoiled, &seconds),
                     VKS_ERROR_STOPPED);
    assert_int_equal(seconds.samples, 0);
    assert_non_null(strstr(vks_error_text(), rung->name));
    assert_non_null(strstr(vks_error_text(), " instead of "));
}

static void test_spoiled(void **state)
{
    (void)state;
    walk(spoil_one);
}

static void test_timed(void **state)
{
    (void)state;
    for (const struct vks_ladder_kernel *kernel = vks_ladder; kernel->name; kernel++) {
        for (const struct vks_rung *rung = kernel->rungs; rung->name; rung++) {
            const struct vks_ladder_size size = {1000, kernel->matrix ? 10 : 1};
            struct vks_spread seconds;
            if (vks_gpu_has(&gpu, rung->feature)) {
                ASSERT_FINE(vks_rung_measure(&gpu, kernel, rung, &size, &little, &seconds));
                assert_true(vks_spread_is_valid(&seconds));
                assert_int_equal(seconds.samples, 3);
            }
        }
    }
}

static void test_too_large(void **state)
{
    (void)state;
    const struct vks_ladder_kernel *kernel = vks_ladder_find("copy");
    const struct vks_ladder_size size = {1 << 20, 1};
    const uint64_t largest = gpu.info.largest_buffer;
    struct vks_spread seconds;
    gpu.info.largest_buffer = 1 << 20;
    assert_int_equal(vks_rung_measure(&gpu, kernel, kernel->rungs, &size, &verify, &seconds),
                     VKS_ERROR_USAGE);
    gpu.info.largest_buffer = largest;
    assert_non_null(strstr(vks_error_text(), "needs a buffer of 4.0 MiB"));
    assert_non_null(strstr(vks_error_text(), "at most 1.0 MiB"));
    assert_int_equal(vks_ladder_bytes(kernel, &size), 8 << 20);
}

/* --- names and sizes -------------------------------------------------------------------------- */

static void check_size(const char *kernel, const char *text, uint32_t width, uint32_t height,
                       const char *rest)
{
    struct vks_ladder_size size;
    const enum vks_result result = vks_ladder_parse_size(vks_ladder_find(kernel), &text, &size);
    if (width) {
        assert_int_equal(result, VKS_OK);
        assert_int_equal(size.width, width);
        assert_int_equal(size.height, height);
        assert_string_equal(text, rest);
    } else {
        assert_int_equal(result, VKS_ERROR_USAGE);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    check_size("copy", "17", 17, 1, "");
    check_size("copy", "17,4", 17, 1, "4");
    check_size("copy", "2147483644", 2147483644, 1, "");
    check_size("transpose", "1x100000,5x6", 1, 100000, "5x6");
    static const char *const bad[] = {"",     "0",          "-1", "1.5", "1e6",
                                      "7,",   ",7",         "5x", " 5",  "99999999999999999999999",
                                      "five", "2147483648", "0x5"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        check_size("copy", bad[i], 0, 0, NULL);
        check_size("transpose", bad[i], 0, 0, NULL);
    }
    check_size("copy", "5x6", 0, 0, NULL);
    check_size("transpose", "5", 0, 0, NULL);
    check_size("transpose", "5x0", 0, 0, NULL);
    check_size("transpose", "65536x65536", 0, 0, NULL);
    check_size("transpose", "2147483647x2147483647", 0, 0, NULL);
}

static void test_names(void **state)
{
    (void)state;
    const struct vks_ladder_kernel *copy = vks_ladder_find("copy");
    assert_null(vks_ladder_find("cop"));
    assert_int_equal(vks_ladder_check_rungs(copy, NULL), VKS_OK);
    assert_int_equal(vks_ladder_check_rungs(copy, "loop,scalar"), VKS_OK);
    static const char *const bad[] = {"", "loo", "loop,", ",loop", "loop,,four", "loops"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(vks_ladder_check_rungs(copy, bad[i]), VKS_ERROR_USAGE);
    }
    assert_non_null(strstr(vks_error_text(), "copy has no rung 'loops' (did you mean 'loop'?); "
                                             "there are: scalar, four, loop"));
    assert_true(vks_ladder_has_rung(NULL, &copy->rungs[1]));
    assert_true(vks_ladder_has_rung("loop,four", &copy->rungs[1]));
    assert_false(vks_ladder_has_rung("loop,scalar", &copy->rungs[1]));
    assert_false(vks_ladder_has_rung("fourteen", &copy->rungs[1]));
}

static int close_device(void **state)
{
    (void)state;
    vks_gpu_close(&gpu);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verified), cmocka_unit_test(test_spoiled),
        cmocka_unit_test(test_timed),    cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_names),
    };
    open_gpu(&(struct vks_gpu_params){.device = NULL});
    return cmocka_run_group_tests(tests, NULL, close_device);
}
