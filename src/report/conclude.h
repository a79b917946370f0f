/* SPDX-License-Identifier: MIT */
/* What a report says in three sentences: what takes the time, what bounds it, what idles. Tables
 * and pages begin with them. */
#ifndef VKS_REPORT_CONCLUDE_H
#define VKS_REPORT_CONCLUDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Sets `conclusions`, a list of the sentences that the figures of a report allow. The report is
 * what vks_report_json() makes, or a file that report/compare.c has checked; older ones lack
 * `cached` in their passes and say that bandwidth bounds passes that a cache serves, which is
 * mended. False if memory ran out. */
bool vks_report_conclude(json_t *report);

/* Prints each sentence on lines of its own after `indent`; nothing without sentences or report. */
void vks_report_print_conclusions(FILE *out, const json_t *report, const char *indent);

#endif
