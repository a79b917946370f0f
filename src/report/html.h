/* SPDX-License-Identifier: MIT */
/* Reports of runs as one HTML page that needs no network and, without scripts, is made of tables.
 */
#ifndef VKS_REPORT_HTML_H
#define VKS_REPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vksim/result.h>

/* A small picture of a frame. */
struct vks_thumbnail {
    const uint8_t *pixels; /* RGBA */
    size_t stride;         /* bytes from one row to the next */
    uint32_t width, height;
    const char *caption; /* such as "step 1,024" */
};

/* A run: what --timings=json prints, checked by vks_report_load() or written by this program. Keys
 * that it lacks leave out their part of the page. */
struct vks_html_run {
    const char *name; /* of the file, NULL if there is none */
    const json_t *report;
    const struct vks_thumbnail *thumbnails;
    size_t thumbnail_count;
};

/* VKS_ERROR_USAGE with a message where the program was built without the library of charts. */
enum vks_result vks_html_available(void);

/* Writes the page: of one run, or of several side by side, with ratios to the first. Every text is
 * escaped. Fails if memory ran out; the caller checks the stream for write errors. */
enum vks_result vks_report_html(FILE *out, const struct vks_html_run *runs, size_t count);

/* The same into a file, complete or not at all. */
enum vks_result vks_report_html_file(const char *path, bool overwrite,
                                     const struct vks_html_run *runs, size_t count);

#endif
