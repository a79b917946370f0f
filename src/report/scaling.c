/* SPDX-License-Identifier: MIT */
#include "report/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

double vks_scaling_time(const struct vks_scaling_sweep *sweep, double step_seconds, uint64_t x)
{
    return sweep->is_steps ? step_seconds * (double)x : step_seconds;
}

/* --- the fit --------------------------------------------------------------------------------- */

enum vks_result vks_scaling_fit(struct vks_scaling_sweep *sweep)
{
    size_t count = 0;
    double *x = calloc(sweep->count + 1, 2 * sizeof(*x));
    if (!x) {
        return vks_fail_memory();
    }
    double *y = x + sweep->count + 1;
    for (size_t i = 0; i < sweep->count; i++) {
        const struct vks_scaling_point *point = &sweep->points[i];
        if (!point->left_out) {
            x[count] = (double)point->x;
            y[count++] = vks_scaling_time(sweep, point->gpu.median, point->x);
        }
    }
    /* What does not grow with a side or with steps is start-up; with items it is also the work on
     * the field. */
    const bool small_constant = sweep->is_size || sweep->is_steps;
    sweep->full = vks_fit_full(x, y, count, small_constant, &sweep->fit);
    sweep->fit_from = count ? (uint64_t)x[sweep->fit.first] : 0;
    sweep->fit_to = count ? (uint64_t)x[count - 1] : 0;
    free(x);
    return VKS_OK;
}

/* Seconds per cell of a side, or per item. */
static double per_unit(const struct vks_scaling_sweep *sweep, const struct vks_scaling_point *point)
{
    return point->gpu.median / (sweep->is_size ? point->cells : (double)point->x);
}

/* The bytes of a step at its time, as a share of the copy bandwidth; 0 if that is unknown. */
static double share_of(const struct vks_scaling *scaling, const struct vks_scaling_point *point)
{
    return scaling->copy_bandwidth > 0 ? point->bytes / point->gpu.median / scaling->copy_bandwidth
                                       : 0;
}

/* --- the table ------------------------------------------------------------------------------- */

static void print_point(FILE *out, const struct vks_scaling *scaling,
                        const struct vks_scaling_sweep *sweep,
                        const struct vks_scaling_point *point)
{
    const double spread = (point->gpu.high_quartile - point->gpu.low_quartile) / point->gpu.median;
    const double share = share_of(scaling, point);
    const double last =
        sweep->is_steps ? point->gpu.median * (double)point->x * 1e3 : per_unit(sweep, point) * 1e9;
    fprintf(out, "%12" PRIu64 " %12.0f %11.2f %8.1f%% %11.2f %9.1f %11.*f", point->x, point->cells,
            point->gpu.median * 1e6, 100 * spread, point->host.median * 1e6, point->startup * 1e3,
            last < 0.1 ? 6 : 4, last);
    if (share > 0) {
        fprintf(out, " %7.1f%%", 100 * share);
    } else {
        fprintf(out, " %8s", "-");
    }
    const bool outside = sweep->full && point->x < sweep->fit_from;
    fprintf(out, "%s\n", !outside ? "" : sweep->is_size ? "  not full" : "  not in the fit");
}

/* " +- 12.0 %", or nothing where the points do not determine it. */
static const char *margin_text(const struct vks_estimate *estimate, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (isfinite(estimate->margin) && estimate->value > 0) {
        snprintf(buffer, size, " +- %.1f %%", 100 * estimate->margin / estimate->value);
    }
    return buffer;
}

static void print_fit(FILE *out, const struct vks_scaling_sweep *sweep)
{
    const struct vks_power_fit *fit = &sweep->fit;
    char a[32], b[32], p[32] = "";
    if (fit->count == 0) {
        fprintf(out, "no fit: it needs at least %d points\n", VKS_FIT_MIN_POINTS);
        return;
    }
    if (isfinite(fit->p.margin)) {
        snprintf(p, sizeof(p), " +- %.3f", fit->p.margin);
    }
    fprintf(out, "fit, %s %" PRIu64 " to %" PRIu64 " (%zu points): time%s = a + b x^p\n",
            sweep->quantity, sweep->fit_from, sweep->fit_to, fit->count,
            sweep->is_steps ? "" : " per step");
    fprintf(out, "  p = %.3f%s\n  a = %.4g us%s\n  b = %.4g s%s\n", fit->p.value, p,
            fit->a.value * 1e6, margin_text(&fit->a, a, sizeof(a)), fit->b.value,
            margin_text(&fit->b, b, sizeof(b)));
    fprintf(out, "  largest deviation %.1f %%; +- is the 95 %% confidence interval\n",
            100 * fit->worst);
    if (!sweep->full) {
        fprintf(out, "  %s: the fit covers all points\n",
                sweep->is_size ? "the GPU may not be full at any of these" : "no power law holds");
    } else if (fit->first > 0) {
        fprintf(out, "  %s below %s %" PRIu64 "\n",
                sweep->is_size ? "the GPU is not full" : "the power law does not hold",
                sweep->quantity, sweep->fit_from);
    } else if (sweep->is_size) {
        fprintf(out, "  the GPU is full at all of these\n");
    }
}

