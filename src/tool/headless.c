/* SPDX-License-Identifier: MIT */
#include "tool/headless.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/profile.h"
#include "base/task.h"
#include "runs/grid.h"
#include "frames/collage.h"
#include "frames/format.h"
#include "frames/ring.h"
#include "report/html.h"
#include "tool/capture.h"
#include "tool/summary.h"
#include "tool/timings.h"

/* --- outputs --------------------------------------------------------------------------------- */

/* Frames are written to the sink, and some of them to the collage. */
struct outputs {
    struct vks_output_names names;
    struct vks_sink *sink;       /* NULL: none */
    struct vks_collage *collage; /* NULL: none */
};

static enum vks_result open_sink(const struct vks_cli *cli, const struct vks_grid *grid,
                                 struct outputs *outputs)
{
    const struct vks_size size = vks_grid_size(grid);
    enum vks_result result = vks_sink_open(
        &(struct vks_sink_params){
            .path = outputs->names.out,
            .width = size.width,
            .height = size.height,
            .fps = (uint32_t)cli->fps,
            .frames = cli->frames,
            .overwrite = cli->overwrite,
            .depth = vks_cli_depth(cli),
            .encoder = (enum vks_encoder)cli->encoder,
            .has_crf = vks_cli_given(cli, "crf"),
            .crf = (uint32_t)cli->crf,
            .field = cli->cells[0].common.view->name,
        },
        &outputs->sink);
    const unsigned made = vks_plane_bit(VKS_PLANE_RGBA) | vks_plane_bit(VKS_PLANE_YUV);
    if (result == VKS_OK && cli->vary.count && (vks_sink_planes(outputs->sink) & ~made)) {
        result = vks_fail(VKS_ERROR_USAGE,
                          "the cells of --vary share one picture with 8 bits per channel, which "
                          "'%s' cannot be made from",
                          outputs->names.out);
    }
    return result;
}

static struct vks_collage_params collage_params(const struct vks_cli *cli,
                                                const struct vks_grid *grid)
{
    const struct vks_size size = vks_grid_size(grid);
    return (struct vks_collage_params){
        .columns = cli->collage.width,
        .rows = cli->collage.height,
        .width = size.width,
        .height = size.height,
        .frames = cli->frames,
        .first_step = cli->load_state ? cli->state.steps : 0,
        .steps_per_frame = vks_grid_common_steps(grid),
        .overwrite = cli->overwrite,
    };
}

static enum vks_result open_collage(const struct vks_cli *cli, const struct vks_grid *grid,
                                    struct outputs *outputs)
{
    struct vks_collage_params params = collage_params(cli, grid);
    params.path = outputs->names.sheet;
    return vks_collage_open(&params, &outputs->collage);
}

/* Small pictures for the HTML report, of the first, the middle and the last frame from `first` on.
 * A picture in bands, and one that no file has 8 bits of, has none. */
static enum vks_result open_thumbnails(const struct vks_cli *cli, const struct vks_grid *grid,
                                       uint64_t first, struct vks_collage **thumbnails)
{
    const struct vks_bands bands = vks_grid_bands(grid);
    struct vks_collage_params params = collage_params(cli, grid);
    const uint64_t frames = cli->frames - first;
    params.max_side = VKS_HTML_PICTURE_SIDE;
    params.columns = frames < VKS_HTML_PICTURES ? (uint32_t)frames : VKS_HTML_PICTURES;
    params.rows = 1;
    const bool possible =
        bands.rows >= params.height &&
        vks_graph_buffer(bands.graph, vks_plane_formats[VKS_PLANE_RGBA].field) != VK_NULL_HANDLE;
    return cli->report && possible ? vks_collage_open(&params, thumbnails) : VKS_OK;
}

