/* SPDX-License-Identifier: MIT */
/* The command line tool. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "tool/cli.h"
#include "base/file.h"
#include "frames/numbered.h"
#include "tool/headless.h"
#include "view/colormap.h"
#include "tool/summary.h"
#include "runs/watcher.h"
#if VKS_HAVE_WINDOW
#include "ui/window.h"
#endif

static void on_signal(int signal_number)
{
    (void)signal_number;
    vks_run_interrupt();
    signal(SIGINT, SIG_DFL); /* a second one stops at once */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < VKS_COUNT(ends); i++) {
        struct sigaction before;
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(ends[i], &action, NULL);
        }
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL); /* the write fails instead */
    sigaction(SIGXFSZ, &action, NULL);
}

/* --- the tool -------------------------------------------------------------------------------- */

static enum vks_result list_devices(void)
{
    struct vks_device_info infos[32] = {{.size = sizeof(infos[0])}};
    size_t count = 0;
    enum vks_result result = vks_devices(infos, VKS_COUNT(infos), &count);
    if (result == VKS_OK && count == 0) {
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan device found; install the GPU's driver or a "
                                          "software one (Debian: apt install mesa-vulkan-drivers)");
    }
    static const char *const types[] = {"other", "integrated", "discrete", "virtual", "software"};
    for (size_t i = 0; result == VKS_OK && i < count && i < VKS_COUNT(infos); i++) {
        char memory[32], buffer[32];
        printf("%u: %s (%s)\n   driver  %s, Vulkan %s\n   memory  %s, buffers up to %s\n"
               "   UUID    %s\n   lacks   %s\n   offers  %s\n",
               infos[i].index, infos[i].name, types[infos[i].type], infos[i].driver,
               infos[i].api_version, vks_format_bytes(infos[i].memory, memory),
               vks_format_bytes(infos[i].largest_buffer, buffer), infos[i].uuid,
               infos[i].lacks[0] ? infos[i].lacks : "nothing",
               infos[i].features[0] ? infos[i].features : "nothing more");
    }
    return result;
}

/* Keeps descriptors 0 to 2 from being given to a file of ours, whose content messages would spoil.
 * What was closed reads as empty; writing to it fails. */
static void reserve_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            int opened = open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
            (void)opened; /* the lowest free one, which is fd */
        }
    }
}

/* Options that cannot stand together. */
static enum vks_result check_together(const struct vks_cli *cli)
{
    if (cli->vary.count && cli->save_state) {
        return vks_fail(VKS_ERROR_USAGE, "--save-state holds one simulation, and --vary makes "
                                         "several; run the one alone");
    }
    if (cli->vary.count && cli->watch) {
        return vks_fail(VKS_ERROR_USAGE, "--watch follows one simulation, and --vary makes "
                                         "several; run the one alone");
    }
    if (cli->collage.width && !cli->headless) {
        return vks_fail(VKS_ERROR_USAGE, "--collage is written by --headless; a window has none");
    }
    return cli->watch ? vks_watcher_check_name(cli->watch) : VKS_OK;
}

/* True if an option of the settings is that existing file, or "image:" and that file. */
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
            if (text && strcmp(option->name, "colormap") == 0) {
                text = vks_colormap_file(text);
            } else if (text && strncmp(text, "image:", 6) == 0) {
                text += 6;
            }
            if (text && (vks_numbered_matches(path, text) ||
                         (access(path, F_OK) == 0 && vks_is_same_file(text, path)))) {
                return true;
            }
        }
    }
    return false;
}

/* True if the run, or a cell of it, reads from that file; `own` is an input that does not count. */
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

/* Paths that are written at the end are tried before the work begins. */
static enum vks_result check_outputs(const struct vks_cli *cli,
                                     const struct vks_output_names *names)
{
    const bool beside = names->sheet && strcmp(names->sheet, names->out) != 0;
    const struct {
        const char *option, *path;
        const char *own; /* the input that it may replace */
    } outputs[] = {
        {"--out", cli->out && strcmp(cli->out, "-") != 0 ? cli->out : NULL, NULL},
        {"--save-state", cli->save_state, cli->load_state},
        {"--save-scene", cli->save_scene, cli->scene},
        {"--collage", beside ? names->sheet : NULL, NULL},
        {"--poster", names->poster, NULL},
        {"--watch", cli->watch, NULL},
    };
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(outputs) && result == VKS_OK; i++) {
        const char *path = outputs[i].path;
        if (!path) {
            continue;
        }
        const bool own = outputs[i].own && vks_is_same_file(path, outputs[i].own);
        if (is_input(cli, path, own ? outputs[i].own : NULL)) {
            return vks_fail(VKS_ERROR_USAGE, "%s '%s' is also what the run reads from",
                            outputs[i].option, path);
        }
        for (size_t j = 0; j < i; j++) {
            if (outputs[j].path && vks_is_same_file(path, outputs[j].path)) {
                return vks_fail(VKS_ERROR_USAGE, "%s and %s both name '%s'", outputs[j].option,
                                outputs[i].option, path);
            }
        }
        struct vks_atomic_file file = {0};
        if (i > 0) { /* the sink looks after its own */
            result = vks_atomic_file_begin(&file, path, cli->overwrite || own);
            vks_atomic_file_abort(&file);
        }
    }
    /* What cannot be written as JSON is said now, not after the run. */
    if (result == VKS_OK && (cli->save_state || cli->save_scene)) {
        json_t *object = json_object();
        result = object ? vks_settings_to_json(&cli->settings, object) : vks_fail_memory();
        json_decref(object);
    }
    return result;
}

