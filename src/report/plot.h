/* SPDX-License-Identifier: MIT */
/* Plots as SVG: points with error bars, lines and limits over linear or logarithmic axes, or
 * horizontal bars. The SVG needs no network and no script, follows the viewer's light or dark mode,
 * and can be inlined in HTML (all its style rules are scoped to the class vks-plot). */
#ifndef VKS_REPORT_PLOT_H
#define VKS_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

/* LOG has ticks at decades, or at 1, 2, 5 where there are few; LOG2 at powers of two, with KiB and
 * so on if the unit is "B". Points that are not positive do not appear on either. */
enum vks_plot_scale { VKS_PLOT_LINEAR, VKS_PLOT_LOG, VKS_PLOT_LOG2 };

struct vks_plot_axis {
    const char *label; /* without the unit; NULL: none */
    const char *unit;  /* base unit, such as "s" or "B/s", to which SI prefixes are added; "%" takes
                        * none; NULL or "": a plain number ("10k"), for which the label may say what
                        * is counted: "field side (cells)" */
    enum vks_plot_scale scale;
    double min, max; /* both 0: from the data, rounded outwards to ticks. A LINEAR axis also begins
                      * at 0 if the smallest value is below half the largest */
};

/* Bits of vks_plot_series.style. */
enum {
    VKS_PLOT_POINTS = 1, /* a marker per point, with its error bar */
    VKS_PLOT_LINE = 2,   /* straight lines from point to point, in the order given */
    VKS_PLOT_DASHED = 4, /* dashed line */
    VKS_PLOT_HOLLOW = 8, /* markers are outlines, for points that are shown but not used */
};

struct vks_plot_series {
    const char *name; /* in the legend; NULL: not in the legend */
    const double *x;  /* ignored with categories */
    const double *y;
    const double *low, *high; /* ends of the error bars, in units of y; NULL: none */
    size_t count;             /* of all arrays; values that are not finite are left out */
    unsigned style;           /* ignored with categories */
    unsigned colour;          /* colour and shape of the markers: 0, 1, 2 ..., repeats after 7 */
};

/* A dashed line y = scale * x^power with its label next to it; power 0 is a horizontal line. The
 * axes grow to show horizontal limits; with categories, limits are vertical and power is 0. */
struct vks_plot_limit {
    const char *label;
    double scale, power;
};

struct vks_plot {
    const char *title;    /* NULL: none */
    const char *subtitle; /* smaller, below the title: device, options; NULL: none */
    struct vks_plot_axis x, y;
    const struct vks_plot_series *series;
    size_t series_count;
    const struct vks_plot_limit *limits;
    size_t limit_count;
    /* Not NULL: names of the points, and y is drawn as horizontal bars, with the values next to
     * them. All series have `category_count` points; several series are bars side by side. */
    const char *const *categories;
    size_t category_count;
};

/* Draws the plots below each other into one SVG, a NUL-terminated string to be freed. All text is
 * escaped; bytes that are not UTF-8 become U+FFFD. VKS_ERROR_GPU when memory ran out. */
enum vks_result vks_plot_svg(const struct vks_plot *plots, size_t count, char **svg);

/* Checks that the option's file can be written and ends in .svg or .png, before anything is
 * measured; NULL is fine. */
enum vks_result vks_plot_check(const char *option, const char *path, bool overwrite);
/* Writes an SVG to a file that ends in .svg or .png, see vks_write_file(). */
enum vks_result vks_plot_write_svg(const char *path, bool overwrite, const char *svg);
/* Draws them into a file, likewise. */
enum vks_result vks_plot_write(const char *path, bool overwrite, const struct vks_plot *plots,
                               size_t count);

#endif
