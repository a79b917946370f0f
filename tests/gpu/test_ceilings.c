/* SPDX-License-Identifier: MIT */
/* Ceilings on a device: every kernel computes what it must, and a wrong result is an error; values
 * are kept and recalled, and a file that is damaged or of another device is ignored. */
#include "gpu_test.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "bench/ceilings.h"
#include "bench/exchange.h"
#include "bench/keep.h"
#include "bench/rows.h"

static char folder[] = "/tmp/vksim-ceilings-XXXXXX";

/* Little work, in small buffers. */
static const struct vks_effort little = {.seconds = 1e-4, .repeats = 3};
enum { BUFFER = 1 << 18 };

static size_t count_ceilings(void)
{
    size_t count = 0;
    while (vks_ceiling_info(count)) {
        count++;
    }
    return count;
}

/* Every row is measured; the check of its result passes. */
static void test_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < count_ceilings(); i++) {
        struct vks_spread value;
        uint64_t used;
        if (vks_ceiling_missing(&gpu, i)) {
            assert_int_equal(vks_ceiling_measure(&gpu, i, BUFFER, &little, &value, &used),
                             VKS_ERROR_DEVICE);
            continue;
        }
        ASSERT_FINE(vks_ceiling_measure(&gpu, i, BUFFER, &little, &value, &used));
        assert_true(vks_spread_is_valid(&value));
        assert_int_equal(value.samples, 3);
        assert_true(!vks_ceiling_info(i)->sizes || used == BUFFER);
    }
}

/* The buffers of all sizes are covered: with few invocations per element, and with many. */
static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < count_ceilings(); i++) {
        for (uint64_t bytes = VKS_SMALLEST_BUFFER; vks_ceiling_info(i)->sizes && bytes <= (1 << 22);
             bytes *= 4) {
            struct vks_spread value;
            uint64_t used;
            ASSERT_FINE(vks_ceiling_measure(&gpu, i, bytes, &little, &value, &used));
            assert_int_equal(used, bytes);
        }
    }
}

/* A kernel that gets wrong operands is reported, never timed. */
static void test_spoiled(void **state)
{
    (void)state;
    struct vks_effort spoiled = little;
    spoiled.spoiled = true;
    for (size_t i = 0; i < count_ceilings(); i++) {
        struct vks_spread value;
        uint64_t used;
        if (!vks_ceiling_missing(&gpu, i)) {
            assert_int_equal(vks_ceiling_measure(&gpu, i, BUFFER, &spoiled, &value, &used),
                             VKS_ERROR_GPU);
            assert_non_null(strstr(vks_error_text(), " instead of "));
        }
    }
}

/* --- kept values ------------------------------------------------------------------------------ */

/* The file of kept values in the cache folder. */
static void file_path(char path[512])
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    path[0] = '\0';
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        if (strncmp(entry->d_name, "ceilings-", 9) == 0) {
            snprintf(path, 512, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(listing);
    assert_int_not_equal(path[0], '\0');
}

/* Replaces the first `from` in the file by `to`, of the same length. */
static void change_file(const char *from, const char *to)
{
    char path[512], *text;
    size_t size;
    file_path(path);
    ASSERT_FINE(vks_read_file(path, 1 << 20, &text, &size));
    char *at = strstr(text, from);
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    ASSERT_FINE(vks_write_file(path, true, text, size));
    free(text);
}

/* The time of a dispatch with a barrier. */
static double get(bool fresh, bool *kept)
{
    const char *const names[] = {"dispatch-barrier", NULL};
    struct vks_ceilings set;
    ASSERT_FINE(vks_ceilings_get(
        &gpu, &(struct vks_ceilings_request){.names = names, .fresh = fresh}, &set));
    assert_int_equal(set.count, 1);
    const struct vks_ceiling *ceiling = vks_ceilings_find(&set, "dispatch-barrier");
    assert_non_null(ceiling);
    assert_null(vks_ceilings_find(&set, "copy"));
    const double seconds = ceiling->value.median;
    *kept = ceiling->kept;
    vks_ceilings_free(&set);
    return seconds;
}

static void test_kept(void **state)
{
    (void)state;
    bool kept;
    const double first = get(false, &kept);
    assert_false(kept);
    assert_true(get(false, &kept) == first); /* to the last bit */
    assert_true(kept);
    (void)get(true, &kept);
    assert_false(kept);
    (void)get(false, &kept);
    assert_true(kept);
}

static void test_damaged(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"\"median\": ", "\"median\":-"}, /* a number */
        {"\"samples\"", "\"sample\\u\""}, /* no JSON */
        {"\"vksim\": \"", "\"vksim\": \"x"},  {"\"driver\": \"", "\"driver\": \"x"},
        {"\"unit\": \"s\"", "\"unit\": 12 "}, {"\"digest\": \"", "\"digest\": \"x"},
    };
    bool kept;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        (void)get(false, &kept);
        change_file(changes[i][0], changes[i][1]);
        (void)get(false, &kept);
        assert_false(kept);
        (void)get(false, &kept);
        assert_true(kept);
    }
    char path[512];
    file_path(path);
    assert_int_equal(truncate(path, 20), 0);
    (void)get(false, &kept);
    assert_false(kept);
}

