/* SPDX-License-Identifier: MIT */
/* Layout in pixels, from the top down: title, subtitle, legend, the frame with its ticks, the
 * label of the horizontal axis. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/raster.h"
#include "report/ruler.h"
#include "report/svg.h"

/* Pixels. */
static const double plot_width = 860, frame_height = 420, right_margin = 36;
static const double bar_thickness = 20, bar_gap = 14; /* between categories */

struct drawing {
    FILE *out;
    struct vks_svg_box frame;
    struct vks_ruler x, y;
};

static double pixel_x(const struct drawing *drawing, double value)
{
    const struct vks_svg_box *frame = &drawing->frame;
    return frame->left + vks_ruler_at(&drawing->x, value) * (frame->right - frame->left);
}

static double pixel_y(const struct drawing *drawing, double value)
{
    const struct vks_svg_box *frame = &drawing->frame;
    return frame->bottom - vks_ruler_at(&drawing->y, value) * (frame->bottom - frame->top);
}

static void put_clipped(const struct drawing *drawing, const char *class_name, double x0, double y0,
                        double x1, double y1)
{
    if (vks_svg_clip(&drawing->frame, &x0, &y0, &x1, &y1)) {
        vks_svg_line(drawing->out, class_name, x0, y0, x1, y1);
    }
}

/* --- series ---------------------------------------------------------------------------------- */

/* An error bar from pixel a to b, along x or y, with caps. Ends without a place (a value of 0 on a
 * logarithmic scale) reach the frame's edge. */
static void put_error_bar(const struct drawing *drawing, const char *class_name, double at,
                          double low, double high, bool along_x)
{
    const struct vks_svg_box *frame = &drawing->frame;
    const double cap = 4;
    const double first = along_x ? frame->left : frame->top;
    const double last = along_x ? frame->right : frame->bottom;
    const double ends[] = {isfinite(low) ? low : along_x ? first : last, high};
    if (!isfinite(high)) {
        return;
    }
    for (size_t i = 0; i < VKS_COUNT(ends); i++) {
        if (ends[i] < first - 0.5 || ends[i] > last + 0.5) {
            continue; /* no cap: the bar continues outside */
        }
        if (along_x) {
            vks_svg_line(drawing->out, class_name, ends[i], at - cap, ends[i], at + cap);
        } else {
            vks_svg_line(drawing->out, class_name, at - cap, ends[i], at + cap, ends[i]);
        }
    }
    if (along_x) {
        put_clipped(drawing, class_name, ends[0], at, ends[1], at);
    } else {
        put_clipped(drawing, class_name, at, ends[0], at, ends[1]);
    }
}

static void put_series(const struct drawing *drawing, const struct vks_plot_series *series)
{
    char name[32];
    snprintf(name, sizeof(name), "s%u%s", series->colour % VKS_SVG_COLOURS,
             series->style & VKS_PLOT_DASHED ? " dashed" : "");
    for (size_t i = 1; i < series->count && (series->style & VKS_PLOT_LINE); i++) {
        put_clipped(drawing, name, pixel_x(drawing, series->x[i - 1]),
                    pixel_y(drawing, series->y[i - 1]), pixel_x(drawing, series->x[i]),
                    pixel_y(drawing, series->y[i]));
    }
    snprintf(name, sizeof(name), "error s%u", series->colour % VKS_SVG_COLOURS);
    for (size_t i = 0; i < series->count && (series->style & VKS_PLOT_POINTS); i++) {
        const double x = pixel_x(drawing, series->x[i]), y = pixel_y(drawing, series->y[i]);
        if (!vks_svg_inside(&drawing->frame, x, y)) {
            continue;
        }
        if (series->low && series->high) {
            put_error_bar(drawing, name, x, pixel_y(drawing, series->low[i]),
                          pixel_y(drawing, series->high[i]), false);
        }
        vks_svg_marker(drawing->out, series->colour, (series->style & VKS_PLOT_HOLLOW) != 0, x, y);
    }
}

