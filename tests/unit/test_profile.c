/* SPDX-License-Identifier: MIT */
/* Phases of threads, traces and clocks, without a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/profile.h"
#include "report/trace.h"

static void pass_time(double seconds)
{
    const double end = vks_seconds() + seconds;
    while (vks_seconds() < end) {
    }
}

static double total(const struct vks_thread_profile *thread)
{
    double sum = 0;
    for (int i = 0; i < VKS_PHASES; i++) {
        sum += thread->seconds[i];
    }
    return sum;
}

/* Time counts for the innermost phase only, and all phases add up to the time since the start. */
static void test_nested(void **state)
{
    (void)state;
    const double begin = vks_seconds();
    struct vks_profile *profile = vks_profile_create(begin);
    vks_phase_begin(VKS_PHASE_SIMULATE);
    pass_time(0.02);
    vks_phase_begin(VKS_PHASE_WAIT_GPU);
    pass_time(0.03);
    vks_phase_end();
    vks_phase_end();
    vks_phase_end(); /* one too many: the thread stays in OTHER */
    vks_phase_update();
    const double elapsed = vks_seconds() - begin;
    const struct vks_thread_profile *thread = profile->threads;
    assert_string_equal(thread->name, "main");
    assert_true(thread->seconds[VKS_PHASE_SIMULATE] >= 0.02);
    assert_true(thread->seconds[VKS_PHASE_WAIT_GPU] >= 0.03);
    assert_true(thread->seconds[VKS_PHASE_SIMULATE] <= elapsed - 0.03);
    assert_true(fabs(total(thread) - elapsed) < 1e-3);
    assert_int_equal(thread->count[VKS_PHASE_WAIT_GPU], 1);
    assert_int_equal(thread->span_count, 0); /* nothing is traced */
    vks_profile_destroy(profile);
}

/* More phases within each other than are kept change nothing but the detail. */
static void test_deep(void **state)
{
    (void)state;
    struct vks_profile *profile = vks_profile_create(vks_seconds());
    for (int i = 0; i < 100; i++) {
        vks_phase_begin(VKS_PHASE_DRAW);
    }
    for (int i = 0; i < 100; i++) {
        vks_phase_end();
    }
    vks_phase_begin(VKS_PHASE_WRITE);
    pass_time(0.01);
    vks_phase_end();
    assert_true(profile->threads->seconds[VKS_PHASE_WRITE] >= 0.01);
    assert_true(profile->threads->seconds[VKS_PHASE_DRAW] < 0.01);
    vks_profile_destroy(profile);
}

static void *work(void *user)
{
    vks_profile_attach(user, "encoder");
    vks_phase_begin(VKS_PHASE_ENCODE);
    vks_phase_frame(7);
    vks_phase_submission(5);
    pass_time(0.01);
    vks_phase_end();
    vks_profile_detach();
    return NULL;
}

/* Threads that are not attached record nothing. */
static void test_detached(void **state)
{
    uint64_t left;
    (void)state;
    assert_null(vks_profile_current());
    vks_phase_begin(VKS_PHASE_DRAW);
    vks_phase_step(1);
    vks_phase_end();
    vks_phase_end();
    vks_profile_batch(1, 1, 1);
    vks_profile_sample(VKS_COUNTER_MEMORY, 1);
    vks_profile_slice(&(struct vks_slice){.name = "agents"});
    assert_false(vks_profile_enter_step(0, &left));
    assert_true(left == UINT64_MAX);
    assert_false(vks_profile_traces());
    work(NULL);
}

/* The steps that are traced, and where batches must end. */
static void test_range(void **state)
{
    (void)state;
    struct vks_profile *profile = vks_profile_create(vks_seconds());
    uint64_t left;
    assert_false(vks_profile_enter_step(0, &left));
    assert_true(left == UINT64_MAX && !vks_profile_will_trace());
    vks_profile_trace(profile, 10, 20, false);
    assert_true(vks_profile_will_trace() && !vks_profile_traces());
    assert_false(vks_profile_enter_step(4, &left));
    assert_int_equal(left, 6);
    assert_true(vks_profile_enter_step(10, &left));
    assert_int_equal(left, 10);
    assert_true(vks_profile_traces());
    assert_true(vks_profile_enter_step(19, &left));
    assert_int_equal(left, 1);
    assert_false(vks_profile_enter_step(20, &left));
    assert_true(left == UINT64_MAX && !vks_profile_traces());
    vks_profile_destroy(profile);
}

