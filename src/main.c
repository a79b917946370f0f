/* SPDX-License-Identifier: MIT */
/* The command line tool. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/ceiling.h"
#include "cli.h"
#include "base/file.h"
#include "io/report.h"
#include "out/colormap.h"
#include "out/ring.h"
#include "out/sink.h"
#include "run.h"
#if VKS_HAVE_WINDOW
#include "ui/window.h"
#endif

static double process_begin;

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

/* --- a file's presenter ---------------------------------------------------------------------- */

struct headless {
    struct vks_ring *ring;
    bool quiet, terminal;
    uint64_t frames, steps; /* to do */
    double begin, shown;
};

static enum vks_result push_frame(void *user)
{
    struct headless *headless = user;
    return vks_ring_push(headless->ring);
}

/* One line that is written over on a terminal; a plain line now and then elsewhere. */
static void show_progress(void *user, uint64_t frames, uint64_t steps)
{
    struct headless *headless = user;
    double now = vks_seconds();
    double pause = headless->terminal ? 0.1 : 10;
    bool last = frames >= headless->frames && steps >= headless->steps;
    if (headless->quiet || (now - headless->shown < pause && !(last && headless->terminal))) {
        return;
    }
    double elapsed = now - headless->begin;
    double done = headless->frames ? (double)frames / (double)headless->frames
                                   : (double)steps / (double)(headless->steps + 1);
    headless->shown = now;
    const bool by_frame = headless->frames > 0;
    fprintf(stderr, "%s%s %" PRIu64 "/%" PRIu64 "  %.1f steps/s  %.0f s left   %s",
            headless->terminal ? "\r" : "", by_frame ? "frame" : "step", by_frame ? frames : steps,
            by_frame ? headless->frames : headless->steps,
            elapsed > 0 ? (double)steps / elapsed : 0, done > 0 ? elapsed / done - elapsed : 0,
            headless->terminal ? "" : "\n");
    fflush(stderr);
}

static void end_progress(const struct headless *headless)
{
    if (headless->terminal && !headless->quiet && headless->shown > headless->begin) {
        fprintf(stderr, "\n");
    }
}

/* What a run leaves for the report. */
struct outcome {
    struct vks_run_report run;
    struct vks_ring_stats ring;
    double begin;
    double ending; /* seconds the file took after the loop */
    bool has_frames;
    char frames_digest[33];
};

/* Adds the option's name to the sentence that a file exists. */
static enum vks_result hint_overwrite(enum vks_result result)
{
    if (result != VKS_ERROR_FILE || !strstr(vks_error_text(), "exists already")) {
        return result;
    }
    char why[768];
    snprintf(why, sizeof(why), "%s", vks_error_text());
    return vks_fail(result, "%s (--overwrite replaces it)", why);
}

/* The name of the output: --out, or its default. NULL when memory ran out. */
static char *output_name(const struct vks_cli *cli)
{
    return cli->out ? vks_strdup(cli->out) : vks_format("%s.mp4", cli->settings.model->name);
}

static bool has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), tail = strlen(extension);
    return length >= tail && strcasecmp(path + length - tail, extension) == 0;
}

/* The name of --poster's picture, a heap string: NAME.png for NAME.mp4. */
static enum vks_result poster_name(const struct vks_cli *cli, char **name)
{
    char *out = output_name(cli);
    if (!out) {
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    const char *slash = strrchr(out, '/');
    char *dot = strrchr(slash ? slash + 1 : out, '.');
    if (!cli->headless || !dot || has_extension(out, ".png")) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "--poster is for a video in a file, NAME.png beside NAME.mp4, not for %s",
                          cli->headless ? out : "a window");
    } else {
        *dot = '\0';
        *name = vks_format("%s.png", out);
        result = *name ? VKS_OK : vks_fail_memory();
    }
    free(out);
    return result;
}