/* --- limits ---------------------------------------------------------------------------------- */

static void put_limit(const struct drawing *drawing, const struct vks_plot_limit *limit,
                      double *previous)
{
    enum { SEGMENTS = 64 };
    const struct vks_svg_box *frame = &drawing->frame;
    double first_x = NAN, first_y = NAN, last_x = NAN, last_y = NAN;
    /* A power is straight on two logarithmic axes. */
    const bool straight = limit->power == 0 || (drawing->x.scale != VKS_PLOT_LINEAR &&
                                                drawing->y.scale != VKS_PLOT_LINEAR);
    const int segments = straight ? 1 : SEGMENTS;
    for (int i = 0; i < segments; i++) {
        double ends[2][2];
        for (int e = 0; e < 2; e++) {
            const double x = vks_ruler_value(&drawing->x, (double)(i + e) / segments);
            ends[e][0] = pixel_x(drawing, x);
            ends[e][1] = pixel_y(drawing, limit->scale * pow(x, limit->power));
        }
        if (vks_svg_clip(frame, &ends[0][0], &ends[0][1], &ends[1][0], &ends[1][1])) {
            vks_svg_line(drawing->out, "limit", ends[0][0], ends[0][1], ends[1][0], ends[1][1]);
            first_x = isfinite(first_x) ? first_x : ends[0][0];
            first_y = isfinite(first_y) ? first_y : ends[0][1];
            last_x = ends[1][0];
            last_y = ends[1][1];
        }
    }
    if (!isfinite(first_x) || !limit->label) {
        return;
    }
    if (limit->power == 0) { /* above the line, at the left if the one before is near */
        const bool near = fabs(last_y - *previous) < VKS_SVG_FONT + 4;
        const bool below = last_y - frame->top < VKS_SVG_FONT + 8;
        vks_svg_label(drawing->out, near ? frame->left + 8 : frame->right - 8,
                      last_y + (below ? VKS_SVG_FONT + 4 : -6), "note halo", near ? "start" : "end",
                      "", limit->label);
        *previous = near ? -1e9 : last_y;
        return;
    }
    /* Along the line and below it, near its upper end. */
    const double angle = atan2(last_y - first_y, last_x - first_x);
    const double x = last_x - 24 * cos(angle), y = last_y - 24 * sin(angle);
    char turn[96];
    snprintf(turn, sizeof(turn), " dy=\"17\" transform=\"rotate(%.1f %.1f %.1f)\"",
             angle * 180 / 3.14159265358979, x, y);
    vks_svg_label(drawing->out, x, y, "note halo", "end", turn, limit->label);
}

/* --- the frame ------------------------------------------------------------------------------- */

static void put_x_axis(const struct drawing *drawing)
{
    const struct vks_svg_box *frame = &drawing->frame;
    for (size_t i = 0; i < drawing->x.count; i++) {
        const struct vks_tick *tick = &drawing->x.ticks[i];
        const double x = pixel_x(drawing, tick->value);
        vks_svg_line(drawing->out, tick->label[0] ? "grid" : "grid minor", x, frame->top, x,
                     frame->bottom);
        if (tick->label[0]) {
            vks_svg_label(drawing->out, x, frame->bottom + VKS_SVG_FONT + 6, "tick", "middle", "",
                          tick->label);
        }
    }
    vks_svg_label(drawing->out, (frame->left + frame->right) / 2,
                  frame->bottom + 3 * VKS_SVG_FONT + 4, "label", "middle", "", drawing->x.title);
}