/* Batch times are merged once there are many, and lose neither steps nor time nor extremes. */
static void test_batches(void **state)
{
    (void)state;
    struct vks_profile *profile = vks_profile_create(vks_seconds());
    const uint64_t count = 5003;
    for (uint64_t i = 0; i < count; i++) {
        vks_profile_batch(16 * (i + 1), 16, i == 4000 ? 1.6 : i == 4001 ? 0.0016 : 0.16);
    }
    assert_true(profile->batch_count <= VKS_MAX_BATCH_TIMES);
    assert_true(profile->batch_count >= VKS_MAX_BATCH_TIMES / 2);
    uint64_t steps = 0;
    double seconds = 0, most = 0, least = 1;
    for (size_t i = 0; i < profile->batch_count; i++) {
        const struct vks_batch_time *time = &profile->batches[i];
        steps += time->steps;
        seconds += time->seconds;
        most = time->max > most ? time->max : most;
        least = time->min < least ? time->min : least;
        assert_int_equal(time->step, steps);
    }
    assert_int_equal(steps, 16 * count);
    const struct vks_batch_time last = profile->batches[profile->batch_count - 1];
    vks_phase_begin(VKS_PHASE_TUNE); /* batches to tune are not the run's */
    vks_phase_begin(VKS_PHASE_SIMULATE);
    vks_profile_batch(1, 1, 1);
    vks_phase_end();
    vks_phase_end();
    assert_memory_equal(&last, &profile->batches[profile->batch_count - 1], sizeof(last));
    assert_true(fabs(seconds - (0.16 * (double)(count - 2) + 1.6016)) < 1e-6);
    assert_true(fabs(most - 0.1) < 1e-12 && fabs(least - 0.0001) < 1e-12);
    vks_profile_destroy(profile);
}

/* Ticks become host time on the line through both readings, across wrap-arounds. */
static void test_clocks(void **state)
{
    (void)state;
    struct vks_profile *profile = vks_profile_create(0);
    vks_profile_clocks(&(struct vks_clock_pair){.host = 100, .ticks = 5000000000});
    const uint64_t all = UINT64_MAX;
    double time = vks_profile_host_time(profile, 6000000000, all, 1e-9, 0);
    assert_true(fabs(time - 101) < 1e-9);
    time = vks_profile_host_time(profile, 4000000000, all, 1e-9, 0);
    assert_true(fabs(time - 99) < 1e-9);
    /* A clock that is 50 ppm fast. */
    vks_profile_clocks(&(struct vks_clock_pair){.host = 200, .ticks = 105005000000});
    time = vks_profile_host_time(profile, 55002500000, all, 1e-9, 0);
    assert_true(fabs(time - 150) < 1e-9);
    /* Readings that disagree with the period are not used. */
    vks_profile_clocks(&(struct vks_clock_pair){.host = 200, .ticks = 5000000001});
    time = vks_profile_host_time(profile, 6000000000, all, 1e-9, 0);
    assert_true(fabs(time - 101) < 1e-9);
    vks_profile_destroy(profile);

    /* 32 bits of 1 ns wrap around after 4.29 s. */
    const uint64_t mask = UINT32_MAX;
    profile = vks_profile_create(0);
    vks_profile_clocks(&(struct vks_clock_pair){.host = 100, .ticks = 4294967000});
    time = vks_profile_host_time(profile, 704, mask, 1e-9, 100);
    assert_true(fabs(time - 100.000001) < 1e-9);
    time = vks_profile_host_time(profile, 704, mask, 1e-9, 103); /* read late */
    assert_true(fabs(time - 100.000001) < 1e-9);
    time = vks_profile_host_time(profile, 704, mask, 1e-9, 117);
    assert_true(fabs(time - (100.000001 + 4 * 4.294967296)) < 1e-9);
    vks_profile_destroy(profile);
}

/* --- traces ---------------------------------------------------------------------------------- */

static char *text;

/* The trace of a profile as JSON, to be released. */
static json_t *trace_of(struct vks_profile *profile, uint64_t mask)
{
    const struct vks_report report = {.model = "a \"b\"",
                                      .device = {.name = "G\\PU"},
                                      .timestamp_period = 1e-9,
                                      .timestamp_mask = mask,
                                      .profile = profile};
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(vks_trace_write(file, &report), VKS_OK);
    fclose(file);
    json_t *root = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(root);
    return root;
}

