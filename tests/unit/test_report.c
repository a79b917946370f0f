/* SPDX-License-Identifier: MIT */
/* Reports of made-up runs: tables, JSON, CSV, and what is said to bound a pass. tests/cli tests
 * those of real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "report/report.h"

static char text[16384];

enum form { TABLE, JSON, CSV };

/* Prints the report into `text`. */
static void print(const struct vks_report *report, enum form form)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    if (form == JSON) {
        json_t *object = vks_report_json(report);
        assert_non_null(object);
        assert_int_equal(json_dumpf(object, file, JSON_INDENT(2)), 0);
        json_decref(object);
    } else if (form == CSV) {
        vks_report_csv(file, report);
    } else {
        vks_report_table(file, report);
    }
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
}

static void assert_prints(const char *words)
{
    if (!strstr(text, words)) {
        fail_msg("no '%s' in:\n%s", words, text);
    }
}

static void assert_prints_not(const char *words)
{
    if (strstr(text, words)) {
        fail_msg("'%s' in:\n%s", words, text);
    }
}

static void test_memory(void **state)
{
    (void)state;
    struct vks_report report = {
        .model = "physarum",
        .device = {.memory = UINT64_C(139) << 30},
        .allocated = UINT64_C(1288490189),
        .peak = UINT64_C(2) << 30,
        .budget = UINT64_C(132) << 30,
        .free = UINT64_C(130) << 30,
        .budget_known = true,
    };
    print(&report, TABLE);
    assert_prints("\nmemory: 1.2 GiB allocated, peak 2.0 GiB; 130 GiB free of a budget of 132 "
                  "GiB\n");
    print(&report, JSON);
    assert_prints("\"allocated_bytes\": 1288490189,");
    assert_prints("\"peak_bytes\": 2147483648,");
    assert_prints("\"budget_bytes\": 141733920768,");
    assert_prints("\"free_bytes\": 139586437120");
    report.budget_known = false;
    print(&report, TABLE);
    assert_prints("\nmemory: 1.2 GiB allocated, peak 2.0 GiB, of 139 GiB\n");
    print(&report, JSON);
    assert_prints("\"allocated_bytes\": 1288490189,");
    assert_prints_not("free_bytes");
    assert_prints_not("budget_bytes");
}

/* A pass of 10 us with 24 MB, 2.5 million operations and 100 000 atomics per call, and ceilings of
 * which it reaches 60 %, 25 %, 40 % and 25 %. */
static const struct vks_pass_timing pass = {
    .name = "agents",
    .calls = 100,
    .samples = 50,
    .total = 1.1e-3,
    .mean = 11e-6,
    .p50 = 10e-6,
    .p95 = 12e-6,
    .min = 9e-6,
    .max = 13e-6,
    .bytes = 24e6,
    .operations = 2.5e6,
    .atomics = 1e5,
};
static const struct vks_report_ceiling ceilings[] = {
    {"copy", "B/s", 4e12},
    {"float32-add", "op/s", 1e12},
    {"atomic-spread", "op/s", 2.5e10},
    {"dispatch-barrier", "s", 2.5e-6},
};

static void test_passes(void **state)
{
    (void)state;
    const struct vks_report report = {
        .model = "physarum",
        .width = 64,
        .height = 32,
        .depth = 1,
        .timestamp_bits = 64,
        .timestamp_period = 1e-9,
        .timestamp_mask = UINT64_MAX,
        .passes = &pass,
        .pass_count = 1,
        .ceilings = ceilings,
        .ceiling_count = VKS_COUNT(ceilings),
        .dropped = 3,
    };
    print(&report, TABLE);
    assert_prints(
        "\npass    calls  total ms  mean us  p50 us  p95 us  max us   share    GB/s  of copy  "
        "GFLOP/s  bound by\n"
        "agents    100     1.100    11.00   10.00   12.00   13.00  100.0%  2400.0    60.0%  "
        "  250.0  bandwidth\n");
    assert_prints("\ncopy bandwidth, measured: 4000.0 GB/s\n");
    assert_prints("\n3 samples are missing");
    assert_prints_not("no times");
    print(&report, JSON);
    assert_prints("\"bound\": \"bandwidth\"");
    assert_prints("\"float32-add\": 0.25");
    assert_prints("\"dropped_samples\": 3");
    assert_prints("\"valid_bits\": 64");
    print(&report, CSV);
    assert_prints("pass,calls,samples,");
    assert_prints("\nagents,100,50,0.0011,1.1e-05,1e-05,1.2e-05,9e-06,1.3e-05,24000000,2500000,"
                  "100000,0.6,bandwidth\n");
}

