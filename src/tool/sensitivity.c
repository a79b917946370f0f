/* SPDX-License-Identifier: MIT */
/* The command `sensitivity`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/twins.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/report.h"
#include "runs/sensitivity.h"
#include "runs/vary.h"
#include "sim/registry.h"
#include "tool/cli.h"

struct values {
    char *preset, *perturb, *curve, *plot, *over, *over_rows, *map_out, *report;
    uint64_t spin_up, steps, seeds, shrink, limit, every;
    struct vks_size grid;
    bool json, overwrite;
};

#define AT(member) offsetof(struct values, member)
static const struct vks_option rows[] = {
    {.name = "preset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME",
     .help = "named set of options (see --list); explicit options override it"},
    {.name = "spin-up",
     .type = VKS_OPTION_COUNT,
     .offset = AT(spin_up),
     .max = 1e9,
     .default_text = "300",
     .unit = "",
     .help = "steps before the perturbation"},
    {.name = "steps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(steps),
     .min = 1,
     .max = 1e9,
     .default_text = "300",
     .unit = "",
     .help = "steps after the perturbation"},
    {.name = "seeds",
     .type = VKS_OPTION_COUNT,
     .offset = AT(seeds),
     .min = 1,
     .max = 1000,
     .default_text = "5",
     .unit = "",
     .help = "number of runs, with seeds from --seed on: the standard error is over them"},
    {.name = "perturb",
     .type = VKS_OPTION_TEXT,
     .offset = AT(perturb),
     .argument = "WHAT:AMOUNT",
     .help =
         "the small change: heading (of agent 0, in turns), headings (of all agents, either "
         "way), position (of agent 0, in cells along x), or a field such as trail (cell 0, "
         "relative) or all-trail (all cells); default: headings:1e-3, without agents all-v:1e-3"},
    {.name = "shrink",
     .type = VKS_OPTION_COUNT,
     .offset = AT(shrink),
     .min = 1,
     .max = 20,
     .default_text = "8",
     .unit = "",
     .help = "twins that are too far apart are contracted to 2^-shrink of their distance"},
    {.name = "limit",
     .type = VKS_OPTION_COUNT,
     .offset = AT(limit),
     .min = 2,
     .max = 1e6,
     .default_text = "50",
     .unit = "",
     .help = "twins are too far apart once 1/limit of the total trail differs"},
    {.name = "every",
     .type = VKS_OPTION_COUNT,
     .offset = AT(every),
     .min = 1,
     .max = 1e6,
     .default_text = "1",
     .unit = "",
     .help = "steps between two measurements of the distance; cycles are multiples of it"},
    {.name = "curve",
     .type = VKS_OPTION_TEXT,
     .offset = AT(curve),
     .argument = "FILE.csv",
     .help = "write the distances of the free twins, one row per seed and measurement"},
    {.name = "plot",
     .type = VKS_OPTION_TEXT,
     .offset = AT(plot),
     .argument = "FILE.svg|png",
     .help = "draw the distances of the free twins on a logarithmic axis"},
    {.name = "over",
     .type = VKS_OPTION_TEXT,
     .offset = AT(over),
     .argument = "OPTION=VALUES",
     .help = "measure for several values of an option of the simulation: VALUE,VALUE..., "
             "LOW..HIGH/N, or LOW..HIGH with --grid"},
    {.name = "over-rows",
     .type = VKS_OPTION_TEXT,
     .offset = AT(over_rows),
     .argument = "OPTION=VALUES",
     .help = "and of a second option: its values are the rows of the map"},
    {.name = "grid",
     .type = VKS_OPTION_SIZE,
     .offset = AT(grid),
     .min = 1,
     .max = VKS_MAX_CELLS,
     .argument = "COLSxROWS",
     .help = "number of values in ranges LOW..HIGH of --over and --over-rows"},
    {.name = "map-out",
     .type = VKS_OPTION_TEXT,
     .offset = AT(map_out),
     .argument = "FILE.png",
     .help = "draw the exponent over these values with --colormap (grey: no growth), and write it "
             "to FILE.csv"},
    {.name = "report",
     .type = VKS_OPTION_TEXT,
     .offset = AT(report),
     .argument = "FILE.html",
     .help = "write an HTML page with the tables, and the plot or the map"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace existing files"},
    {.name = "json", .type = VKS_OPTION_FLAG, .offset = AT(json), .help = "print JSON"},
};
#undef AT
const struct vks_option_table vks_sensitivity_options = {rows, VKS_COUNT(rows)};

struct command {
    struct vks_call *call;
    struct values values;
    struct vks_settings settings; /* not finished */
    struct vks_vary vary;         /* count 0: no map */
    struct vks_settings *cells;   /* finished */
    size_t cell_count;
    struct vks_perturbation *perturbations; /* of each cell */
    char *csv;                              /* beside the map; NULL: none */
    struct vks_sensitivity found;
    const char **names;
    size_t measured; /* seeds in found.seeds */
};

