/* SPDX-License-Identifier: MIT */
/* Tuned rungs on a device: a wrong combination is never chosen though it is the fastest; what is
 * found is kept and recalled. The combinations of gemm are right, and a wrong product is noticed.
 * The software device poses as a GPU, or nothing would be measured. */
#include "gpu_test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "ladder/tune.h"

static const struct vks_effort verify = {.repeats = 0};

static char folder[] = "/tmp/vksim-tuning-XXXXXX";

static int open_device(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || setenv("VKSIM_CACHE_DIR", folder, 1) != 0) {
        return 1;
    }
    vks_bench_add_shaders();
    vks_ladder_add_shaders();
    open_gpu(&(struct vks_gpu_params){.device = NULL});
    gpu.info.type = VKS_DEVICE_OTHER;
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    vks_gpu_close(&gpu);
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all)) != NULL;) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(all);
    return rmdir(folder);
}

/* --- a rung with wrong combinations ----------------------------------------------------------- */

static unsigned declared[5]; /* how often with each value */

/* Copies only one word in `part`: the larger, the faster. */
static void declare_part(const struct vks_gpu *own, const struct vks_ladder_task *task,
                         struct vks_declaration *declaration)
{
    struct rung_params params = vks_rung_params(task);
    const uint32_t part = task->values[0];
    (void)own;
    declared[part]++;
    params.lanes = params.width / part;
    params.width = params.lanes;
    vks_rung_pass(task,
                  &(struct vks_pass){.name = "copy",
                                     .shader = "ladder/copy_scalar",
                                     .items = {params.lanes},
                                     VKS_PUSH(params)},
                  declaration);
}

static const struct vks_tuned_constant parts[] = {{"part", {4, 1, 2}}, {0}};
static const struct vks_tuned_constant wrong_parts[] = {{"part", {4, 2}}, {0}};
static bool copies_all(const struct vks_limits *limits, const struct vks_ladder_task *task)
{
    (void)limits;
    return task->values[0] == 1;
}

static const struct vks_rung_space part_space = {parts, NULL};
static const struct vks_rung_space filtered_space = {parts, copies_all};
static const struct vks_rung_space wrong_space = {wrong_parts, NULL};
static const struct vks_rung part_rungs[] = {
    {"part", NULL, "copies a part", .space = &part_space, .declare = declare_part},
    {"wrong", NULL, "copies too little", .space = &wrong_space, .declare = declare_part},
    {"filtered", NULL, "copies all", .space = &filtered_space, .declare = declare_part},
    {0},
};

static struct vks_ladder_task task_of_part(struct vks_ladder_kernel *kernel, size_t rung)
{
    *kernel = *vks_ladder_find("copy");
    kernel->rungs = part_rungs;
    return (struct vks_ladder_task){.kernel = kernel,
                                    .rung = &part_rungs[rung],
                                    .size = {{1 << 20, 1, 1, 1}},
                                    .element = kernel->element};
}

static void tune(struct vks_ladder_task *task, bool again, bool recalled, struct vks_tuning *tries)
{
    const struct vks_rung_tuning tuning = {.again = again};
    memset(declared, 0, sizeof(declared));
    ASSERT_FINE(vks_rung_tune(&gpu, task, &tuning, tries));
    assert_int_equal(tries->recalled, recalled);
    assert_int_equal(task->values[0], 1);
}

static void test_wrong_is_never_chosen(void **state)
{
    (void)state;
    struct vks_ladder_kernel kernel;
    struct vks_ladder_task task = task_of_part(&kernel, 0);
    struct vks_tuning tries;
    tune(&task, false, false, &tries);
    static const enum vks_try_state states[] = {VKS_WRONG, VKS_TIMED, VKS_WRONG};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tries.tries[i].state, states[i]);
    }
    assert_string_equal(tries.tries[1].name, "part=1");
    vks_tuning_free(&tries);
    assert_int_equal(declared[4], 1); /* verified, not timed */
    assert_int_equal(declared[1], 2);

    /* Another size of the same power of two: recalled. */
    task.size.axis[0] -= 1000;
    tune(&task, false, true, &tries);
    vks_tuning_free(&tries);
    assert_int_equal(declared[1] + declared[2] + declared[4], 0);
    tune(&task, true, false, &tries);
    vks_tuning_free(&tries);
    assert_int_equal(declared[4], 1);
    task.size.axis[0] /= 4;
    tune(&task, false, false, &tries);
    vks_tuning_free(&tries);
}

/* Wrong combinations are counted in one message, and marked in the table. */
static char said[512];

static void listen(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    if (level == VKS_LOG_WARNING) {
        snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", text);
    }
}

