/* SPDX-License-Identifier: MIT */
/* tuner.h without a device: candidates are measured by tables of times. The choice is the fastest
 * right one, is kept and recalled, and the search ends with its time. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "graph/tuner.h"

static char folder[] = "/tmp/vksim-tuner-XXXXXX";
static struct vks_gpu gpu; /* of which only the name of the file is asked */

static void empty_folder(void)
{
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all)) != NULL;) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(all);
}

static int make_folder(void **state)
{
    (void)state;
    gpu.cache_path = folder;
    return !mkdtemp(folder) || setenv("VKSIM_CACHE_DIR", folder, 1) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static int setup(void **state)
{
    (void)state;
    empty_folder();
    return 0;
}

/* --- fakes ----------------------------------------------------------------------------------- */

struct fake {
    double (*seconds)(const uint32_t *choice); /* negative: wrong; 0: fails */
    unsigned measured;
    double pause; /* that measuring takes */
    double seen_best;
};

static void name(void *user, const uint32_t *choice, char text[VKS_TUNER_NAME])
{
    (void)user;
    snprintf(text, VKS_TUNER_NAME, "a=%u b=%u c=%u", choice[0], choice[1], choice[2]);
}

static enum vks_result measure(void *user, const uint32_t *choice, double best, double *seconds)
{
    struct fake *fake = user;
    const double is = fake->seconds(choice);
    fake->measured++;
    fake->seen_best = best;
    if (fake->pause > 0) {
        const struct timespec pause = {.tv_nsec = (long)(1e9 * fake->pause)};
        nanosleep(&pause, NULL);
    }
    if (is <= 0) {
        return is < 0 ? vks_fail(VKS_ERROR_STOPPED, "wrong") : vks_fail(VKS_ERROR_GPU, "failed");
    }
    *seconds = is;
    return VKS_OK;
}

static struct vks_tuner tuner_of(struct fake *fake, uint32_t a, uint32_t b, uint32_t c)
{
    return (struct vks_tuner){.kind = "fakes",
                              .noun = "fakes",
                              .key = "a case",
                              .counts = {a, b, c},
                              .user = fake,
                              .name = name,
                              .measure = measure,
                              .seconds = 60};
}

static void expect_best(const struct vks_tuner *tuner, const char *best, bool recalled)
{
    struct vks_tuning tuning;
    assert_int_equal(vks_tuner_choose(&gpu, tuner, &tuning), VKS_OK);
    assert_string_equal(tuning.tries[tuning.best].name, best);
    assert_int_equal(tuning.recalled, recalled);
    vks_tuning_free(&tuning);
}

/* --- tests ----------------------------------------------------------------------------------- */

static double falling(const uint32_t *choice)
{
    return 10.0 - choice[0];
}

static double wrong_is_fastest(const uint32_t *choice)
{
    return choice[0] == 3 ? -0.001 : choice[0] == 1 ? 0 : 10.0 - choice[0];
}

static double slower_now(const uint32_t *choice)
{
    return 1.0 + choice[0];
}

static void test_all_of_a_few(void **state)
{
    (void)state;
    struct fake fake = {.seconds = falling};
    const struct vks_tuner tuner = tuner_of(&fake, 5, 1, 1);
    expect_best(&tuner, "a=4 b=0 c=0", false);
    assert_int_equal(fake.measured, 5);
    assert_true(fake.seen_best == 7);
}

static void test_kept(void **state)
{
    (void)state;
    struct fake fake = {.seconds = falling};
    struct vks_tuner tuner = tuner_of(&fake, 5, 1, 1);
    expect_best(&tuner, "a=4 b=0 c=0", false);
    fake.seconds = slower_now;
    expect_best(&tuner, "a=4 b=0 c=0", true);
    assert_int_equal(fake.measured, 5);
    tuner.key = "another case";
    expect_best(&tuner, "a=0 b=0 c=0", false);
    tuner.key = "a case";
    tuner.again = true;
    expect_best(&tuner, "a=0 b=0 c=0", false);
    assert_int_equal(fake.measured, 15);
    tuner.again = false;
    expect_best(&tuner, "a=0 b=0 c=0", true);
    /* A candidate that no longer exists is not recalled. */
    fake.seconds = falling;
    tuner.again = true;
    expect_best(&tuner, "a=4 b=0 c=0", false);
    tuner.again = false;
    tuner.counts[0] = 4;
    expect_best(&tuner, "a=3 b=0 c=0", false);
}

static void test_wrong_is_never_chosen(void **state)
{
    (void)state;
    struct fake fake = {.seconds = wrong_is_fastest};
    struct vks_tuner tuner = tuner_of(&fake, 4, 1, 1);
    struct vks_tuning tuning;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_OK);
    static const enum vks_try_state states[] = {VKS_TIMED, VKS_FAILED, VKS_TIMED, VKS_WRONG};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(tuning.tries[i].state, states[i]);
    }
    assert_int_equal(tuning.best, 2);
    assert_false(tuning.complete); /* one failed: not kept */
    vks_tuning_free(&tuning);
    expect_best(&tuner, "a=2 b=0 c=0", false);
    tuner.keep_partial = true;
    expect_best(&tuner, "a=2 b=0 c=0", false);
    expect_best(&tuner, "a=2 b=0 c=0", true);
}

