/* SPDX-License-Identifier: MIT */
/* The command `scale`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/ceilings.h"
#include "gpu/clock.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/report.h"
#include "report/scaling.h"
#include "runs/pace.h"
#include "runs/run.h"
#include "runs/over.h"
#include "sim/registry.h"
#include "tool/cli.h"

struct values {
    char *over; /* the last one; all of them are read from the call's words */
    char *preset, *plot, *report;
    uint64_t repeats;
    bool json, overwrite;
};

#define AT(member) offsetof(struct values, member)
static const struct vks_option rows[] = {
    {.name = "over",
     .type = VKS_OPTION_TEXT,
     .offset = AT(over),
     .argument = "QUANTITY=VALUES",
     .help =
         "quantity to vary, and its values; may be given several times. QUANTITY: size (side of "
         "the field), steps, or an option of the simulation that is a count, such as agents. "
         "VALUES: a list separated by commas, LOW:HIGH (two values per doubling), or LOW:HIGH/N "
         "(N values); numbers may end in k, M or G"},
    {.name = "repeats",
     .type = VKS_OPTION_COUNT,
     .offset = AT(repeats),
     .min = 5,
     .max = VKS_MAX_REPEATS,
     .default_text = "15",
     .unit = "",
     .help = "number of measurements per value, of about 50 ms each, or of the given steps with "
             "--over steps; their median and quartiles are reported"},
    {.name = "preset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME",
     .help = "named set of options (see --list); explicit options override it"},
    {.name = "plot",
     .type = VKS_OPTION_TEXT,
     .offset = AT(plot),
     .argument = "FILE.svg|png",
     .help = "also draw the points, the fit and the limit of the device"},
    {.name = "report",
     .type = VKS_OPTION_TEXT,
     .offset = AT(report),
     .argument = "FILE.html",
     .help = "write an HTML page with the tables, the fits and the plots"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace an existing plot or page"},
    {.name = "json",
     .type = VKS_OPTION_FLAG,
     .offset = AT(json),
     .help = "print JSON, with sizes in bytes and times in seconds"},
};
#undef AT
const struct vks_option_table vks_scale_options = {rows, VKS_COUNT(rows)};

/* A sweep, and what was measured of it. */
struct measured {
    struct vks_over sweep;
    struct vks_scaling_point points[VKS_MAX_OVER];
    enum vks_result first; /* why the first value was left out */
};

struct scale {
    struct vks_call *call;
    struct values values;
    struct vks_settings settings; /* not finished */
    struct measured *measured;
    struct vks_scaling_sweep *sweeps;
    size_t count;
    size_t points_left; /* that were not measured because of an interruption */
};

/* --- the command line ------------------------------------------------------------------------ */

static enum vks_result read_sweeps(struct scale *scale)
{
    const struct vks_call *call = scale->call;
    enum vks_result result = VKS_OK;
    scale->measured = calloc(call->word_count + 1, sizeof(*scale->measured));
    scale->sweeps = calloc(call->word_count + 1, sizeof(*scale->sweeps));
    if (!scale->measured || !scale->sweeps) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        if (call->words[i].option != &rows[0]) {
            continue;
        }
        struct measured *measured = &scale->measured[scale->count];
        result = vks_over_parse(&measured->sweep, &scale->settings, call->words[i].text);
        scale->sweeps[scale->count++] = (struct vks_scaling_sweep){
            .quantity = measured->sweep.name,
            .is_size = measured->sweep.quantity == VKS_QUANTITY_SIZE,
            .is_steps = measured->sweep.quantity == VKS_QUANTITY_STEPS,
            .points = measured->points,
            .count = measured->sweep.count,
        };
    }
    if (result == VKS_OK && scale->count == 0) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "scale needs --over QUANTITY=VALUES, such as --over size=256:4096");
    }
    return result;
}

/* Checks the page's path before anything is measured. */
static enum vks_result check_report(const struct values *values)
{
    return values->plot && vks_is_same_file(values->plot, values->report)
               ? vks_fail(VKS_ERROR_USAGE, "--plot and --report both name '%s'", values->report)
               : vks_html_check(values->report, values->overwrite);
}

