/* SPDX-License-Identifier: MIT */
/* The ladder of kernels on a device: every rung equals the reference, also at awkward sizes; a
 * wrong one is reported and not timed. */
#include "gpu_test.h"

#include "base/memory.h"
#include "ladder/ladder.h"
#include "ladder/tune.h"

static const struct vks_effort verify = {.repeats = 0};
static const struct vks_effort little = {.seconds = 1e-4, .repeats = 3};

static const enum vks_element elements[] = {VKS_U32, VKS_F32, VKS_F16};

typedef void each_fn(const struct vks_ladder_task *task);

/* Calls `each` for the rung with every type of data that the device can take. */
static size_t walk_rung(struct vks_ladder_task *task, each_fn *each)
{
    size_t tasks = 0;
    for (size_t i = 0; i < VKS_COUNT(elements); i++) {
        task->element = elements[i];
        if (vks_ladder_takes(task->kernel, task->rung, task->element) &&
            !vks_rung_missing(&gpu, task->rung, task->element)) {
            if (vks_rung_is_untuned(task)) { /* without a search */
                ASSERT_FINE(vks_rung_first(&gpu, task));
            }
            each(task);
            memset(task->values, 0, sizeof(task->values));
            tasks++;
        }
    }
    return tasks;
}

/* Calls `each` for every rung at the awkward sizes of its kernel: at all, or at the last only,
 * which is large enough for a wrong input to show. */
static void walk(each_fn *each, bool all_sizes, bool specials)
{
    size_t tasks = 0;
    for (size_t i = 0; vks_ladder[i]; i++) {
        struct vks_ladder_task task = {.kernel = vks_ladder[i], .specials = specials};
        const char *sizes = task.kernel->awkward_sizes;
        while (*sizes && (task.kernel->specials || !specials)) {
            ASSERT_FINE(vks_ladder_parse_size(task.kernel, &sizes, &task.size));
            for (task.rung = task.kernel->rungs; task.rung->name; task.rung++) {
                if (all_sizes || !*sizes) {
                    tasks += walk_rung(&task, each);
                }
            }
        }
    }
    assert_true(tasks > 0 || specials);
}

static void verify_one(const struct vks_ladder_task *task)
{
    struct vks_spread seconds;
    ASSERT_FINE(vks_rung_measure(&gpu, task, &verify, &seconds));
}

static void test_verified(void **state)
{
    (void)state;
    walk(verify_one, true, false);
}

static void test_verified_largest(void **state)
{
    (void)state;
    walk(verify_one, false, false);
}

static void test_specials(void **state)
{
    (void)state;
    walk(verify_one, true, true);
}

static void spoil_one(const struct vks_ladder_task *task)
{
    struct vks_ladder_task spoiled = *task;
    struct vks_spread seconds = {.samples = 0};
    spoiled.spoiled = true;
    assert_int_equal(vks_rung_measure(&gpu, &spoiled, &little, &seconds), VKS_ERROR_STOPPED);
    assert_int_equal(seconds.samples, 0);
    assert_non_null(strstr(vks_error_text(), task->rung->name));
    assert_non_null(strstr(vks_error_text(), " instead of "));
}

static void test_spoiled(void **state)
{
    (void)state;
    walk(spoil_one, false, false);
}

static void time_one(const struct vks_ladder_task *task)
{
    struct vks_spread seconds;
    ASSERT_FINE(vks_rung_measure(&gpu, task, &little, &seconds));
    assert_true(vks_spread_is_valid(&seconds));
    assert_int_equal(seconds.samples, 3);
}

static void test_timed(void **state)
{
    (void)state;
    walk(time_one, false, false);
}

/* Variants of a simulation that differ: where, in which field, and how much. */
static void test_variants_differ(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *size, *words[4];
    } cases[] = {
        {"stencil",
         "61x37",
         {"the rung plain of stencil is wrong at 61x37 elements: after 37 steps, ",
          " of 2257 values of 'u' differ from the variant fused-2; the first is element (", "), 0.",
          " instead of 0."}},
        {"scatter",
         "1009x61x37",
         {"the rung unsorted of scatter is wrong at 1009x61x37 elements: after 37 steps, ",
          " of 2257 values of 'trail' differ from the variant sorted-8-words; the first is "
          "element (0, 0), ",
          " instead of ", ""}},
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        struct vks_ladder_task task = {.kernel = vks_ladder_find(cases[i].kernel), .spoiled = true};
        const char *size = cases[i].size;
        struct vks_spread seconds;
        task.rung = task.kernel->rungs;
        task.element = task.kernel->element;
        ASSERT_FINE(vks_ladder_parse_size(task.kernel, &size, &task.size));
        assert_int_equal(vks_rung_measure(&gpu, &task, &verify, &seconds), VKS_ERROR_STOPPED);
        for (size_t k = 0; k < VKS_COUNT(cases[i].words); k++) {
            if (!strstr(vks_error_text(), cases[i].words[k])) {
                fail_msg("no '%s' in: %s", cases[i].words[k], vks_error_text());
            }
        }
    }
}