static void put_y_axis(const struct drawing *drawing)
{
    const struct vks_svg_box *frame = &drawing->frame;
    double widest = 0;
    for (size_t i = 0; i < drawing->y.count; i++) {
        const struct vks_tick *tick = &drawing->y.ticks[i];
        const double y = pixel_y(drawing, tick->value);
        vks_svg_line(drawing->out, tick->label[0] ? "grid" : "grid minor", frame->left, y,
                     frame->right, y);
        if (tick->label[0]) {
            vks_svg_label(drawing->out, frame->left - 8, y + VKS_SVG_FONT * 0.36, "tick", "end", "",
                          tick->label);
            widest = fmax(widest, vks_svg_width(tick->label, VKS_SVG_FONT));
        }
    }
    char turn[96];
    const double x = frame->left - 8 - widest - 14, y = (frame->top + frame->bottom) / 2;
    snprintf(turn, sizeof(turn), " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    vks_svg_label(drawing->out, x, y, "label", "middle", turn, drawing->y.title);
}

static void put_border(const struct drawing *drawing)
{
    const struct vks_svg_box *frame = &drawing->frame;
    fprintf(drawing->out,
            "<rect class=\"border\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            frame->left, frame->top, frame->right - frame->left, frame->bottom - frame->top);
}

/* Title, subtitle and legend; returns the y below them. */
static double put_head(FILE *out, const struct vks_plot *plot, double left, double y)
{
    const double line = 24, sample = 34;
    size_t named = 0;
    if (plot->title) {
        y += 30;
        vks_svg_label(out, left, y, "title", "start", "", plot->title);
    }
    if (plot->subtitle) {
        y += 21;
        vks_svg_label(out, left, y, "note", "start", "", plot->subtitle);
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        named += plot->series[i].name != NULL;
    }
    y += named ? line : 0;
    double x = left;
    for (size_t i = 0; i < plot->series_count && named; i++) {
        const struct vks_plot_series *series = &plot->series[i];
        const unsigned colour = series->colour % VKS_SVG_COLOURS;
        if (!series->name) {
            continue;
        }
        const double room = sample + vks_svg_width(series->name, VKS_SVG_FONT) + 22;
        if (x > left && x + room > plot_width - right_margin) {
            x = left;
            y += line;
        }
        const double middle = y - VKS_SVG_FONT * 0.36;
        char name[32];
        if (plot->categories) {
            fprintf(out, "<rect class=\"f%u\" x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"12\"/>\n",
                    colour, x, middle - 6);
        } else if (series->style & VKS_PLOT_LINE) {
            snprintf(name, sizeof(name), "s%u%s", colour,
                     series->style & VKS_PLOT_DASHED ? " dashed" : "");
            vks_svg_line(out, name, x, middle, x + 26, middle);
        }
        if (!plot->categories && series->style & VKS_PLOT_POINTS) {
            vks_svg_marker(out, colour, (series->style & VKS_PLOT_HOLLOW) != 0, x + 13, middle);
        }
        vks_svg_label(out, x + sample, y, "text", "start", "", series->name);
        x += room;
    }
    return y + 16;
}

/* --- plots ----------------------------------------------------------------------------------- */

struct range {
    double low, high;
};

static void include(struct range *range, enum vks_plot_scale scale, double value)
{
    if (isfinite(value) && (scale == VKS_PLOT_LINEAR || value > 0)) {
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

/* The ranges of both axes. */
static void make_rulers(struct drawing *drawing, const struct vks_plot *plot)
{
    struct range x = {INFINITY, -INFINITY}, y = x;
    for (size_t s = 0; s < plot->series_count; s++) {
        const struct vks_plot_series *series = &plot->series[s];
        for (size_t i = 0; i < series->count; i++) {
            if (!plot->categories) {
                include(&x, plot->x.scale, series->x[i]);
            }
            include(&y, plot->y.scale, series->y[i]);
            if (series->low && series->high) {
                include(&y, plot->y.scale, series->low[i]);
                include(&y, plot->y.scale, series->high[i]);
            }
        }
    }
    for (size_t i = 0; i < plot->limit_count; i++) {
        if (plot->limits[i].power == 0) {
            include(&y, plot->y.scale, plot->limits[i].scale);
        }
    }
    if (plot->categories && plot->y.scale == VKS_PLOT_LINEAR) { /* bars begin at 0 */
        include(&y, plot->y.scale, 0);
    }
    vks_ruler_make(&drawing->y, &plot->y, y.low, y.high);
    if (!plot->categories) {
        vks_ruler_make(&drawing->x, &plot->x, x.low, x.high);
    }
}

static double widest_label(const struct vks_ruler *ruler)
{
    double widest = 0;
    for (size_t i = 0; i < ruler->count; i++) {
        widest = fmax(widest, vks_svg_width(ruler->ticks[i].label, VKS_SVG_FONT));
    }
    return widest;
}

/* Returns the y below the plot. */
static double put_lines_plot(struct drawing *drawing, const struct vks_plot *plot, double top)
{
    const double left = 44 + widest_label(&drawing->y);
    double previous = -1e9;
    top = put_head(drawing->out, plot, left, top);
    drawing->frame = (struct vks_svg_box){left, top, plot_width - right_margin, top + frame_height};
    put_x_axis(drawing);
    put_y_axis(drawing);
    put_border(drawing);
    for (size_t i = 0; i < plot->limit_count; i++) {
        put_limit(drawing, &plot->limits[i], &previous);
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        put_series(drawing, &plot->series[i]);
    }
    return drawing->frame.bottom + 3 * VKS_SVG_FONT + 18;
}

static void put_bar(const struct drawing *drawing, const struct vks_plot *plot,
                    const struct vks_plot_series *series, size_t at, double y)
{
    const struct vks_svg_box *frame = &drawing->frame;
    char text[48], name[32];
    const double value = at < series->count ? series->y[at] : (double)NAN;
    const double x = pixel_x(drawing, value);
    double end = frame->left, inside = end; /* the label is to the right of `end`, or in the bar */
    if (isfinite(x)) {
        inside = end = fmin(fmax(x, frame->left), frame->right);
        fprintf(drawing->out,
                "<rect class=\"f%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                series->colour % VKS_SVG_COLOURS, frame->left, y, end - frame->left,
                bar_thickness - 2);
        if (series->low && series->high) {
            const double low = pixel_x(drawing, series->low[at]);
            const double high = pixel_x(drawing, series->high[at]);
            put_error_bar(drawing, "error over", y + bar_thickness / 2.0 - 1, low, high, true);
            inside = fmin(inside, low); /* not across the error bar */
            end = isfinite(high) ? fmin(fmax(end, high), frame->right) : end;
        }
        vks_plot_number(value, plot->y.unit, plot->y.scale, text, sizeof(text));
    } else {
        snprintf(text, sizeof(text), "-");
    }
    const bool beside = end + 10 + vks_svg_width(text, VKS_SVG_FONT) < frame->right;
    snprintf(name, sizeof(name), "text%s", beside ? " halo" : " value");
    vks_svg_label(drawing->out, beside ? end + 8 : inside - 8,
                  y + bar_thickness / 2.0 + VKS_SVG_FONT * 0.36 - 1, name, beside ? "start" : "end",
                  "", text);
}

static double put_bars_plot(struct drawing *drawing, const struct vks_plot *plot, double top)
{
    double widest = 0, right = -1e9;
    for (size_t i = 0; i < plot->category_count; i++) {
        widest = fmax(widest, vks_svg_width(plot->categories[i], VKS_SVG_FONT));
    }
    const double left = fmin(26 + widest, plot_width / 2.0);
    const double group = (double)plot->series_count * bar_thickness + bar_gap;
    top = put_head(drawing->out, plot, 16, top) + (plot->limit_count ? VKS_SVG_FONT + 4 : 0);
    drawing->x = drawing->y; /* values are drawn from left to right */
    drawing->frame =
        (struct vks_svg_box){left, top, plot_width - right_margin,
                             top + bar_gap / 2.0 + group * (double)plot->category_count};
    put_x_axis(drawing);
    put_border(drawing);
    for (size_t i = 0; i < plot->category_count; i++) {
        const double y = top + bar_gap / 2.0 + group * (double)i;
        vks_svg_label(drawing->out, left - 10, y + (group - bar_gap) / 2 + VKS_SVG_FONT * 0.36 - 1,
                      "text", "end", "", plot->categories[i]);
        for (size_t s = 0; s < plot->series_count; s++) {
            put_bar(drawing, plot, &plot->series[s], i, y + (double)s * bar_thickness);
        }
    }
    for (size_t i = 0; i < plot->limit_count; i++) {
        const double x = pixel_x(drawing, plot->limits[i].scale);
        const char *label = plot->limits[i].label ? plot->limits[i].label : "";
        const double half = vks_svg_width(label, VKS_SVG_FONT) / 2;
        put_clipped(drawing, "limit", x, drawing->frame.top, x, drawing->frame.bottom);
        if (isfinite(x) && x - half > right) { /* not over the label before it */
            vks_svg_label(drawing->out, fmin(x, plot_width - 8 - half), top - 6, "note", "middle",
                          "", label);
            right = x + half;
        }
    }
    return drawing->frame.bottom + 3 * VKS_SVG_FONT + 18;
}

/* --- the SVG --------------------------------------------------------------------------------- */

enum vks_result vks_plot_svg(const struct vks_plot *plots, size_t count, char **svg)
{
    char *body = NULL;
    size_t size = 0;
    double bottom = 8;
    struct drawing *drawing = calloc(1, sizeof(*drawing));
    *svg = NULL;
    FILE *out = drawing ? open_memstream(&body, &size) : NULL;
    if (!out) {
        free(drawing);
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        drawing->out = out;
        make_rulers(drawing, &plots[i]);
        bottom = plots[i].categories ? put_bars_plot(drawing, &plots[i], bottom)
                                     : put_lines_plot(drawing, &plots[i], bottom);
    }
    free(drawing);
    bool complete = !ferror(out);
    complete = fclose(out) == 0 && complete;
    /* The first element has the height, which is only known at the end. */
    char *whole = NULL;
    out = complete ? open_memstream(&whole, &size) : NULL;
    if (out) {
        vks_svg_begin(out, plot_width, bottom, count ? plots[0].title : NULL);
        fputs(body, out);
        vks_svg_end(out);
        complete = !ferror(out);
        complete = fclose(out) == 0 && complete;
    }
    free(body);
    if (!whole || !complete) {
        free(whole);
        return vks_fail_memory();
    }
    *svg = whole;
    return VKS_OK;
}

enum vks_result vks_plot_check(const char *option, const char *path, bool overwrite)
{
    struct vks_atomic_file file = {0};
    if (!path) {
        return VKS_OK;
    }
    if (!vks_has_extension(path, ".svg") && !vks_has_extension(path, ".png")) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' does not end in .svg or .png", option, path);
    }
    enum vks_result result = vks_has_extension(path, ".png") ? vks_raster_available() : VKS_OK;
    if (result == VKS_OK) {
        result = vks_atomic_file_begin(&file, path, overwrite);
    }
    vks_atomic_file_abort(&file);
    return result;
}

enum vks_result vks_plot_write_svg(const char *path, bool overwrite, const char *svg)
{
    return vks_has_extension(path, ".png") ? vks_raster_write(path, overwrite, svg)
                                           : vks_write_file(path, overwrite, svg, strlen(svg));
}

enum vks_result vks_plot_write(const char *path, bool overwrite, const struct vks_plot *plots,
                               size_t count)
{
    char *svg;
    enum vks_result result = vks_plot_svg(plots, count, &svg);
    if (result == VKS_OK) {
        result = vks_plot_write_svg(path, overwrite, svg);
    }
    free(svg);
    return result;
}
