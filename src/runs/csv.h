/* SPDX-License-Identifier: MIT */
/* Tables of texts: .csv files with a header, as RFC 4180 describes them. */
#ifndef VKS_RUNS_CSV_H
#define VKS_RUNS_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include <vksim/result.h>

/* Cells by row: row 0 is the header. Zeroed: empty. */
struct vks_csv {
    char *text;
    char **cells;
    size_t columns, rows;
};

/* Reads a whole file, whose rows all have as many fields as the first. A first line that begins
 * with # is left as it is, at the beginning of the text, and belongs to no row. `appended`: another
 * process may be writing its last row, which is left out unless it is complete. VKS_ERROR_FILE: the
 * message names the file and the row. Free also after a failure. */
enum vks_result vks_csv_read(const char *path, bool appended, struct vks_csv *csv);
void vks_csv_free(struct vks_csv *csv);

const char *vks_csv_cell(const struct vks_csv *csv, size_t row, size_t column);
/* The column with that header; csv->columns: there is none. */
size_t vks_csv_column(const struct vks_csv *csv, const char *name);

/* Writes a field, in quotes where it needs them. */
void vks_csv_put(FILE *out, const char *text);

#endif