/* A pass with more uses or specializations than there is room for is refused, not cut. */
static void test_too_many(void **state)
{
    (void)state;
    const struct vks_ladder_kernel *kernel = vks_ladder_find("copy");
    const struct vks_ladder_task task = {
        .kernel = kernel, .rung = kernel->rungs, .element = VKS_U32, .size = {{64, 1, 1, 1}}};
    struct vks_use uses[18] = {{0}};
    struct vks_specialization specializations[10] = {{0}};
    for (size_t i = 0; i + 1 < VKS_COUNT(uses); i++) {
        uses[i] = (struct vks_use){.field = "source", .access = VKS_READ};
    }
    for (size_t i = 0; i + 1 < VKS_COUNT(specializations); i++) {
        specializations[i] = (struct vks_specialization){"number", 1};
    }
    const struct vks_pass passes[] = {
        {.items = {64}, .uses = uses},
        {.items = {64}, .specializations = specializations},
    };
    for (size_t i = 0; i < VKS_COUNT(passes); i++) {
        struct vks_declaration declaration = {0};
        struct vks_graph *graph = NULL;
        vks_rung_pass(&task, &passes[i], &declaration);
        assert_int_equal(vks_graph_create(&gpu, &declaration, &graph), VKS_ERROR_INTERNAL);
        assert_string_equal(vks_error_text(), "the pass scalar of the rung scalar of copy has more "
                                              "than 16 uses or 8 specializations");
        vks_declaration_free(&declaration);
    }
}

static void test_too_large(void **state)
{
    (void)state;
    struct vks_ladder_task task = {.kernel = vks_ladder_find("copy"), .element = VKS_U32};
    task.rung = task.kernel->rungs;
    task.size = (struct vks_ladder_size){{1 << 20, 1, 1, 1}};
    const uint64_t largest = gpu.info.largest_buffer;
    struct vks_spread seconds;
    gpu.info.largest_buffer = 1 << 20;
    assert_int_equal(vks_rung_measure(&gpu, &task, &verify, &seconds), VKS_ERROR_USAGE);
    gpu.info.largest_buffer = largest;
    assert_non_null(strstr(vks_error_text(), "needs a buffer of 4.0 MiB"));
    assert_non_null(strstr(vks_error_text(), "at most 1.0 MiB"));
    assert_int_equal(vks_ladder_bytes(&task), 8 << 20);
}

/* --- names and sizes -------------------------------------------------------------------------- */

static void check_size(const char *kernel, const char *text, uint32_t width, uint32_t height,
                       const char *rest)
{
    struct vks_ladder_size size;
    const enum vks_result result = vks_ladder_parse_size(vks_ladder_find(kernel), &text, &size);
    if (width) {
        assert_int_equal(result, VKS_OK);
        assert_int_equal(size.axis[0], width);
        assert_int_equal(size.axis[1], height);
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
    check_size("transpose", "5x6x7", 0, 0, NULL);
    check_size("transpose", "65536x65537", 65536, 65537, "");
}

/* Why a size is impossible. */
static void test_impossible(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, height;
        const char *reason;
    } cases[] = {
        {65536, 65537, "has a matrix of more than 2^31 elements"},
        {2147483647, 1, "it takes at most 2097120 columns and 524280 rows"},
        {1, 524281, "it takes at most 2097120 columns and 524280 rows"},
    };
    for (size_t i = 0; i < VKS_COUNT(cases); i++) {
        const struct vks_ladder_task task = {.kernel = vks_ladder_find("transpose"),
                                             .element = VKS_U32,
                                             .size = {{cases[i].width, cases[i].height, 1, 1}}};
        assert_int_equal(vks_ladder_check_size(&gpu, &task), VKS_ERROR_USAGE);
        assert_non_null(strstr(vks_error_text(), cases[i].reason));
    }
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

/* With --verify only that the rungs compute what they must, at the largest of the sizes; the rest
 * differs in no driver. */
int main(int argc, char **argv)
{
    const struct CMUnitTest verified[] = {
        cmocka_unit_test(test_verified_largest),
        cmocka_unit_test(test_specials),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verified),  cmocka_unit_test(test_specials),
        cmocka_unit_test(test_spoiled),   cmocka_unit_test(test_timed),
        cmocka_unit_test(test_too_large), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_too_many),  cmocka_unit_test(test_variants_differ),
    };
    vks_bench_add_shaders();
    vks_ladder_add_shaders();
    open_gpu(&(struct vks_gpu_params){.device = NULL});
    return argc > 1 && strcmp(argv[1], "--verify") == 0
               ? cmocka_run_group_tests(verified, NULL, close_device)
               : cmocka_run_group_tests(tests, NULL, close_device);
}
