/* SPDX-License-Identifier: MIT */
/* The last failure of a thread: its sentence, its hint, and keeping both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/error.h"

static void test_hint(void **state)
{
    (void)state;
    assert_int_equal(vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_SIZE, "%d is too large", 7),
                     VKS_ERROR_GPU);
    assert_string_equal(vks_error_text(), "7 is too large");
    assert_int_equal(vks_error_hint(), VKS_HINT_SIZE);
    /* A failure without a hint has none, whatever came before it. */
    assert_int_equal(vks_fail(VKS_ERROR_FILE, "'%s' is missing", "a"), VKS_ERROR_FILE);
    assert_int_equal(vks_error_hint(), VKS_HINT_NONE);
    vks_fail(VKS_ERROR_FILE, "state: %s", vks_error_text());
    assert_string_equal(vks_error_text(), "state: 'a' is missing");
}

static void test_kept(void **state)
{
    (void)state;
    char words[3000];
    struct vks_error kept;
    vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW, "no window");
    vks_error_keep(&kept);
    vks_fail(VKS_ERROR_FILE, "the disk is full");
    assert_int_equal(vks_fail_again(VKS_ERROR_DEVICE, &kept), VKS_ERROR_DEVICE);
    assert_string_equal(vks_error_text(), "no window");
    assert_int_equal(vks_error_hint(), VKS_HINT_WINDOW);
    /* A sentence that is too long is cut once, not each time it is kept. */
    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    vks_fail(VKS_ERROR_FILE, "%s", words);
    const size_t length = strlen(vks_error_text());
    assert_true(length > 1500);
    vks_error_keep(&kept);
    vks_fail_again(VKS_ERROR_FILE, &kept);
    assert_int_equal(strlen(vks_error_text()), length);
}

static void *other_thread(void *user)
{
    *(enum vks_hint *)user = vks_error_hint();
    vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_DEVICE, "elsewhere");
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t thread;
    enum vks_hint seen = VKS_HINT_SIZE;
    vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_SIZE, "here");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen, VKS_HINT_NONE);
    assert_string_equal(vks_error_text(), "here");
    assert_int_equal(vks_error_hint(), VKS_HINT_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hint),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