/* A whole file with impossible values. */
static void test_impossible(void **state)
{
    (void)state;
    const struct vks_spread spreads[] = {
        {.median = 2, .min = 3, .max = 3, .low_quartile = 2, .high_quartile = 2, .samples = 5},
        {.median = 2, .min = -2, .max = 3, .low_quartile = 2, .high_quartile = 2, .samples = 5},
        {.median = 2, .min = 2, .max = 3, .low_quartile = 2, .high_quartile = 2, .samples = 1000},
    };
    size_t index = 0;
    while (strcmp(vks_ceiling_info(index)->name, "dispatch-barrier") != 0) {
        index++;
    }
    for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); i++) {
        bool kept;
        struct vks_ceiling item = {.info = vks_ceiling_info(index), .value = spreads[i]};
        vks_ceilings_write(&gpu, &(struct vks_ceilings){&item, 1});
        (void)get(false, &kept);
        assert_false(kept);
    }
}

/* Other values in the file stay when one is measured. */
static void test_added(void **state)
{
    (void)state;
    const char *const names[] = {"submit", NULL};
    struct vks_ceilings set;
    bool kept;
    (void)get(false, &kept);
    ASSERT_FINE(vks_ceilings_get(&gpu, &(struct vks_ceilings_request){.names = names}, &set));
    vks_ceilings_free(&set);
    (void)get(false, &kept);
    assert_true(kept);
}

/* Complete ones have a point for each size; the quick one that was kept is not enough. */
static void test_complete(void **state)
{
    (void)state;
    const uint64_t memory = gpu.info.memory;
    const char *const names[] = {"write", NULL};
    struct vks_ceilings set;
    gpu.info.memory = 8 << 20; /* buffers of 1 MiB at most */
    for (int complete = 0; complete < 2; complete++) {
        ASSERT_FINE(vks_ceilings_get(
            &gpu, &(struct vks_ceilings_request){.names = names, .complete = complete == 1}, &set));
        assert_int_equal(set.items[0].point_count, complete ? 5 : 0);
        assert_false(set.items[0].kept);
        for (size_t i = 0; i < set.items[0].point_count; i++) {
            assert_int_equal(set.items[0].points[i].bytes, (uint64_t)VKS_SMALLEST_BUFFER << i);
            assert_true(vks_spread_is_valid(&set.items[0].points[i].value));
        }
        vks_ceilings_free(&set);
    }
    gpu.info.memory = memory;
    ASSERT_FINE(vks_ceilings_get(
        &gpu, &(struct vks_ceilings_request){.names = names, .complete = true}, &set));
    assert_true(set.items[0].kept);
    assert_int_equal(set.items[0].point_count, 5);
    vks_ceilings_free(&set);
}

/* Those of reports exist, and are measured once. */
static void test_report(void **state)
{
    (void)state;
    const uint64_t memory = gpu.info.memory;
    struct vks_ceilings set;
    /* Small buffers, so that it is quick. */
    gpu.info.memory = gpu.info.type == VKS_DEVICE_SOFTWARE ? 8 << 20 : 256 << 20;
    for (int again = 0; again < 2; again++) {
        ASSERT_FINE(vks_ceilings_get(
            &gpu, &(struct vks_ceilings_request){.names = vks_report_ceilings}, &set));
        for (size_t i = 0; vks_report_ceilings[i]; i++) {
            const struct vks_ceiling *ceiling = vks_ceilings_find(&set, vks_report_ceilings[i]);
            assert_non_null(ceiling);
            assert_true(!again || ceiling->kept);
        }
        vks_ceilings_free(&set);
    }
    gpu.info.memory = memory;
}

/* --- exchanges between ranks ------------------------------------------------------------------ */

/* Exact times give the fixed time and the bandwidth that they were made of, and others some. */
static void test_fit(void **state)
{
    (void)state;
    enum { SIZES = 4 };
    const double bytes[SIZES] = {16384, 1 << 20, 1 << 23, 1 << 26};
    const double made[][2] = {{150e-6, 25e9}, {2e-6, 1e12}, {1, 1e8}};
    double seconds[SIZES], fixed, bandwidth;
    for (size_t k = 0; k < VKS_COUNT(made); k++) {
        for (size_t i = 0; i < SIZES; i++) {
            seconds[i] = made[k][0] + bytes[i] / made[k][1];
        }
        vks_exchange_fit(bytes, seconds, SIZES, &fixed, &bandwidth);
        assert_true(fabs(fixed / made[k][0] - 1) < 1e-4);
        assert_true(fabs(bandwidth / made[k][1] - 1) < 1e-4);
    }
    const double scattered[][SIZES] = {{4, 3, 2, 1}, {1e-9, 1, 16, 256}, {1, 1, 1, 1}};
    for (size_t k = 0; k < VKS_COUNT(scattered); k++) {
        vks_exchange_fit(bytes, scattered[k], SIZES, &fixed, &bandwidth);
        assert_true(fixed > 0 && bandwidth > 0 && isfinite(fixed) && isfinite(bandwidth));
    }
}