/* --- the command line ------------------------------------------------------------------------ */

static enum vks_result apply_words(void *user, struct vks_settings *settings)
{
    return vks_call_apply(user, settings);
}

static enum vks_result read_settings(struct command *command)
{
    const enum vks_result result =
        vks_call_settings(command->call, command->values.preset, &command->settings);
    return result == VKS_OK ? vks_settings_take_image_size(&command->settings) : result;
}

/* What the axes of a map cannot be. */
static enum vks_result check_axis(const struct vks_axis *axis, const char *flag)
{
    if (axis->count > 0 && strcmp(axis->option, "seed") == 0) {
        return vks_fail(VKS_ERROR_USAGE,
                        "%s cannot vary the seed: every value is measured with "
                        "--seeds seeds from --seed on",
                        flag);
    }
    return VKS_OK;
}

/* The finished settings of all cells; one without a map. */
static enum vks_result read_cells(struct command *command)
{
    const struct values *values = &command->values;
    struct vks_vary *vary = &command->vary;
    enum vks_result result = vks_vary_parse_flags(vary, &command->settings, values->grid, "--over",
                                                  values->over, "--over-rows", values->over_rows);
    if (result == VKS_OK) {
        result = check_axis(&vary->across, "--over");
    }
    if (result == VKS_OK) {
        result = check_axis(&vary->down, "--over-rows");
    }
    if (result == VKS_OK && vary->count > 0) {
        result =
            vks_vary_cells(vary, &command->settings, apply_words, command->call, &command->cells);
        command->cell_count = result == VKS_OK ? vary->count : 0;
    } else if (result == VKS_OK) {
        command->cells = calloc(1, sizeof(*command->cells));
        result = command->cells ? vks_settings_copy(command->cells, &command->settings)
                                : vks_fail_memory();
        command->cell_count = command->cells ? 1 : 0;
        if (result == VKS_OK) {
            result = vks_settings_finish(command->cells);
        }
    }
    command->perturbations = calloc(command->cell_count + 1, sizeof(*command->perturbations));
    if (result == VKS_OK && !command->perturbations) {
        result = vks_fail_memory();
    }
    for (size_t i = 0; i < command->cell_count && result == VKS_OK; i++) {
        result = vks_twins_check(&command->cells[i]);
        if (result == VKS_OK) {
            result = vks_perturbation_parse(&command->perturbations[i], &command->cells[i],
                                            values->perturb);
        }
        if (result == VKS_OK) {
            result = vks_settings_check_images(&command->cells[i],
                                               i > 0 ? &command->cells[i - 1] : NULL, false, false);
        }
    }
    return result;
}