static void test_wrong_is_reported(void **state)
{
    (void)state;
    struct vks_ladder_kernel kernel;
    struct vks_ladder_task task = task_of_part(&kernel, 0);
    struct vks_tuning tries;
    char *table = NULL;
    size_t size;
    vks_message_to(VKS_LOG_WARNING, listen, NULL);
    tune(&task, true, false, &tries);
    assert_string_equal(said, "part of copy at 1048576 elements: 2 of 3 combinations computed "
                              "wrong results; see --show-tuning\n");
    FILE *out = open_memstream(&table, &size);
    assert_non_null(out);
    vks_tuning_print(out, &tries);
    fclose(out);
    assert_non_null(strstr(table, "part=2    WRONG: its result is not that of the reference\n"));
    assert_non_null(strstr(table, "3 of 3 candidates tried, 2 of them wrong and 0 failed\n"));
    free(table);
    vks_tuning_free(&tries);
    tune(&task, false, true, &tries); /* recalled: nothing is wrong */
    vks_message_to(VKS_LOG_INFO, NULL, NULL);
    assert_null(strchr(strchr(said, '\n') + 1, '\n'));
    vks_tuning_free(&tries);
}

/* What a file says is used only if it is a combination that fits. */
static void test_hostile_constants(void **state)
{
    (void)state;
    static const char *const values[] = {
        "\"part=4\"", "\"part=2\"", "\"part=0\"", "\"part=3\"", "\"part=\"",    "\"\"",
        "4",          "1e999",      "null",       "[]",         "{\"part\": 1}"};
    struct vks_ladder_kernel kernel;
    struct vks_ladder_task task = task_of_part(&kernel, 2);
    struct vks_tuning tries;
    char *path = vks_gpu_cache_name(&gpu, "constants", "json"), text[256];
    for (size_t i = 0; i < VKS_COUNT(values); i++) {
        const int length =
            snprintf(text, sizeof(text),
                     "{\"vksim\": \"%s\", \"constants\": {\"copy filtered uint32 1048576\": %s}}",
                     VKS_VERSION, values[i]);
        assert_int_equal(vks_write_file(path, true, text, (size_t)length), VKS_OK);
        tune(&task, false, false, &tries);
        assert_int_equal(tries.count, 1);
        vks_tuning_free(&tries);
        tune(&task, false, true, &tries); /* the key of the file is that one */
        vks_tuning_free(&tries);
    }
    free(path);
}

static void test_all_wrong(void **state)
{
    (void)state;
    struct vks_ladder_kernel kernel;
    struct vks_ladder_task task = task_of_part(&kernel, 1);
    struct vks_spread seconds = {.samples = 0};
    const struct vks_effort little = {.seconds = 1e-4, .repeats = 3};
    assert_int_equal(vks_rung_measure(&gpu, &task, &little, &seconds), VKS_ERROR_STOPPED);
    assert_int_equal(seconds.samples, 0);
    assert_non_null(strstr(vks_error_text(), "the rung wrong of copy is wrong"));
}

static void test_measured(void **state)
{
    (void)state;
    struct vks_ladder_kernel kernel;
    const struct vks_ladder_task task = task_of_part(&kernel, 0);
    struct vks_spread seconds;
    const struct vks_effort little = {.seconds = 1e-4, .repeats = 3};
    ASSERT_FINE(vks_rung_measure(&gpu, &task, &little, &seconds));
    assert_int_equal(seconds.samples, 3);
    char text[VKS_TUNER_NAME];
    assert_string_equal(vks_rung_values(&task, text), ""); /* the caller's task is unchanged */
}

/* --- gemm ------------------------------------------------------------------------------------ */

static struct vks_ladder_task task_of_gemm(const char *rung, const char *size)
{
    struct vks_ladder_task task = {.kernel = vks_ladder_find("gemm"), .element = VKS_F32};
    ASSERT_FINE(vks_ladder_parse_size(task.kernel, &size, &task.size));
    task.rung = task.kernel->rungs;
    while (task.rung->name && strcmp(task.rung->name, rung) != 0) {
        task.rung++;
    }
    assert_non_null(task.rung->name);
    return task;
}

static void test_time(void **state)
{
    (void)state;
    struct vks_ladder_task task = task_of_gemm("tuned", "64x64x64");
    struct vks_tuning tries;
    const struct vks_rung_tuning tuning = {.seconds = 0.5};
    const double begin = vks_seconds();
    ASSERT_FINE(vks_rung_tune(&gpu, &task, &tuning, &tries));
    assert_true(vks_seconds() - begin < 30); /* one more candidate, on a busy machine */
    assert_false(tries.complete);
    assert_true(tries.count > 100);
    assert_int_equal(tries.tries[tries.best].state, VKS_TIMED);
    vks_tuning_free(&tries);
}

/* Sets the values of a combination; false past the last. */
static bool set_combination(struct vks_ladder_task *task, uint32_t number)
{
    const struct vks_rung_space *space = task->rung->space;
    for (size_t i = 0; space->constants[i].name; i++) {
        uint32_t count = 0;
        while (count < 8 && space->constants[i].values[count]) {
            count++;
        }
        task->values[i] = space->constants[i].values[number % count];
        number /= count;
    }
    return number == 0;
}

