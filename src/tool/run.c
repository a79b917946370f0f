/* SPDX-License-Identifier: MIT */
/* The command `run`. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "frames/numbered.h"
#include "frames/sink.h"
#include "report/html.h"
#include "runs/grid.h"
#include "runs/watcher.h"
#include "tool/capture.h"
#include "tool/cli.h"
#include "tool/headless.h"
#include "tool/outputs.h"
#include "tool/summary.h"
#include "tool/timings.h"
#if VKS_HAVE_WINDOW
#include "ui/window.h"
#endif

/* Refuses options of files, which a window does not write. A scene stores the frame rate, and
 * --duration needs it. */
static enum vks_result check_window(const struct vks_cli *cli)
{
    static const char *const names[] = {"out", "encoder", "crf", "depth", "fps"};
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        const bool is_kept = (cli->save_scene || cli->duration) && strcmp(names[i], "fps") == 0;
        if (vks_cli_given(cli, names[i]) == VKS_GIVEN && !is_kept) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--%s applies to files, which a window does not write; add --headless "
                            "or remove --%s",
                            names[i], names[i]);
        }
    }
    return cli->collage.width && !vks_cli_only_scene(cli)
               ? vks_fail(VKS_ERROR_USAGE, "--collage requires --headless")
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
    enum vks_result result = cli->headless ? VKS_OK : check_window(cli);
    if (result == VKS_OK && cli->report) {
        result = vks_html_available();
    }
    if (result == VKS_OK && cli->watch) {
        result = vks_watcher_check_name(cli->watch);
    }
    return result == VKS_OK ? vks_capture_check(cli) : result;
}

/* True if an option of the settings names that file, also as "image:FILE". */
static bool reads_from(const struct vks_settings *settings, const char *path)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    const void *const values[] = {settings->own, &settings->common};
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct vks_option *option = &tables[t].options[i];
            const char *text = option->type == VKS_OPTION_TEXT
                                   ? *(char *const *)((const char *)values[t] + option->offset)
                                   : NULL;
            text = vks_named_file(option->name, text);
            if (text && (vks_numbered_matches(path, text) ||
                         (access(path, F_OK) == 0 && vks_is_same_file(text, path)))) {
                return true;
            }
        }
    }
    return false;
}

/* True if the run or one of its cells reads from that file, except as the input `own`. */
static bool is_input(const struct vks_cli *cli, const char *path, const char *own)
{
    const char *const inputs[] = {cli->load_state, cli->scene};
    bool found = reads_from(&cli->settings, path);
    for (size_t i = 0; i < VKS_COUNT(inputs); i++) {
        found = found || (inputs[i] && inputs[i] != own && vks_is_same_file(path, inputs[i]));
    }
    for (size_t i = 0; i < cli->vary.count; i++) {
        found = found || reads_from(&cli->cells[i], path);
    }
    return found;
}

/* A file that the run writes. */
struct written {
    const char *option, *path;
    bool later;      /* nothing else checks the path before the run */
    const char *own; /* the input that may have the same name; NULL: none */
    bool replaces;   /* it may replace that input without --overwrite */
};

/* True if two outputs resolve to the same file. */
static bool collide(const char *a, const char *b)
{
    return vks_is_same_file(a, b) || vks_numbered_matches(a, b) || vks_numbered_matches(b, a) ||
           vks_numbered_overlap(a, b);
}