/* Options that do not go together. */
static enum vks_result check_values(const struct command *command)
{
    const struct values *v = &command->values;
    const uint64_t seed = command->settings.common.seed;
    if (v->map_out && !v->over) {
        return vks_fail(
            VKS_ERROR_USAGE,
            "--map-out needs --over OPTION=VALUES, and --over-rows for a second option");
    }
    if (v->over && (v->curve || v->plot)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--%s shows the twins of one simulation; --over measures several, which "
                        "--map-out draws",
                        v->curve ? "curve" : "plot");
    }
    if (v->every > v->steps) {
        return vks_fail_option(VKS_ERROR_USAGE, "every",
                               "%" PRIu64 " is more than --steps %" PRIu64, v->every, v->steps);
    }
    if (seed + v->seeds - 1 > UINT32_MAX) {
        return vks_fail_option(VKS_ERROR_USAGE, "seeds",
                               "%" PRIu64 " from seed %" PRIu64 " on end after the largest seed, "
                               "%" PRIu32,
                               v->seeds, seed, UINT32_MAX);
    }
    return VKS_OK;
}

/* Checks that a file can be written. */
static enum vks_result check_file(const char *option, const char *path, const char *extension,
                                  bool overwrite)
{
    struct vks_atomic_file file = {0};
    if (!path) {
        return VKS_OK;
    }
    if (extension && !vks_has_extension(path, extension)) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' does not end in %s", option, path, extension);
    }
    const enum vks_result result = vks_atomic_file_begin(&file, path, overwrite);
    vks_atomic_file_abort(&file);
    return result;
}

/* Checks all paths before anything is measured. */
static enum vks_result check_files(struct command *command)
{
    const struct values *v = &command->values;
    if (v->map_out && vks_has_extension(v->map_out, ".png")) {
        command->csv =
            vks_format("%.*s.csv", (int)(strlen(v->map_out) - strlen(".png")), v->map_out);
        if (!command->csv) {
            return vks_fail_memory();
        }
    }
    const struct {
        const char *option, *path;
    } files[] = {{"--curve", v->curve},
                 {"--plot", v->plot},
                 {"--map-out", v->map_out},
                 {"--map-out", command->csv},
                 {"--report", v->report}};
    enum vks_result result = vks_plot_check("--plot", v->plot, v->overwrite);
    if (result == VKS_OK) {
        result = check_file("--map-out", v->map_out, ".png", v->overwrite);
    }
    if (result == VKS_OK) {
        result = check_file("--map-out", command->csv, NULL, v->overwrite);
    }
    if (result == VKS_OK) {
        result = check_file("--curve", v->curve, ".csv", v->overwrite);
    }
    if (result == VKS_OK && v->report) {
        result = vks_html_check(v->report, v->overwrite);
    }
    for (size_t i = 0; i < VKS_COUNT(files) && result == VKS_OK; i++) {
        for (size_t k = 0; k < i && result == VKS_OK; k++) {
            if (files[i].path && files[k].path && vks_is_same_file(files[i].path, files[k].path)) {
                result = vks_fail(VKS_ERROR_USAGE, "%s and %s both name '%s'", files[k].option,
                                  files[i].option, files[i].path);
            }
        }
    }
    return result;
}

/* --- measuring ------------------------------------------------------------------------------- */

/* The names of the quantities, which all cells share. */
static enum vks_result take_names(struct command *command, const struct vks_twins *twins)
{
    struct vks_sensitivity *found = &command->found;
    if (command->names) {
        return VKS_OK;
    }
    found->quantities = vks_twins_count(twins);
    found->main = vks_twins_main(twins);
    found->items = strcmp(vks_twins_name(twins, 1), "apart") == 0;
    command->names = calloc(found->quantities + 1, sizeof(*command->names));
    for (size_t i = 0; command->names && i < found->quantities; i++) {
        command->names[i] = vks_strdup(vks_twins_name(twins, i));
        if (!command->names[i]) {
            return vks_fail_memory();
        }
    }
    found->names = command->names;
    return command->names ? VKS_OK : vks_fail_memory();
}

static void show_seed(const struct command *command, const struct vks_sensitivity_seed *seed)
{
    if (isfinite(seed->rate)) {
        vks_message(VKS_LOG_INFO, "seed %" PRIu64 ": %.4f per step", seed->seed, seed->rate);
    } else {
        vks_message(VKS_LOG_INFO,
                    "seed %" PRIu64 ": no rate, distances up to %.3g %% of the total %s",
                    seed->seed, 100 * seed->largest, command->names[command->found.main]);
    }
}