/* Every 59th combination that fits, at a size off all tiles. */
static void check_combinations(const char *rung)
{
    const struct vks_limits limits = vks_graph_limits(&gpu);
    struct vks_ladder_task task = task_of_gemm(rung, "131x137x67");
    uint32_t fit = 0, verified = 0;
    struct vks_spread seconds;
    for (uint32_t n = 0; set_combination(&task, n); n++) {
        if (task.rung->space->fits(&limits, &task) && fit++ % 59 == 0) {
            ASSERT_FINE(vks_rung_measure(&gpu, &task, &verify, &seconds));
            verified++;
        }
    }
    assert_true(verified > 3);
}

/* The numbers of combinations that the documents name, for an NVIDIA H200. */
static void test_spaces(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *rung;
        uint32_t all, fit;
    } spaces[] = {
        {"gemm", "tuned", 972, 0},         /* docs/ladder/gemm.md */
        {"gemm", "matrix-tuned", 162, 48}, /* at most 48 that fit are all measured */
        {"gemm", "workgroup", 54, 42},     /* the same */
        {"transpose", "tuned", 45, 40},    /* docs/performance.md */
    };
    const struct vks_limits h200 = {
        .shared_bytes = 48 << 10, .invocations = 1024, .subgroup = 32, .min_subgroup = 32};
    for (size_t i = 0; i < VKS_COUNT(spaces); i++) {
        struct vks_ladder_task task = {.kernel = vks_ladder_find(spaces[i].kernel)};
        uint32_t all = 0, fit = 0;
        task.rung = task.kernel->rungs;
        while (task.rung->name && strcmp(task.rung->name, spaces[i].rung) != 0) {
            task.rung++;
        }
        assert_non_null(task.rung->name);
        for (; set_combination(&task, all); all++) {
            fit += task.rung->space->fits(&h200, &task);
        }
        assert_int_equal(all, spaces[i].all);
        assert_true(spaces[i].fit == 0 || fit == spaces[i].fit);
    }
}

static void test_combinations(void **state)
{
    (void)state;
    check_combinations("tuned");
    check_combinations("transposed");
}

/* Inputs with 20 bits: sums are rounded, within the bound. */
static void test_fractions(void **state)
{
    (void)state;
    static const char *const names[] = {"naive",  "tile",  "registers",
                                        "double", "tuned", "transposed"};
    struct vks_spread seconds;
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        struct vks_ladder_task task = task_of_gemm(names[i], "67x33x301");
        task.fractions = true;
        ASSERT_FINE(vks_rung_measure(&gpu, &task, &verify, &seconds));
        task.spoiled = true;
        assert_int_equal(vks_rung_measure(&gpu, &task, &verify, &seconds), VKS_ERROR_STOPPED);
    }
}

/* Leaves out the last row, which Freivalds' check must notice. */
static void declare_without_last_row(const struct vks_gpu *own, const struct vks_ladder_task *task,
                                     struct vks_declaration *declaration)
{
    struct vks_ladder_task shorter = *task;
    shorter.size.axis[0]--;
    vks_ladder_find("gemm")->rungs[0].declare(own, &shorter, declaration);
}

static void test_large(void **state)
{
    (void)state;
    struct vks_ladder_task task = task_of_gemm("registers", "259x257x67");
    struct vks_spread seconds;
    ASSERT_FINE(vks_rung_measure(&gpu, &task, &verify, &seconds));
    task.spoiled = true;
    assert_int_equal(vks_rung_measure(&gpu, &task, &verify, &seconds), VKS_ERROR_STOPPED);
    assert_non_null(strstr(vks_error_text(), "element (0, 0)"));
    task.spoiled = false;
    struct vks_rung shorter = *task.rung;
    shorter.declare = declare_without_last_row;
    shorter.shader = "ladder/gemm_naive";
    task.rung = &shorter;
    assert_int_equal(vks_rung_measure(&gpu, &task, &verify, &seconds), VKS_ERROR_STOPPED);
    assert_non_null(strstr(vks_error_text(), "element (0, 258)"));
}

/* Rungs of cooperative matrices, on a device without them: the message says what is missing. */
static void test_missing(void **state)
{
    (void)state;
    static const char *const names[] = {"matrix", "staged", "matrix-tuned", "workgroup"};
    const struct vks_effort little = {.seconds = 1e-4, .repeats = 3};
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        struct vks_ladder_task task = task_of_gemm(names[i], "64x64x64");
        struct vks_spread seconds;
        task.element = VKS_F16;
        if (vks_gpu_has(&gpu, task.rung->feature)) {
            continue; /* test_ladder.c verifies it */
        }
        const char *missing = vks_rung_missing(&gpu, task.rung, VKS_F16);
        assert_non_null(missing);
        assert_int_equal(vks_rung_measure(&gpu, &task, &little, &seconds), VKS_ERROR_DEVICE);
        assert_non_null(strstr(vks_error_text(), missing));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_is_never_chosen),
        cmocka_unit_test(test_wrong_is_reported),
        cmocka_unit_test(test_hostile_constants),
        cmocka_unit_test(test_all_wrong),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