/* The number of events of that kind, and the last of them. */
static size_t find(const json_t *root, const char *kind, const char *name, const json_t **event)
{
    const json_t *events = json_object_get(root, "traceEvents");
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *each = json_array_get(events, i);
        if (strcmp(json_string_value(json_object_get(each, "ph")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(each, "name")), name) == 0) {
            *event = each;
            found++;
        }
    }
    return found;
}

static double number(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static void test_trace(void **state)
{
    (void)state;
    struct vks_profile *profile = vks_profile_create(vks_seconds());
    const json_t *event = NULL;
    uint64_t left;
    vks_profile_trace(profile, 0, UINT64_MAX, true);
    assert_true(vks_profile_enter_step(0, &left));
    vks_phase_begin(VKS_PHASE_SIMULATE);
    vks_phase_step(3);
    vks_phase_begin(VKS_PHASE_SUBMIT);
    vks_phase_submission(5);
    vks_phase_end();
    vks_phase_end();
    vks_profile_sample(VKS_COUNTER_RING, 2);
    const double now = vks_seconds();
    vks_profile_clocks(&(struct vks_clock_pair){.host = now, .ticks = 1000, .estimated = true});
    vks_profile_slice(&(struct vks_slice){VKS_SLICE_COPY, "copy", 4000, 5000, 4, 7, 5, now});
    vks_profile_slice(
        &(struct vks_slice){VKS_SLICE_PASS, "agents", 2000, 3000, 4, VKS_NO_NUMBER, 5, now});
    vks_profile_slice(
        &(struct vks_slice){VKS_SLICE_BATCH, "1 step", 2000, 3500, 4, VKS_NO_NUMBER, 5, now});
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, profile), 0);
    pthread_join(thread, NULL);
    json_t *root = trace_of(profile, UINT64_MAX);

    assert_int_equal(find(root, "X", "agents", &event), 1);
    const double agents = number(event, "ts");
    assert_true(fabs(agents - ((now - profile->begin) * 1e6 + 1)) < 2e-3);
    assert_true(fabs(number(event, "dur") - 0.998) < 1e-3);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(event, "args"), "step")),
                     4);
    assert_int_equal(find(root, "X", "submit", &event), 1);
    const double submit = number(event, "ts");
    assert_int_equal(find(root, "s", "submit", &event), 1);
    assert_true(fabs(number(event, "ts") - submit) < 2e-3);
    assert_int_equal(find(root, "f", "submit", &event), 1);
    assert_true(fabs(number(event, "ts") - agents) < 2e-3);
    assert_int_equal(find(root, "X", "encode", &event), 1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(event, "args"), "frame")),
                     7);
    assert_int_equal(find(root, "s", "frame", &event), 1);
    assert_int_equal(find(root, "f", "frame", &event), 1);
    assert_int_equal(find(root, "C", "frames in the ring", &event), 1);
    const json_t *data = json_object_get(root, "otherData");
    assert_string_equal(json_string_value(json_object_get(data, "simulation")), "a \"b\"");
    assert_non_null(strstr(json_string_value(json_object_get(data, "gpu_clock")), "estimated"));
    assert_null(json_object_get(data, "cut"));
    json_decref(root);
    vks_profile_destroy(profile);
}

/* A trace stops at its limit and says so. */
static void test_limit(void **state)
{
    (void)state;
    struct vks_profile *profile = vks_profile_create(vks_seconds());
    vks_profile_trace(profile, 0, UINT64_MAX, true);
    for (int i = 0; i < VKS_MAX_TRACE + 10; i++) {
        vks_profile_sample(VKS_COUNTER_QUEUE, i);
    }
    assert_int_equal(profile->sample_count, VKS_MAX_TRACE);
    assert_true(profile->cut);
    profile->sample_count = 1; /* to be quick */
    json_t *root = trace_of(profile, UINT64_MAX);
    const json_t *data = json_object_get(root, "otherData");
    assert_non_null(json_object_get(data, "cut"));
    assert_non_null(strstr(json_string_value(json_object_get(data, "gpu_clock")), "none"));
    json_decref(root);
    vks_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),   cmocka_unit_test(test_deep),
        cmocka_unit_test(test_detached), cmocka_unit_test(test_range),
        cmocka_unit_test(test_batches),  cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_trace),    cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
