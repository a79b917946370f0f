/* SPDX-License-Identifier: MIT */
/* From argv to settings: docs/architecture.md, "The path of an option". */
#include "tool/cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "formula/formula.h"
#include "formula/plugin.h"
#include "frames/format.h"
#include "runs/presets.h"
#include "runs/timed.h"
#include "sim/registry.h"
#include "tool/outputs.h"
#include "tool/resume.h"

/* --- the command line ------------------------------------------------------------------------ */

/* Marks the run's own options that the command line has. */
static enum vks_result apply_own(struct vks_cli *cli)
{
    const struct vks_call *call = cli->call;
    for (size_t i = 0; i < call->word_count; i++) {
        vks_cli_mark(cli, call->words[i].option, VKS_GIVEN);
    }
    if (vks_cli_given(cli, VKS_CLI_ROW(frames)) && vks_cli_given(cli, VKS_CLI_ROW(steps))) {
        return vks_fail(VKS_ERROR_USAGE, "--steps and --frames exclude each other: the number "
                                         "of frames follows from the steps");
    }
    if (cli->duration &&
        (vks_cli_given(cli, VKS_CLI_ROW(frames)) || vks_cli_given(cli, VKS_CLI_ROW(steps)))) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--duration and --%s exclude each other: the number of frames follows "
                        "from the duration",
                        vks_cli_given(cli, VKS_CLI_ROW(frames)) ? "frames" : "steps");
    }
    const enum vks_result result = vks_outputs_parse(cli);
    cli->headless = cli->headless || cli->output_count > 0;
    return result;
}

/* --- layers ---------------------------------------------------------------------------------- */

/* A scene or a state names a simulation that is neither built in nor found. */
static enum vks_result unknown_model(const struct vks_cli *cli, const char *name, bool in_scene)
{
    return vks_fail(in_scene ? VKS_ERROR_USAGE : VKS_ERROR_FILE,
                    "'%s' %s of '%s', which is not a simulation of this vksim; if it is "
                    "one of your own, name its file first, or put it into a folder of "
                    "VKSIM_MODEL_PATH",
                    in_scene ? cli->scene : cli->state.path,
                    in_scene ? "is a scene" : "holds a state", name);
}

/* The simulation named by the command line, else by the scene, by the state file, or by a preset
 * that a person has saved. */
static enum vks_result choose_model(const struct vks_cli *cli, const struct vks_model **model)
{
    const char *held = vks_state_file_model(&cli->state), *scened;
    enum vks_result result = vks_scene_text(cli, "simulation", &scened);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_call *call = cli->call;
    const char *given = call->argument_count ? call->arguments[0] : NULL;
    const char *other = scened ? scened : held;
    const bool of_file = other && call->file && !call->model_named &&
                         vks_plugin_model(vks_plugin_of(call->model), other);
    const char *name = given && !of_file ? given : other;
    const struct vks_model *first = vks_model_at(0);
    const struct vks_model *saved = !name && cli->preset && !vks_preset_exists(first, cli->preset)
                                        ? vks_own_preset_model(cli->preset)
                                        : NULL;
    *model = saved ? saved : vks_model_find(name ? name : first->name);
    if (!*model) {
        return name == given ? VKS_ERROR_USAGE : unknown_model(cli, name, name == scened);
    }
    if (scened && !cli->resumed && strcmp(scened, (*model)->name) != 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is a scene of %s, not of %s", cli->scene, scened,
                        (*model)->name);
    }
    if (held && strcmp(held, (*model)->name) != 0) {
        return vks_fail(VKS_ERROR_FILE, "'%s' holds a state of %s, not of %s", cli->state.path,
                        held, (*model)->name);
    }
    return cli->scene_object && !cli->resumed && !cli->allow_model_change
               ? vks_formula_compare(cli->scene_object, cli->scene, *model)
               : VKS_OK;
}

static enum vks_result foreign_option(const struct vks_model *model, const char *name)
{
    char owners[256];
    vks_option_owners(name, owners, sizeof(owners));
    return vks_fail(VKS_ERROR_USAGE,
                    "%s has no option '--%s', which belongs to %s: vksim %.*s --%s", model->name,
                    name, owners, (int)strcspn(owners, ","), owners, name);
}