/* --- measuring ------------------------------------------------------------------------------- */

static void show(const struct vks_over *sweep, const struct vks_scaling_point *point)
{
    if (point->left_out) {
        vks_message(VKS_LOG_INFO, "%s %" PRIu64 " is left out: %s", sweep->name, point->x,
                    point->left_out);
    } else {
        vks_message(VKS_LOG_INFO, "%s %" PRIu64 ": %.2f us/step", sweep->name, point->x,
                    point->gpu.median * 1e6);
    }
}

/* Measures a value; one that the device or the simulation cannot run is left out, and *reason is
 * that failure. */
static enum vks_result measure_point(const struct scale *scale, vks_context *context,
                                     const struct vks_over *sweep, uint64_t value,
                                     struct vks_scaling_point *point, enum vks_result *reason)
{
    struct vks_settings settings = {0};
    struct vks_pace pace;
    /* These settings have been checked: a usage error below is of the device. */
    enum vks_result result = vks_over_settings(sweep, value, &scale->settings, &settings);
    const struct vks_size size = settings.common.size;
    *point = (struct vks_scaling_point){
        .x = value,
        .cells = (double)size.width * size.height * size.depth,
    };
    if (result == VKS_OK) {
        result = vks_pace_measure(context, &settings, (uint32_t)scale->values.repeats,
                                  sweep->quantity == VKS_QUANTITY_STEPS ? value : 0, &pace);
    }
    vks_settings_free(&settings);
    if (result == VKS_OK) {
        point->gpu = pace.gpu;
        point->host = pace.host;
        point->steps = pace.steps;
        point->startup = pace.startup;
        point->bytes = pace.bytes;
    } else if (result == VKS_ERROR_STOPPED || result == VKS_ERROR_USAGE ||
               (result == VKS_ERROR_GPU && vks_error_last()->hint == VKS_HINT_SIZE)) {
        *reason = result;
        point->left_out = vks_strdup(vks_error_text());
        result = point->left_out ? VKS_OK : vks_fail_memory();
    }
    if (result == VKS_OK) {
        show(sweep, point);
    }
    return result;
}

/* After an interruption, keeps the points before the given one of the given sweep, and says how
 * many there are. */
static void keep_measured(struct scale *scale, size_t sweep, size_t point)
{
    size_t all = 0, measured = point;
    for (size_t s = 0; s < scale->count; s++) {
        all += scale->sweeps[s].count;
        measured += s < sweep ? scale->sweeps[s].count : 0;
    }
    scale->sweeps[sweep].count = point;
    scale->count = sweep + (point > 0);
    scale->points_left = all - measured;
    vks_message(VKS_LOG_WARNING, "interrupted after %zu of %zu values", measured, all);
}

/* VKS_INTERRUPTED, with the points that were measured, after an interruption. */
static enum vks_result measure(struct scale *scale, vks_context *context)
{
    enum vks_result result = VKS_OK, fitted = VKS_OK;
    for (size_t s = 0; s < scale->count && result == VKS_OK && fitted == VKS_OK; s++) {
        struct measured *measured = &scale->measured[s];
        for (size_t i = 0; i < measured->sweep.count && result == VKS_OK; i++) {
            enum vks_result reason = VKS_OK;
            result = measure_point(scale, context, &measured->sweep, measured->sweep.values[i],
                                   &measured->points[i], &reason);
            if (result == VKS_INTERRUPTED) {
                keep_measured(scale, s, i);
            }
            measured->first = i == 0 ? reason : measured->first;
        }
        if (s < scale->count && (result == VKS_OK || result == VKS_INTERRUPTED)) {
            fitted = vks_scaling_fit(&scale->sweeps[s]);
        }
    }
    return fitted == VKS_OK ? result : fitted;
}