static enum vks_result show(const struct vks_cli *cli, uint64_t *messages)
{
#if VKS_HAVE_WINDOW
    vks_context *context = NULL;
    struct vks_grid *grid = NULL;
    struct vks_window *window = NULL;
    struct vks_outcome outcome = {0};
    struct vks_gpu_params params = {
        .device = cli->device,
        .validation = vks_cli_given(cli, "validate") ? VKS_VALIDATION_CORE + cli->validate
                                                     : VKS_VALIDATION_OFF,
    };
    enum vks_result result = vks_grid_create(cli->cells, &cli->vary, &grid);
    if (result == VKS_OK) {
        result = vks_window_open(&params, cli->settings.model->name, vks_grid_size(grid), &context,
                                 &window);
    }
    if (result == VKS_OK) {
        result = vks_grid_fits(grid, context, false);
    }
    if (result == VKS_OK) {
        result = vks_grid_open(grid, context, cli->load_state ? &cli->state : NULL, 0);
    }
    if (result == VKS_OK && cli->save_scene) {
        result = vks_scene_save(cli);
    }
    struct vks_watcher *watcher = NULL;
    if (result == VKS_OK && cli->watch) {
        result = vks_watcher_open(vks_grid_graph(grid), cli->watch, cli->overwrite, &watcher);
    }
    if (result == VKS_OK) {
        bool ends = vks_cli_given(cli, "frames") || vks_cli_given(cli, "steps");
        struct vks_presenter presenter = vks_window_presenter(window, grid);
        const struct vks_runnable runnable = vks_grid_runnable(grid);
        result = vks_run(&runnable,
                         &(struct vks_run_params){
                             .steps = ends ? cli->steps : UINT64_MAX,
                             .steps_per_frame = vks_grid_steps_per_frame(grid),
                             .frames = ends ? cli->frames : UINT64_MAX,
                         },
                         &presenter, &outcome.run);
    }
    result = vks_end_watch(cli, watcher, result);
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

static enum vks_result run_tool(struct vks_cli *cli, uint64_t *messages)
{
    vks_context *context = NULL;
    struct vks_output_names names = {0};
    enum vks_result result = check_together(cli);
    if (result == VKS_OK) {
        result = vks_output_names(cli, &names);
    }
    if (result == VKS_OK) {
        result = check_outputs(cli, &names);
    }
    vks_output_names_free(&names);
    if (result != VKS_OK) {
        return result;
    }
    if (!cli->headless) {
        return show(cli, messages);
    }
    result = vks_context_create(
        &VKS_CONTEXT_PARAMS(.device = cli->device,
                            .validation = vks_cli_given(cli, "validate")
                                              ? VKS_VALIDATION_CORE + cli->validate
                                              : VKS_VALIDATION_OFF, ),
        &context);
    if (result == VKS_OK) {
        result = vks_headless(cli, context);
    }
    *messages = vks_context_close(context);
    return result;
}

/* What the tool puts before and after the library's messages, which name none of its options. */
static void print_error(void)
{
    static const struct {
        const char *before, *after;
    } hints[] = {
        [VKS_HINT_NONE] = {"", ""},
        [VKS_HINT_SIZE] = {"", "; choose a smaller --size or --output-size, or fewer items"},
        [VKS_HINT_WINDOW] = {"", "; use --headless to render to a file"},
        [VKS_HINT_DEVICE] = {"--device ", ""},
        [VKS_HINT_VALIDATION] = {"--validate: ", ""},
        [VKS_HINT_OPTION] = {"--", ""},
        [VKS_HINT_OVERWRITE] = {"", " (--overwrite replaces it)"},
    };
    const enum vks_hint hint = vks_error_hint();
    fprintf(stderr, "vksim: %s%s%s\n", hints[hint].before, vks_error_text(), hints[hint].after);
}

int main(int argc, char **argv)
{
    struct vks_cli cli;
    uint64_t messages = 0;
    const double begin = vks_seconds();
    setenv("SVT_LOG", "-1", 0); /* an encoder that libav may choose prints on its own otherwise */
    reserve_descriptors();
    handle_signals();
    enum vks_result result = vks_cli_parse(&cli, argc, argv);
    cli.begin = begin;
    vks_message_to(cli.quiet     ? VKS_LOG_ERROR
                   : cli.verbose ? VKS_LOG_VERBOSE
                                 : VKS_LOG_INFO,
                   NULL, NULL);
    if (result == VKS_OK && cli.version) {
        printf("vksim %s\n", VKS_VERSION);
    } else if (result == VKS_OK && cli.help) {
        bool whole = vks_cli_help(cli.model_name ? vks_model_find(cli.model_name) : NULL);
        result = whole || ferror(stdout) ? VKS_OK : vks_fail_memory();
    } else if (result == VKS_OK && cli.list) {
        vks_cli_list();
    } else if (result == VKS_OK && cli.list_devices) {
        result = list_devices();
    } else if (result == VKS_OK) {
        result = run_tool(&cli, &messages);
    }
    if (result != VKS_OK && result != VKS_INTERRUPTED) {
        print_error();
    }
    vks_cli_free(&cli);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == VKS_OK) {
        fprintf(stderr, "vksim: standard output could not be written\n");
        result = VKS_ERROR_FILE;
    }
    if (result == VKS_OK && messages > 0) {
        fprintf(stderr, "vksim: %" PRIu64 " validation messages\n", messages);
        result = VKS_ERROR_VALIDATION;
    }
    return vks_exit_code(result);
}