static void show_cell(const struct command *command, size_t cell)
{
    const struct vks_vary *vary = &command->vary;
    const struct vks_sensitivity_mean rate = vks_sensitivity_mean(&command->found, cell);
    const char *down = vks_vary_value(vary, &vary->down, cell);
    char text[32] = "no growth";
    if (rate.count > 0) {
        snprintf(text, sizeof(text), "%.4f per step", rate.value);
    }
    vks_message(VKS_LOG_INFO, "%s %s%s%s%s%s: %s", vary->across.option,
                vks_vary_value(vary, &vary->across, cell), down ? ", " : "",
                down ? vary->down.option : "", down ? " " : "", down ? down : "", text);
}

static enum vks_result measure_cell(struct command *command, vks_context *context, size_t cell)
{
    const bool has_map = command->vary.count > 0;
    struct vks_sensitivity *found = &command->found;
    struct vks_settings *settings = &command->cells[cell];
    struct vks_pair *pair = NULL;
    enum vks_result result = vks_twins_settle(&context->gpu, settings);
    if (result == VKS_OK) {
        result = vks_pair_create(context, settings, found->shrink, &pair);
    }
    if (result == VKS_OK) {
        result = take_names(command, vks_pair_twins(pair));
    }
    for (size_t i = 0; i < command->values.seeds && result == VKS_OK; i++) {
        struct vks_sensitivity_seed *seed = &found->seeds[command->measured];
        seed->seed = settings->common.seed + i;
        seed->free_rate = NAN;
        result = vks_pair_spin_up(pair, (uint32_t)seed->seed, found->spin_up);
        if (result == VKS_OK) {
            result =
                vks_pair_measure(pair, found, &command->perturbations[cell], 0, !has_map, seed);
        }
        if (result == VKS_OK) {
            command->measured++;
            if (!has_map) {
                found->seed_count = command->measured;
                show_seed(command, seed);
            }
        }
    }
    struct vks_error why;
    vks_error_keep(result, &why);
    vks_pair_destroy(pair);
    return vks_fail_again(&why);
}

static enum vks_result measure(struct command *command, vks_context *context)
{
    struct vks_sensitivity *found = &command->found;
    const struct values *v = &command->values;
    const bool has_map = command->vary.count > 0;
    struct vks_task task;
    enum vks_result result = VKS_OK;
    found->seeds = calloc(command->cell_count * v->seeds + 1, sizeof(*found->seeds));
    if (!found->seeds) {
        return vks_fail_memory();
    }
    found->seed_count = has_map ? v->seeds : 0;
    vks_task_begin(&task, NULL, 1);
    for (size_t i = 0; i < command->cell_count && result == VKS_OK; i++) {
        result = measure_cell(command, context, i);
        if (result == VKS_OK && has_map) {
            found->cells = i + 1;
            show_cell(command, i);
        }
    }
    vks_task_end(&task);
    return result;
}

/* --- results --------------------------------------------------------------------------------- */

static struct vks_sensitivity_axis axis_of(const struct vks_axis *axis)
{
    return (struct vks_sensitivity_axis){axis->option, (const char *const *)axis->values,
                                         axis->count};
}

/* What is known before anything is measured. */
static void describe(struct command *command)
{
    struct vks_sensitivity *found = &command->found;
    const struct values *v = &command->values;
    const struct vks_size size = command->cells[0].common.size;
    *found = (struct vks_sensitivity){
        .model = command->settings.model->name,
        .device = {.size = sizeof(found->device)},
        .spin_up = v->spin_up,
        .steps = v->steps,
        .every = v->every,
        .shrink = (uint32_t)v->shrink,
        .limit = (uint32_t)v->limit,
        .across = axis_of(&command->vary.across),
        .down = axis_of(&command->vary.down),
    };
    vks_perturbation_text(&command->perturbations[0], found->perturbation);
    if (size.depth > 1) {
        snprintf(found->size, sizeof(found->size), "%ux%ux%u", size.width, size.height, size.depth);
    } else {
        snprintf(found->size, sizeof(found->size), "%ux%u", size.width, size.height);
    }
}

