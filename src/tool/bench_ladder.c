/* SPDX-License-Identifier: MIT */
/* `vksim bench KERNEL`: the rungs of a kernel as a table, JSON and a plot. */
#include <stdio.h>
#include <stdlib.h>

#include "api/simulation.h"
#include "base/error.h"
#include "base/log.h"
#include "bench/ceilings.h"
#include "gpu/memory.h"
#include "report/plot.h"
#include "runs/run.h"
#include "tool/bench.h"

enum { MAX_SIZES = 64 };

/* One rung at one size. */
struct row {
    const struct vks_rung *rung;
    const char *missing; /* the feature that the device lacks */
    bool wrong;
    struct vks_spread seconds; /* no samples: not measured */
};

struct ladder {
    const struct vks_ladder_kernel *kernel;
    struct vks_ladder_size sizes[MAX_SIZES];
    size_t size_count;
    struct row *rows; /* `rung_count` for each size */
    size_t rung_count;
    struct vks_ceilings ceilings;
    const struct vks_ceiling *ceiling;
    const struct vks_device_info *device;
};

static double bytes_of(const struct ladder *ladder, size_t size)
{
    return ladder->kernel->bytes * ladder->sizes[size].width * ladder->sizes[size].height;
}

/* --- measuring ------------------------------------------------------------------------------- */

static enum vks_result parse_sizes(struct ladder *ladder, const char *given)
{
    const char *at = given;
    ladder->size_count = 0;
    do {
        if (ladder->size_count == MAX_SIZES) {
            return vks_fail(VKS_ERROR_USAGE, "--sizes has more than %d sizes", MAX_SIZES);
        }
        const enum vks_result result =
            vks_ladder_parse_size(ladder->kernel, &at, &ladder->sizes[ladder->size_count]);
        if (result != VKS_OK) {
            return result;
        }
        ladder->size_count++;
    } while (*at);
    return VKS_OK;
}

/* Checks the sizes that were given, if any; of the default ones, those that do not fit are left
 * out.
 */
static enum vks_result choose_sizes(struct ladder *ladder, struct vks_gpu *gpu)
{
    const bool software = gpu->info.type == VKS_DEVICE_SOFTWARE;
    const bool given = ladder->size_count > 0;
    enum vks_result result = given ? VKS_OK
                                   : parse_sizes(ladder, software ? ladder->kernel->software_sizes
                                                                  : ladder->kernel->sizes);
    size_t kept = 0;
    for (size_t i = 0; result == VKS_OK && i < ladder->size_count; i++) {
        ladder->sizes[kept] = ladder->sizes[i];
        result = vks_ladder_check_size(gpu, ladder->kernel, &ladder->sizes[i]);
        kept += result == VKS_OK;
        if (result != VKS_OK && !given && (kept > 0 || i + 1 < ladder->size_count)) {
            vks_message(VKS_LOG_INFO, "left out: %s", vks_error_text());
            result = VKS_OK;
        }
    }
    ladder->size_count = kept;
    return result;
}

static enum vks_result choose_rungs(struct ladder *ladder, const struct vks_gpu *gpu,
                                    const char *names)
{
    size_t all = 0;
    while (ladder->kernel->rungs[all].name) {
        all++;
    }
    ladder->rows = calloc(ladder->size_count * all, sizeof(*ladder->rows));
    if (!ladder->rows) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < all; i++) {
        const struct vks_rung *rung = &ladder->kernel->rungs[i];
        if (vks_ladder_has_rung(names, rung)) {
            ladder->rows[ladder->rung_count++] = (struct row){
                .rung = rung,
                .missing = vks_gpu_has(gpu, rung->feature) ? NULL : vks_feature_name(rung->feature),
            };
        }
    }
    for (size_t i = ladder->rung_count; i < ladder->size_count * ladder->rung_count; i++) {
        ladder->rows[i] = ladder->rows[i - ladder->rung_count];
    }
    return VKS_OK;
}

/* All rows, even if one is wrong: the first such failure is returned. */
static enum vks_result measure(struct ladder *ladder, struct vks_gpu *gpu)
{
    const bool software = gpu->info.type == VKS_DEVICE_SOFTWARE;
    const struct vks_effort effort = {.seconds = software ? 0.008 : 0.02,
                                      .repeats = software ? 5 : 9};
    struct vks_error wrong = {.hint = VKS_HINT_NONE};
    bool any_wrong = false;
    for (size_t i = 0; i < ladder->size_count * ladder->rung_count; i++) {
        struct row *row = &ladder->rows[i];
        const struct vks_ladder_size *size = &ladder->sizes[i / ladder->rung_count];
        if (vks_run_interrupted()) {
            return VKS_INTERRUPTED;
        }
        if (row->missing) {
            continue;
        }
        vks_message(VKS_LOG_VERBOSE, "measuring %s, %u x %u", row->rung->name, size->width,
                    size->height);
        const enum vks_result result =
            vks_rung_measure(gpu, ladder->kernel, row->rung, size, &effort, &row->seconds);
        row->wrong = result == VKS_ERROR_STOPPED;
        if (row->wrong && !any_wrong) {
            vks_error_keep(&wrong);
            any_wrong = true;
        } else if (result != VKS_OK && !row->wrong) {
            return result;
        }
    }
    return any_wrong ? vks_fail_again(VKS_ERROR_STOPPED, &wrong) : VKS_OK;
}

