/* SPDX-License-Identifier: MIT */
/* The memory line of --timings; tests/cli tests the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

static char text[8192];

/* Prints the report into `text`. */
static void print(const struct vks_report *report, bool json)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    if (json) {
        assert_int_equal(vks_report_json(file, report), VKS_OK);
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

static void test_memory(void **state)
{
    (void)state;
    struct vks_report report = {
        .model = "physarum",
        .device = {.memory = UINT64_C(139) << 30},
        .allocated = UINT64_C(1288490189),
        .free = UINT64_C(130) << 30,
        .free_known = true,
    };
    print(&report, false);
    assert_prints("\nmemory: 1.2 GiB allocated, 130 GiB of 139 GiB free\n");
    print(&report, true);
    assert_prints("\"allocated_bytes\": 1288490189,");
    assert_prints("\"free_bytes\": 139586437120");
    report.free_known = false;
    print(&report, false);
    assert_prints("\nmemory: 1.2 GiB allocated of 139 GiB\n");
    print(&report, true);
    assert_prints("\"allocated_bytes\": 1288490189,");
    assert_null(strstr(text, "free_bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