/* Without a sink, nothing else rejects options that are only for compressed videos. */
static enum vks_result check_no_sink(const struct vks_cli *cli,
                                     const struct vks_output_names *names)
{
    if (cli->encoder != VKS_ENCODER_AUTO || vks_cli_given(cli, "crf")) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' does not support %s; only .mp4, .webm and .mkv files do", names->out,
                        vks_cli_given(cli, "crf") ? "--crf" : "--encoder");
    }
    if (vks_cli_depth(cli) != 0) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' does not support --depth", names->out);
    }
    return VKS_OK;
}

static enum vks_result open_outputs(const struct vks_cli *cli, const struct vks_grid *grid,
                                    struct outputs *outputs)
{
    enum vks_result result = vks_output_names(cli, &outputs->names);
    const struct vks_output_names *names = &outputs->names;
    if (result == VKS_OK && names->sheet) {
        result = open_collage(cli, grid, outputs);
    }
    const bool alone = names->sheet && strcmp(names->sheet, names->out) == 0;
    if (result != VKS_OK) {
        return result;
    }
    return alone || strcmp(names->out, "none") == 0 ? check_no_sink(cli, names)
                                                    : open_sink(cli, grid, outputs);
}

static void close_outputs(struct outputs *outputs)
{
    vks_sink_abort(outputs->sink);
    vks_collage_destroy(outputs->collage);
    vks_output_names_free(&outputs->names);
}

/* --- the loop -------------------------------------------------------------------------------- */

struct headless {
    struct vks_grid *grid;
    struct vks_ring *ring;       /* NULL: frames are drawn for scalars only, or not at all */
    struct vks_watcher *watcher; /* NULL: none */
    bool terminal;
    uint64_t frames, steps; /* totals */
    double begin, shown;
};

static enum vks_result push_frame(void *user)
{
    struct headless *headless = user;
    uint64_t value;
    enum vks_result result = headless->watcher ? vks_watcher_check(headless->watcher) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_grid_draw(headless->grid);
    }
    if (result == VKS_OK && headless->ring) {
        result = vks_ring_push(headless->ring);
    } else if (result == VKS_OK) {
        result = vks_graph_frame(vks_grid_graph(headless->grid), NULL, NULL, VK_NULL_HANDLE,
                                 VK_NULL_HANDLE, &value);
    }
    return result;
}

/* Rewrites one line on a terminal; elsewhere prints a line every ten seconds. */
static void show_progress(void *user, uint64_t frames, uint64_t steps)
{
    struct headless *headless = user;
    double now = vks_seconds();
    double pause = headless->terminal ? 0.1 : 10;
    bool last = frames >= headless->frames && steps >= headless->steps;
    if (now - headless->shown < pause && !(last && headless->terminal)) {
        return;
    }
    double elapsed = now - headless->begin;
    double done = headless->frames ? (double)frames / (double)headless->frames
                                   : (double)steps / (double)(headless->steps + 1);
    headless->shown = now;
    const bool by_frame = headless->frames > 0;
    char line[512];
    const int columns = headless->terminal ? vks_progress_columns() : 100;
    const int length = snprintf(
        line, sizeof(line), "%s %" PRIu64 "/%" PRIu64 "  %.1f steps/s  %.0f s left   ",
        by_frame ? "frame" : "step", by_frame ? frames : steps,
        by_frame ? headless->frames : headless->steps, elapsed > 0 ? (double)steps / elapsed : 0,
        done > 0 ? elapsed / done - elapsed : 0);
    if (vks_grid_count(headless->grid) == 1 && length < columns && columns < (int)sizeof(line)) {
        vks_watched_text(vks_grid_graph(headless->grid), line + length, (size_t)(columns - length));
    }
    vks_progress_show(line);
}

/* The first frame that must be drawn: only the last one if nothing needs the others. --normalize
 * smooth, --watch and --digest need all of them. */
static uint64_t first_frame(const struct vks_cli *cli, const struct vks_grid *grid,
                            const struct outputs *outputs)
{
    const bool all = cli->digest || cli->watch || outputs->collage || vks_grid_follows(grid) ||
                     vks_sink_needs_frame(outputs->sink, 0);
    return all ? 0 : cli->frames - 1;
}

