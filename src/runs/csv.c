/* SPDX-License-Identifier: MIT */
#include "runs/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { MAX_BYTES = 1 << 30 };

/* The field at *at, which it ends with a NUL and unquotes in place. *last: of its row. NULL for a
 * quote that is never closed. */
static char *next_field(char **at, bool *last)
{
    char *from = *at, *to = *at;
    const bool quoted = *from == '"';
    for (from += quoted; quoted && (*from != '"' || from[1] == '"'); *to++ = *from++) {
        from += *from == '"';
        if (*from == '\0') {
            return NULL;
        }
    }
    from += quoted;
    while (*from && *from != ',' && *from != '\n') {
        *to++ = *from++;
    }
    to -= to > *at && to[-1] == '\r' && *from != ',';
    char *const field = *at;
    *last = *from != ',';
    *at = from + (*from != '\0');
    *to = '\0';
    return field;
}

static enum vks_result add_row(struct vks_csv *csv, const char *path, char **at, size_t *capacity,
                               size_t *count)
{
    size_t fields = 0;
    for (bool last = false; !last; fields++) {
        char **cells = vks_grow(csv->cells, sizeof(*cells), *count, capacity);
        if (!cells) {
            return vks_fail_memory();
        }
        csv->cells = cells;
        char *field = next_field(at, &last);
        if (!field) {
            return vks_fail(VKS_ERROR_FILE, "'%s', row %zu: a quote is not closed", path,
                            csv->rows);
        }
        csv->cells[(*count)++] = field;
    }
    csv->columns = csv->rows == 0 ? fields : csv->columns;
    if (fields != csv->columns) {
        return vks_fail(VKS_ERROR_FILE, "'%s', row %zu: it has %zu fields, and the header has %zu",
                        path, csv->rows, fields, csv->columns);
    }
    csv->rows++;
    return VKS_OK;
}

enum vks_result vks_csv_read(const char *path, bool appended, struct vks_csv *csv)
{
    size_t size, capacity = 0, count = 0;
    *csv = (struct vks_csv){.rows = 0};
    enum vks_result result = vks_read_file(path, MAX_BYTES, &csv->text, &size);
    if (result != VKS_OK) {
        return result;
    }
    if (strlen(csv->text) != size) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is not a text file", path);
    }
    if (appended) {
        char *end = strrchr(csv->text, '\n');
        csv->text[end ? end + 1 - csv->text : 0] = '\0';
    }
    char *at = csv->text;
    at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
    at += *at == '#' ? strcspn(at, "\n") : 0;
    while (*at && result == VKS_OK) {
        const size_t blank = strspn(at, "\r\n");
        at += blank;
        result = blank ? VKS_OK : add_row(csv, path, &at, &capacity, &count);
    }
    return result;
}

void vks_csv_free(struct vks_csv *csv)
{
    free(csv->text);
    free(csv->cells);
    *csv = (struct vks_csv){.rows = 0};
}

const char *vks_csv_cell(const struct vks_csv *csv, size_t row, size_t column)
{
    return csv->cells[row * csv->columns + column];
}

size_t vks_csv_column(const struct vks_csv *csv, const char *name)
{
    size_t column = 0;
    while (column < csv->columns && strcmp(csv->cells[column], name) != 0) {
        column++;
    }
    return column;
}

void vks_csv_put(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputc('"', out);
}