/* They are kept for these devices in this order and number, and this driver. */
static void test_kept_of_ranks(void **state)
{
    (void)state;
    const struct vks_device_info devices[] = {{.uuid = "a", .driver = "d 1"},
                                              {.uuid = "b", .driver = "d 1"},
                                              {.uuid = "a", .driver = "d 1"},
                                              {.uuid = "b", .driver = "d 2"}};
    const struct vks_spread values[] = {{2, 1, 3, 1.5, 2.5, 9}, {5, 4, 6, 4.5, 5.5, 9}};
    struct vks_ceilings set;
    assert_false(vks_exchange_recall(devices, 2, &set));
    assert_int_equal(set.count, 2);
    for (size_t i = 0; i < 2; i++) {
        set.items[i].value = values[i];
    }
    vks_ceilings_write_ranks(devices, 2, &set);
    vks_ceilings_free(&set);
    assert_true(vks_exchange_recall(devices, 2, &set));
    assert_true(vks_ceilings_find(&set, "exchange-fixed")->value.median == 2);
    assert_true(vks_ceilings_find(&set, "exchange-bandwidth")->value.median == 5);
    vks_ceilings_free(&set);
    const size_t others[][2] = {{0, 1}, {0, 3}, {1, 2}, {2, 2}}; /* first, count */
    for (size_t i = 0; i < VKS_COUNT(others); i++) {
        assert_false(vks_exchange_recall(devices + others[i][0], others[i][1], &set));
        vks_ceilings_free(&set);
    }
}

/* --- what cannot be measured ------------------------------------------------------------------ */

static bool stop(void)
{
    return true;
}

static void test_refused(void **state)
{
    (void)state;
    const char *const unknown[] = {"copy", "flaot32", NULL};
    struct vks_ceilings set;
    assert_int_equal(vks_ceilings_get(&gpu, &(struct vks_ceilings_request){.names = unknown}, &set),
                     VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "there is no ceiling 'flaot32' (did you mean "
                                             "'float32'?); there are: copy, read, write, "));
    vks_ceilings_free(&set);
    assert_int_equal(
        vks_ceilings_get(&gpu, &(struct vks_ceilings_request){.fresh = true, .stop = stop}, &set),
        VKS_INTERRUPTED);
    vks_ceilings_free(&set);
    const double period = gpu.timestamp_period;
    double bandwidth = 1;
    gpu.timestamp_period = 0;
    assert_int_equal(vks_ceilings_get(&gpu, &(struct vks_ceilings_request){.fresh = true}, &set),
                     VKS_ERROR_DEVICE);
    assert_non_null(strstr(vks_error_text(), "has no timestamps, so nothing can be measured"));
    vks_ceilings_free(&set);
    ASSERT_FINE(vks_copy_bandwidth(&gpu, &bandwidth));
    assert_true(bandwidth == 0);
    gpu.timestamp_period = period;
}

static void test_spread(void **state)
{
    (void)state;
    double values[] = {5, 1, 4, 2, 3};
    double two[] = {4, 2};
    struct vks_spread spread = vks_spread_of(values, 5);
    assert_true(spread.median == 3 && spread.min == 1 && spread.max == 5 &&
                spread.low_quartile == 2 && spread.high_quartile == 4 && spread.samples == 5);
    spread = vks_spread_of(two, 2);
    assert_true(spread.median == 3 && spread.low_quartile == 2.5 && spread.high_quartile == 3.5);
    assert_true(vks_spread_is_valid(&spread));
    spread.max = 3;
    assert_false(vks_spread_is_valid(&spread));
}

static int close_device(void **state)
{
    (void)state;
    vks_gpu_close(&gpu);
    DIR *listing = opendir(folder);
    for (const struct dirent *entry = listing ? readdir(listing) : NULL; entry;
         entry = readdir(listing)) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path); /* fails for "." and ".." */
    }
    if (listing) {
        closedir(listing);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),           cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_spoiled),       cmocka_unit_test(test_kept),
        cmocka_unit_test(test_damaged),       cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_added),         cmocka_unit_test(test_complete),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_spread),
        cmocka_unit_test(test_report),        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_kept_of_ranks),
    };
    if (!mkdtemp(folder) || setenv("VKSIM_CACHE_DIR", folder, 1) != 0) {
        printf("Bail out! no folder for the cache\n");
        return 1;
    }
    vks_bench_add_shaders();
    open_gpu(&(struct vks_gpu_params){.device = NULL});
    return cmocka_run_group_tests(tests, NULL, close_device);
}