/* Drains the ring after the loop, even a failed one, because completed frames are kept. */
static enum vks_result drain(struct headless *headless, bool interrupted, enum vks_result result)
{
    if (result == VKS_OK && interrupted) {
        result = vks_grid_draw(headless->grid);
        result = result == VKS_OK ? vks_ring_push_last(headless->ring) : result;
    }
    const enum vks_result drained = vks_ring_drain(headless->ring);
    result = result == VKS_OK && drained != VKS_INTERRUPTED ? drained : result;
    return result;
}

/* Runs the loop with the given outputs, if any. */
static enum vks_result run(const struct vks_cli *cli, struct vks_grid *grid,
                           const struct outputs *outputs, struct vks_watcher *watcher,
                           struct vks_outcome *outcome)
{
    const struct vks_size size = vks_grid_size(grid);
    const bool pictured = outputs->sink || outputs->collage;
    const bool drawn = pictured || watcher;
    const uint64_t first = pictured ? first_frame(cli, grid, outputs) : 0;
    const struct vks_runnable runnable = vks_grid_runnable(grid);
    struct vks_gpu *gpu = &vks_simulation_context(vks_grid_simulation(grid, 0))->gpu;
    struct vks_capture capture;
    struct headless headless = {
        .grid = grid,
        .watcher = watcher,
        .terminal = vks_progress_is_live(),
        .frames = drawn && first == 0 ? cli->frames : 0,
        .steps = cli->steps,
        .begin = vks_seconds(),
    };
    headless.shown = headless.begin;
    struct vks_presenter presenter = {.user = &headless, .progress = show_progress};
    enum vks_result result = VKS_OK;
    const struct vks_bands bands = vks_grid_bands(grid);
    presenter.present = drawn ? push_frame : NULL;
    if (pictured) {
        vks_phase_begin(VKS_PHASE_OUTPUTS);
        result = open_thumbnails(cli, grid, first, &outcome->thumbnails);
        if (result == VKS_OK) {
            result = vks_ring_create(gpu, &bands,
                                     &(struct vks_ring_params){
                                         .width = size.width,
                                         .height = size.height,
                                         .sink = outputs->sink,
                                         .collage = outputs->collage,
                                         .thumbnails = outcome->thumbnails,
                                         .digest = cli->digest,
                                         .first = first,
                                         .frames = cli->frames - first,
                                         .interrupted = vks_interrupted,
                                     },
                                     &headless.ring);
        }
        vks_phase_end();
    }
    outcome->begin = vks_seconds();
    if (result == VKS_OK) {
        result = vks_run(&runnable,
                         &(struct vks_run_params){
                             .steps = cli->steps,
                             .steps_per_frame = vks_grid_steps_per_frame(grid),
                             .frames = drawn ? cli->frames : 0,
                             .first_frame = first,
                             .section = vks_capture_section(cli, gpu, &capture),
                         },
                         &presenter, &outcome->run);
    }
    if (result == VKS_INTERRUPTED) { /* not a failure: the state up to here is valid */
        outcome->run.interrupted = true;
        result = VKS_OK;
    }
    if (headless.ring) {
        result = drain(&headless, outcome->run.interrupted, result);
        vks_ring_stats(headless.ring, &outcome->ring);
        outcome->has_frames = true;
        if (cli->digest) {
            vks_ring_digest(headless.ring, outcome->frames_digest);
        }
    }
    vks_ring_destroy(headless.ring);
    vks_progress_end();
    outcome->run.seconds = vks_seconds() - outcome->begin;
    return result;
}

/* --- the end --------------------------------------------------------------------------------- */

static void print_written(const char *name, uint64_t frames, double seconds)
{
    vks_message(VKS_LOG_INFO, "wrote %s (%" PRIu64 " frame%s, %.1f s)", name, frames,
                frames == 1 ? "" : "s", seconds);
}

