/* SPDX-License-Identifier: MIT */
/* The command `run`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "formula/formula.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/profile.h"
#include "frames/sink.h"
#include "reload/follow.h"
#include "reload/reload.h"
#include "report/html.h"
#include "runs/grid.h"
#include "runs/watcher.h"
#include "tool/capture.h"
#include "tool/checkpoint.h"
#include "tool/cli.h"
#include "tool/headless.h"
#include "tool/outputs.h"
#include "tool/ranks.h"
#include "tool/resume.h"
#include "tool/room.h"
#include "tool/show.h"
#include "tool/summary.h"
#include "tool/timings.h"
#include "tool/written.h"

/* Refuses options of files, which a window does not write. A scene stores the frame rate and
 * --frame-time, and --duration needs the rate. */
static enum vks_result check_window(const struct vks_cli *cli)
{
    for (size_t i = 0; i < vks_cli_options.count; i++) {
        const struct vks_option *row = &vks_cli_options.options[i];
        const bool keeps = cli->save_scene || cli->record_events;
        const bool is_kept = (keeps && (row->flags & VKS_OPTION_IN_SCENE)) ||
                             (cli->duration && row == VKS_CLI_ROW(fps));
        if ((row->flags & VKS_OPTION_OF_FILES) && vks_cli_given(cli, row) == VKS_GIVEN &&
            !is_kept) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--%s applies to files, which a window does not write; add --headless "
                            "or remove --%s",
                            row->name, row->name);
        }
    }
    return cli->collage.width && !vks_cli_only_scene(cli)
               ? vks_fail(VKS_ERROR_USAGE, "--collage requires --headless")
               : VKS_OK;
}

/* The table of data points needs some. A run that continues a state reads them only for it. */
static enum vks_result check_points(const struct vks_cli *cli)
{
    const struct vks_model *model = cli->settings.model;
    if (cli->vary.count) {
        return vks_fail(VKS_ERROR_USAGE, "--points-out is for one simulation, but --vary runs "
                                         "several; run one without --vary");
    }
    if (!vks_has_extension(cli->points_out, ".csv")) {
        return vks_fail(VKS_ERROR_USAGE, "--points-out '%s' must be a .csv file", cli->points_out);
    }
    const struct vks_config config = vks_settings_config(&cli->settings);
    if (!model->has_points || !model->has_points(&config)) {
        return vks_fail(VKS_ERROR_USAGE, "--points-out needs data points: physarum-3d with "
                                         "--food points:FILE");
    }
    return vks_cli_state(cli) && model->check_files ? model->check_files(&config) : VKS_OK;
}

/* A file of formulas is followed by a window. */
static enum vks_result check_followed(const struct vks_cli *cli)
{
    return cli->headless ? vks_fail(VKS_ERROR_USAGE,
                                    "--hot-reload of a file of formulas needs a window; remove "
                                    "--headless")
           : cli->vary.count
               ? vks_fail(VKS_ERROR_USAGE, "--hot-reload of a file of formulas is for one "
                                           "simulation, but --vary runs several")
               : VKS_OK;
}

/* Checks for options that exclude each other. */
static enum vks_result check_together(const struct vks_cli *cli)
{
    if (cli->vary.count && cli->save_state) {
        return vks_fail(VKS_ERROR_USAGE, "--save-state is for one simulation, but --vary runs "
                                         "several; run one without --vary");
    }
    if (cli->vary.count && cli->watch) {
        return vks_fail(VKS_ERROR_USAGE, "--watch is for one simulation, but --vary runs "
                                         "several; run one without --vary");
    }
    if (cli->hot_reload && cli->save_scene) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--save-scene writes a scene before the run, whose shaders "
                        "--hot-reload may change; use --record-events");
    }
    enum vks_result result = cli->headless ? VKS_OK : check_window(cli);
    if (result == VKS_OK && cli->points_out) {
        result = check_points(cli);
    }
    if (result == VKS_OK && cli->report) {
        result = vks_html_available();
    }
    if (result == VKS_OK && cli->watch) {
        result = vks_watcher_check_name(cli->watch);
    }
    const bool follows = cli->hot_reload && vks_follow_is(cli->settings.model, cli->hot_reload);
    if (result == VKS_OK && follows) {
        result = check_followed(cli);
    } else if (result == VKS_OK && cli->hot_reload && cli->dry_run) {
        result = vks_reload_check(cli->hot_reload, cli->settings.model);
    }
    return result == VKS_OK ? vks_capture_check(cli) : result;
}

