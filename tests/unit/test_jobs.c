/* SPDX-License-Identifier: MIT */
/* Renderings in the background. Their processes are this program, which plays a vksim. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "ui/jobs.h"

static char folder[256];

/* A path in the folder, valid until the next one. */
static const char *in_folder(const char *name)
{
    static char path[600];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.200s/vksim-jobs-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        (void)remove(in_folder(names[i]));
    }
    return rmdir(folder);
}

/* --- the program that is started ------------------------------------------------------------- */

static void write_part(const char *path)
{
    char part[600];
    snprintf(part, sizeof(part), "%s.part-%ld", path, (long)getpid());
    (void)vks_write_file(part, false, "part", 4);
}

/* "write PATH" copies its scene there, "fail PATH" does not, "stall PATH" never ends. */
static int play(char **words)
{
    char *scene = NULL;
    if (strcmp(words[1], "fail") == 0) {
        fputs("vksim: first\nvksim: no memory\n", stderr);
        return 5;
    }
    if (strcmp(words[1], "stall") == 0) {
        write_part(words[2]);
        fputs("step 3/12  9 steps/s\nloading: 50 %\n", stderr);
        for (;;) {
            pause();
        }
    }
    const bool prepared = vks_progress_is_live() && getpriority(PRIO_PROCESS, 0) > 0 &&
                          getpgrp() == getpid() && fcntl(3, F_GETFD) < 0;
    if (!prepared || vks_read_file(VKS_JOB_SCENE, 1 << 24, &scene, NULL) != VKS_OK) {
        return 1;
    }
    const enum vks_result result = vks_write_file(words[2], false, scene, strlen(scene));
    free(scene);
    return result == VKS_OK ? 0 : 1;
}

/* --- tests ----------------------------------------------------------------------------------- */

static enum vks_result add(struct vks_jobs *jobs, const char *what, const char *name,
                           const char *scene)
{
    struct vks_job job = {.path = vks_strdup(in_folder(name)),
                          .scene = scene ? vks_strdup(scene) : NULL};
    assert_int_equal(vks_job_word(&job, "vksim"), VKS_OK);
    assert_int_equal(vks_job_word(&job, what), VKS_OK);
    assert_int_equal(vks_job_word(&job, job.path), VKS_OK);
    return vks_jobs_add(jobs, &job);
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* Polls until a job has ended. */
static void await(struct vks_jobs *jobs, struct vks_job *ended, const char **why)
{
    for (int i = 0; i < 4000; i++) {
        if (vks_jobs_poll(jobs, ended, why)) {
            return;
        }
        wait_a_little();
    }
    fail_msg("no job has ended");
}

static void test_order(void **state)
{
    (void)state;
    struct vks_jobs jobs = {0};
    struct vks_job ended;
    const char *why;
    char *text, *large = calloc(1, 300001);
    assert_non_null(large);
    memset(large, 'x', 300000); /* more than a pipe holds */
    assert_false(vks_jobs_poll(&jobs, &ended, &why));
    assert_int_equal(add(&jobs, "write", "a", large), VKS_OK);
    assert_int_equal(add(&jobs, "fail", "b", NULL), VKS_OK);
    assert_int_equal(add(&jobs, "write", "c", NULL), VKS_OK);
    await(&jobs, &ended, &why);
    assert_null(why);
    assert_string_equal(ended.path, in_folder("a"));
    vks_job_free(&ended);
    assert_int_equal(vks_read_file(in_folder("a"), 1 << 24, &text, NULL), VKS_OK);
    assert_string_equal(text, large);
    await(&jobs, &ended, &why);
    assert_string_equal(why, "no memory");
    assert_string_equal(ended.path, in_folder("b"));
    vks_job_free(&ended);
    await(&jobs, &ended, &why);
    assert_null(why);
    vks_job_free(&ended);
    assert_int_equal(access(in_folder("c"), F_OK), 0);
    assert_int_equal(jobs.count, 0);
    free(text);
    free(large);
}

static void test_cancel(void **state)
{
    (void)state;
    struct vks_jobs jobs = {0};
    struct vks_job ended;
    const char *why;
    char part[700];
    assert_int_equal(add(&jobs, "stall", "b", NULL), VKS_OK);
    assert_int_equal(add(&jobs, "stall", "c", NULL), VKS_OK);
    for (int i = 0; i < 4000 && jobs.share <= 0; i++) {
        assert_false(vks_jobs_poll(&jobs, &ended, &why));
        wait_a_little();
    }
    assert_float_equal(jobs.share, 0.25, 0);
    const pid_t process = jobs.process;
    snprintf(part, sizeof(part), "%s.part-%ld", in_folder("b"), (long)process);
    assert_int_equal(access(part, F_OK), 0);
    vks_jobs_cancel(&jobs);
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_equal(kill(process, 0), -1);
    assert_int_equal(jobs.count, 1);
    vks_jobs_poll(&jobs, &ended, &why);
    kill(jobs.process, SIGKILL); /* as if memory had run out */
    await(&jobs, &ended, &why);
    assert_non_null(why);
    vks_job_free(&ended);
    assert_int_equal(add(&jobs, "stall", "b", NULL), VKS_OK);
    vks_jobs_poll(&jobs, &ended, &why);
    vks_jobs_end(&jobs);
    assert_int_equal(jobs.count, 0);
    vks_jobs_end(&jobs);
}

static void test_limits(void **state)
{
    (void)state;
    struct vks_jobs jobs = {0};
    char name[16];
    assert_int_equal(add(&jobs, "stall", "0", NULL), VKS_OK);
    assert_int_equal(add(&jobs, "write", "0", NULL), VKS_ERROR_USAGE);
    for (int i = 1; i < VKS_MAX_JOBS; i++) {
        snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(add(&jobs, "stall", name, NULL), VKS_OK);
    }
    assert_int_equal(add(&jobs, "stall", "more", NULL), VKS_ERROR_USAGE);
    assert_int_equal(jobs.count, VKS_MAX_JOBS);
    vks_jobs_end(&jobs);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        return play(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