enum vks_result vks_call_apply(const struct vks_call *call, struct vks_settings *settings)
{
    const struct vks_model *model = settings->model;
    enum vks_result result = VKS_OK;
    if (model->density_option && vks_call_has(call, model->density_option) &&
        vks_call_has(call, model->count_option)) {
        return vks_fail(VKS_ERROR_USAGE, "--%s and --%s exclude each other", model->count_option,
                        model->density_option);
    }
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &call->words[i];
        void *structure;
        if (vks_call_is_own(call, word)) {
            continue;
        }
        const struct vks_option *option =
            vks_settings_option(settings, word->option->name, &structure);
        result = option ? vks_settings_set(settings, option->name, word->text)
                        : foreign_option(settings->model, word->option->name);
    }
    return result;
}

enum vks_result vks_call_settings(const struct vks_call *call, const char *preset,
                                  struct vks_settings *settings)
{
    const struct vks_model *model =
        call->argument_count ? vks_model_find(call->arguments[0]) : vks_model_at(0);
    enum vks_result result = vks_settings_init(settings, model);
    if (result == VKS_OK && preset) {
        result = vks_preset_apply(settings, preset);
    }
    return result == VKS_OK ? vks_call_apply(call, settings) : result;
}

static enum vks_result apply_words(const struct vks_cli *cli, struct vks_settings *settings)
{
    return vks_call_apply(cli->call, settings);
}

/* Arrays have the field's cells: a preset's size of pictures does not apply to a run that writes
 * some. */
static void keep_cells(const struct vks_cli *cli, struct vks_settings *settings)
{
    bool arrays = false;
    for (size_t i = 0; i < cli->output_count; i++) {
        arrays = arrays || vks_format_has(cli->outputs[i].path, VKS_FORMAT_ARRAY);
    }
    if (arrays) {
        free(settings->common.look.output_size);
        settings->common.look.output_size = NULL;
    }
}

/* After a preset: restores the count of the state file's items and the size from before the preset,
 * both of which a preset may set. Values of a scene and of the command line come later; they must
 * fit the file's arrays, which is checked when these are loaded. */
static enum vks_result keep_shape(const struct vks_cli *cli, struct vks_size size,
                                  struct vks_settings *settings)
{
    keep_cells(cli, settings);
    if (!vks_cli_state(cli)) {
        return VKS_OK;
    }
    const enum vks_result result = vks_state_file_shape(&cli->state, settings);
    settings->common.size = size;
    return result;
}

static enum vks_result apply_state(const struct vks_cli *cli, struct vks_settings *settings)
{
    keep_cells(cli, settings); /* of the default preset */
    return vks_cli_state(cli) ? vks_state_file_apply(&cli->state, settings) : VKS_OK;
}

static enum vks_result apply_scene(const struct vks_cli *cli, struct vks_settings *settings)
{
    return cli->scene_object ? vks_scene_apply(cli, settings) : VKS_OK;
}

/* The state of a checkpoint has all options that the run had. */
static enum vks_result apply_checkpoint(const struct vks_cli *cli, struct vks_settings *settings)
{
    const enum vks_result result = apply_state(cli, settings);
    return result == VKS_OK ? vks_resume_settings(cli, settings) : result;
}

/* Applies all layers over the defaults. */
static enum vks_result apply_layers(const struct vks_cli *cli, struct vks_settings *settings)
{
    const char *preset;
    if (cli->resumed) {
        return apply_checkpoint(cli, settings);
    }
    enum vks_result result = vks_scene_text(cli, "preset", &preset);
    const struct {
        const char *preset; /* applied first; NULL: none */
        enum vks_result (*apply)(const struct vks_cli *cli, struct vks_settings *settings);
    } layers[] = {
        {NULL, apply_state},
        {preset, apply_scene},
        {cli->preset, apply_words},
    };
    for (size_t i = 0; i < VKS_COUNT(layers) && result == VKS_OK; i++) {
        const struct vks_size size = settings->common.size;
        if (layers[i].preset) {
            result = vks_preset_apply(settings, layers[i].preset);
        }
        if (result == VKS_OK && layers[i].preset) {
            result = keep_shape(cli, size, settings);
        }
        if (result == VKS_OK) {
            result = layers[i].apply(cli, settings);
        }
    }
    return result;
}

/* --- cells ----------------------------------------------------------------------------------- */

/* Small pictures of a grid show cells one to one: a field that is shrunk to a few pixels shows none
 * of its structures. */
static void show_cells(const struct vks_cli *cli, struct vks_settings *settings)
{
    struct vks_look *look = &settings->common.look;
    const char *name = VKS_COMMON_ROW(look.fit)->name;
    if (!look->camera && look->spin == 0 && !vks_call_has(cli->call, name) &&
        !json_object_get(cli->scene_object, name)) {
        look->fit = VKS_FIT_CELLS;
    }
}

