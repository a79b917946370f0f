/* SPDX-License-Identifier: MIT */
/* The command `onset`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "onset/measure.h"
#include "onset/report.h"
#include "report/plot.h"
#include "report/report.h"
#include "sim/registry.h"
#include "tool/cli.h"

/* Modes, and the wavelengths of the first and the last on a field of `auto_side` cells. */
enum { AUTO_MODES = 40, AUTO_SIDE = 128, MAX_MODES = 1000, MAX_SEEDS = 1000 };

struct values {
    char *modes, *spin_up, *preset, *plot;
    uint64_t measure;
    bool json, overwrite;
};

#define AT(member) offsetof(struct values, member)
static const struct vks_option rows[] = {
    {.name = "modes",
     .type = VKS_OPTION_TEXT,
     .offset = AT(modes),
     .default_text = "auto",
     .argument = "LOW:HIGH[/N]",
     .help = "waves to examine, by how often each fits into the width: all from LOW to HIGH, or N "
             "of them, evenly spaced; auto: 40, the longest at least 128 cells"},
    {.name = "spin-up",
     .type = VKS_OPTION_TEXT,
     .offset = AT(spin_up),
     .default_text = "auto",
     .argument = "STEPS",
     .help = "steps without steering, until the noise of the trail is that of a uniform state; "
             "auto: 6 / decay, at most 2000"},
    {.name = "measure",
     .type = VKS_OPTION_COUNT,
     .offset = AT(measure),
     .min = 0,
     .max = MAX_SEEDS,
     .default_text = "0",
     .unit = "seeds",
     .argument = "SEEDS",
     .help = "also measure how small waves grow, in runs with this many seeds; needs a square "
             "field"},
    {.name = "preset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME",
     .help = "named set of options (see --list); explicit options override it"},
    {.name = "plot",
     .type = VKS_OPTION_TEXT,
     .offset = AT(plot),
     .argument = "FILE.svg|png",
     .help = "also draw the growth rates against the wavelength, and what was measured"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace an existing plot"},
    {.name = "json", .type = VKS_OPTION_FLAG, .offset = AT(json), .help = "print JSON"},
};
#undef AT
const struct vks_option_table vks_onset_options = {rows, VKS_COUNT(rows)};

struct onset {
    struct vks_call *call;
    struct values values;
    struct vks_settings settings;
    struct vks_onset_model model;
    struct vks_onset_plan plan;
    uint32_t *modes;
};

/* --- the command line ------------------------------------------------------------------------ */

static enum vks_result read_settings(struct onset *onset)
{
    const struct vks_call *call = onset->call;
    if (call->argument_count && strcmp(call->arguments[0], "physarum") != 0) {
        return vks_fail(VKS_ERROR_USAGE,
                        "onset is about patterns of physarum; it does not know the simulation '%s'",
                        call->arguments[0]);
    }
    enum vks_result result = vks_settings_init(&onset->settings, vks_model_find("physarum"));
    if (result == VKS_OK && onset->values.preset) {
        result = vks_settings_preset(&onset->settings, onset->values.preset);
    }
    /* Presets may start from a disc: the theory is about a uniform field. */
    if (result == VKS_OK) {
        result = vks_settings_set(&onset->settings, "init", "random");
    }
    if (result == VKS_OK) {
        result = vks_call_apply(call, &onset->settings);
    }
    return result == VKS_OK ? vks_settings_finish(&onset->settings) : result;
}

/* A real or a count of the model, with the value of the option that it follows. */
static double value_of(struct onset *onset, const char *name)
{
    void *structure;
    const struct vks_option *option = vks_settings_option(&onset->settings, name, &structure);
    const struct vks_settings *settings = &onset->settings;
    const char *resolved = settings->resolved;
    return option->type == VKS_OPTION_COUNT
               ? (double)*(const uint64_t *)(const void *)(resolved + option->offset)
               : *(const double *)(const void *)(resolved + option->offset);
}

/* The value of an option as text. */
static const char *text_of(struct onset *onset, const char *name, char buffer[VKS_VALUE_SIZE])
{
    void *structure;
    const struct vks_option *option = vks_settings_option(&onset->settings, name, &structure);
    return vks_option_get(option, structure, buffer, VKS_VALUE_SIZE);
}

/* Options that must have their default: what they change is not in the theory. */
static enum vks_result check_defaults(struct onset *onset)
{
    static const char *const names[] = {
        "steering",
        "species",
        "walls",
        "food",
        "maps",
        "boundary",
        "lifetime",
        "deposit-power",
        "deposit-limit",
        "blend-to",
        "step-size-gain",
        "sensor-distance-gain",
        "sensor-angle-gain",
        "turn-angle-gain",
    };
    char buffer[VKS_VALUE_SIZE];
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        void *structure;
        const struct vks_option *option =
            vks_settings_option(&onset->settings, names[i], &structure);
        if (option && !vks_option_is_default(option, structure)) {
            return vks_fail_option(VKS_ERROR_USAGE, names[i],
                                   "'%s' is not in the theory, which covers max steering of one "
                                   "species without walls, with the same traits everywhere, on a "
                                   "periodic field",
                                   text_of(onset, names[i], buffer));
        }
    }
    return VKS_OK;
}