static void test_no_timestamps(void **state)
{
    (void)state;
    const struct vks_pass_timing untimed = {.name = "agents", .calls = 100};
    struct vks_report report = {.model = "physarum", .passes = &untimed, .pass_count = 1};
    print(&report, TABLE);
    assert_prints("\npass    calls\nagents    100\n"); /* empty columns are left out */
    assert_prints("\nno times: the queue of the device has no timestamps\n");
    print(&report, JSON);
    assert_prints_not("timestamps");
    report.timestamp_bits = 36;
    print(&report, TABLE);
    assert_prints("\nno times: the device reports no valid timestamp period\n");
}

static void test_bounds(void **state)
{
    (void)state;
    double shares[VKS_LIMITS];
    struct vks_pass_timing slow = pass;
    vks_pass_shares(&pass, ceilings, VKS_COUNT(ceilings), shares);
    assert_true(shares[VKS_LIMIT_BANDWIDTH] > 0.5999 && shares[VKS_LIMIT_BANDWIDTH] < 0.6001);
    assert_true(shares[VKS_LIMIT_ATOMICS] > 0.3999 && shares[VKS_LIMIT_ATOMICS] < 0.4001);
    assert_true(shares[VKS_LIMIT_LATENCY] > 0.2499 && shares[VKS_LIMIT_LATENCY] < 0.2501);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_BANDWIDTH);
    /* The largest share decides. */
    slow.atomics = 2e5;
    vks_pass_shares(&slow, ceilings, VKS_COUNT(ceilings), shares);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_ATOMICS);
    /* Half of a ceiling at least. */
    slow = pass;
    slow.p50 = 13e-6;
    vks_pass_shares(&slow, ceilings, VKS_COUNT(ceilings), shares);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_NONE);
    /* A short pass without work. */
    slow = (struct vks_pass_timing){.name = "range", .samples = 1, .p50 = 3e-6};
    vks_pass_shares(&slow, ceilings, VKS_COUNT(ceilings), shares);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_LATENCY);
    /* Without samples or ceilings nothing is known. */
    slow.p50 = 0;
    vks_pass_shares(&slow, ceilings, VKS_COUNT(ceilings), shares);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_NONE);
    vks_pass_shares(&pass, NULL, 0, shares);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_NONE);
}

/* Bytes that move faster than copy and read come from a cache, which memory does not bound. */
static void test_cached(void **state)
{
    (void)state;
    const struct vks_report_ceiling both[] = {{"copy", "B/s", 4e12}, {"read", "B/s", 5e12}};
    struct vks_pass_timing fast = pass;
    double shares[VKS_LIMITS];
    fast.bytes = 4.9e7; /* 4.9 TB/s */
    assert_true(vks_pass_is_cached(&fast, both, 1));
    assert_false(vks_pass_is_cached(&fast, both, 2));
    assert_false(vks_pass_is_cached(&fast, NULL, 0));
    fast.bytes = 5.1e7;
    assert_true(vks_pass_is_cached(&fast, both, 2));
    vks_pass_shares(&fast, both, 2, shares);
    assert_int_equal(vks_pass_bound(shares, true), VKS_LIMIT_CACHE);
    shares[VKS_LIMIT_ARITHMETIC] = 0.7;
    assert_int_equal(vks_pass_bound(shares, true), VKS_LIMIT_ARITHMETIC);
    assert_int_equal(vks_pass_bound(shares, false), VKS_LIMIT_BANDWIDTH);
}

/* Sentences about the longest of some passes in a run of 2 s. */
static void conclude(const struct vks_pass_timing *passes, size_t count, size_t ceiling_count,
                     bool encoded, enum form form)
{
    struct vks_profile profile = {0};
    const struct vks_report report = {
        .model = "physarum",
        .profile = &profile,
        .passes = passes,
        .pass_count = count,
        .ceilings = ceilings,
        .ceiling_count = ceiling_count,
        .step_seconds = 12.34e-6,
        .wall = 2,
        .seconds = 0.5,
        .startup = encoded ? 0.1 : 1.5,
        .gpu_steps = 0.45,
        .encoded = encoded,
        .encoder_busy = 0.1,
        .encoder_waits = 0.4,
    };
    print(&report, form);
}

