/* SPDX-License-Identifier: MIT */
/* What vksim scale measured as plots, and as an HTML page with them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/ruler.h"
#include "report/scaling.h"

enum { CURVE = 120, SERIES = 4 };

/* The points of a series. */
struct curve {
    double *x, *y, *low, *high;
    size_t count;
};

/* What one plot is drawn from. */
struct figure {
    struct curve used, unused, limit, fit;
    struct vks_plot_series series[SERIES];
    size_t count;
    char title[192], subtitle[800], fit_name[192], limit_name[96], x_label[96];
};

static bool allocate(struct curve *curve, size_t count)
{
    curve->x = calloc(count + 1, 4 * sizeof(*curve->x));
    if (curve->x) {
        curve->y = curve->x + count + 1;
        curve->low = curve->y + count + 1;
        curve->high = curve->low + count + 1;
    }
    return curve->x != NULL;
}

static void add(struct curve *curve, double x, double y, double low, double high)
{
    curve->x[curve->count] = x;
    curve->y[curve->count] = y;
    curve->low[curve->count] = low;
    curve->high[curve->count] = high;
    curve->count++;
}

static void add_series(struct figure *figure, const char *name, const struct curve *curve,
                       unsigned style, unsigned colour)
{
    if (curve->count > 0) {
        figure->series[figure->count++] = (struct vks_plot_series){
            .name = name,
            .x = curve->x,
            .y = curve->y,
            .low = style & VKS_PLOT_POINTS ? curve->low : NULL,
            .high = style & VKS_PLOT_POINTS ? curve->high : NULL,
            .count = curve->count,
            .style = style,
            .colour = colour,
        };
    }
}

static void name_curves(const struct vks_scaling *scaling, const struct vks_scaling_sweep *sweep,
                        struct figure *figure)
{
    char constant[32], bandwidth[32], margin[32] = "";
    const struct vks_power_fit *fit = &sweep->fit;
    if (isfinite(fit->p.margin)) {
        snprintf(margin, sizeof(margin), " \u00b1 %.3f", fit->p.margin);
    }
    vks_plot_number(fit->a.value, "s", VKS_PLOT_LOG, constant, sizeof(constant));
    snprintf(figure->fit_name, sizeof(figure->fit_name), "fit: %s%s%.3g s \u00b7 x^p, p = %.3f%s",
             fit->a.value > 0 ? constant : "", fit->a.value > 0 ? " + " : "", fit->b.value,
             fit->p.value, margin);
    snprintf(figure->limit_name, sizeof(figure->limit_name),
             "limit: bytes of a step at the copy bandwidth, %s",
             vks_plot_number(scaling->copy_bandwidth, "B/s", VKS_PLOT_LOG, bandwidth,
                             sizeof(bandwidth)));
    snprintf(figure->x_label, sizeof(figure->x_label), "%s",
             sweep->is_size ? "side of the field (cells)" : sweep->quantity);
    snprintf(figure->title, sizeof(figure->title), "%s: GPU time%s against %s", scaling->model,
             sweep->is_steps ? "" : " per step",
             sweep->is_size ? "the field's side" : sweep->quantity);
    snprintf(figure->subtitle, sizeof(figure->subtitle), "%s (%s)", scaling->device.name,
             scaling->device.driver);
}