/* Completes the file and prints its name. */
static enum vks_result finish_sink(struct outputs *outputs, bool partial,
                                   struct vks_outcome *outcome)
{
    struct vks_sink *sink = outputs->sink;
    if (!sink || outcome->ring.frames == 0) {
        return VKS_OK;
    }
    outputs->sink = NULL;
    enum vks_result result = partial ? vks_sink_keep_old(sink) : VKS_OK;
    if (result != VKS_OK) {
        vks_sink_abort(sink);
        return result;
    }
    char *name = vks_strdup(vks_sink_name(sink));
    const double begin = vks_seconds();
    vks_phase_begin(VKS_PHASE_ENCODE);
    result = vks_sink_finish(sink);
    vks_phase_end();
    outcome->ending = vks_seconds() - begin;
    if (result == VKS_INTERRUPTED) {
        vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
        result = VKS_OK;
    } else if (result == VKS_OK && name && strcmp(outputs->names.out, "-") != 0) {
        print_written(name, outcome->ring.frames, outcome->run.seconds + outcome->ending);
    }
    free(name);
    return result;
}

/* Replaces the name by that of a partial result. */
static enum vks_result keep_old(char **name)
{
    char *partial;
    const enum vks_result result = vks_partial_path(*name, &partial);
    if (result == VKS_OK) {
        free(*name);
        *name = partial;
    }
    return result;
}

static enum vks_result finish_collage(struct outputs *outputs, const struct vks_outcome *outcome)
{
    if (!outputs->collage || vks_collage_count(outputs->collage) == 0) {
        return VKS_OK;
    }
    enum vks_result result = outcome->run.interrupted ? keep_old(&outputs->names.sheet) : VKS_OK;
    if (result == VKS_OK) {
        result = vks_collage_write(outputs->collage, outputs->names.sheet);
    }
    if (result == VKS_OK) {
        print_written(outputs->names.sheet, vks_collage_count(outputs->collage),
                      outcome->run.seconds);
    }
    return result;
}

/* Writes the last picture, which is still on the GPU. */
static enum vks_result finish_poster(const struct vks_cli *cli, const struct vks_grid *grid,
                                     struct outputs *outputs, const struct vks_outcome *outcome)
{
    const struct vks_size size = vks_grid_size(grid);
    if (!outputs->names.poster || outcome->ring.frames == 0) {
        return VKS_OK;
    }
    uint8_t *rgba = malloc((size_t)size.width * size.height * 4);
    enum vks_result result =
        rgba ? vks_graph_download_to(vks_grid_graph(grid), "picture", rgba) : vks_fail_memory();
    if (result == VKS_OK && outcome->run.interrupted) {
        result = keep_old(&outputs->names.poster);
    }
    if (result == VKS_OK) {
        result =
            vks_write_png(outputs->names.poster, rgba, size.width, size.height, cli->overwrite);
    }
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "wrote %s", outputs->names.poster);
    }
    free(rgba);
    return result;
}

/* After a failure a video is kept up to that point, but no collage or poster is written. */
static enum vks_result finish_outputs(const struct vks_cli *cli, const struct vks_grid *grid,
                                      struct outputs *outputs, enum vks_result result,
                                      struct vks_outcome *outcome)
{
    struct vks_error why;
    vks_error_keep(&why);
    const bool partial = result != VKS_OK || outcome->run.interrupted;
    enum vks_result finished = finish_sink(outputs, partial, outcome);
    if (result != VKS_OK) {
        return vks_fail_again(result, &why);
    }
    if (finished == VKS_OK) {
        finished = finish_collage(outputs, outcome);
    }
    return finished == VKS_OK ? finish_poster(cli, grid, outputs, outcome) : finished;
}

/* Whether pictures too large for a buffer can be drawn in bands, or are not drawn at all. */
static bool takes_bands(const struct vks_cli *cli)
{
    return cli->out && !cli->collage.width &&
           (strcmp(cli->out, "none") == 0 || vks_sink_takes_bands(cli->out));
}