static enum vks_result write_files(const struct command *command)
{
    const struct values *v = &command->values;
    const struct vks_sensitivity *found = &command->found;
    const struct vks_colormap *colours = &command->cells[0].common.look.values.map;
    enum vks_result result = VKS_OK;
    if (v->curve) {
        result = vks_sensitivity_curve(found, v->curve, v->overwrite);
    }
    if (result == VKS_OK && v->plot) {
        result = vks_sensitivity_plot(found, v->plot, v->overwrite);
    }
    if (result == VKS_OK && v->map_out) {
        result = vks_sensitivity_map(found, colours, v->map_out, command->csv, v->overwrite);
    }
    if (result == VKS_OK && v->report) {
        result = vks_sensitivity_html(found, colours, v->report, v->overwrite);
    }
    return result;
}

static enum vks_result report(struct command *command, vks_context *context)
{
    struct vks_sensitivity *found = &command->found;
    const struct vks_call *call = command->call;
    found->command = vks_report_command((const char *const *)call->argv, (size_t)call->argc);
    found->options = json_object();
    enum vks_result result = found->command && found->options
                                 ? vks_context_device(context, &found->device)
                                 : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_settings_to_json(&command->settings, found->options);
    }
    if (result == VKS_OK && command->values.json) {
        json_t *root = vks_sensitivity_json(found);
        result = vks_print_json(root, root != NULL);
    } else if (result == VKS_OK) {
        vks_sensitivity_table(stdout, found);
    }
    if (result == VKS_OK) {
        result = write_files(command);
    }
    json_decref(found->command);
    json_decref(found->options);
    return result;
}

static enum vks_result run(struct command *command)
{
    vks_context *context = NULL;
    enum vks_result result = vks_call_open(command->call, &context);
    if (result == VKS_OK) {
        result = measure(command, context);
    }
    const bool interrupted = result == VKS_INTERRUPTED;
    const size_t parts = command->vary.count > 0 ? command->found.cells : command->measured;
    if (result == VKS_OK || (interrupted && parts > 0)) {
        command->found.interrupted = interrupted;
        result = report(command, context);
        result = result == VKS_OK && interrupted ? VKS_INTERRUPTED : result;
    }
    vks_call_close(command->call, context);
    return result;
}

static void free_command(struct command *command)
{
    for (size_t i = 0; command->found.seeds && i < command->cell_count * command->values.seeds;
         i++) {
        free(command->found.seeds[i].cycles);
        free(command->found.seeds[i].free.rows);
    }
    free(command->found.seeds);
    for (size_t i = 0; command->names && i < command->found.quantities; i++) {
        free((char *)(uintptr_t)command->names[i]);
    }
    free((void *)command->names);
    for (size_t i = 0; i < command->cell_count; i++) {
        vks_settings_free(&command->cells[i]);
    }
    free(command->cells);
    free(command->perturbations);
    free(command->csv);
    vks_vary_free(&command->vary);
    if (command->settings.model) {
        vks_settings_free(&command->settings);
    }
    vks_options_free(vks_sensitivity_options, &command->values);
}

enum vks_result vks_command_sensitivity(struct vks_call *call)
{
    struct command command = {.call = call};
    enum vks_result result = vks_call_values(call, &command.values);
    if (result == VKS_OK) {
        result = read_settings(&command);
    }
    if (result == VKS_OK) {
        result = check_values(&command);
    }
    if (result == VKS_OK) {
        result = read_cells(&command);
    }
    if (result == VKS_OK) {
        result = check_files(&command);
    }
    if (result == VKS_OK) {
        describe(&command);
        result = run(&command);
    }
    free_command(&command);
    return result;
}
