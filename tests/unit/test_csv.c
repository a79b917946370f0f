/* SPDX-License-Identifier: MIT */
/* Tables of texts: quotes, ends of lines, rows that are being written, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "runs/csv.h"

static char folder[] = "/tmp/vksim-csv-XXXXXX", path[sizeof(folder) + 16];

static enum vks_result read_text(const char *text, bool appended, struct vks_csv *csv)
{
    assert_int_equal(vks_write_file(path, true, text, strlen(text)), VKS_OK);
    return vks_csv_read(path, appended, csv);
}

/* All cells, each with a bar after it, and each row with a slash. */
static void expect(const char *text, bool appended, const char *cells)
{
    struct vks_csv csv;
    char all[256] = "";
    if (read_text(text, appended, &csv) != VKS_OK) {
        fail_msg("%s: %s", text, vks_error_text());
    }
    for (size_t row = 0; row < csv.rows; row++) {
        for (size_t column = 0; column < csv.columns; column++) {
            strcat(strcat(all, vks_csv_cell(&csv, row, column)), "|");
        }
        strcat(all, "/");
    }
    assert_string_equal(all, cells);
    vks_csv_free(&csv);
}

static void test_cells(void **state)
{
    (void)state;
    expect("a,b\n1,2\n", false, "a|b|/1|2|/");
    expect("a,b\r\n1,2\r\n", false, "a|b|/1|2|/");
    expect("a\n\n1\n\r\n2", false, "a|/1|/2|/");
    expect("\xef\xbb\xbf"
           "a,b\n,\n",
           false, "a|b|/||/");
    expect("\"a,b\",\"c\"\"d\"\r\n\"\",\"1\n2\"\r\n", false, "a,b|c\"d|/|1\n2|/");
    expect("a b, c\n\"x\"y,\"\"\"\"\n", false, "a b| c|/xy|\"|/");
    expect("", false, "");
    expect("a,b\n1,2\n3", true, "a|b|/1|2|/");
    expect("a,b", true, "");
}

static void test_columns(void **state)
{
    (void)state;
    struct vks_csv csv;
    assert_int_equal(read_text("feed,kill\n1,2\n", false, &csv), VKS_OK);
    assert_int_equal(vks_csv_column(&csv, "kill"), 1);
    assert_int_equal(vks_csv_column(&csv, "fee"), csv.columns);
    vks_csv_free(&csv);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"a,b\n1\n", "row 1: it has 1 fields, and the header has 2"},
        {"a\n1\n2,3\n", "row 2: it has 2 fields"},
        {"a\n\"1\n", "row 1: a quote is not closed"},
        {"\"", "row 0: a quote is not closed"},
    };
    struct vks_csv csv;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_text(cases[i].text, false, &csv), VKS_ERROR_FILE);
        assert_non_null(strstr(vks_error_text(), cases[i].words));
        vks_csv_free(&csv);
    }
    assert_int_equal(vks_write_file(path, true, "a\0b\n", 4), VKS_OK);
    assert_int_equal(vks_csv_read(path, false, &csv), VKS_ERROR_FILE);
    vks_csv_free(&csv);
    assert_int_equal(vks_csv_read("/tmp/vksim-csv-XXXXXX", false, &csv), VKS_ERROR_FILE);
    vks_csv_free(&csv);
}

/* What is written is read back. */
static void test_put(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "a b", "a,b", "\"", "a\"\"b", "1\n2", "x\ry"};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("h\n", out);
    for (size_t i = 1; i < sizeof(texts) / sizeof(texts[0]); i++) {
        vks_csv_put(out, texts[i]);
        fputc('\n', out);
    }
    assert_int_equal(fclose(out), 0);
    struct vks_csv csv;
    assert_int_equal(read_text(text, false, &csv), VKS_OK);
    for (size_t i = 1; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_string_equal(vks_csv_cell(&csv, i, 0), texts[i]);
    }
    vks_csv_free(&csv);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_put),
    };
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(path, sizeof(path), "%s/t.csv", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