/* The planes and VKS_VIEW_ flags of the view that the outputs need. */
static unsigned view_planes(const struct vks_cli *cli, const struct outputs *outputs)
{
    const unsigned taken = outputs->sink ? vks_sink_planes(outputs->sink) : 0;
    const bool opaque = outputs->sink && !vks_format_has(outputs->names.out, VKS_FORMAT_ALPHA) &&
                        vks_has_plane(taken, VKS_PLANE_RGBA);
    return taken | (takes_bands(cli) ? VKS_VIEW_BANDS : 0U) | (opaque ? VKS_VIEW_OPAQUE : 0U);
}

enum vks_result vks_begin_run(const struct vks_cli *cli, vks_context *context,
                              struct vks_grid *grid, unsigned planes, struct vks_watcher **watcher)
{
    enum vks_result result =
        vks_grid_open(grid, context, cli->load_state ? &cli->state : NULL, planes);
    if (result == VKS_OK && cli->save_scene) {
        result = vks_scene_save(cli);
    }
    if (result == VKS_OK) {
        result = vks_timings_start(context);
    }
    if (result == VKS_OK && cli->watch) {
        result = vks_watcher_open(vks_grid_graph(grid), cli->watch, cli->overwrite, watcher);
    }
    return result;
}

enum vks_result vks_end_watch(const struct vks_cli *cli, struct vks_watcher *watcher,
                              enum vks_result result, bool interrupted)
{
    struct vks_error why;
    uint64_t rows = 0;
    char *name = NULL;
    const bool partial = watcher && (interrupted || result != VKS_OK);
    vks_error_keep(&why);
    const enum vks_result kept = partial ? vks_watcher_keep_old(watcher, &name) : VKS_OK;
    enum vks_result finished = kept;
    if (kept == VKS_OK) {
        finished = vks_watcher_finish(watcher, &rows);
    } else {
        vks_watcher_abort(watcher);
    }
    if (finished == VKS_OK && rows > 0) {
        vks_message(VKS_LOG_INFO, "wrote %s (%" PRIu64 " row%s)", name ? name : cli->watch, rows,
                    rows == 1 ? "" : "s");
    }
    free(name);
    return result == VKS_OK ? finished : vks_fail_again(result, &why);
}

enum vks_result vks_headless(const struct vks_cli *cli, vks_context *context)
{
    struct vks_watcher *watcher = NULL;
    struct vks_grid *grid = NULL;
    struct outputs outputs = {0};
    struct vks_outcome outcome = {0};
    enum vks_result result = vks_grid_create(cli->cells, &cli->vary, &grid);
    if (result != VKS_OK) {
        goto finish;
    }
    /* Checked first, because an encoder that does not support the size gives a less useful message.
     */
    result = vks_grid_fits(grid, context, takes_bands(cli));
    if (result != VKS_OK) {
        goto finish;
    }
    vks_phase_begin(VKS_PHASE_OUTPUTS);
    result = open_outputs(cli, grid, &outputs);
    vks_phase_end();
    if (result != VKS_OK) {
        goto finish;
    }
    result = vks_begin_run(cli, context, grid, view_planes(cli, &outputs), &watcher);
    if (result != VKS_OK) {
        goto finish;
    }
    result = run(cli, grid, &outputs, watcher, &outcome);
finish:;
    const bool ran = result == VKS_OK;
    vks_phase_begin(VKS_PHASE_WRITE);
    result = vks_end_watch(cli, watcher, result, outcome.run.interrupted);
    result = finish_outputs(cli, grid, &outputs, result, &outcome);
    vks_phase_end();
    if (ran) {
        /* The state is valid even if an output failed. */
        struct vks_error why;
        vks_error_keep(&why);
        const enum vks_result summarised = vks_summary(cli, grid, &outcome);
        result = result == VKS_OK ? summarised : vks_fail_again(result, &why);
    }
    close_outputs(&outputs);
    vks_collage_destroy(outcome.thumbnails);
    vks_grid_destroy(grid);
    return result == VKS_OK && outcome.run.interrupted ? VKS_INTERRUPTED : result;
}