static enum vks_result open_sink(const struct vks_cli *cli, struct vks_sink **sink)
{
    struct vks_size size;
    vks_picture_size(&cli->settings, &size.width, &size.height);
    char *name = output_name(cli);
    if (!name) {
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    if (strcmp(name, "none") != 0) {
        result =
            vks_sink_open(&(struct vks_sink_params){.path = name,
                                                    .width = size.width,
                                                    .height = size.height,
                                                    .fps = (uint32_t)cli->fps,
                                                    .frames = cli->frames,
                                                    .overwrite = cli->overwrite,
                                                    .depth = cli->depth == VKS_DEPTH_16 ? 16 : 8,
                                                    .encoder = (enum vks_encoder)cli->encoder,
                                                    .has_crf = cli->crf_given,
                                                    .crf = (uint32_t)cli->crf},
                          sink);
        result = hint_overwrite(result);
    }
    free(name);
    return result;
}

/* The frame that a run can begin with: those before it are not drawn when only the last is wanted.
 * `smooth` follows every frame, and the digest is one of all. */
static uint64_t first_frame(const struct vks_cli *cli, const struct vks_sink *sink)
{
    const bool all = cli->digest || strcmp(cli->settings.common.look.normalize, "smooth") == 0 ||
                     vks_sink_wants_frame(sink, 0);
    return all ? 0 : cli->frames - 1;
}

/* The encoder's thread hangs in a call that nothing ends, with the sink and the frames in its
 * hands: the process cannot be taken down in order any more. */
static _Noreturn void end_stuck(struct vks_sink *sink, enum vks_result result)
{
    fprintf(stderr, "vksim: %s\n", vks_error_text());
    vks_sink_abandon(sink);
    _exit((int)result);
}

/* Runs with frames to the sink, or without any (NULL). Ends the sink either way. */
static enum vks_result run_headless(const struct vks_cli *cli, vks_simulation *simulation,
                                    struct vks_sink *sink, struct outcome *outcome)
{
    struct vks_size size;
    vks_picture_size(&cli->settings, &size.width, &size.height);
    const uint64_t first = sink ? first_frame(cli, sink) : 0;
    struct headless headless = {
        .quiet = cli->quiet,
        .terminal = isatty(STDERR_FILENO) != 0,
        .frames = sink && first == 0 ? cli->frames : 0,
        .steps = cli->steps,
        .begin = vks_seconds(),
    };
    headless.shown = headless.begin;
    struct vks_presenter presenter = {.user = &headless, .progress = show_progress};
    enum vks_result result = VKS_OK;
    if (sink) {
        presenter.present = push_frame;
        result = vks_ring_create(&vks_simulation_context(simulation)->gpu,
                                 vks_simulation_graph(simulation),
                                 &(struct vks_ring_params){
                                     .width = size.width,
                                     .height = size.height,
                                     .sink = sink,
                                     .digest = cli->digest,
                                     .first = first,
                                     .frames = cli->frames - first,
                                     .interrupted = vks_run_interrupted,
                                 },
                                 &headless.ring);
    }
    outcome->begin = vks_seconds();
    if (result == VKS_OK) {
        result = vks_run(simulation,
                         &(struct vks_run_params){
                             .steps = cli->steps,
                             .steps_per_frame = cli->settings.common.steps_per_frame,
                             .frames = sink ? cli->frames : 0,
                             .first_frame = first,
                         },
                         &presenter, &outcome->run);
    }
    if (result == VKS_INTERRUPTED) { /* the state up to there counts all the same */
        outcome->run.interrupted = true;
        result = VKS_OK;
    }
    if (headless.ring) {
        if (result == VKS_OK && outcome->run.interrupted) {
            result = vks_ring_push_last(headless.ring);
        }
        /* Also after a failure: what is whole is kept. */
        if (!vks_ring_is_stuck(headless.ring)) {
            enum vks_result drained = vks_ring_drain(headless.ring);
            result = result == VKS_OK && drained != VKS_INTERRUPTED ? drained : result;
        }
        if (vks_ring_is_stuck(headless.ring)) {
            end_stuck(sink, result);
        }
        vks_ring_stats(headless.ring, &outcome->ring);
        outcome->has_frames = true;
        if (cli->digest) {
            vks_ring_digest(headless.ring, outcome->frames_digest);
        }
    }
    vks_ring_destroy(headless.ring);
    end_progress(&headless);
    outcome->run.seconds = vks_seconds() - outcome->begin;
    return result;
}

static bool is_piped(const struct vks_cli *cli)
{
    return cli->out && strcmp(cli->out, "-") == 0;
}

/* Gives the file its name and says where it is. */
static enum vks_result finish_sink(const struct vks_cli *cli, struct vks_sink *sink,
                                   enum vks_result result, struct outcome *outcome)
{
    if (!sink) {
        return result;
    }
    const uint64_t frames = outcome->ring.frames;
    if (frames == 0) {
        vks_sink_abort(sink);
        return result;
    }
    char why[1024];
    snprintf(why, sizeof(why), "%s", vks_error_text());
    char *name = vks_strdup(vks_sink_name(sink));
    const double begin = vks_seconds();
    enum vks_result finished = vks_sink_finish(sink);
    outcome->ending = vks_seconds() - begin;
    if (finished == VKS_INTERRUPTED) {
        vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
        finished = VKS_OK;
    } else if (finished == VKS_OK && name && !is_piped(cli) && !cli->quiet) {
        fprintf(stderr, "vksim: wrote %s (%" PRIu64 " frame%s, %.1f s)\n", name, frames,
                frames == 1 ? "" : "s", outcome->run.seconds + outcome->ending);
    }
    free(name);
    return result == VKS_OK ? finished : vks_fail(result, "%s", why);
}

/* The picture that was drawn last, which the GPU still has. */
static enum vks_result write_poster(const struct vks_cli *cli, vks_simulation *simulation)
{
    struct vks_size size;
    vks_picture_size(&cli->settings, &size.width, &size.height);
    char *name = NULL;
    uint8_t *rgba = malloc((size_t)size.width * size.height * 4);
    enum vks_result result = rgba ? poster_name(cli, &name) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_graph_download_to(vks_simulation_graph(simulation), "picture", rgba);
    }
    if (result == VKS_OK) {
        result = hint_overwrite(vks_write_png(name, rgba, size.width, size.height, cli->overwrite));
    }
    if (result == VKS_OK && !cli->quiet) {
        fprintf(stderr, "vksim: wrote %s\n", name);
    }
    free(name);
    free(rgba);
    return result;
}