static void test_conclusions(void **state)
{
    (void)state;
    struct vks_pass_timing passes[] = {pass, pass, pass};
    passes[0].name = "short";
    passes[0].total = 1e-4;
    passes[1].total = 8e-4;
    passes[2].name = "field";
    passes[2].total = 1e-4;
    conclude(passes, 3, VKS_COUNT(ceilings), false, JSON);
    assert_prints(
        "Start-up took 1.5 s of the run's 2 s; a step takes 12.3 \u00b5s of GPU time, and "
        "'agents' takes 80 % of all GPU time, 'short' 10 %");
    assert_prints("\"Memory bandwidth bounds 'agents': it moves 2.4 TB/s, 60 % of what a copy "
                  "reaches.\"");
    assert_prints("\"The GPU idles for 10 % of the loop's 500 ms.\"");
    conclude(passes, 3, VKS_COUNT(ceilings), true, JSON);
    assert_prints("\"A step takes 12.3 \u00b5s of GPU time, and 'agents' takes 80 %");
    assert_prints(
        "\"The GPU idles for 10 % of the loop's 500 ms, the encoder waits for 80 % of it: the GPU "
        "sets the pace.\"");
    conclude(passes, 3, 0, false, JSON);
    assert_prints("\"What bounds 'agents' is unknown: the report has no ceilings.\"");
    passes[1].bytes *= 2; /* 4.8 TB/s */
    conclude(passes, 3, VKS_COUNT(ceilings), false, JSON);
    assert_prints("\"A cache serves 'agents': it moves 4.8 TB/s, 1.2 times what a copy through "
                  "memory reaches, so memory bandwidth does not bound it.\"");
    passes[1].bytes = 0;
    passes[1].operations = 8e6;
    conclude(passes, 3, VKS_COUNT(ceilings), false, JSON);
    assert_prints("\"Arithmetic bounds 'agents': it does 800 Gop/s, 80 % of the additions");
    passes[1].atomics = 2.25e5;
    conclude(passes, 3, VKS_COUNT(ceilings), false, JSON);
    assert_prints("\"Atomic operations bound 'agents': it does 22.5 Gop/s, 90 % of what");
    passes[1].operations = passes[1].atomics = 0;
    conclude(passes, 3, VKS_COUNT(ceilings), false, JSON);
    assert_prints("\"No measured ceiling bounds 'agents', which reaches at most 25 % of one");
    passes[1].p50 = 4e-6;
    conclude(passes, 3, VKS_COUNT(ceilings), false, JSON);
    assert_prints("\"The dispatch itself bounds 'agents': a dispatch with its barrier takes 62.5 % "
                  "of its 4 \u00b5s.\"");
    conclude(passes, 3, VKS_COUNT(ceilings), false, TABLE); /* in lines, and with "us" */
    assert_prints("\nStart-up took 1.5 s of the run's 2 s; a step takes 12.3 us of GPU time, and "
                  "'agents' takes 80 % of all GPU\n  time, 'short' 10 %.\n");
}

/* The phases of the threads side by side with the GPU's; writers in one column. */
static void test_phases(void **state)
{
    (void)state;
    struct vks_thread_profile threads[] = {
        {.name = "main",
         .count = {[VKS_PHASE_SIMULATE] = 3, [VKS_PHASE_WAIT_GPU] = 1},
         .seconds = {[VKS_PHASE_SIMULATE] = 0.5, [VKS_PHASE_WAIT_GPU] = 0.25}},
        {.name = "writer 1",
         .count = {[VKS_PHASE_WRITE] = 1},
         .seconds = {[VKS_PHASE_WRITE] = 0.125}},
        {.name = "writer 2",
         .count = {[VKS_PHASE_WRITE] = 1},
         .seconds = {[VKS_PHASE_WRITE] = 0.125}},
    };
    struct vks_batch_time batch = {
        .step = 128, .steps = 128, .seconds = 0.256, .min = 1e-3, .max = 3e-3, .batches = 2};
    struct vks_profile profile = {.threads = threads, .batches = &batch, .batch_count = 1};
    threads[0].next = &threads[1];
    threads[1].next = &threads[2];
    const struct vks_report report = {
        .model = "physarum", .profile = &profile, .gpu_steps = 1.5, .gpu_frames = 0.0625};
    print(&report, TABLE);
    assert_prints("\nphase                main ms   writer ms      GPU ms\n");
    assert_prints("\nsimulate               500.0           -      1500.0\n");
    assert_prints("\ndraw                       -           -        62.5\n");
    assert_prints("\nwrite                      -       250.0           -\n");
    assert_prints("\ntotal                  750.0       250.0      1562.5\n");
    assert_prints_not("\ndigest");
    print(&report, JSON);
    assert_prints(
        "\"thread\": \"writer 2\",\n      \"name\": \"write\",\n      \"seconds\": 0.125,\n"
        "      \"count\": 1");
    assert_prints("\"step\": 128,\n      \"steps\": 128,\n      \"seconds\": 0.002,");
    assert_prints_not("timeline");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_no_timestamps), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_phases),        cmocka_unit_test(test_cached),
        cmocka_unit_test(test_conclusions),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