void vks_scaling_table(FILE *out, const struct vks_scaling *scaling)
{
    for (size_t s = 0; s < scaling->count; s++) {
        const struct vks_scaling_sweep *sweep = &scaling->sweeps[s];
        fprintf(out, "%s%s over %s on %s (%s)\n", s ? "\n" : "", scaling->model, sweep->quantity,
                scaling->device.name, scaling->device.driver);
        fprintf(out, "%12s %12s %11s %9s %11s %9s %11s %8s\n", sweep->quantity, "cells", "us/step",
                "spread", "host us", "start ms",
                sweep->is_steps  ? "total ms"
                : sweep->is_size ? "ns/cell"
                                 : "ns/item",
                "of copy");
        for (size_t i = 0; i < sweep->count; i++) {
            if (!sweep->points[i].left_out) {
                print_point(out, scaling, sweep, &sweep->points[i]);
            }
        }
        for (size_t i = 0; i < sweep->count; i++) {
            if (sweep->points[i].left_out) {
                fprintf(out, "left out: %" PRIu64 ": %s\n", sweep->points[i].x,
                        sweep->points[i].left_out);
            }
        }
        print_fit(out, sweep);
    }
    if (scaling->copy_bandwidth > 0) {
        fprintf(out, "copy bandwidth, measured: %.1f GB/s\n", scaling->copy_bandwidth * 1e-9);
    }
    if (scaling->points_left > 0) {
        fprintf(out, "INTERRUPTED: %zu more values were not measured\n", scaling->points_left);
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *spread_json(const struct vks_spread *spread)
{
    return vks_spread_json(json_pack("{s:s}", "unit", "s"), spread);
}

/* Takes `value`; false when memory ran out. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* NaN is null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *estimate_json(const struct vks_estimate *estimate)
{
    return json_pack("{s:f, s:o}", "value", estimate->value, "margin", number(estimate->margin));
}

static json_t *point_json(const struct vks_scaling *scaling, const struct vks_scaling_sweep *sweep,
                          const struct vks_scaling_point *point)
{
    char name[96];
    snprintf(name, sizeof(name), "%s=%" PRIu64, sweep->quantity, point->x);
    if (point->left_out) {
        return json_pack("{s:s, s:I, s:f, s:s}", "name", name, "x", (json_int_t)point->x, "cells",
                         point->cells, "left_out", point->left_out);
    }
    json_t *object = spread_json(&point->gpu);
    const bool complete = set(object, "name", json_string(name)) &&
                          set(object, "x", json_integer((int64_t)point->x)) &&
                          set(object, "cells", json_real(point->cells)) &&
                          set(object, "steps", json_integer((int64_t)point->steps)) &&
                          set(object, "host", spread_json(&point->host)) &&
                          set(object, "startup_s", json_real(point->startup)) &&
                          set(object, "bytes", json_real(point->bytes)) &&
                          set(object, "share_of_copy", json_real(share_of(scaling, point)));
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *fit_json(const struct vks_scaling_sweep *sweep)
{
    const struct vks_power_fit *fit = &sweep->fit;
    if (fit->count == 0) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:o, s:f, s:I, s:I, s:I, s:b}", "a_s", estimate_json(&fit->a),
                     "b_s", estimate_json(&fit->b), "p", estimate_json(&fit->p), "worst",
                     fit->worst, "from", (json_int_t)sweep->fit_from, "to",
                     (json_int_t)sweep->fit_to, "points", (json_int_t)fit->count, "full",
                     (int)sweep->full);
}

static json_t *sweep_json(const struct vks_scaling *scaling, const struct vks_scaling_sweep *sweep)
{
    json_t *points = json_array();
    bool complete = points != NULL;
    for (size_t i = 0; i < sweep->count && complete; i++) {
        complete =
            json_array_append_new(points, point_json(scaling, sweep, &sweep->points[i])) == 0;
    }
    if (!complete) {
        json_decref(points);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:o}", "quantity", sweep->quantity, "points", points, "fit",
                     fit_json(sweep));
}

json_t *vks_scaling_json(const struct vks_scaling *scaling, bool *complete)
{
    json_t *sweeps = json_array();
    *complete = sweeps != NULL;
    for (size_t i = 0; i < scaling->count && *complete; i++) {
        *complete = json_array_append_new(sweeps, sweep_json(scaling, &scaling->sweeps[i])) == 0;
    }
    json_t *root =
        json_pack("{s:s, s:O, s:s, s:{s:s, s:s, s:s, s:s}, s:f, s:i, s:O, s:o}", "version",
                  VKS_VERSION, "command", scaling->command, "simulation", scaling->model, "device",
                  "name", scaling->device.name, "driver", scaling->device.driver, "vulkan",
                  scaling->device.api_version, "uuid", scaling->device.uuid, "copy_bytes_per_s",
                  scaling->copy_bandwidth, "repeats", (int)scaling->repeats, "options",
                  scaling->options, "scaling", sweeps);
    if (*complete && root && scaling->points_left > 0) {
        *complete = set(root, "interrupted", json_true()) &&
                    set(root, "left", json_integer((json_int_t)scaling->points_left));
    }
    *complete = *complete && root;
    return root;
}