/* Writes the scene of a run that does not start. */
static enum vks_result write_scene(const struct vks_cli *cli)
{
    const enum vks_result result = vks_scene_save(cli);
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s; vksim --scene %s runs it", cli->save_scene,
                    cli->save_scene);
    }
    return result;
}

/* A thread that loads the libraries of the outputs while the driver opens the device. Any earlier,
 * the dynamic linker would be loading the drivers, and it does one thing at a time. */
struct loading {
    const struct vks_cli *cli;
    pthread_t thread;
    bool started;
};

static void *load_libraries(void *user)
{
    const struct loading *loading = user;
    for (size_t i = 0; i < loading->cli->output_count; i++) {
        vks_sink_load(loading->cli->outputs[i].path);
    }
    return NULL;
}

static void start_loading(void *user)
{
    struct loading *loading = user;
    loading->started = pthread_create(&loading->thread, NULL, load_libraries, loading) == 0;
}

static enum vks_result open_device(const struct vks_cli *cli, const struct vks_ranks *ranks,
                                   vks_context **context)
{
    struct loading loading = {.cli = cli};
    struct vks_gpu_params params = vks_call_gpu(cli->call);
    params.opening = start_loading;
    params.user = &loading;
    const struct vks_rank_params rank = vks_ranks_params(cli);
    const enum vks_result result = vks_ranks_open(ranks, cli->devices, &params, &rank, context);
    if (loading.started) {
        pthread_join(loading.thread, NULL);
    }
    return result;
}

/* Begins to watch the folder of --hot-reload. A run without a window compiles its shaders now, so
 * that its files name those that differ. */
static enum vks_result open_reload(struct vks_cli *cli, const struct vks_grid *grid)
{
    if (!cli->hot_reload || cli->dry_run || vks_follow_is(cli->settings.model, cli->hot_reload)) {
        return VKS_OK;
    }
    const enum vks_result result =
        vks_reload_open(cli->hot_reload, cli->settings.model, &cli->reload);
    return result == VKS_OK && cli->headless ? vks_reload_begin(cli->reload, grid, &cli->reload_run)
                                             : result;
}

/* Checks what can be checked without a device, lays out the grid and opens the outputs. */
static enum vks_result prepare(struct vks_cli *cli, struct vks_grid **grid,
                               struct vks_outputs *outputs, struct vks_checkpoint **checkpoint)
{
    enum vks_result result = check_together(cli);
    if (result == VKS_OK) {
        result = vks_checkpoint_prepare(cli);
    }
    if (result == VKS_OK) {
        result = vks_timings_begin(cli);
    }
    if (result == VKS_OK) {
        result = vks_outputs_name(cli, outputs);
    }
    if (result == VKS_OK) {
        result = cli->silent ? VKS_OK : vks_written_check(cli, outputs);
    }
    cli->overwrite = cli->overwrite || cli->resumed != NULL; /* what the run has begun to write */
    if (result == VKS_OK) {
        result = vks_grid_create(cli->cells, &cli->vary, grid);
    }
    if (result == VKS_OK && cli->by_time && vks_option_is_set(VKS_CLI_ROW(frame_time), cli)) {
        vks_grid_by_time(*grid);
    }
    if (result == VKS_OK) {
        result = vks_grid_check_images(*grid, vks_cli_state(cli) != NULL);
    }
    if (result == VKS_OK) {
        result = open_reload(cli, *grid);
    }
    if (result == VKS_OK && !vks_cli_only_scene(cli)) {
        result = vks_checkpoint_open(cli, checkpoint);
    }
    if (result == VKS_OK && cli->headless && !vks_cli_only_scene(cli) && !cli->silent) {
        vks_phase_begin(VKS_PHASE_OUTPUTS);
        result = vks_outputs_open(cli, *grid, outputs);
        vks_phase_end();
    }
    return result;
}

