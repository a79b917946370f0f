/* SPDX-License-Identifier: MIT */
/* The plots of the report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "onset/report.h"
#include "report/plot.h"

#define PI 3.14159265358979323846

/* Points of a curve, evenly spaced on the logarithmic axis of wavelengths. */
enum { CURVE = 128, SERIES = 4, PLOTS = 3 };

/* Of each plot: the theory's curve, that of the model of two variables, what was measured. The plot
 * of rates also has the theory's rate between the times of the measurement, when waves have not yet
 * the form that grows fastest. */
struct figure {
    double wavelengths[CURVE];
    double theory[PLOTS][CURVE], toy[PLOTS][CURVE], early[CURVE];
    double *at; /* wavelengths of the modes */
    double *value[PLOTS], *low[PLOTS], *high[PLOTS];
    struct vks_plot_series series[PLOTS][SERIES];
    struct vks_plot plots[PLOTS];
    char subtitle[sizeof((struct vks_device_info){0}.name) + 160], titles[PLOTS][80];
};

/* The plots after that of rates: indices of vks_onset_times. */
static const size_t plot_times[PLOTS] = {0, 1, 2};

/* The curves, from the same theory as the rows. */
static enum vks_result draw_curves(const struct vks_onset_report *report, struct figure *figure)
{
    const struct vks_onset_plan *plan = report->plan;
    const double longest = report->rows[0].wavelength;
    const double shortest = report->rows[plan->mode_count - 1].wavelength;
    struct vks_onset_row row;
    double complex matrix[VKS_ONSET_ORDER * VKS_ONSET_ORDER];
    for (size_t i = 0; i < CURVE; i++) {
        const double wavelength = longest * pow(shortest / longest, (double)i / (CURVE - 1));
        const double k = 2 * PI / wavelength;
        figure->wavelengths[i] = wavelength;
        vks_onset_matrix(plan->model, &report->measured->gains, k, matrix);
        const bool known = vks_onset_resolves(plan->model, k);
        if (!vks_onset_mode_of(matrix, &row.theory)) {
            return vks_fail(VKS_ERROR_INTERNAL, "eigenvalues do not converge");
        }
        vks_onset_response(matrix, vks_onset_times, VKS_ONSET_TIMES, row.responses);
        vks_onset_toy_response(&row.theory, vks_onset_times, VKS_ONSET_TIMES, row.toy_responses);
        const double steps = vks_onset_times[1] - vks_onset_times[0];
        figure->early[i] = known && row.responses[0] > 0 && row.responses[1] > 0
                               ? log(row.responses[1] / row.responses[0]) / steps
                               : (double)NAN;
        for (size_t p = 0; p < PLOTS; p++) {
            const double theory = p == 0 ? row.theory.rate : row.responses[plot_times[p]];
            const double toy = p == 0 ? row.theory.toy_rate : row.toy_responses[plot_times[p]];
            figure->theory[p][i] = known ? theory : (double)NAN;
            figure->toy[p][i] = known ? toy : (double)NAN;
        }
    }
    return VKS_OK;
}

/* Whether the rate of a mode is known: not where it has decayed into the noise. */
static bool is_clear(const struct vks_onset_measured *measured, size_t mode)
{
    enum { CLEAR = 6 }; /* standard errors */
    const struct vks_onset_mean *response = measured->responses[mode];
    return response[0].value > CLEAR * response[0].error &&
           response[1].value > CLEAR * response[1].error;
}

static enum vks_result add_measured(const struct vks_onset_report *report, struct figure *figure)
{
    const size_t count = report->plan->mode_count;
    figure->at = calloc(count, sizeof(double));
    for (size_t p = 0; p < PLOTS; p++) {
        figure->value[p] = calloc(count, sizeof(double));
        figure->low[p] = calloc(count, sizeof(double));
        figure->high[p] = calloc(count, sizeof(double));
        if (!figure->at || !figure->value[p] || !figure->low[p] || !figure->high[p]) {
            return vks_fail_memory();
        }
        for (size_t i = 0; i < count; i++) {
            struct vks_onset_mean mean =
                p == 0 ? report->measured->rates[i] : report->measured->responses[i][plot_times[p]];
            const bool noise = p == 0 && !is_clear(report->measured, i);
            figure->at[i] = report->rows[i].wavelength;
            figure->value[p][i] = noise ? (double)NAN : mean.value;
            figure->low[p][i] = mean.value - mean.error;
            figure->high[p][i] = mean.value + mean.error;
        }
    }
    return VKS_OK;
}