/* --- output ---------------------------------------------------------------------------------- */

/* How many times as fast as another row; 0: unknown. */
static double factor(const struct row *row, const struct row *other)
{
    return row->seconds.samples && other->seconds.samples
               ? other->seconds.median / row->seconds.median
               : 0;
}

static const char *format_size(const struct ladder *ladder, size_t size, char text[32])
{
    if (ladder->kernel->matrix) {
        snprintf(text, 32, "%ux%u", ladder->sizes[size].width, ladder->sizes[size].height);
    } else {
        snprintf(text, 32, "%u", ladder->sizes[size].width);
    }
    return text;
}

static void print_row(const struct ladder *ladder, size_t index)
{
    char size[32];
    const size_t first = index / ladder->rung_count * ladder->rung_count;
    const struct row *row = &ladder->rows[index], *before = index > first ? row - 1 : row;
    const struct vks_spread *seconds = &row->seconds;
    printf("%-10s %12s", row->rung->name, format_size(ladder, index / ladder->rung_count, size));
    if (row->missing) {
        printf("   needs %s, which the device does not offer\n", row->missing);
    } else if (row->wrong) {
        printf("   WRONG: its result is not that of the reference\n");
    } else {
        const double rate = bytes_of(ladder, index / ladder->rung_count) / seconds->median;
        printf(" %10.2f us %5.1f %% %9.2f %6.1f %%", 1e6 * seconds->median,
               100 * (seconds->high_quartile - seconds->low_quartile) / seconds->median,
               1e-9 * rate, 100 * rate / ladder->ceiling->value.median);
        const double over_first = factor(row, &ladder->rows[first]), over = factor(row, before);
        printf(over_first > 0 ? " %7.2f" : "       -", over_first);
        printf(over > 0 ? " %7.2f" : "       -", over);
        printf("  %s\n", row->rung->help);
    }
}

static void print_table(const struct ladder *ladder)
{
    char bytes[32], share[48];
    const struct vks_ceiling *ceiling = ladder->ceiling;
    printf("%s on %s (%s): %s\n", ladder->kernel->name, ladder->device->name,
           ladder->device->driver, ladder->kernel->help);
    printf("ceiling %s: %.1f GB/s, with buffers of %s\n", ceiling->info->name,
           1e-9 * ceiling->value.median, vks_format_bytes(ceiling->bytes, bytes));
    snprintf(share, sizeof(share), "of %s", ceiling->info->name);
    printf("%-10s %12s %13s %7s %9s %8s %7s %7s  %s\n", "rung", "size", "time", "spread", "GB/s",
           share, "x first", "x last", "what it changes");
    for (size_t i = 0; i < ladder->size_count * ladder->rung_count; i++) {
        print_row(ladder, i);
    }
}