/* Makes the other checks that need no device, and prints what would run. */
static enum vks_result print_plan(const struct vks_cli *cli, const struct vks_grid *grid,
                                  const struct vks_outputs *outputs)
{
    uint64_t bytes = 0;
    enum vks_result result = vks_outputs_start(cli, outputs);
    for (size_t i = 0; i < vks_grid_count(grid) && cli->load_state && result == VKS_OK; i++) {
        if (vks_grid_is_owner(grid, i)) {
            result = vks_state_file_try(&cli->state, vks_grid_settings(grid, i));
        }
    }
    if (result == VKS_OK) {
        result = vks_grid_bytes(grid, vks_outputs_planes(cli, outputs), &bytes);
    }
    if (result == VKS_OK) {
        vks_room_warn(cli, outputs);
        result = vks_print_plan(cli, grid, outputs, bytes);
    }
    return result;
}

static enum vks_result run_headless(const struct vks_cli *cli, struct vks_call *call,
                                    const struct vks_ranks *ranks, struct vks_grid *grid,
                                    struct vks_outputs *outputs, struct vks_checkpoint *checkpoint)
{
    vks_context *context = NULL;
    enum vks_result result = open_device(cli, ranks, &context);
    if (result == VKS_OK) {
        result = vks_checkpoint_compare(cli, context);
    }
    if (result == VKS_OK) {
        result = vks_capture_ready(cli, &context->gpu);
    }
    if (result == VKS_OK) {
        result = vks_headless(cli, context, grid, outputs, checkpoint);
    }
    vks_grid_close(grid);
    if (context && result != VKS_OK && result != VKS_INTERRUPTED) {
        vks_context_leave(context, vks_error_text());
    }
    vks_call_close(call, context);
    return result;
}

static enum vks_result run(struct vks_cli *cli, struct vks_call *call)
{
    struct vks_grid *grid = NULL;
    struct vks_outputs outputs = {0};
    struct vks_checkpoint *checkpoint = NULL;
    struct vks_ranks ranks = {0};
    enum vks_result result = vks_ranks_check(cli);
    if (result == VKS_OK && vks_resume_is_complete(cli)) {
        vks_message(VKS_LOG_INFO, "the run of the checkpoint '%s' is complete", cli->resumed->name);
        return VKS_OK;
    }
    if (result == VKS_OK && !cli->dry_run && !vks_cli_only_scene(cli)) {
        result = vks_ranks_start(cli, &ranks);
    }
    if (result == VKS_OK) {
        result = prepare(cli, &grid, &outputs, &checkpoint);
    }
    if (result == VKS_OK) {
        vks_warn_ineffective(cli);
    }
    if (result == VKS_OK && cli->dry_run) {
        result = print_plan(cli, grid, &outputs);
    }
    if (result == VKS_OK && (cli->dry_run || vks_cli_only_scene(cli))) {
        result = cli->save_scene ? write_scene(cli) : VKS_OK;
    } else if (result == VKS_OK && cli->headless) {
        result = run_headless(cli, call, &ranks, grid, &outputs, checkpoint);
    } else if (result == VKS_OK) {
        result = vks_show(cli, grid, checkpoint, &call->messages);
    }
    vks_outputs_close(&outputs);
    vks_grid_destroy(grid);
    vks_checkpoint_close(checkpoint);
    vks_reload_close(cli->reload);
    return vks_ranks_end(&ranks, result);
}

