/* SPDX-License-Identifier: MIT */
/* Templates of HTML pages: slots and parts. tests/cli and tests/report test the pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "report/html_internal.h"

static enum vks_result put(FILE *out, const void *user, const char *slot)
{
    (void)user;
    if (strcmp(slot, "title") != 0) {
        return vks_html_unknown(slot);
    }
    vks_html_text(out, "<a>");
    return VKS_OK;
}

static enum vks_result part(const void *user, const char *name, bool *has)
{
    *has = *(const bool *)user;
    return strcmp(name, "several") == 0 ? VKS_OK : vks_html_unknown(name);
}

/* The page that is written, to be freed. */
static char *fill(const struct vks_page_piece *pieces, vks_html_part_fn *parts, bool has,
                  enum vks_result expected)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(vks_html_fill(out, pieces, put, parts, &has), expected);
    fclose(out);
    return text;
}

static void test_filled(void **state)
{
    (void)state;
    static const struct vks_page_piece pieces[] = {
        {VKS_PAGE_TEXT, "1"}, {VKS_PAGE_SLOT, "title"}, {VKS_PAGE_IF, "several"},
        {VKS_PAGE_TEXT, "2"}, {VKS_PAGE_SLOT, "title"}, {VKS_PAGE_FI, "several"},
        {VKS_PAGE_TEXT, "3"}, {VKS_PAGE_END, NULL},
    };
    for (int has = 0; has < 2; has++) {
        char *text = fill(pieces, part, has, VKS_OK);
        assert_string_equal(text, has ? "1&lt;a&gt;2&lt;a&gt;3" : "1&lt;a&gt;3");
        free(text);
    }
}

/* A slot or part that a page does not know is an error, not another slot. */
static void test_unknown(void **state)
{
    (void)state;
    static const struct vks_page_piece slot[] = {{VKS_PAGE_SLOT, "titel"}, {VKS_PAGE_END, NULL}};
    static const struct vks_page_piece optional[] = {
        {VKS_PAGE_IF, "severel"}, {VKS_PAGE_FI, "severel"}, {VKS_PAGE_END, NULL}};
    free(fill(slot, part, true, VKS_ERROR_INTERNAL));
    assert_string_equal(vks_error_text(), "the template of the page has an unknown slot 'titel'");
    free(fill(optional, part, true, VKS_ERROR_INTERNAL));
    free(fill(optional, part, false, VKS_ERROR_INTERNAL));
    free(fill(optional, NULL, false, VKS_ERROR_INTERNAL)); /* a page without parts */
    assert_string_equal(vks_error_text(), "the template of the page has an unknown slot 'severel'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filled),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