/* --- after the run --------------------------------------------------------------------------- */

/* Where text results go: not into a video on standard output. */
static FILE *results(const struct vks_cli *cli)
{
    return is_piped(cli) ? stderr : stdout;
}

static enum vks_result print_digests(const struct vks_cli *cli, vks_simulation *simulation,
                                     const struct outcome *outcome)
{
    char hex[33];
    enum vks_result result = vks_simulation_digest(simulation, hex);
    if (result == VKS_OK) {
        fprintf(results(cli), "digest state %s\n", hex);
        if (outcome->has_frames) {
            fprintf(results(cli), "digest frames %s\n", outcome->frames_digest);
        }
    }
    return result;
}

/* Steps are timed best as whole batches, where they were; the passes of frames one by one. */
static double gpu_busy(const struct vks_graph *graph, const struct vks_report *report)
{
    const struct vks_declaration *declaration = vks_graph_declaration(graph);
    double steps = 0, rest = report->copies;
    for (size_t i = 0; i < report->pass_count; i++) {
        if (declaration->passes[i].when == VKS_EACH_FRAME) {
            rest += report->passes[i].total;
        } else {
            steps += report->passes[i].total;
        }
    }
    const double batches = report->step_seconds * (double)report->steps;
    return rest + (batches > 0 ? batches : steps);
}

static enum vks_result print_timings(const struct vks_cli *cli, vks_simulation *simulation,
                                     const struct outcome *outcome)
{
    struct vks_pass_timing passes[VKS_MAX_PASSES];
    double busy;
    uint64_t busy_steps;
    struct vks_report report = {
        .model = cli->settings.model->name,
        .width = cli->settings.common.size.width,
        .height = cli->settings.common.size.height,
        .passes = passes,
        .steps = outcome->run.steps,
        .frames = outcome->run.frames,
        .seconds = outcome->run.seconds,
        .encoded = outcome->has_frames,
        .gpu_waits = outcome->ring.gpu_waits,
        .encoder_waits = outcome->ring.encoder_waits,
        .copies = outcome->ring.copies,
        .encoder_busy = outcome->ring.encoder_busy + outcome->ending,
        .digest_busy = outcome->ring.digest_busy,
        .ending = outcome->ending,
        .startup = outcome->begin - process_begin,
        .first_frame =
            outcome->ring.first_frame > 0 ? outcome->ring.first_frame - process_begin : 0,
    };
    while (report.pass_count < VKS_MAX_PASSES &&
           vks_simulation_timing(simulation, report.pass_count, &passes[report.pass_count])) {
        report.pass_count++;
    }
    vks_graph_busy(vks_simulation_graph(simulation), &busy, &busy_steps);
    report.step_seconds = busy_steps ? busy / (double)busy_steps : 0;
    report.gpu_busy = gpu_busy(vks_simulation_graph(simulation), &report);
    vks_context *context = vks_simulation_context(simulation);
    vks_context_device(context, &report.device);
    if (vks_measure_copy(&context->gpu, &report.copy_bandwidth) != VKS_OK) {
        vks_message(VKS_LOG_WARNING, "the copy bandwidth is unknown: %s", vks_error_text());
    }
    if (cli->timings == VKS_TIMINGS_JSON) {
        return vks_report_json(results(cli), &report);
    }
    vks_report_table(results(cli), &report);
    return VKS_OK;
}