/* Overrides a cell's preset by the command line's options, and by those of a scene that has the
 * varied options itself. */
static enum vks_result override_preset(void *user, struct vks_settings *cell)
{
    const struct vks_cli *cli = user;
    enum vks_result result = keep_shape(cli, cli->settings.common.size, cell);
    if (result == VKS_OK && vks_scene_varies(cli)) {
        result = vks_scene_apply(cli, cell);
    }
    if (result == VKS_OK) {
        result = apply_words(cli, cell);
    }
    show_cells(cli, cell);
    return result;
}

/* The option that gives the same as this one otherwise: a number of items, or their density. NULL:
 * none. */
static const char *alternative_of(const struct vks_model *model, const char *option)
{
    return !model->density_option                       ? NULL
           : strcmp(option, model->density_option) == 0 ? model->count_option
           : strcmp(option, model->count_option) == 0   ? model->density_option
                                                        : NULL;
}

/* A varied option cannot be given a value too. */
static enum vks_result check_axis(const struct vks_cli *cli, const struct vks_axis *axis,
                                  const struct vks_axis *other, const char *flag)
{
    const char *alternative =
        axis->count ? alternative_of(cli->settings.model, axis->option) : NULL;
    if (alternative && (vks_call_has(cli->call, alternative) ||
                        (other->count && strcmp(other->option, alternative) == 0))) {
        return vks_fail(VKS_ERROR_USAGE, "--%s and %s %s exclude each other", alternative, flag,
                        axis->option);
    }
    const bool given = vks_axis_is_preset(axis) ? cli->preset != NULL
                       : axis->count            ? vks_call_has(cli->call, axis->option)
                                                : false;
    return given ? vks_fail(VKS_ERROR_USAGE, "--%s and %s %s exclude each other", axis->option,
                            flag, axis->option)
                 : VKS_OK;
}

static enum vks_result make_cells(struct vks_cli *cli)
{
    struct vks_vary *vary = &cli->vary;
    if (cli->vary_across || cli->vary_down) {
        show_cells(cli, &cli->settings);
    }
    enum vks_result result =
        vks_vary_parse(vary, &cli->settings, cli->grid, cli->vary_across, cli->vary_down);
    if (result == VKS_OK) {
        result = check_axis(cli, &vary->across, &vary->down, "--vary");
    }
    if (result == VKS_OK) {
        result = check_axis(cli, &vary->down, &vary->across, "--vary-rows");
    }
    if (result == VKS_OK && vary->count) {
        return vks_vary_cells(vary, &cli->settings, override_preset, cli, &cli->cells);
    }
    cli->cells = &cli->settings;
    return result == VKS_OK ? vks_settings_finish(&cli->settings) : result;
}

/* Sets frames from --duration. */
static enum vks_result count_seconds(struct vks_cli *cli)
{
    double seconds;
    if (!vks_parse_duration(cli->duration, &seconds)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--duration '%s' is not a time, such as 20s, 1.5min, 0:20 or 20 (seconds)",
                        cli->duration);
    }
    const double frames = round(seconds * cli->fps);
    if (!(frames >= 1 && frames <= 1e9)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--duration '%s' is %.0f frames at %g frames/s; a run has 1 to 1e9",
                        cli->duration, frames, cli->fps);
    }
    cli->frames = (uint64_t)frames;
    return VKS_OK;
}

/* The time at which all cells have ended; 0: never. */
static double last_end(const struct vks_cli *cli)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    double last = 0;
    for (size_t i = 0; i < count; i++) {
        const double end = vks_settings_end(&cli->cells[i]);
        if (!(end > 0)) {
            return 0;
        }
        last = end > last ? end : last;
    }
    return last;
}

static enum vks_result check_frame_time(const struct vks_cli *cli)
{
    const struct vks_model_time *time = &cli->settings.model->time;
    const char *per_frame = VKS_COMMON_ROW(steps_per_frame)->name;
    if (!time->end_option) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--frame-time needs a simulation with a time of its own, such as gas; in "
                        "%s frames are counted in steps: --%s",
                        cli->settings.model->name, per_frame);
    }
    if (vks_cli_given(cli, VKS_CLI_ROW(steps))) {
        return vks_fail(VKS_ERROR_USAGE, "--frame-time and --steps exclude each other: give "
                                         "--frames or --end-time");
    }
    return vks_call_has(cli->call, per_frame)
               ? vks_fail(VKS_ERROR_USAGE, "--frame-time and --%s exclude each other", per_frame)
               : VKS_OK;
}