static enum vks_result check_values(struct onset *onset)
{
    char buffer[VKS_VALUE_SIZE];
    if (strcmp(onset->settings.common.init, "random") != 0) {
        return vks_fail_option(VKS_ERROR_USAGE, "init",
                               "'%s' is not uniform; onset starts from random",
                               onset->settings.common.init);
    }
    if (value_of(onset, "diffuse-size") > 3) {
        return vks_fail_option(VKS_ERROR_USAGE, "diffuse-size",
                               "'%s' is not in the theory, which covers 1 and 3",
                               text_of(onset, "diffuse-size", buffer));
    }
    static const struct {
        const char *name;
        double value;
        const char *why;
    } refused[] = {
        {"deposit", 0, "there is no trail then, and nothing to follow"},
        {"decay", 1, "the trail is gone after every step"},
        {"sensor-distance", 0, "all sensors read the same cell, so agents do not turn"},
        {"sensor-angle", 0, "all sensors read the same cell, so agents do not turn"},
        {"sensor-angle", 180, "both side sensors read the same cell, so agents do not turn"},
    };
    for (size_t i = 0; i < VKS_COUNT(refused); i++) {
        if (value_of(onset, refused[i].name) == refused[i].value) {
            return vks_fail_option(VKS_ERROR_USAGE, refused[i].name, "'%s' leaves no patterns: %s",
                                   text_of(onset, refused[i].name, buffer), refused[i].why);
        }
    }
    return VKS_OK;
}

/* "auto", LOW:HIGH or LOW:HIGH/N. */
static enum vks_result read_modes(struct onset *onset)
{
    const uint32_t width = onset->settings.common.size.width, longest = width / 2;
    const uint32_t scale = width >= AUTO_SIDE ? width / AUTO_SIDE : 1;
    double low = scale, high = scale * fmin(AUTO_MODES, longest), count = fmin(AUTO_MODES, longest);
    const char *text = onset->values.modes;
    if (strcmp(text, "auto") != 0) {
        const char *end = vks_parse_span(text, &low, &high);
        count = high - low + 1;
        if (end && *end == '/') {
            const char *begin = end + 1;
            count = vks_parse_real(begin, &end);
            end = end == begin ? NULL : end;
        }
        if (!end || *end != '\0' || low != floor(low) || high != floor(high) ||
            count != floor(count)) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--modes '%s' is not auto, LOW:HIGH or LOW:HIGH/N in whole numbers, "
                            "such as 1:40",
                            text);
        }
        if (!(low >= 1 && low <= high && high <= longest)) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--modes '%s' is not within 1:%" PRIu32
                            ", in ascending order: a wave needs at least two of the %" PRIu32
                            " cells of the width",
                            text, longest, width);
        }
        if (!(count >= (low < high ? 2 : 1) && count <= high - low + 1)) {
            return vks_fail(VKS_ERROR_USAGE, "--modes '%s' must select %d to %g modes", text,
                            low < high ? 2 : 1, high - low + 1);
        }
    }
    if (longest == 0 || count > MAX_MODES) {
        return vks_fail(VKS_ERROR_USAGE,
                        longest == 0 ? "onset needs a field that is at least 2 cells wide"
                                     : "--modes can have at most %d modes; LOW:HIGH/%d selects "
                                       "that many",
                        MAX_MODES, MAX_MODES);
    }
    onset->plan.mode_count = (size_t)count;
    onset->modes = calloc(onset->plan.mode_count, sizeof(*onset->modes));
    for (size_t i = 0; i < onset->plan.mode_count && onset->modes; i++) {
        const double share = count > 1 ? (double)i / (count - 1) : 0;
        onset->modes[i] = (uint32_t)(low + floor(share * (high - low) + 0.5));
    }
    onset->plan.modes = onset->modes;
    return onset->modes ? VKS_OK : vks_fail_memory();
}

static enum vks_result read_spin_up(struct onset *onset)
{
    enum { MAX_AUTO = 2000 };
    const char *text = onset->values.spin_up, *end;
    const double decay = value_of(onset, "decay");
    double steps = decay * MAX_AUTO > 6 ? ceil(6 / decay) : MAX_AUTO;
    if (strcmp(text, "auto") != 0) {
        steps = vks_parse_real(text, &end);
        if (end == text || *end != '\0' || !(steps >= 1 && steps <= 1e9) || steps != floor(steps)) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--spin-up '%s' is not auto or a whole number from 1 to 1000000000",
                            text);
        }
    }
    onset->plan.spin_up = (uint64_t)steps;
    return VKS_OK;
}

