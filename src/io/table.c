/* SPDX-License-Identifier: MIT */
#include "io/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/task.h"
#include "io/npy.h"

/* A table that is being read. */
struct table {
    const char *path;
    FILE *file;
    uint64_t bytes; /* of the file */
    uint32_t min_columns, max_columns;
    uint32_t columns; /* of every row; 0: not known yet */
    uint64_t rows;    /* read so far */
    enum vks_result (*row)(void *user, uint64_t number, const double *values, uint32_t count);
    void *user;
};

static enum vks_result fail_table(const struct table *table, const char *what)
{
    return vks_fail(VKS_ERROR_FILE, "'%s': %s", table->path, what);
}

static enum vks_result fail_read(const struct table *table)
{
    return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", table->path, vks_errno_text(errno));
}

static enum vks_result check_columns(const struct table *table, uint64_t columns, const char *where)
{
    if (columns >= table->min_columns && columns <= table->max_columns) {
        return VKS_OK;
    }
    return vks_fail(VKS_ERROR_FILE, "'%s': %s%" PRIu64 " columns; it needs %" PRIu32 " to %" PRIu32,
                    table->path, where, columns, table->min_columns, table->max_columns);
}

/* --- .csv ------------------------------------------------------------------------------------ */

enum { MAX_LINE = 1 << 16 };

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n\v\f");
}

/* The end of a field's text. */
static const char *end_of_field(const char *text)
{
    return text + strcspn(text, ", \t\r\n\v\f");
}

/* Where the next field begins: after blanks and at most one comma. */
static const char *next_field(const char *text)
{
    text = skip_blanks(text);
    return *text == ',' ? skip_blanks(text + 1) : text;
}

/* Whether no field of the line is a number. */
static bool is_header(const char *line)
{
    bool any = false;
    for (const char *at = skip_blanks(line); *at && !any; at = next_field(end_of_field(at))) {
        const char *end;
        (void)vks_parse_real(at, &end);
        any = end != at && end == end_of_field(at);
    }
    return !any;
}

static enum vks_result fail_field(const struct table *table, uint64_t line, uint32_t column,
                                  const char *text)
{
    const int length = (int)(end_of_field(text) - text);
    return vks_fail(VKS_ERROR_FILE,
                    "'%s': row %" PRIu64 " (line %" PRIu64 "): '%.*s' in column %u "
                    "is not a finite number",
                    table->path, table->rows + 1, line, length < 40 ? length : 40, text,
                    (unsigned)column + 1);
}

static enum vks_result read_line(struct table *table, uint64_t line, const char *text)
{
    double values[VKS_TABLE_COLUMNS];
    uint32_t count = 0;
    char where[80];
    for (const char *at = text; *at; at = next_field(end_of_field(at))) {
        const char *end;
        const double value = vks_parse_real(at, &end);
        if (end == at || end != end_of_field(at) || !isfinite(value)) {
            return fail_field(table, line, count, at);
        }
        if (count < VKS_TABLE_COLUMNS) {
            values[count] = value;
        }
        count++;
    }
    snprintf(where, sizeof(where), "row %" PRIu64 " (line %" PRIu64 ") has ", table->rows + 1,
             line);
    if (table->columns == 0) {
        const enum vks_result result = check_columns(table, count, where);
        if (result != VKS_OK) {
            return result;
        }
        table->columns = count;
    }
    if (count != table->columns) {
        return vks_fail(VKS_ERROR_FILE, "'%s': %s%u columns, and the rows before it have %u",
                        table->path, where, (unsigned)count, (unsigned)table->columns);
    }
    table->rows++;
    return table->row(table->user, table->rows, values, count);
}

static enum vks_result read_csv(struct table *table)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    char *text = malloc(MAX_LINE);
    enum vks_result result = text ? VKS_OK : vks_fail_memory();
    bool first = true; /* no row and no header yet */
    for (uint64_t line = 1; result == VKS_OK && fgets(text, MAX_LINE, table->file); line++) {
        const size_t length = strlen(text);
        const char *at = text;
        const bool whole = length > 0 && (text[length - 1] == '\n' || feof(table->file));
        if (!whole) {
            result = vks_fail(VKS_ERROR_FILE, "'%s': line %" PRIu64 " %s", table->path, line,
                              length + 1 == MAX_LINE ? "is longer than 65534 bytes"
                                                     : "contains a byte that is not text");
            break;
        }
        if (line == 1 && strncmp(at, mark, strlen(mark)) == 0) {
            at += strlen(mark);
        }
        at = skip_blanks(at);
        if (*at && *at != '#') {
            result = first && is_header(at) ? VKS_OK : read_line(table, line, at);
            first = false;
        }
        if (result == VKS_OK) {
            result = vks_task_advance(length);
        }
    }
    free(text);
    return result == VKS_OK && ferror(table->file) ? fail_read(table) : result;
}

/* --- .npy ------------------------------------------------------------------------------------ */

/* The element of a piece as a number; NaN if it is not finite. */
static double number_of(const struct vks_npy *array, const void *data, uint64_t index)
{
    enum { EXPONENT = 0x7c00 };
    if (array->kind == 'f' && array->item_bytes == 2 &&
        (((const uint16_t *)data)[index] & EXPONENT) == EXPONENT) {
        return NAN;
    }
    return vks_array_number(data, array->kind, array->item_bytes, index);
}

