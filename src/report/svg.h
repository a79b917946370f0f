/* SPDX-License-Identifier: MIT */
/* The elements of SVG drawings in one style: text, lines, markers. Class names are those of the
 * style sheet in svg.c. */
#ifndef VKS_REPORT_SVG_H
#define VKS_REPORT_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum { VKS_SVG_COLOURS = 7 };
#define VKS_SVG_FONT 14.0 /* pixels */

struct vks_svg_box {
    double left, top, right, bottom;
};

/* The start with its style sheet, and the end. `title` is for screen readers; NULL: none. */
void vks_svg_begin(FILE *out, double width, double height, const char *title);
void vks_svg_end(FILE *out);

/* The approximate width of a text, which depends on the viewer's font. */
double vks_svg_width(const char *text, double font);
/* `anchor`: start, middle, end. `attributes` are more of them, each after a space, or "". The text
 * is escaped, and what is not UTF-8 replaced. */
void vks_svg_label(FILE *out, double x, double y, const char *class_name, const char *anchor,
                   const char *attributes, const char *text);
void vks_svg_line(FILE *out, const char *class_name, double x0, double y0, double x1, double y1);
/* Colours and shapes repeat after VKS_SVG_COLOURS. */
void vks_svg_marker(FILE *out, unsigned colour, bool hollow, double x, double y);

/* Clips a segment to the box; false if it is outside, or not finite. */
bool vks_svg_clip(const struct vks_svg_box *box, double *x0, double *y0, double *x1, double *y1);
/* False also for coordinates that are not finite. */
bool vks_svg_inside(const struct vks_svg_box *box, double x, double y);

#endif