static enum vks_result read_plan(struct onset *onset)
{
    static const double radians = 3.14159265358979323846 / 180;
    const struct vks_size size = onset->settings.common.size;
    const double cells = (double)size.width * size.height;
    char buffer[VKS_VALUE_SIZE];
    onset->plan.width = size.width;
    onset->plan.height = size.height;
    onset->plan.agents = (uint64_t)value_of(onset, "agents");
    onset->plan.seed = (uint32_t)onset->settings.common.seed;
    onset->plan.seeds = (uint32_t)onset->values.measure;
    onset->plan.model = &onset->model;
    if (onset->plan.seeds && size.width != size.height) {
        return vks_fail_option(VKS_ERROR_USAGE, "size",
                               "'%" PRIu32 "x%" PRIu32
                               "' is not square, which measuring needs: waves of both directions "
                               "are compared",
                               size.width, size.height);
    }
    onset->model = (struct vks_onset_model){
        .density = (double)onset->plan.agents / cells,
        .sensor_distance = value_of(onset, "sensor-distance"),
        .sensor_angle = value_of(onset, "sensor-angle") * radians,
        .turn_angle = value_of(onset, "turn-angle") * radians,
        .step_size = value_of(onset, "step-size"),
        .jitter = value_of(onset, "jitter") * radians,
        .keep = 1 - value_of(onset, "decay"),
        .diffuse = value_of(onset, "diffuse-size") == 1 ? 0 : value_of(onset, "diffuse"),
        .deposit = value_of(onset, "deposit"),
        .bilinear = strcmp(text_of(onset, "sampling", buffer), "bilinear") == 0,
    };
    enum vks_result result = read_modes(onset);
    return result == VKS_OK ? read_spin_up(onset) : result;
}

/* --- results --------------------------------------------------------------------------------- */

static enum vks_result print(const struct onset *onset, const struct vks_onset_report *report)
{
    bool complete;
    if (!onset->values.json) {
        vks_onset_table(stdout, report);
        return VKS_OK;
    }
    json_t *root = vks_onset_json(report, &complete);
    return vks_print_json(root, complete);
}

static enum vks_result report(struct onset *onset, vks_context *context,
                              const struct vks_onset_measured *measured)
{
    struct vks_onset_report report = {
        .device = {.size = sizeof(report.device)},
        .plan = &onset->plan,
        .measured = measured,
        .rows = calloc(onset->plan.mode_count, sizeof(*report.rows)),
        .options = json_object(),
        .command =
            vks_report_command((const char *const *)onset->call->argv, (size_t)onset->call->argc),
    };
    enum vks_result result = report.rows && report.options && report.command
                                 ? vks_context_device(context, &report.device)
                                 : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_settings_to_json(&onset->settings, report.options);
    }
    if (result == VKS_OK) {
        result = vks_onset_predict(&report);
    }
    if (result == VKS_OK) {
        result = print(onset, &report);
    }
    if (result == VKS_OK && onset->values.plot) {
        result = vks_onset_plot(&report, onset->values.plot, onset->values.overwrite);
    }
    free(report.rows);
    json_decref(report.options);
    json_decref(report.command);
    return result;
}

static enum vks_result run(struct onset *onset)
{
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    struct vks_onset_measured measured = {.pattern = 0};
    enum vks_result result = vks_call_open(onset->call, &context);
    if (result == VKS_OK) {
        result = vks_simulation_open(context, &onset->settings, NULL, 0, &simulation);
    }
    if (result == VKS_OK) {
        result = vks_onset_measure(simulation, &onset->plan, &measured);
    }
    if (result == VKS_OK) {
        result = report(onset, context, &measured);
    }
    struct vks_error why;
    vks_error_keep(result, &why);
    vks_onset_measured_free(&measured);
    vks_simulation_destroy(simulation);
    vks_call_close(onset->call, context);
    return vks_fail_again(&why);
}

enum vks_result vks_command_onset(struct vks_call *call)
{
    struct onset onset = {.call = call};
    enum vks_result result = vks_call_values(call, &onset.values);
    if (result == VKS_OK) {
        result = read_settings(&onset);
    }
    if (result == VKS_OK) {
        result = check_defaults(&onset);
    }
    if (result == VKS_OK) {
        result = check_values(&onset);
    }
    if (result == VKS_OK) {
        result = read_plan(&onset);
    }
    if (result == VKS_OK) {
        result = vks_plot_check("--plot", onset.values.plot, onset.values.overwrite);
    }
    if (result == VKS_OK) {
        result = run(&onset);
    }
    free(onset.modes);
    if (onset.settings.model) {
        vks_settings_free(&onset.settings);
    }
    vks_options_free(vks_onset_options, &onset.values);
    return result;
}