static enum vks_result read_at(const struct table *table, uint64_t offset, void *data, size_t size)
{
    if (fseeko(table->file, (off_t)offset, SEEK_SET) != 0) {
        return fail_read(table);
    }
    errno = 0;
    if (fread(data, 1, size, table->file) != size) {
        return ferror(table->file) ? fail_read(table)
                                   : fail_table(table, "it ends before all of its rows were read");
    }
    return VKS_OK;
}

/* Calls the function for the rows of a piece. In Fortran order, its columns follow each other. */
static enum vks_result take_rows(struct table *table, const struct vks_npy *array, const void *data,
                                 uint64_t rows, bool fortran)
{
    enum vks_result result = VKS_OK;
    for (uint64_t i = 0; result == VKS_OK && i < rows; i++) {
        double values[VKS_TABLE_COLUMNS];
        for (uint32_t c = 0; result == VKS_OK && c < table->columns; c++) {
            values[c] = number_of(array, data, fortran ? c * rows + i : i * table->columns + c);
            if (!isfinite(values[c])) {
                result = vks_fail(VKS_ERROR_FILE,
                                  "'%s': row %" PRIu64 ": column %u is not a finite number",
                                  table->path, table->rows + 1, (unsigned)c + 1);
            }
        }
        table->rows++;
        result = result == VKS_OK ? table->row(table->user, table->rows, values, table->columns)
                                  : result;
    }
    return result;
}

static enum vks_result read_elements(struct table *table, const struct vks_npy *array, bool fortran,
                                     uint64_t offset)
{
    enum { PIECE = 1 << 14 }; /* rows */
    const uint64_t row_bytes = (uint64_t)table->columns * array->item_bytes;
    void *data = malloc(PIECE * row_bytes);
    enum vks_result result = data ? VKS_OK : vks_fail_memory();
    for (uint64_t row = 0; result == VKS_OK && row < array->shape[0]; row += PIECE) {
        const uint64_t rows = array->shape[0] - row < PIECE ? array->shape[0] - row : PIECE;
        const uint64_t column = rows * array->item_bytes;
        if (!fortran) {
            result = read_at(table, offset + row * row_bytes, data, rows * row_bytes);
        }
        for (uint32_t c = 0; fortran && result == VKS_OK && c < table->columns; c++) {
            result = read_at(table, offset + (c * array->shape[0] + row) * array->item_bytes,
                             (char *)data + c * column, column);
        }
        result = result == VKS_OK ? take_rows(table, array, data, rows, fortran) : result;
        result = result == VKS_OK ? vks_task_advance(rows * row_bytes) : result;
    }
    free(data);
    return result;
}

static enum vks_result read_npy(struct table *table)
{
    uint8_t *header = malloc(VKS_NPY_MAX_HEADER);
    struct vks_npy array = {0};
    bool fortran;
    size_t offset;
    if (!header) {
        return vks_fail_memory();
    }
    const size_t got = fread(header, 1, VKS_NPY_MAX_HEADER, table->file);
    enum vks_result result = ferror(table->file) ? fail_read(table) : VKS_OK;
    if (result == VKS_OK) {
        const struct vks_npy_place place = {table->path, "table"};
        result = vks_npy_parse(header, got, place, &array, &fortran, &offset);
    }
    free(header);
    if (result == VKS_OK && array.rank != 2) {
        result = vks_fail(VKS_ERROR_FILE,
                          "'%s': its array has %u dimensions; it needs the shape (rows, columns)",
                          table->path, (unsigned)array.rank);
    }
    if (result == VKS_OK) {
        result = check_columns(table, array.shape[1], "its array has ");
    }
    if (result == VKS_OK && (table->bytes < offset || table->bytes - offset != array.bytes)) {
        result = fail_table(table, "its length does not match its header");
    }
    if (result != VKS_OK) {
        return result;
    }
    table->columns = (uint32_t)array.shape[1];
    return read_elements(table, &array, fortran, offset);
}

enum vks_result vks_table_read(const char *path, uint32_t min_columns, uint32_t max_columns,
                               enum vks_result (*row)(void *user, uint64_t number,
                                                      const double *values, uint32_t count),
                               void *user)
{
    struct table table = {.path = path,
                          .min_columns = min_columns,
                          .max_columns = max_columns,
                          .row = row,
                          .user = user};
    struct stat stat;
    const bool csv = vks_has_extension(path, ".csv");
    if (!csv && !vks_has_extension(path, ".npy")) {
        return vks_fail_file(fail_table(&table, "it is neither a .csv nor a .npy file"), path);
    }
    enum vks_result result = vks_open_regular(path, &table.file); /* it is read several times */
    if (result != VKS_OK) {
        return vks_fail_file(result, path);
    }
    if (fstat(fileno(table.file), &stat) != 0) {
        result = fail_read(&table);
    } else {
        table.bytes = (uint64_t)stat.st_size;
        result = csv ? read_csv(&table) : read_npy(&table);
    }
    fclose(table.file);
    return result == VKS_ERROR_FILE ? vks_fail_file(result, path) : result;
}
