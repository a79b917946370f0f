/* SPDX-License-Identifier: MIT */
/* HTML pages. Each is a static file of report/html/ into which a JSON document is inserted. Its
 * script draws everything from the document; no network is needed. */
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

/* A page in pieces, made by tools/embed_page.py: lists of the texts before and after the document,
 * each up to NULL. */
struct vks_page {
    const char *const *before, *const *after;
};
extern const struct vks_page vks_page_runs;        /* of runs */
extern const struct vks_page vks_page_scaling;     /* of vksim scale */
extern const struct vks_page vks_page_ladder;      /* of vksim bench */
extern const struct vks_page vks_page_access;      /* of vksim bench KERNEL --explain */
extern const struct vks_page vks_page_sensitivity; /* of vksim sensitivity */

/* VKS_ERROR_USAGE with a message if the program was built without Chart.js. */
enum vks_result vks_html_available(void);
/* Checks before anything is measured that a page can be written there. */
enum vks_result vks_html_check(const char *path, bool overwrite);

/* Writes a page about `report`, the JSON that the tool prints, with a list of pictures. The
 * document is {"reports": [report], "pictures": [pictures]}. Takes both references; NULL: memory
 * ran out. After a failure there is no new file. */
enum vks_result vks_html_write(const char *path, bool overwrite, const struct vks_page *page,
                               json_t *report, json_t *pictures);

/* A picture for a page: a PNG of that size. NULL when memory ran out. */
json_t *vks_html_picture(const char *caption, const uint8_t *png, size_t size, uint32_t width,
                         uint32_t height);

/* A run: what --timings=json prints, checked by vks_report_load() or written by this program. A
 * part of the page whose keys are missing is left out. */
struct vks_html_run {
    const char *name; /* of the file, NULL if there is none */
    const json_t *report;
    const struct vks_collage *thumbnails; /* NULL: none */
};

/* Writes the page of one run, or of several side by side, with ratios to the first. */
enum vks_result vks_report_html_file(const char *path, bool overwrite,
                                     const struct vks_html_run *runs, size_t count);

#endif