static enum vks_result after_run(const struct vks_cli *cli, vks_simulation *simulation,
                                 const struct outcome *outcome)
{
    enum vks_result result = VKS_OK;
    if (cli->save_state) {
        result = vks_simulation_save(simulation, cli->save_state);
    }
    if (result == VKS_OK && cli->digest) {
        result = print_digests(cli, simulation, outcome);
    }
    if (result == VKS_OK && cli->timings_asked) {
        result = print_timings(cli, simulation, outcome);
    }
    return result;
}

/* --- the tool -------------------------------------------------------------------------------- */

static enum vks_result list_devices(void)
{
    struct vks_device_info infos[32];
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
               "   UUID    %s\n   lacks   %s\n",
               infos[i].index, infos[i].name, types[infos[i].type], infos[i].driver,
               infos[i].api_version, vks_format_bytes(infos[i].memory, memory),
               vks_format_bytes(infos[i].largest_buffer, buffer), infos[i].uuid,
               infos[i].lacks[0] ? infos[i].lacks : "nothing");
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

/* True when both name the same existing file, or are the same text. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    if (stat(a, &first) == 0 && stat(b, &second) == 0) {
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    }
    return strcmp(a, b) == 0;
}

/* Paths that are written at the end are tried before the work begins. */
static enum vks_result check_outputs(const struct vks_cli *cli, const char *poster)
{
    const char *const init = cli->settings.common.init;
    struct vks_ground ground;
    (void)vks_look_ground(&cli->settings.common.look, &ground); /* checked */
    const struct {
        const char *option, *path;
        const char *own; /* the input that it may replace */
    } outputs[] = {
        {"--out", cli->out && strcmp(cli->out, "-") != 0 ? cli->out : NULL, NULL},
        {"--save-state", cli->save_state, cli->load_state},
        {"--save-scene", cli->save_scene, cli->scene},
        {"--poster", poster, NULL},
    };
    const char *const inputs[] = {cli->load_state, cli->scene,
                                  strncmp(init, "image:", 6) == 0 ? init + 6 : NULL,
                                  vks_colormap_file(cli->settings.common.look.colormap),
                                  ground.path};
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_COUNT(outputs) && result == VKS_OK; i++) {
        const char *path = outputs[i].path;
        if (!path) {
            continue;
        }
        const bool own = outputs[i].own && is_same_file(path, outputs[i].own);
        for (size_t j = 0; j < VKS_COUNT(inputs); j++) {
            if (inputs[j] && !(own && inputs[j] == outputs[i].own) &&
                is_same_file(path, inputs[j])) {
                return vks_fail(VKS_ERROR_USAGE, "%s '%s' is also what the run reads from",
                                outputs[i].option, path);
            }
        }
        for (size_t j = 0; j < i; j++) {
            if (outputs[j].path && is_same_file(path, outputs[j].path)) {
                return vks_fail(VKS_ERROR_USAGE, "%s and %s both name '%s'", outputs[j].option,
                                outputs[i].option, path);
            }
        }
        struct vks_new_file file = {0};
        if (i > 0) { /* the sink looks after its own */
            result = vks_new_file_begin(&file, path, cli->overwrite || own);
            vks_new_file_abort(&file);
            result = hint_overwrite(result);
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

/* What the device cannot hold is said before an encoder finds the size too large for itself. */
static enum vks_result check_size(const struct vks_cli *cli, const vks_context *context)
{
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    if (!declaration) {
        return vks_fail_memory();
    }
    vks_declare_all(&cli->settings, 0, declaration);
    enum vks_result result = vks_graph_fits(&context->gpu, declaration);
    free(declaration);
    return result;
}

/* What the view must make for a sink (or NULL): enum vks_view_wants. */
static unsigned view_wants(const struct vks_cli *cli, const struct vks_sink *sink)
{
    const unsigned wants = sink ? vks_sink_wants(sink) : 0;
    const bool keeps_alpha = cli->out && has_extension(cli->out, ".png");
    return (wants & VKS_SINK_WANTS_RGBA && !keeps_alpha ? VKS_VIEW_OPAQUE : 0U) |
           (wants & VKS_SINK_WANTS_YUV ? VKS_VIEW_YUV : 0U) |
           (wants & VKS_SINK_WANTS_RGBA16 ? VKS_VIEW_RGBA16 : 0U) |
           (wants & VKS_SINK_WANTS_VALUES ? VKS_VIEW_VALUES : 0U);
}

static enum vks_result compute(const struct vks_cli *cli, vks_context *context)
{
    vks_simulation *simulation = NULL;
    struct vks_sink *sink = NULL;
    struct outcome outcome = {0};
    enum vks_result result = check_size(cli, context);
    if (result == VKS_OK) {
        result = open_sink(cli, &sink);
    }
    if (result == VKS_OK) {
        result = vks_simulation_open(context, &cli->settings, cli->load_state ? &cli->state : NULL,
                                     view_wants(cli, sink), &simulation);
    }
    if (result == VKS_OK && cli->save_scene) {
        result = vks_cli_save_scene(cli);
    }
    if (result == VKS_OK) {
        result = run_headless(cli, simulation, sink, &outcome);
    }
    result = finish_sink(cli, sink, result, &outcome);
    if (result == VKS_OK && cli->poster && outcome.ring.frames > 0) {
        result = write_poster(cli, simulation);
    }
    if (result == VKS_OK) {
        result = after_run(cli, simulation, &outcome);
    }
    vks_simulation_destroy(simulation);
    return result == VKS_OK && outcome.run.interrupted ? VKS_INTERRUPTED : result;
}

static enum vks_result show(const struct vks_cli *cli, uint64_t *messages)
{
#if VKS_HAVE_WINDOW
    vks_context *context = NULL;
    vks_simulation *simulation = NULL;
    struct vks_window *window = NULL;
    struct outcome outcome = {0};
    struct vks_gpu_params params = {
        .device = cli->device,
        .validation =
            cli->validate_asked ? VKS_VALIDATION_CORE + cli->validate : VKS_VALIDATION_OFF,
    };
    struct vks_size size;
    vks_picture_size(&cli->settings, &size.width, &size.height);
    enum vks_result result =
        vks_window_open(&params, cli->settings.model->name, size, &context, &window);
    if (result == VKS_OK) {
        result = vks_simulation_open(context, &cli->settings, cli->load_state ? &cli->state : NULL,
                                     0, &simulation);
    }
    if (result == VKS_OK && cli->save_scene) {
        result = vks_cli_save_scene(cli);
    }
    if (result == VKS_OK) {
        bool ends = cli->frames_given || cli->steps_given;
        struct vks_presenter presenter = vks_window_presenter(window, simulation);
        result = vks_run(simulation,
                         &(struct vks_run_params){
                             .steps = ends ? cli->steps : UINT64_MAX,
                             .steps_per_frame = cli->settings.common.steps_per_frame,
                             .frames = ends ? cli->frames : UINT64_MAX,
                         },
                         &presenter, &outcome.run);
    }
    if (result == VKS_OK) {
        result = after_run(cli, simulation, &outcome);
    }
    vks_window_release(window);
    vks_simulation_destroy(simulation);
    *messages = vks_context_close(context);
    vks_window_close(window);
    return result == VKS_OK && outcome.run.interrupted ? VKS_INTERRUPTED : result;
#else
    (void)cli;
    (void)messages;
    return vks_fail(VKS_ERROR_DEVICE, "this vksim was built without SDL2 and has no window; use "
                                      "--headless");
#endif
}

static enum vks_result run_tool(struct vks_cli *cli, uint64_t *messages)
{
    vks_context *context = NULL;
    char *poster = NULL;
    enum vks_result result = cli->poster ? poster_name(cli, &poster) : VKS_OK;
    if (result == VKS_OK) {
        result = check_outputs(cli, poster);
    }
    free(poster);
    if (result != VKS_OK) {
        return result;
    }
    if (!cli->headless) {
        return show(cli, messages);
    }
    result = vks_context_create(
        &(struct vks_context_params){
            .device = cli->device,
            .validation =
                cli->validate_asked ? VKS_VALIDATION_CORE + cli->validate : VKS_VALIDATION_OFF,
        },
        &context);
    if (result == VKS_OK) {
        result = compute(cli, context);
    }
    *messages = vks_context_close(context);
    return result;
}

int main(int argc, char **argv)
{
    struct vks_cli cli;
    uint64_t messages = 0;
    process_begin = vks_seconds();
    setenv("SVT_LOG", "-1", 0); /* an encoder that libav may choose prints on its own otherwise */
    reserve_descriptors();
    handle_signals();
    enum vks_result result = vks_cli_parse(&cli, argc, argv);
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
        fprintf(stderr, "vksim: %s\n", vks_error_text());
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
    return (int)result;
}