/* Sets frames of a run with --frame-time, up to the end of its time. */
static enum vks_result count_times(struct vks_cli *cli, double end)
{
    const struct vks_model_time *time = &cli->settings.model->time;
    const double max_time = vks_option_find(cli->settings.model->options, time->end_option)->max;
    if (end > 0) {
        const double many = (end - cli->begin) / cli->frame_time;
        const uint64_t count =
            many < 2e9 ? vks_timed_frames(cli->frame_time, cli->begin, end) : UINT64_MAX;
        cli->frames = cli->until_end || count < cli->frames ? count : cli->frames;
    }
    if (cli->frames > 1000000000) {
        return vks_fail(VKS_ERROR_USAGE, "--frame-time %g: there are over 1e9 frames until --%s %g",
                        cli->frame_time, time->end_option, end);
    }
    const double last = cli->begin + (double)(cli->frames - 1) * cli->frame_time;
    if (!(end > 0) && last > max_time) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--frame-time %g: %" PRIu64 " frames reach time %g, and the limit is %g",
                        cli->frame_time, cli->frames, last, max_time);
    }
    return VKS_OK;
}

/* The length of a run that ends by time or has frames at equal times. Such a window stops at
 * the end. */
static enum vks_result count_by_time(struct vks_cli *cli)
{
    const bool has_steps = vks_cli_given(cli, VKS_CLI_ROW(steps)) != VKS_NOT_GIVEN;
    const bool has_frames =
        cli->duration || vks_cli_given(cli, VKS_CLI_ROW(frames)) != VKS_NOT_GIVEN;
    const bool has_times = vks_option_is_set(VKS_CLI_ROW(frame_time), cli);
    const double end = last_end(cli);
    enum vks_result result = has_times ? check_frame_time(cli) : VKS_OK;
    cli->by_time = cli->headless && (has_times || end > 0);
    cli->until_end = cli->by_time && end > 0 && !has_steps && !has_frames;
    if (result == VKS_OK && cli->by_time && vks_log_restarts(&cli->events)) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "'%s' restarts the simulation, which a run that is measured by time "
                          "cannot do; give --steps or --frames without --frame-time and --%s",
                          cli->scene, cli->settings.model->time.end_option);
    }
    if (result == VKS_OK && cli->by_time && !cli->resumed) {
        result = vks_start_time(vks_cli_state(cli), cli->settings.model, &cli->begin);
    }
    if (result == VKS_OK && cli->by_time && has_times) {
        cli->steps = UINT64_MAX;
        result = count_times(cli, end);
    } else if (result == VKS_OK && cli->until_end) {
        cli->steps = UINT64_MAX;
        cli->frames = UINT64_MAX;
    }
    return result == VKS_OK && cli->until_end && !has_times && cli->collage.width
               ? vks_fail(VKS_ERROR_USAGE, "--collage needs the number of frames, which --end-time "
                                           "leaves open; give --frame-time or --frames")
               : result;
}

/* Sets steps from --frames or --duration, or frames from --steps. */
static enum vks_result count_frames(struct vks_cli *cli)
{
    enum vks_result result = cli->duration ? count_seconds(cli) : VKS_OK;
    result = result == VKS_OK ? count_by_time(cli) : result;
    if (result != VKS_OK || cli->steps == UINT64_MAX) {
        return result;
    }
    const bool has_steps = vks_cli_given(cli, VKS_CLI_ROW(steps)) != VKS_NOT_GIVEN;
    uint64_t per_frame = cli->settings.common.steps_per_frame;
    for (size_t i = 0; i < cli->vary.count; i++) {
        const uint64_t own = cli->cells[i].common.steps_per_frame;
        if ((has_steps || cli->warmup) && own != cli->cells[0].common.steps_per_frame) {
            return has_steps
                       ? vks_fail(VKS_ERROR_USAGE,
                                  "--steps does not determine the number of frames, because the "
                                  "cells differ in --steps-per-frame; give --frames or "
                                  "--steps-per-frame")
                       : vks_fail(VKS_ERROR_USAGE, "--warmup needs cells of the same "
                                                   "--steps-per-frame; give --steps-per-frame");
        }
        per_frame = i == 0 || own > per_frame ? own : per_frame;
    }
    if (has_steps && cli->warmup > cli->steps) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--warmup %" PRIu64 " is longer than the run of --steps %" PRIu64,
                        cli->warmup, cli->steps);
    }
    const uint64_t framed = cli->steps - cli->warmup;
    if (has_steps) {
        cli->frames = framed / per_frame + (framed % per_frame > 0) + 1;
    } else if (!vks_multiply(cli->frames - 1, per_frame, &cli->steps) ||
               (cli->steps += cli->warmup) > 1000000000000000) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--frames x --steps-per-frame, with --warmup, is over 1e15 steps");
    }
    return VKS_OK;
}