/* Names the simulation's option with the number of items, if there are too many. */
static enum vks_result explain_items(const struct vks_cli *cli, enum vks_result result)
{
    const struct vks_model *model = cli->settings.model;
    return result == VKS_OK || vks_error_last()->hint != VKS_HINT_ITEMS || !model->count_option
               ? result
               : vks_fail(result, "%s; choose fewer --%s or a smaller --size", vks_error_text(),
                          model->count_option);
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* See vks_job_end; NULL without memory. */
static char *list_scalars(struct vks_graph *graph)
{
    struct vks_row row;
    const struct vks_scalar *scalar;
    const bool known = vks_graph_watched(graph, &row);
    json_t *list = json_object();
    bool complete = list != NULL;
    for (size_t i = 0; complete && known && (scalar = vks_graph_scalar(graph, i)) != NULL; i++) {
        char number[64];
        vks_format_real(row.values[i], number, sizeof(number));
        complete = json_object_set_new(list, scalar->name, json_string(number)) == 0;
    }
    char *text = complete ? vks_json_dump(list, JSON_COMPACT) : NULL;
    json_decref(list);
    return text;
}

static enum vks_result end_job(struct vks_grid *grid, struct vks_job_end *end)
{
    vks_simulation *simulation = vks_grid_simulation(grid, 0);
    enum vks_result result = vks_graph_wait(vks_grid_graph(grid));
    if (result == VKS_OK) {
        result = vks_simulation_digest(simulation, end->digest);
    }
    if (result == VKS_OK) {
        end->steps = vks_simulation_steps(simulation);
        end->scalars = list_scalars(vks_grid_graph(grid));
        result = end->scalars ? VKS_OK : vks_fail_memory();
    }
    return result;
}

static enum vks_result parse_job(struct vks_cli *cli, struct vks_call *call, char key[33])
{
    call->job = true;
    const enum vks_result result = vks_cli_parse(cli, call);
    return result == VKS_OK ? vks_scene_key(cli, key) : result;
}

enum vks_result vks_job_key(struct vks_call *call, bool warns, char key[33])
{
    struct vks_cli cli;
    const enum vks_result result = parse_job(&cli, call, key);
    if (result == VKS_OK && warns) {
        vks_warn_ineffective(&cli);
    }
    vks_cli_free(&cli);
    return result;
}

enum vks_result vks_job_run(struct vks_call *call, vks_context *context, struct vks_job_end *end)
{
    struct vks_cli cli;
    struct vks_grid *grid = NULL;
    struct vks_outputs outputs = {0};
    struct vks_checkpoint *none = NULL;
    *end = (struct vks_job_end){.steps = 0};
    enum vks_result result = parse_job(&cli, call, end->key);
    if (result == VKS_OK) {
        result = prepare(&cli, &grid, &outputs, &none);
    }
    if (result == VKS_OK) {
        result = vks_headless(&cli, context, grid, &outputs, none);
    }
    if (result == VKS_OK) {
        result = end_job(grid, end);
    }
    struct vks_error why;
    vks_error_keep(result, &why);
    vks_outputs_close(&outputs);
    vks_grid_destroy(grid);
    result = explain_items(&cli,
                           vks_state_file_explain(&cli.state, &cli.settings, vks_fail_again(&why)));
    vks_cli_free(&cli);
    return result;
}

/* --- the command ------------------------------------------------------------------------------ */

enum vks_result vks_command_run(struct vks_call *call)
{
    struct vks_cli cli;
    vks_phase_begin(VKS_PHASE_OPTIONS);
    enum vks_result result = vks_cli_parse(&cli, call);
    vks_phase_end();
    if (result == VKS_OK && cli.list) {
        vks_print_list(call->argument_count ? call->arguments[0] : NULL);
    } else if (result == VKS_OK && cli.list_devices) {
        result = vks_print_devices(false);
    } else if (result == VKS_OK && cli.show_options) {
        vks_print_values(&cli);
    } else if (result == VKS_OK && cli.show_shader) {
        result = vks_is_formula(cli.settings.model)
                     ? vks_formula_show(cli.settings.model, stdout)
                     : vks_fail_option(VKS_ERROR_USAGE, "show-shader",
                                       "needs a simulation of formulas, which %s is not",
                                       cli.settings.model->name);
    } else if (result == VKS_OK) {
        result = run(&cli, call);
    }
    result = explain_items(&cli, vks_state_file_explain(&cli.state, &cli.settings, result));
    vks_cli_free(&cli);
    return result;
}