/* The error bars of points that are left out would widen the axis. */
static void hide_bars(double *value, double *low, double *high, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        low[i] = isfinite(value[i]) ? low[i] : (double)NAN;
        high[i] = isfinite(value[i]) ? high[i] : (double)NAN;
    }
}

/* The range of rates: that of the theory and of what was measured. The model of two variables may
 * leave it. */
static void set_range(const struct vks_onset_report *report, struct figure *figure,
                      struct vks_plot_axis *axis)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < CURVE; i++) { /* NaN is ignored */
        low = fmin(low, figure->theory[0][i]);
        high = fmax(high, figure->theory[0][i]);
    }
    for (size_t i = 0; i < report->plan->mode_count && report->plan->seeds; i++) {
        low = fmin(low, figure->low[0][i]);
        high = fmax(high, figure->high[0][i]);
    }
    if (high > low) {
        const double step = 0.5 * pow(10, floor(log10(high - low)));
        axis->min = step * floor(low / step - 0.1);
        axis->max = step * ceil(high / step + 0.1);
    }
}

static void add_line(struct figure *figure, size_t plot, const char *name, const double *y,
                     unsigned colour)
{
    figure->series[plot][figure->plots[plot].series_count++] =
        (struct vks_plot_series){.name = name,
                                 .x = figure->wavelengths,
                                 .y = y,
                                 .count = CURVE,
                                 .style = VKS_PLOT_LINE,
                                 .colour = colour};
}

static void compose(const struct vks_onset_report *report, struct figure *figure, size_t plot)
{
    static const struct vks_plot_limit zero = {.label = NULL};
    struct vks_plot *it = &figure->plots[plot];
    const bool rates = plot == 0;
    *it = (struct vks_plot){
        .title = figure->titles[plot],
        .subtitle = figure->subtitle,
        .x = {.label = "wavelength (cells)", .scale = VKS_PLOT_LOG},
        .y = {.label = rates ? "growth rate (per step)" : "amplitude, relative to the start"},
        .series = figure->series[plot],
        .limits = &zero,
        .limit_count = 1,
    };
    snprintf(figure->titles[plot], sizeof(figure->titles[plot]),
             rates ? "Onset of patterns: how fast waves grow" : "Amplitude of waves after %u steps",
             vks_onset_times[plot_times[plot]]);
    add_line(figure, plot, "linear theory", figure->theory[plot], 0);
    if (rates && report->plan->seeds) {
        add_line(figure, plot, "linear theory, steps 5 to 10", figure->early, 3);
    }
    add_line(figure, plot, "two-by-two model", figure->toy[plot], 1);
    if (report->plan->seeds) {
        hide_bars(figure->value[plot], figure->low[plot], figure->high[plot],
                  report->plan->mode_count);
        figure->series[plot][it->series_count++] = (struct vks_plot_series){
            .name = rates ? "measured, steps 5 to 10" : "measured, with standard error",
            .x = figure->at,
            .y = figure->value[plot],
            .low = figure->low[plot],
            .high = figure->high[plot],
            .count = report->plan->mode_count,
            .style = VKS_PLOT_POINTS,
            .colour = 2};
    }
    if (rates) {
        set_range(report, figure, &it->y);
    }
}

enum vks_result vks_onset_plot(const struct vks_onset_report *report, const char *path,
                               bool overwrite)
{
    const struct vks_onset_plan *plan = report->plan;
    struct figure *figure = calloc(1, sizeof(*figure));
    enum vks_result result = figure ? draw_curves(report, figure) : vks_fail_memory();
    if (result == VKS_OK && plan->seeds) {
        result = add_measured(report, figure);
    }
    if (result == VKS_OK) {
        const int used = snprintf(figure->subtitle, sizeof(figure->subtitle),
                                  "%ux%u cells, %.3g agents per cell", plan->width, plan->height,
                                  plan->model->density);
        if (plan->seeds) {
            snprintf(figure->subtitle + used, sizeof(figure->subtitle) - (size_t)used,
                     ", %u seeds on %s", plan->seeds, report->device.name);
        }
        const size_t plots = plan->seeds ? PLOTS : 1;
        for (size_t p = 0; p < plots; p++) {
            compose(report, figure, p);
        }
        result = vks_plot_write(path, overwrite, figure->plots, plots);
    }
    for (size_t p = 0; p < PLOTS && figure; p++) {
        free(figure->value[p]);
        free(figure->low[p]);
        free(figure->high[p]);
    }
    free(figure ? figure->at : NULL);
    free(figure);
    return result;
}