/* --- parsing --------------------------------------------------------------------------------- */

/* Reads the scene and the state. */
static enum vks_result read_files(struct vks_cli *cli)
{
    enum vks_result result = cli->scene ? vks_scene_read(cli) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_scene_events(cli);
    }
    if (result == VKS_OK && cli->load_state) {
        result = vks_state_file_open(&cli->state, cli->load_state, NULL);
    }
    cli->first_step = cli->state.steps;
    return result;
}

/* Whether each cell can start, and take the steps that are left. */
static enum vks_result check_starts(const struct vks_cli *cli)
{
    const size_t count = cli->vary.count ? cli->vary.count : 1;
    const struct vks_state_file *state = vks_cli_state(cli);
    const uint64_t done = cli->resumed ? cli->resumed->place.steps : 0;
    const bool is_bounded = vks_cli_ends(cli) && cli->steps != UINT64_MAX;
    const uint64_t steps = is_bounded ? cli->steps - done : vks_cli_ends(cli) ? cli->steps : 0;
    enum vks_result result = cli->resumed ? vks_resume_check_length(cli) : VKS_OK;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = vks_check_start(state, &cli->cells[i], steps);
        if (result == VKS_OK && state) {
            result = vks_check_end(state, &cli->cells[i]);
        }
    }
    return result;
}

static enum vks_result parse_run(struct vks_cli *cli)
{
    const struct vks_model *model;
    enum vks_result result = cli->call->resumed ? vks_resume_cli(cli) : read_files(cli);
    if (result != VKS_OK) {
        return result;
    }
    result = choose_model(cli, &model);
    if (result != VKS_OK) {
        return result;
    }
    result = vks_settings_init(&cli->settings, model);
    if (result != VKS_OK) {
        return result;
    }
    cli->settings.watch = cli->watch != NULL || cli->call->job;
    cli->settings.allow_model_change = cli->allow_model_change;
    result = cli->fields ? vks_settings_set_fields(&cli->settings, cli->fields) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_outputs_complete(cli);
    }
    if (result == VKS_OK) {
        result = apply_layers(cli, &cli->settings);
    }
    if (result == VKS_OK) {
        result = vks_settings_take_image_size(&cli->settings);
    }
    if (result != VKS_OK) {
        return result;
    }
    result = make_cells(cli);
    if (result == VKS_OK) {
        result = count_frames(cli);
    }
    if (result == VKS_OK && !cli->show_options) {
        result = check_starts(cli);
    }
    return result;
}

enum vks_result vks_cli_parse(struct vks_cli *cli, const struct vks_call *call)
{
    *cli = (struct vks_cli){.call = call};
    enum vks_result result = vks_call_values(call, cli);
    if (result == VKS_OK) {
        result = apply_own(cli);
    }
    return result == VKS_OK && !cli->list && !cli->list_devices ? parse_run(cli) : result;
}

void vks_cli_free(struct vks_cli *cli)
{
    vks_state_file_close(&cli->state);
    vks_settings_free(&cli->settings);
    if (cli->cells != &cli->settings) {
        for (size_t i = 0; cli->cells && i < cli->vary.count; i++) {
            vks_settings_free(&cli->cells[i]);
        }
        free(cli->cells);
    }
    cli->cells = NULL;
    vks_vary_free(&cli->vary);
    json_decref(cli->scene_object);
    cli->scene_object = NULL;
    vks_log_free(&cli->events);
    free(cli->outputs);
    free(cli->default_out);
    free(cli->checkpoint_files[0]);
    free(cli->checkpoint_files[1]);
    vks_options_free(vks_cli_options, cli);
}

const struct vks_state_file *vks_cli_state(const struct vks_cli *cli)
{
    return cli->state.path ? &cli->state : NULL;
}

bool vks_cli_ends(const struct vks_cli *cli)
{
    return cli->headless || cli->duration || vks_cli_given(cli, VKS_CLI_ROW(frames)) ||
           vks_cli_given(cli, VKS_CLI_ROW(steps));
}

FILE *vks_cli_results(const struct vks_cli *cli)
{
    return vks_outputs_has_stream(cli) ? stderr : stdout;
}