static void make_figure(const struct vks_scaling *scaling, const struct vks_scaling_sweep *sweep,
                        struct figure *figure)
{
    for (size_t i = 0; i < sweep->count; i++) {
        const struct vks_scaling_point *point = &sweep->points[i];
        const double x = (double)point->x;
        if (point->left_out) {
            continue;
        }
        const bool full = !sweep->full || point->x >= sweep->fit_from;
        add(full ? &figure->used : &figure->unused, x,
            vks_scaling_time(sweep, point->gpu.median, point->x),
            vks_scaling_time(sweep, point->gpu.low_quartile, point->x),
            vks_scaling_time(sweep, point->gpu.high_quartile, point->x));
        if (point->bytes > 0 && scaling->copy_bandwidth > 0) {
            const double limit =
                vks_scaling_time(sweep, point->bytes / scaling->copy_bandwidth, point->x);
            add(&figure->limit, x, limit, limit, limit);
        }
    }
    for (int i = 0; i < CURVE && sweep->fit.count > 0; i++) {
        const double from = (double)sweep->fit_from, to = (double)sweep->fit_to;
        const double x = from * pow(to / from, (double)i / (CURVE - 1));
        const double y = vks_fit_at(&sweep->fit, x);
        add(&figure->fit, x, y, y, y);
    }
    name_curves(scaling, sweep, figure);
    add_series(figure, figure->limit_name, &figure->limit, VKS_PLOT_LINE | VKS_PLOT_DASHED, 1);
    add_series(figure, figure->fit_name, &figure->fit, VKS_PLOT_LINE, 0);
    add_series(figure, "measured: median and quartiles", &figure->used, VKS_PLOT_POINTS, 0);
    add_series(figure, sweep->is_size ? "GPU not full" : "not in the fit", &figure->unused,
               VKS_PLOT_POINTS | VKS_PLOT_HOLLOW, 0);
}

static void free_figure(struct figure *figure)
{
    free(figure->used.x);
    free(figure->unused.x);
    free(figure->limit.x);
    free(figure->fit.x);
}

/* Plots of `count` sweeps, the first of which is number `first`: see vks_plot_svg(). */
static enum vks_result draw(const struct vks_scaling *scaling, size_t first, size_t count,
                            char **svg)
{
    struct figure *figures = calloc(count + 1, sizeof(*figures));
    struct vks_plot *plots = calloc(count + 1, sizeof(*plots));
    enum vks_result result = figures && plots ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        const struct vks_scaling_sweep *sweep = &scaling->sweeps[first + i];
        struct figure *figure = &figures[i];
        const bool allocated =
            allocate(&figure->used, sweep->count) && allocate(&figure->unused, sweep->count) &&
            allocate(&figure->limit, sweep->count) && allocate(&figure->fit, CURVE);
        if (!allocated) {
            result = vks_fail_memory();
            break;
        }
        make_figure(scaling, sweep, figure);
        plots[i] = (struct vks_plot){
            .title = figure->title,
            .subtitle = figure->subtitle,
            .x = {figure->x_label, NULL, sweep->is_size ? VKS_PLOT_LOG2 : VKS_PLOT_LOG, 0, 0},
            .y = {sweep->is_steps ? "GPU time" : "GPU time per step", "s", VKS_PLOT_LOG, 0, 0},
            .series = figure->series,
            .series_count = figure->count,
        };
    }
    if (result == VKS_OK) {
        result = vks_plot_svg(plots, count, svg);
    }
    for (size_t i = 0; figures && i < count; i++) {
        free_figure(&figures[i]);
    }
    free(figures);
    free(plots);
    return result;
}

enum vks_result vks_scaling_plot(const struct vks_scaling *scaling, const char *path,
                                 bool overwrite)
{
    char *svg = NULL;
    enum vks_result result = draw(scaling, 0, scaling->count, &svg);
    if (result == VKS_OK) {
        result = vks_write_file(path, overwrite, svg, strlen(svg));
    }
    free(svg);
    return result;
}

enum vks_result vks_scaling_html(const struct vks_scaling *scaling, const char *path,
                                 bool overwrite)
{
    bool complete;
    json_t *plots = json_array();
    enum vks_result result = plots ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < scaling->count && result == VKS_OK; i++) {
        char *svg = NULL;
        result = draw(scaling, i, 1, &svg);
        if (result == VKS_OK && json_array_append_new(plots, json_string(svg)) != 0) {
            result = vks_fail_memory();
        }
        free(svg);
    }
    if (result != VKS_OK) {
        json_decref(plots);
        return result;
    }
    json_t *report = vks_scaling_json(scaling, &complete);
    if (!complete) {
        json_decref(report);
        report = NULL;
    }
    return vks_html_write(path, overwrite, &vks_page_scaling, report, plots);
}
