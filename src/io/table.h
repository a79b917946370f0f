/* SPDX-License-Identifier: MIT */
/* Tables of numbers: .csv and .npy files, read row by row, so that they may be larger than memory.
 */
#ifndef VKS_IO_TABLE_H
#define VKS_IO_TABLE_H

#include <stdint.h>

#include <vksim/result.h>

enum { VKS_TABLE_COLUMNS = 8 }; /* max */

/* Calls `row` for each row of the table, with its number, from 1, and its values.
 *
 * A .csv file has a row per line: decimal numbers, separated by commas or blanks. Empty lines,
 * lines that begin with # and a first line without a number are skipped. A .npy file has the shape
 * (rows, columns) and any type of real numbers. All rows have the same number of columns,
 * min_columns to max_columns, which is at most VKS_TABLE_COLUMNS. Values are finite.
 *
 * VKS_ERROR_FILE: the message names the file and the row. A result of `row` other than VKS_OK ends
 * the reading. Part of a task (base/task.h): VKS_INTERRUPTED. */
enum vks_result vks_table_read(const char *path, uint32_t min_columns, uint32_t max_columns,
                               enum vks_result (*row)(void *user, uint64_t number,
                                                      const double *values, uint32_t count),
                               void *user);

#endif