static enum vks_result check_written(const struct vks_cli *cli, const struct written *files,
                                     size_t index)
{
    const struct written *file = &files[index];
    const bool own = file->own && vks_is_same_file(file->path, file->own);
    const bool replaces = own && file->replaces;
    if (is_input(cli, file->path, own ? file->own : NULL)) {
        return vks_fail(VKS_ERROR_USAGE, "%s '%s' is also what the run reads from", file->option,
                        file->path);
    }
    for (size_t i = 0; i < index; i++) {
        if (!collide(files[i].path, file->path)) {
            continue;
        }
        return strcmp(files[i].path, file->path) == 0
                   ? vks_fail(VKS_ERROR_USAGE, "%s and %s both name '%s'", files[i].option,
                              file->option, file->path)
                   : vks_fail(
                         VKS_ERROR_USAGE,
                         "%s '%s' and %s '%s' can name the same file; give them different names",
                         files[i].option, files[i].path, file->option, file->path);
    }
    struct vks_atomic_file opened = {0};
    enum vks_result result = VKS_OK;
    if (file->later) {
        result = vks_atomic_file_begin(&opened, file->path, cli->overwrite || replaces);
        vks_atomic_file_abort(&opened);
    }
    return result;
}

/* Before the run, checks the paths of all files that it writes. */
static enum vks_result check_outputs(const struct vks_cli *cli, const struct vks_outputs *outputs)
{
    /* Only a file that the command line itself names twice is certainly meant to be replaced. */
    const bool state_named = vks_cli_given(cli, "load-state") == VKS_GIVEN;
    const struct written others[] = {
        {"--collage", outputs->sheet, true},
        {"--poster", outputs->poster, true},
        {"--save-state", cli->save_state, true, cli->load_state, state_named},
        {"--save-scene", cli->save_scene, true, cli->scene, true},
        {"--watch", cli->watch, true},
        {"--timings-out", cli->timings_out, true},
        {"--trace", cli->trace, true},
        {"--report", cli->report, true},
    };
    struct written files[VKS_RING_SINKS + VKS_COUNT(others)];
    size_t count = 0;
    for (size_t i = 0; cli->headless && i < cli->output_count; i++) {
        const struct vks_cli_output *output = &cli->outputs[i];
        const bool is_file = strcmp(output->path, "-") != 0 && strcmp(output->path, "none") != 0;
        if (is_file && !vks_outputs_is_sheet(cli, outputs, i)) { /* the sink checks the path */
            files[count++] = (struct written){"--out", output->path};
        }
    }
    for (size_t i = 0; i < VKS_COUNT(others); i++) {
        if (others[i].path) {
            files[count++] = others[i];
        }
    }
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = check_written(cli, files, i);
    }
    /* Options that cannot be written as JSON fail now rather than after the run. */
    if (result == VKS_OK && (cli->save_state || cli->save_scene)) {
        json_t *object = json_object();
        result = object ? vks_settings_to_json(&cli->settings, object) : vks_fail_memory();
        json_decref(object);
    }
    return result;
}

#if VKS_HAVE_WINDOW
static enum vks_result run_in_window(const struct vks_cli *cli, struct vks_grid *grid,
                                     vks_context *context, struct vks_window *window,
                                     struct vks_outcome *outcome)
{
    const bool ends = vks_cli_ends(cli);
    struct vks_presenter presenter = vks_window_presenter(window, grid);
    const struct vks_runnable runnable = vks_grid_runnable(grid);
    struct vks_capture capture;
    outcome->begin = vks_seconds();
    return vks_run(&runnable,
                   &(struct vks_run_params){
                       .steps = ends ? cli->steps : UINT64_MAX,
                       .steps_per_frame = vks_grid_steps_per_frame(grid),
                       .frames = ends ? cli->frames : UINT64_MAX,
                       .section = vks_capture_section(cli, &context->gpu, &capture),
                   },
                   &presenter, &outcome->run);
}
#endif

