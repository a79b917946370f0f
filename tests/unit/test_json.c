/* SPDX-License-Identifier: MIT */
/* base/json.h: the text of a JSON value is complete, or there is none. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/option_json.h"

/* Calls of realloc() that succeed before one fails. Wrapped by the linker. */
static int calls_left = INT_MAX;
static bool failed;

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_realloc(void *memory, size_t size)
{
    const bool fails = calls_left-- == 0;
    failed = failed || fails;
    return fails ? NULL : __real_realloc(memory, size);
}

/* Keys long enough that the text often grows within one of them. */
static json_t *make_object(void)
{
    json_t *object = json_object();
    char key[400];
    for (int i = 0; i < 40; i++) {
        snprintf(key, sizeof(key), "%0*d", 30 + 9 * i, i);
        assert_int_equal(json_object_set_new(object, key, json_integer(i)), 0);
    }
    return object;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    const size_t flags = JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENSURE_ASCII;
    json_t *object = make_object();
    char *whole = json_dumps(object, flags);
    assert_non_null(whole);
    int failures = 0;
    do {
        failed = false;
        calls_left = failures;
        char *text = vks_json_dump(object, flags);
        calls_left = INT_MAX;
        if (failed) {
            assert_null(text);
            failures++;
        } else {
            assert_string_equal(text, whole);
        }
        free(text);
    } while (failed);
    assert_true(failures > 5);
    free(whole);
    json_decref(object);
}

static void test_any_value(void **state)
{
    (void)state;
    json_t *empty = json_object(), *text = json_string("a\"b");
    char *first = vks_json_dump(empty, 0), *second = vks_json_dump(text, JSON_ENCODE_ANY);
    assert_string_equal(first, "{}");
    assert_string_equal(second, "\"a\\\"b\"");
    assert_null(vks_json_dump(NULL, 0));
    free(first);
    free(second);
    json_decref(empty);
    json_decref(text);
}

struct settings {
    char *text;
};

static const struct vks_option rows[] = {
    {.name = "text", .type = VKS_OPTION_TEXT, .offset = offsetof(struct settings, text)},
};

/* A list of --vary may be long. */
static void test_long_texts(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    struct settings settings = {.text = malloc(LENGTH + 1)};
    json_t *object = json_object();
    memset(settings.text, 'x', LENGTH);
    settings.text[LENGTH] = '\0';
    assert_int_equal(vks_options_to_json((struct vks_option_table){rows, 1}, &settings, object),
                     VKS_OK);
    assert_string_equal(json_string_value(json_object_get(object, "text")), settings.text);
    json_decref(object);
    free(settings.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_any_value),
        cmocka_unit_test(test_long_texts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
