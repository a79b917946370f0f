/* SPDX-License-Identifier: MIT */
#ifndef VKS_REPORT_HTML_INTERNAL_H
#define VKS_REPORT_HTML_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "report/html.h"

enum { VKS_HTML_COLOURS = 12 }; /* of passes, .c0 and so on in html/style.css */

struct vks_html_page {
    FILE *out;
    const struct vks_html_run *runs;
    size_t count;
    json_t *passes;   /* name of a pass -> its number: the order of first appearance */
    json_t *ceilings; /* name of a ceiling that a pass is compared with -> its number */
};

/* --- the template, html/page.html as tools/embed_page.py has split it ------------------------ */

enum vks_page_kind {
    VKS_PAGE_END,  /* of the template */
    VKS_PAGE_TEXT, /* written as it is */
    VKS_PAGE_SLOT, /* {{NAME}} */
    VKS_PAGE_IF,   /* {{?NAME}}: up to {{/NAME}}, only if the page has it */
    VKS_PAGE_FI,
};

struct vks_page_piece {
    enum vks_page_kind kind;
    const char *text; /* or the name */
};
extern const struct vks_page_piece vks_page[];         /* of runs */
extern const struct vks_page_piece vks_scaling_page[]; /* of vksim scale */
extern const struct vks_page_piece vks_ladder_page[];  /* of vksim bench */
extern const struct vks_page_piece vks_access_page[];  /* of vksim bench KERNEL --explain */

/* Writes a slot. */
typedef enum vks_result vks_html_put_fn(FILE *out, const void *user, const char *slot);
/* Sets *has if the page has the part. */
typedef enum vks_result vks_html_part_fn(const void *user, const char *part, bool *has);

/* Writes the template. Both functions return vks_html_unknown() for a name that is not one of
 * theirs; `part` may be NULL if the template has no parts. */
enum vks_result vks_html_fill(FILE *out, const struct vks_page_piece *pieces, vks_html_put_fn *put,
                              vks_html_part_fn *part, const void *user);
/* VKS_ERROR_INTERNAL: the template has a slot or a part of that name, but the page has not. */
enum vks_result vks_html_unknown(const char *name);

/* --- JSON of unknown origin ------------------------------------------------------------------ */

/* The number of a key, `fallback` if there is none. */
double vks_json_number(const json_t *object, const char *key, double fallback);
bool vks_json_has_number(const json_t *object, const char *key);
/* The string of a key, NULL if there is none. */
const char *vks_json_text(const json_t *object, const char *key);
/* The array of a key, NULL unless it is one with elements. */
const json_t *vks_json_array(const json_t *object, const char *key);

/* --- pieces of HTML (html_write.c) ----------------------------------------------------------- */

/* Text with markup escaped; other control characters than line breaks become U+FFFD. */
void vks_html_text(FILE *out, const char *text);
/* The number in multiples of `unit`, digits grouped by narrow spaces, within <data value=...>. */
void vks_html_number(FILE *out, double value, double unit, int digits);
/* A cell with that number; "-" for a NaN. */
void vks_html_cell(FILE *out, double value, double unit, int digits);
void vks_html_cell_text(FILE *out, const char *text);
/* A cell of bytes as "1.2 GiB"; "-" for a NaN. */
void vks_html_cell_bytes(FILE *out, double bytes);
/* A cell of a share as a percentage, followed by a mark ("": none), and a bar. */
void vks_html_cell_share(FILE *out, double share, const char *mark);
/* A heading of a column; `numeric` ones are aligned right. A unit may be NULL. */
void vks_html_head(FILE *out, const char *text, const char *unit, bool numeric);
/* The head of a row: a pass with the mark of its colour. */
void vks_html_pass(const struct vks_html_page *page, const char *name);
/* Opens a table with a caption for screen readers; it scrolls sideways on its own. */
void vks_html_table(FILE *out, const char *label, bool sortable);
void vks_html_table_end(FILE *out);
/* On a page of several runs: the block of one run under its name, and its heading of a column. */
void vks_html_run_begin(const struct vks_html_page *page, size_t run);
void vks_html_run_end(const struct vks_html_page *page);
void vks_html_run_column(const struct vks_html_page *page, size_t run, bool numeric);
/* "512 x 512", with the depth of a volume. */
const char *vks_html_size(const json_t *report, char text[64]);
/* A picture as the data: URI of a PNG. */
enum vks_result vks_html_picture(FILE *out, const struct vks_thumbnail *thumbnail);
void vks_html_base64(FILE *out, const void *bytes, size_t size);
/* A command line, quoted for a shell. */
void vks_html_command(FILE *out, const json_t *command);
/* JSON in a script element: ASCII without <, > and &. */
enum vks_result vks_html_json(FILE *out, const json_t *value);

/* --- sections -------------------------------------------------------------------------------- */

typedef bool vks_html_has_fn(const struct vks_html_page *page);
typedef enum vks_result vks_html_write_fn(const struct vks_html_page *page);

/* html_run.c: each run after the other */
vks_html_write_fn vks_html_runs, vks_html_devices, vks_html_pictures, vks_html_scalars;
vks_html_write_fn vks_html_memory, vks_html_ceilings;
vks_html_has_fn vks_html_has_pictures, vks_html_has_scalars, vks_html_has_ceilings;
/* html_passes.c */
vks_html_write_fn vks_html_passes, vks_html_timeline, vks_html_roofline;
vks_html_has_fn vks_html_has_passes, vks_html_has_timeline, vks_html_has_roofline;
/* html_time.c */
vks_html_write_fn vks_html_phases, vks_html_steps;
vks_html_has_fn vks_html_has_phases, vks_html_has_steps;
/* html_compare.c: runs side by side */
vks_html_write_fn vks_html_differences, vks_html_comparison;

/* True if any run has elements in the array of that key. */
bool vks_html_any(const struct vks_html_page *page, const char *key);

#endif
