/* SPDX-License-Identifier: MIT */
/* Reports of runs as one HTML page that needs no network and, without scripts, is made of tables.
 */
#ifndef VKS_REPORT_HTML_H
#define VKS_REPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

#include "frames/collage.h"

enum {
    VKS_HTML_PICTURES = 3,       /* of a run: the first, the middle and the last frame */
    VKS_HTML_PICTURE_SIDE = 320, /* pixels, at most */
};

/* A run: what --timings=json prints, checked by vks_report_load() or written by this program. A
 * part of the page whose keys are missing is left out. */
struct vks_html_run {
    const char *name; /* of the file, NULL if there is none */
    const json_t *report;
    const struct vks_collage *thumbnails; /* NULL: none */
};

/* VKS_ERROR_USAGE with a message if the program was built without Chart.js. */
enum vks_result vks_html_available(void);
/* Checks before anything is measured that a page can be written there. */
enum vks_result vks_html_check(const char *path, bool overwrite);

/* Writes the page: of one run, or of several side by side, with ratios to the first. Every text is
 * escaped. The file is complete or not there. */
enum vks_result vks_report_html_file(const char *path, bool overwrite,
                                     const struct vks_html_run *runs, size_t count);

#endif