static json_t *row_json(const struct ladder *ladder, size_t index)
{
    const struct row *row = &ladder->rows[index];
    const size_t size = index / ladder->rung_count, first = size * ladder->rung_count;
    json_t *object = json_pack("{s:s, s:I, s:I, s:b}", "rung", row->rung->name, "width",
                               (json_int_t)ladder->sizes[size].width, "height",
                               (json_int_t)ladder->sizes[size].height, "verified",
                               (int)(!row->wrong && !row->missing));
    bool whole = object != NULL;
    if (whole && row->missing) {
        whole = json_object_set_new(object, "missing", json_string(row->missing)) == 0;
    }
    if (whole && row->seconds.samples) {
        const double rate = bytes_of(ladder, size) / row->seconds.median;
        json_t *values = vks_spread_json(json_object(), &row->seconds);
        json_t *rest = json_pack("{s:f, s:f, s:o}", "bytes_per_second", rate, "of_ceiling",
                                 rate / ladder->ceiling->value.median, "seconds", values);
        whole = rest && json_object_update(object, rest) == 0;
        json_decref(rest);
        const double over_first = factor(row, &ladder->rows[first]);
        const double over = index > first ? factor(row, row - 1) : 0;
        whole = whole && (over_first <= 0 ||
                          json_object_set_new(object, "over_first", json_real(over_first)) == 0);
        whole = whole &&
                (over <= 0 || json_object_set_new(object, "over_before", json_real(over)) == 0);
    }
    if (!whole) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

static enum vks_result print_json(const struct ladder *ladder)
{
    json_t *rows = json_array();
    bool whole = rows != NULL;
    for (size_t i = 0; whole && i < ladder->size_count * ladder->rung_count; i++) {
        whole = json_array_append_new(rows, row_json(ladder, i)) == 0;
    }
    json_t *root = json_pack("{s:{s:s, s:s, s:s}, s:s, s:o, s:o}", "device", "name",
                             ladder->device->name, "driver", ladder->device->driver, "uuid",
                             ladder->device->uuid, "kernel", ladder->kernel->name, "ceiling",
                             vks_ceiling_json(ladder->ceiling), "rungs", rows);
    return vks_print_json(root, whole);
}

/* A line per rung over the size, and the ceiling. */
static enum vks_result write_plot(const struct ladder *ladder, const char *path, bool overwrite)
{
    const size_t rungs = ladder->rung_count, sizes = ladder->size_count;
    struct vks_plot_series *series = calloc(rungs, sizeof(*series));
    double *numbers = calloc(4 * rungs * sizes, sizeof(*numbers));
    char title[64], subtitle[sizeof(ladder->device->name) + sizeof(ladder->device->driver) + 8];
    enum vks_result result = series && numbers ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; result == VKS_OK && i < rungs; i++) {
        double *x = numbers + 4 * i * sizes, *y = x + sizes, *low = y + sizes, *high = low + sizes;
        size_t count = 0;
        for (size_t k = 0; k < sizes; k++) {
            const struct vks_spread *seconds = &ladder->rows[k * rungs + i].seconds;
            if (seconds->samples) {
                x[count] = (double)ladder->sizes[k].width * ladder->sizes[k].height;
                y[count] = bytes_of(ladder, k) / seconds->median;
                low[count] = bytes_of(ladder, k) / seconds->high_quartile;
                high[count++] = bytes_of(ladder, k) / seconds->low_quartile;
            }
        }
        series[i] = (struct vks_plot_series){.name = ladder->rows[i].rung->name,
                                             .x = x,
                                             .y = y,
                                             .low = low,
                                             .high = high,
                                             .count = count,
                                             .style = VKS_PLOT_POINTS | VKS_PLOT_LINE,
                                             .colour = (unsigned)i};
    }
    if (result == VKS_OK) {
        const struct vks_plot_limit limit = {.label = ladder->ceiling->info->name,
                                             .scale = ladder->ceiling->value.median};
        snprintf(title, sizeof(title), "Rungs of %s", ladder->kernel->name);
        snprintf(subtitle, sizeof(subtitle), "%s (%s)", ladder->device->name,
                 ladder->device->driver);
        const struct vks_plot plot = {
            .title = title,
            .subtitle = subtitle,
            .x = {.label = "elements", .scale = VKS_PLOT_LOG},
            .y = {.label = "rate", .unit = "B/s", .scale = VKS_PLOT_LOG},
            .series = series,
            .series_count = rungs,
            .limits = &limit,
            .limit_count = 1,
        };
        result = vks_plot_write(path, overwrite, &plot, 1);
    }
    free(series);
    free(numbers);
    return result;
}

/* --- the command ----------------------------------------------------------------------------- */

static enum vks_result get_ceiling(struct ladder *ladder, struct vks_gpu *gpu, bool fresh)
{
    const char *const names[] = {ladder->kernel->ceiling, NULL};
    const struct vks_ceilings_request request = {
        .names = names, .fresh = fresh, .stop = vks_run_interrupted};
    const enum vks_result result = vks_ceilings_get(gpu, &request, &ladder->ceilings);
    ladder->ceiling = vks_ceilings_find(&ladder->ceilings, ladder->kernel->ceiling);
    return result == VKS_OK && !ladder->ceiling
               ? vks_fail(VKS_ERROR_INTERNAL, "the ceiling %s was not measured",
                          ladder->kernel->ceiling)
               : result;
}

enum vks_result vks_bench_ladder(struct vks_call *call, const struct vks_bench_values *values,
                                 const struct vks_ladder_kernel *kernel)
{
    struct ladder ladder = {.kernel = kernel};
    vks_context *context = NULL;
    enum vks_result result = vks_plot_check("--plot", values->plot, values->overwrite);
    if (result == VKS_OK && values->sizes) {
        result = parse_sizes(&ladder, values->sizes);
    }
    if (result == VKS_OK) {
        result = vks_ladder_check_rungs(kernel, values->rungs);
    }
    if (result == VKS_OK) {
        result = vks_call_open(call, &context);
    }
    if (result == VKS_OK) {
        ladder.device = &context->gpu.info;
        result = choose_sizes(&ladder, &context->gpu);
    }
    if (result == VKS_OK) {
        result = choose_rungs(&ladder, &context->gpu, values->rungs);
    }
    if (result == VKS_OK) {
        result = get_ceiling(&ladder, &context->gpu, values->fresh);
    }
    enum vks_result measured = result == VKS_OK ? measure(&ladder, &context->gpu) : result;
    struct vks_error wrong;
    vks_error_keep(&wrong);
    if (result == VKS_OK && (measured == VKS_OK || measured == VKS_ERROR_STOPPED)) {
        if (values->json) {
            result = print_json(&ladder);
        } else {
            print_table(&ladder);
        }
        if (result == VKS_OK && values->plot) {
            result = write_plot(&ladder, values->plot, values->overwrite);
        }
    }
    if (result == VKS_OK && measured != VKS_OK) {
        result = vks_fail_again(measured, &wrong);
    }
    vks_ceilings_free(&ladder.ceilings);
    free(ladder.rows);
    vks_call_close(call, context);
    return result;
}