static enum vks_result show(const struct vks_cli *cli, uint64_t *messages)
{
#if VKS_HAVE_WINDOW
    vks_context *context = NULL;
    struct vks_grid *grid = NULL;
    struct vks_window *window = NULL;
    struct vks_outcome outcome = {0};
    const struct vks_gpu_params params = vks_call_gpu(cli->call);
    struct vks_watcher *watcher = NULL;
    enum vks_result result = vks_grid_create(cli->cells, &cli->vary, &grid);
    if (result != VKS_OK) {
        goto finish;
    }
    result =
        vks_window_open(&params, cli->settings.model->name, vks_grid_size(grid), &context, &window);
    if (result != VKS_OK) {
        goto finish;
    }
    result = vks_capture_ready(cli, &context->gpu);
    if (result != VKS_OK) {
        goto finish;
    }
    result = vks_grid_fits(grid, context, false);
    if (result != VKS_OK) {
        goto finish;
    }
    result = vks_begin_run(cli, context, grid, 0, &watcher);
    if (result != VKS_OK) {
        goto finish;
    }
    result = run_in_window(cli, grid, context, window, &outcome);
finish:
    result = vks_end_watch(cli, watcher, result, outcome.run.interrupted || result != VKS_OK);
    if (result == VKS_OK) {
        result = vks_summary(cli, grid, &outcome);
    }
    vks_window_release(window);
    vks_grid_destroy(grid);
    *messages = vks_context_close(context);
    vks_window_close(window);
    return result == VKS_OK && outcome.run.interrupted ? VKS_INTERRUPTED : result;
#else
    (void)cli;
    (void)messages;
    return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                         "this vksim was built without SDL2 and has no window");
#endif
}

/* Writes the scene of a run that does not start. */
static enum vks_result write_scene(const struct vks_cli *cli)
{
    struct vks_grid *grid = NULL;
    enum vks_result result = vks_grid_create(cli->cells, &cli->vary, &grid); /* checks the cells */
    vks_grid_destroy(grid);
    if (result == VKS_OK) {
        result = vks_scene_save(cli);
    }
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

static enum vks_result open_device(const struct vks_cli *cli, vks_context **context)
{
    struct loading loading = {.cli = cli};
    struct vks_gpu_params params = vks_call_gpu(cli->call);
    params.opening = start_loading;
    params.user = &loading;
    const enum vks_result result = vks_context_open(&params, context);
    if (loading.started) {
        pthread_join(loading.thread, NULL);
    }
    return result;
}

static enum vks_result run(const struct vks_cli *cli, struct vks_call *call)
{
    vks_context *context = NULL;
    struct vks_outputs outputs = {0};
    enum vks_result result = check_together(cli);
    if (result == VKS_OK) {
        result = vks_timings_begin(cli);
    }
    if (result == VKS_OK) {
        result = vks_outputs_name(cli, &outputs);
    }
    if (result == VKS_OK) {
        result = check_outputs(cli, &outputs);
    }
    vks_outputs_close(&outputs);
    if (result == VKS_OK) {
        vks_warn_ineffective(cli);
    }
    if (result == VKS_OK && cli->dry_run) {
        result = vks_print_plan(cli);
    }
    if (result == VKS_OK && (cli->dry_run || vks_cli_only_scene(cli))) {
        return cli->save_scene ? write_scene(cli) : VKS_OK;
    }
    if (result != VKS_OK) {
        return result;
    }
    if (!cli->headless) {
        return show(cli, &call->messages);
    }
    result = open_device(cli, &context);
    if (result == VKS_OK) {
        result = vks_capture_ready(cli, &context->gpu);
    }
    if (result == VKS_OK) {
        result = vks_headless(cli, context);
    }
    vks_call_close(call, context);
    return result;
}

enum vks_result vks_command_run(struct vks_call *call)
{
    struct vks_cli cli;
    vks_phase_begin(VKS_PHASE_OPTIONS);
    enum vks_result result = vks_cli_parse(&cli, call);
    vks_phase_end();
    if (result == VKS_OK && cli.list) {
        vks_print_list();
    } else if (result == VKS_OK && cli.list_devices) {
        result = vks_print_devices(false);
    } else if (result == VKS_OK && cli.show_options) {
        vks_print_values(&cli);
    } else if (result == VKS_OK) {
        result = run(&cli, call);
    }
    result = vks_state_file_explain(&cli.state, result);
    vks_cli_free(&cli);
    return result;
}
