/* SPDX-License-Identifier: MIT */
/* Reports of several runs side by side: what --timings=json printed. */
#ifndef VKS_REPORT_COMPARE_H
#define VKS_REPORT_COMPARE_H

#include <stddef.h>
#include <stdio.h>

#include <vksim/result.h>

/* Reads the files and prints a table: one row per pass, with the median of each run and its ratio
 * to the first; then the mean time of a step. What the runs do not have in common (simulation,
 * size, device) is in the lines above. VKS_ERROR_FILE: a file cannot be read, or is not such a
 * report. */
enum vks_result vks_report_compare(FILE *out, const char *const *paths, size_t count);

#endif