/* Fails if all values of a sweep were left out: there is no result. */
static enum vks_result check_sweeps(const struct scale *scale)
{
    for (size_t s = 0; s < scale->count; s++) {
        const struct vks_scaling_sweep *sweep = &scale->sweeps[s];
        size_t measured = 0;
        for (size_t i = 0; i < sweep->count; i++) {
            measured += !sweep->points[i].left_out;
        }
        if (measured == 0) {
            return vks_fail(scale->measured[s].first,
                            "no value of %s could be measured; the first: %s", sweep->quantity,
                            sweep->points[0].left_out);
        }
    }
    return VKS_OK;
}

/* --- results --------------------------------------------------------------------------------- */

static enum vks_result print(const struct scale *scale, const struct vks_scaling *scaling)
{
    bool complete;
    if (!scale->values.json) {
        vks_scaling_table(stdout, scaling);
        return VKS_OK;
    }
    json_t *root = vks_scaling_json(scaling, &complete);
    return vks_print_json(root, complete);
}

static enum vks_result report(const struct scale *scale, vks_context *context)
{
    json_t *command =
        vks_report_command((const char *const *)scale->call->argv, (size_t)scale->call->argc);
    struct vks_scaling scaling = {
        .model = scale->settings.model->name,
        .device = {.size = sizeof(scaling.device)},
        .repeats = (uint32_t)scale->values.repeats,
        .options = json_object(),
        .command = command,
        .sweeps = scale->sweeps,
        .count = scale->count,
        .points_left = scale->points_left,
    };
    enum vks_result result = scaling.options && command
                                 ? vks_context_device(context, &scaling.device)
                                 : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_settings_to_json(&scale->settings, scaling.options);
    }
    if (result == VKS_OK) {
        result = vks_copy_bandwidth(&context->gpu, &scaling.copy_bandwidth);
        result = result == VKS_INTERRUPTED ? VKS_OK : result; /* unknown, but points are known */
    }
    if (result == VKS_OK) {
        result = print(scale, &scaling);
    }
    if (result == VKS_OK && scale->values.plot) {
        result = vks_scaling_plot(&scaling, scale->values.plot, scale->values.overwrite);
    }
    if (result == VKS_OK && scale->values.report) {
        result = vks_scaling_html(&scaling, scale->values.report, scale->values.overwrite);
    }
    json_decref(command);
    json_decref(scaling.options);
    return result;
}

static enum vks_result run(struct scale *scale)
{
    vks_context *context = NULL;
    enum vks_result result = vks_call_open(scale->call, &context);
    if (result == VKS_OK) {
        result = vks_gpu_need_timestamps(&context->gpu);
    }
    if (result == VKS_OK) {
        result = measure(scale, context);
    }
    const bool interrupted = result == VKS_INTERRUPTED;
    if (result == VKS_OK || (interrupted && scale->count > 0)) {
        result = report(scale, context);
    }
    if (result == VKS_OK) {
        result = interrupted ? VKS_INTERRUPTED : check_sweeps(scale);
    }
    vks_call_close(scale->call, context);
    return result;
}

static void free_scale(struct scale *scale)
{
    for (size_t s = 0; s < scale->count; s++) {
        for (size_t i = 0; i < scale->measured[s].sweep.count; i++) {
            free(scale->measured[s].points[i].left_out);
        }
    }
    free(scale->measured);
    free(scale->sweeps);
    if (scale->settings.model) {
        vks_settings_free(&scale->settings);
    }
    vks_options_free(vks_scale_options, &scale->values);
}

enum vks_result vks_command_scale(struct vks_call *call)
{
    struct scale scale = {.call = call};
    enum vks_result result = vks_call_values(call, &scale.values);
    if (result == VKS_OK) {
        result = vks_call_settings(scale.call, scale.values.preset, &scale.settings);
    }
    if (result == VKS_OK) {
        result = read_sweeps(&scale);
    }
    if (result == VKS_OK) {
        result = vks_plot_check("--plot", scale.values.plot, scale.values.overwrite);
    }
    if (result == VKS_OK && scale.values.report) {
        result = check_report(&scale.values);
    }
    if (result == VKS_OK) {
        result = run(&scale);
    }
    free_scale(&scale);
    return result;
}