static double all_wrong(const uint32_t *choice)
{
    return choice[0] == 0 ? -1 : 0;
}

static bool never_fits(void *user, const uint32_t *choice)
{
    (void)user;
    (void)choice;
    return false;
}

static bool stop(void)
{
    return true;
}

static void test_nothing_to_choose(void **state)
{
    (void)state;
    struct fake fake = {.seconds = all_wrong};
    struct vks_tuner tuner = tuner_of(&fake, 3, 1, 1);
    struct vks_tuning tuning;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_ERROR_STOPPED);
    assert_string_equal(vks_error_text(), "wrong");
    vks_tuning_free(&tuning);
    tuner.fits = never_fits;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_ERROR_DEVICE);
    vks_tuning_free(&tuning);
    tuner.fits = NULL;
    tuner.stop = stop;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_INTERRUPTED);
    vks_tuning_free(&tuning);
    tuner.counts[0] = tuner.counts[1] = 257;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_ERROR_INTERNAL);
    vks_tuning_free(&tuning);
}

/* A valley: along each axis one value is the best, and that of c depends on a. */
static double valley(const uint32_t *choice)
{
    const double a = choice[0] - 5.0, b = choice[1] - 2.0, c = choice[2] - 0.5 * choice[0];
    return 1 + a * a + b * b + c * c;
}

static bool fits(void *user, const uint32_t *choice)
{
    (void)user;
    return choice[0] + choice[1] < 14;
}

static void test_many(void **state)
{
    (void)state;
    struct fake fake = {.seconds = valley};
    struct vks_tuner tuner = tuner_of(&fake, 12, 9, 11);
    tuner.fits = fits;
    struct vks_tuning tuning;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_OK);
    assert_true(tuning.complete);
    assert_true(tuning.tries[tuning.best].seconds <= 1.5);
    assert_true(fake.measured < tuning.count / 4);
    unsigned tried = 0;
    for (size_t i = 0; i < tuning.count; i++) {
        const struct vks_try *try = &tuning.tries[i];
        assert_true(fits(NULL, try->choice));
        assert_true(try->state != VKS_TIMED || try->seconds == valley(try->choice));
        tried += try->state == VKS_TIMED;
    }
    assert_int_equal(tried, fake.measured); /* none twice */
    vks_tuning_free(&tuning);
}

static void test_time(void **state)
{
    (void)state;
    struct fake fake = {.seconds = valley, .pause = 0.02};
    struct vks_tuner tuner = tuner_of(&fake, 12, 9, 11);
    struct vks_tuning tuning;
    tuner.seconds = 0.1;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_OK);
    assert_in_range(fake.measured, 1, 6);
    assert_false(tuning.complete);
    vks_tuning_free(&tuning);
    tuner.seconds = 0; /* the first one in any case */
    fake.measured = 0;
    assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_OK); /* not kept before */
    assert_int_equal(fake.measured, 1);
    vks_tuning_free(&tuning);
}

static void test_table(void **state)
{
    (void)state;
    struct fake fake = {.seconds = wrong_is_fastest};
    struct vks_tuner tuner = tuner_of(&fake, 4, 1, 1);
    struct vks_tuning tuning;
    char *text = NULL;
    size_t size = 0;
    tuner.keep_partial = true;
    for (int i = 0; i < 2; i++) {
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(vks_tuner_choose(&gpu, &tuner, &tuning), VKS_OK);
        vks_tuning_print(out, &tuning);
        fclose(out);
        assert_string_equal(text,
                            i == 0 ? "candidate             time  of best\n"
                                     "a=2 b=0 c=0  8000000.00 us  100.0 %\n"
                                     "a=0 b=0 c=0 10000000.00 us   80.0 %\n"
                                     "a=3 b=0 c=0 WRONG: its result is not that of the reference\n"
                                     "a=1 b=0 c=0 failed: it could not be built or run\n"
                                     "4 of 4 candidates tried, 1 of them wrong and 1 failed\n"
                                   : "a=2 b=0 c=0: kept from an earlier measurement\n");
        free(text);
        vks_tuning_free(&tuning);
    }
}

/* --- hostile files ---------------------------------------------------------------------------- */

static bool is_slow(void *user, const uint32_t *choice)
{
    (void)user;
    return choice[0] < 4; /* without the fastest */
}

