/* SPDX-License-Identifier: MIT */
/* The last failure of a thread: its message, its other members, and keeping it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/error.h"
#include "base/log.h"

static void test_hint(void **state)
{
    (void)state;
    assert_int_equal(vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_SIZE, "%d is too large", 7),
                     VKS_ERROR_GPU);
    assert_string_equal(vks_error_text(), "7 is too large");
    assert_int_equal(vks_error_last()->hint, VKS_HINT_SIZE);
    /* A failure without a hint has none, whatever came before it. */
    assert_int_equal(vks_fail(VKS_ERROR_FILE, "'%s' is missing", "a"), VKS_ERROR_FILE);
    assert_int_equal(vks_error_last()->hint, VKS_HINT_NONE);
    vks_fail(VKS_ERROR_FILE, "state: %s", vks_error_text());
    assert_string_equal(vks_error_text(), "state: 'a' is missing");
}

static void test_members(void **state)
{
    (void)state;
    assert_int_equal(vks_fail_option(VKS_ERROR_USAGE, "seed", "'%s' is not a number", "x"),
                     VKS_ERROR_USAGE);
    assert_string_equal(vks_error_text(), "seed 'x' is not a number");
    assert_string_equal(vks_error_last()->option, "seed");
    assert_string_equal(vks_error_last()->file, "");
    assert_int_equal(vks_error_last()->result, VKS_ERROR_USAGE);
    vks_fail(VKS_ERROR_FILE, "cannot read 'a'");
    assert_string_equal(vks_error_last()->option, "");
    vks_fail_option(VKS_ERROR_FILE, "background", ": %s", vks_error_text());
    assert_int_equal(vks_fail_file(VKS_ERROR_FILE, "a"), VKS_ERROR_FILE);
    assert_int_equal(vks_fail_file(VKS_OK, "b"), VKS_OK);
    assert_int_equal(vks_fail_more(VKS_ERROR_FILE, " (of '%s')", "c"), VKS_ERROR_FILE);
    assert_string_equal(vks_error_text(), "background: cannot read 'a' (of 'c')");
    assert_string_equal(vks_error_last()->option, "background");
    assert_string_equal(vks_error_last()->file, "a");
}

static void test_kept(void **state)
{
    (void)state;
    char words[3000];
    struct vks_error kept;
    vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW, "no window");
    vks_error_keep(VKS_ERROR_DEVICE, &kept);
    vks_fail(VKS_ERROR_FILE, "the disk is full");
    assert_int_equal(vks_fail_again(&kept), VKS_ERROR_DEVICE);
    assert_string_equal(vks_error_text(), "no window");
    assert_int_equal(vks_error_last()->hint, VKS_HINT_WINDOW);
    /* A sentence that is too long is cut once, not each time it is kept. */
    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    vks_fail(VKS_ERROR_FILE, "%s", words);
    const size_t length = strlen(vks_error_text());
    assert_true(length > 1500);
    vks_error_keep(VKS_ERROR_FILE, &kept);
    vks_fail_again(&kept);
    assert_int_equal(strlen(vks_error_text()), length);
}

static void *other_thread(void *user)
{
    *(enum vks_hint *)user = vks_error_last()->hint;
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
    assert_int_equal(vks_error_last()->hint, VKS_HINT_SIZE);
}

static void test_escape(void **state)
{
    (void)state;
    static const struct {
        const char *text, *safe;
    } rows[] = {
        {"plain 'text' with \\ and \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9a",
         "plain 'text' with \\ and \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9a"},
        {"\x1b[2J\a\t\r\n\x7f", "\\x1b[2J\\x07\\x09\\x0d\\n\\x7f"},
        {"\xc2\x9b"
         "2J",
         "\\u{9b}2J"},
        {"\xc2\xa0|\xe2\x80\xae|\xe2\x81\xa9", "\xc2\xa0|\\u{202e}|\\u{2069}"},
        /* Not UTF-8: a lone continuation, a long form of '/', a surrogate, cut characters. */
        {"\x9b|\xc0\xaf|\xed\xa0\x80|\xe2\x82|\xff",
         "\\x9b|\\xc0\\xaf|\\xed\\xa0\\x80|\\xe2\\x82|\\xff"},
        {"\xf0\x9f\x90", "\\xf0\\x9f\\x90"},
    };
    char safe[256], small[8];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(vks_escape(rows[i].text, safe, sizeof(safe)), rows[i].safe);
        assert_string_equal(vks_escape(rows[i].safe, safe, sizeof(safe)), rows[i].safe);
        vks_fail(VKS_ERROR_FILE, "'%s'", rows[i].text);
        vks_fail(VKS_ERROR_FILE, "again %s", vks_error_text());
        char expected[300];
        snprintf(expected, sizeof(expected), "again '%s'", rows[i].safe);
        assert_string_equal(vks_error_text(), expected);
    }
    /* Cut between characters and escapes. */
    assert_string_equal(vks_escape("abcd\x1b", small, sizeof(small)), "abcd");
    assert_string_equal(vks_escape("abcdef\xc3\xa9", small, sizeof(small)), "abcdef");
    assert_string_equal(vks_escape("abc\x1b", small, sizeof(small)), "abc\\x1b");
}

static void test_excerpt(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t place;
        const char *excerpt;
        int column;
    } rows[] = {
        {"u + w", 4, "u + w", 4},
        {"", 0, "", 0},
        {"a\n\xc3\xa9 + w\x1b", 7, "a\\n\xc3\xa9 + w\\x1b", 7},
        {"0123456789012345678901234567890123456789w", 40,
         "0123456789012345678901234567890123456789w", 40},
        {"\xc3\xa9"
         "0123456789012345678901234567890123456789w0123456789012345678901234567890123456789",
         41, "...0123456789012345678901234567890123456789w012345678901234567890123456789012...",
         42},
    };
    struct vks_error error;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        vks_fail(VKS_ERROR_USAGE, "wrong");
        assert_int_equal(vks_fail_at(VKS_ERROR_USAGE, rows[i].text, rows[i].place),
                         VKS_ERROR_USAGE);
        vks_error_keep(VKS_ERROR_USAGE, &error);
        vks_fail_reworded(&error, "'a.json': %s", error.text);
        assert_string_equal(vks_error_text(), "'a.json': wrong");
        assert_string_equal(vks_error_last()->excerpt, rows[i].excerpt);
        assert_int_equal(vks_error_last()->column, rows[i].column);
        vks_fail(VKS_ERROR_USAGE, "another");
        assert_string_equal(vks_error_last()->excerpt, "");
    }
}

static void keep_text(void *user, enum vks_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 100, "%s", text);
}

static void test_messages(void **state)
{
    (void)state;
    char text[100];
    vks_message_to(VKS_LOG_INFO, keep_text, text);
    vks_message(VKS_LOG_INFO, "wrote %s", "a\x1b[1m.png");
    vks_message_to(VKS_LOG_INFO, NULL, NULL);
    assert_string_equal(text, "wrote a\\x1b[1m.png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hint),    cmocka_unit_test(test_members),
        cmocka_unit_test(test_kept),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_escape),  cmocka_unit_test(test_messages),
        cmocka_unit_test(test_excerpt),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
