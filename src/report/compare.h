/* SPDX-License-Identifier: MIT */
/* Reports of several runs side by side: what --timings=json printed. */
#ifndef VKS_REPORT_COMPARE_H
#define VKS_REPORT_COMPARE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include <vksim/result.h>

/* Reads a report that --timings=json printed, or VKS_ERROR_FILE. What report/compare.c needs of it
 * is checked; the other keys may have any value. On success the caller drops the reference. */
enum vks_result vks_report_load(const char *path, json_t **report);

/* Reads the files and prints a table: one row per pass, with the median of each run and its ratio
 * to the first; then the mean time of a step. What the runs do not have in common (simulation,
 * size, device) is in the lines above. VKS_ERROR_FILE: a file cannot be read, or is not such a
 * report. */
enum vks_result vks_report_compare(FILE *out, const char *const *paths, size_t count);

#endif