static void write_kept(const char *text, size_t length)
{
    char *path = vks_gpu_cache_name(&gpu, "fakes", "json");
    assert_non_null(path);
    assert_int_equal(vks_write_file(path, true, text, length), VKS_OK);
    free(path);
}

/* Whatever the file says, the best one that fits is found by measuring, and is kept. */
static void expect_measured(const struct vks_tuner *tuner)
{
    expect_best(tuner, "a=3 b=0 c=0", false);
    expect_best(tuner, "a=3 b=0 c=0", true);
}

#define KEPT(text) "{\"vksim\": \"" VKS_VERSION "\", \"fakes\": " text "}"

static void test_hostile_texts(void **state)
{
    (void)state;
    struct fake fake = {.seconds = falling};
    struct vks_tuner tuner = tuner_of(&fake, 5, 1, 1);
    tuner.fits = is_slow;
    static const char *const texts[] = {
        KEPT("{\"a case\": \"a=4 b=0 c=0\"}"), /* excluded */
        KEPT("{\"a case\": \"a=7 b=0 c=0\"}"), /* outside the space */
        KEPT("{\"a case\": \"a=-1 b=0 c=0\"}"),
        KEPT("{\"a case\": \"a=4294967296 b=0 c=0\"}"),
        KEPT("{\"a case\": \"\"}"),
        KEPT("{\"a case\": \"a=3 b=0 c=0\\u0000\"}"),
        KEPT("{\"a case\": \"%s%n%s%n\"}"),
        KEPT("{\"a case\": 3}"),
        KEPT("{\"a case\": 1e400}"),
        KEPT("{\"a case\": 99999999999999999999999999}"),
        KEPT("{\"a case\": null}"),
        KEPT("{\"a case\": true}"),
        KEPT("{\"a case\": [\"a=3 b=0 c=0\"]}"),
        KEPT("{\"a case\": {\"a case\": \"a=3 b=0 c=0\"}}"),
        KEPT("{\"a case\": \"a=1 b=0 c=0\", \"a case\": \"a=2 b=0 c=0\"}"),
        KEPT("5"),
        KEPT("null"),
        KEPT("[\"a case\", \"a=1 b=0 c=0\"]"),
        KEPT("\"a case\""),
        "{\"vksim\": 5, \"fakes\": {\"a case\": \"a=1 b=0 c=0\"}}",
        "{\"vksim\": {}, \"fakes\": {\"a case\": \"a=1 b=0 c=0\"}}",
        "{\"fakes\": {\"a case\": \"a=1 b=0 c=0\"}}",
        "{\"vksim\": \"" VKS_VERSION "\"}",
        "5",
        "null",
        "\xff\xfe\x00",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_kept(texts[i], strlen(texts[i]));
        expect_measured(&tuner);
    }
    /* Every part of a whole file. */
    static const char whole[] = KEPT("{\"a case\": \"a=1 b=0 c=0\"}");
    for (size_t length = 0; length < sizeof(whole) - 1; length++) {
        write_kept(whole, length);
        expect_measured(&tuner);
    }
    write_kept(whole, sizeof(whole) - 1);
    expect_best(&tuner, "a=1 b=0 c=0", true);
}

static void test_hostile_sizes(void **state)
{
    (void)state;
    struct fake fake = {.seconds = falling};
    struct vks_tuner tuner = tuner_of(&fake, 5, 1, 1);
    tuner.fits = is_slow;
    static char deep[1 << 20];
    static const char *const nested[] = {"[", "{\"a\":", "[{\"a\":"};
    for (size_t i = 0; i < 3; i++) {
        for (size_t at = 0; at < sizeof(deep); at++) {
            deep[at] = nested[i][at % strlen(nested[i])];
        }
        write_kept(deep, sizeof(deep) - 1); /* the largest file that is read */
        expect_measured(&tuner);
    }
    /* A deeply nested beginning, followed by zeros up to a gigabyte. */
    char *path = vks_gpu_cache_name(&gpu, "fakes", "json");
    write_kept(deep, sizeof(deep) - 1);
    assert_int_equal(truncate(path, (off_t)1 << 30), 0);
    expect_measured(&tuner);
    /* A folder, which cannot be replaced: nothing is kept. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_best(&tuner, "a=3 b=0 c=0", false);
    expect_best(&tuner, "a=3 b=0 c=0", false);
    assert_int_equal(rmdir(path), 0);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_all_of_a_few, setup),
        cmocka_unit_test_setup(test_kept, setup),
        cmocka_unit_test_setup(test_wrong_is_never_chosen, setup),
        cmocka_unit_test_setup(test_nothing_to_choose, setup),
        cmocka_unit_test_setup(test_many, setup),
        cmocka_unit_test_setup(test_time, setup),
        cmocka_unit_test_setup(test_table, setup),
        cmocka_unit_test_setup(test_hostile_texts, setup),
        cmocka_unit_test_setup(test_hostile_sizes, setup),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
