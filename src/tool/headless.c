/* SPDX-License-Identifier: MIT */
#include "tool/headless.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/profile.h"
#include "base/task.h"
#include "runs/timed.h"
#include "frames/collage.h"
#include "frames/ring.h"
#include "report/html.h"
#include "tool/capture.h"
#include "tool/outputs.h"
#include "tool/resume.h"
#include "tool/room.h"
#include "tool/summary.h"
#include "tool/timings.h"

/* --- the loop -------------------------------------------------------------------------------- */

/* Small pictures for the HTML report, of the first, the middle and the last frame from `first` on.
 * A picture in bands, and one that no file has 8 bits of, has none. */
static enum vks_result open_thumbnails(const struct vks_cli *cli, const struct vks_grid *grid,
                                       uint64_t first, struct vks_collage **thumbnails)
{
    const struct vks_bands bands = vks_grid_bands(grid);
    struct vks_collage_params params = vks_outputs_collage(cli, grid);
    const uint64_t frames = cli->frames - first; /* 0: a run that continues has drawn all */
    params.max_side = VKS_HTML_PICTURE_SIDE;
    params.columns = frames < VKS_HTML_PICTURES ? (uint32_t)frames : VKS_HTML_PICTURES;
    params.rows = 1;
    const bool possible =
        bands.rows >= params.height &&
        vks_graph_buffer(bands.graph, vks_plane_formats[VKS_PLANE_RGBA].field) != VK_NULL_HANDLE;
    return cli->report && possible && frames > 0 ? vks_collage_open(&params, thumbnails) : VKS_OK;
}

struct headless {
    struct vks_grid *grid;
    struct vks_ring *ring;       /* NULL: frames are drawn for scalars only, or not at all */
    struct vks_watcher *watcher; /* NULL: none */
    bool terminal;
    uint64_t frames, steps;   /* totals; UINT64_MAX: unknown */
    uint64_t before, stepped; /* of them, those of an earlier process */
    struct vks_timed *timed;  /* NULL: the run has no time */
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
        result = headless->timed && headless->timed->ended ? vks_ring_push_end(headless->ring)
                                                           : vks_ring_push(headless->ring);
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
    frames += headless->before;
    double pause = headless->terminal ? 0.1 : 10;
    bool last = frames >= headless->frames && steps >= headless->steps;
    if (now - headless->shown < pause && !(last && headless->terminal)) {
        return;
    }
    double elapsed = now - headless->begin;
    const uint64_t now_steps = steps - headless->stepped;
    double done = headless->frames
                      ? (double)(frames - headless->before) /
                            (double)(headless->frames - headless->before + (frames == 0))
                      : (double)now_steps / ((double)(headless->steps - headless->stepped) + 1);
    if (headless->timed) {
        done = fmax(done, vks_timed_share(headless->timed));
    }
    headless->shown = now;
    const bool by_frame = headless->frames > 0;
    const uint64_t total = by_frame ? headless->frames : headless->steps;
    char line[512], of[32] = "";
    if (total != UINT64_MAX) {
        snprintf(of, sizeof(of), "/%" PRIu64, total);
    }
    const int columns = headless->terminal ? vks_progress_columns() : 100;
    const int length = snprintf(
        line, sizeof(line), "%s %" PRIu64 "%s  %.1f steps/s  %.0f s left   ",
        by_frame ? "frame" : "step", by_frame ? frames : steps, of,
        elapsed > 0 ? (double)now_steps / elapsed : 0, done > 0 ? elapsed / done - elapsed : 0);
    if (vks_grid_count(headless->grid) == 1 && length < columns && columns < (int)sizeof(line)) {
        vks_watched_text(vks_grid_graph(headless->grid), line + length, (size_t)(columns - length));
    }
    vks_progress_show(line);
}

/* The first frame that must be drawn: only the last one if nothing needs the others. --normalize
 * smooth, --watch and --digest need all of them. */
static uint64_t first_frame(const struct vks_cli *cli, const struct vks_grid *grid)
{
    const bool all =
        cli->digest || cli->watch || vks_grid_follows(grid) || vks_outputs_need_all(cli);
    return all ? 0 : cli->frames - 1;
}

/* Drains the ring after the loop, even a failed one, because completed frames are kept. */
static enum vks_result drain(struct headless *headless, bool early, enum vks_result result)
{
    if (result == VKS_OK && early) {
        result = vks_grid_draw(headless->grid);
        result = result == VKS_OK ? vks_ring_push_last(headless->ring) : result;
    }
    const enum vks_result drained = vks_ring_drain(headless->ring);
    result = result == VKS_OK && drained != VKS_INTERRUPTED ? drained : result;
    return result;
}

/* Runs the loop with the given outputs, if any. */
static enum vks_result run(const struct vks_cli *cli, struct vks_grid *grid,
                           const struct vks_outputs *outputs, struct vks_watcher *watcher,
                           struct vks_checkpoint *checkpoint, struct vks_outcome *outcome)
{
    const struct vks_size size = vks_grid_size(grid);
    const bool pictured = !vks_outputs_are_none(cli);
    const bool job = cli->call->job;
    const bool drawn = pictured || cli->watch || job;
    const bool files = pictured && !cli->silent;
    const struct vks_run_place *place = cli->resumed ? &cli->resumed->place : NULL;
    const uint64_t before = place ? place->frames : 0;
    const char *digested =
        place ? json_string_value(json_object_get(cli->resumed->run, "digested")) : NULL;
    const uint64_t wanted = pictured || job ? first_frame(cli, grid) : 0;
    const uint64_t first = wanted > before ? wanted : before;
    const struct vks_runnable runnable = vks_grid_runnable(grid);
    struct vks_gpu *gpu = &vks_simulation_context(vks_grid_simulation(grid, 0))->gpu;
    struct vks_capture capture;
    struct headless headless = {
        .grid = grid,
        .watcher = watcher,
        .terminal = vks_progress_is_live(),
        .frames = drawn && first == before ? cli->frames : 0,
        .steps = cli->steps,
        .before = before,
        .stepped = place ? place->steps : 0,
        .begin = vks_seconds(),
    };
    headless.shown = headless.begin;
    struct vks_presenter presenter = {.user = &headless, .progress = show_progress};
    enum vks_result result = VKS_OK;
    const struct vks_bands bands = vks_grid_bands(grid);
    presenter.present = drawn ? push_frame : NULL;
    if (files) {
        vks_phase_begin(VKS_PHASE_OUTPUTS);
        result = open_thumbnails(cli, grid, first, &outcome->thumbnails);
        if (result == VKS_OK) {
            result = vks_ring_create(
                gpu, &bands,
                &(struct vks_ring_params){
                    .width = size.width,
                    .height = size.height,
                    .value_planes = vks_look_value_planes(&cli->cells[0].common.look),
                    .sinks = outputs->sinks,
                    .sink_count = outputs->sink_count,
                    .collage = outputs->collage,
                    .thumbnails = outcome->thumbnails,
                    .digested = digested,
                    .digest = cli->digest,
                    .first = first,
                    .frames = cli->frames - first,
                    .interrupted = vks_interrupted,
                },
                &headless.ring);
        }
        vks_phase_end();
    }
    struct vks_timed timed = {.grid = grid, .begin = cli->begin};
    timed.frame_time = vks_option_is_set(VKS_CLI_ROW(frame_time), cli) ? cli->frame_time : 0;
    const struct vks_run_time time = vks_timed_run(&timed);
    headless.timed = cli->by_time ? &timed : NULL;
    struct vks_reloading reloading = {.cli = cli, .grid = grid};
    const struct vks_checkpointed checkpointed = {.cli = cli,
                                                  .grid = grid,
                                                  .outputs = outputs,
                                                  .ring = headless.ring,
                                                  .watcher = watcher,
                                                  .timed = headless.timed,
                                                  .log = &outcome->events};
    if (result == VKS_OK) {
        result = vks_checkpoint_restore(cli, grid, headless.timed);
    }
    outcome->begin = vks_seconds();
    if (result == VKS_OK) {
        result = vks_run(&runnable,
                         &(struct vks_run_params){
                             .steps = cli->steps,
                             .place = place,
                             .keeper = vks_checkpoint_keeper(checkpoint, &checkpointed),
                             .warmup = cli->warmup,
                             .steps_per_frame = vks_grid_steps_per_frame(grid),
                             .frames = drawn || time.frames ? cli->frames : 0,
                             .first_frame = first,
                             .time = cli->by_time ? &time : NULL,
                             .log = &outcome->events,
                             .section = vks_capture_section(cli, gpu, &capture),
                             .between = vks_reload_between,
                             .user = &reloading,
                         },
                         &presenter, &outcome->run);
    }
    if (result == VKS_INTERRUPTED) { /* not a failure: the state up to here is valid */
        outcome->run.interrupted = true;
        result = VKS_OK;
    }
    if (job && outcome->run.interrupted && result == VKS_OK) { /* it is done again as a whole */
        result = VKS_INTERRUPTED;
    }
    const bool early = outcome->run.interrupted && !checkpoint && !job;
    if (pictured && !files && early && result == VKS_OK) { /* as drain() in rank 0 */
        result = vks_grid_draw(grid);
    }
    if (headless.ring) {
        result = drain(&headless, early, result);
        vks_ring_stats(headless.ring, &outcome->ring);
        outcome->has_frames = true;
        if (cli->digest && (before == 0 || digested)) {
            vks_ring_digest(headless.ring, outcome->frames_digest);
        }
    }
    vks_ring_destroy(headless.ring);
    vks_progress_end();
    outcome->run.seconds = vks_seconds() - outcome->begin;
    return result;
}

/* --- the run --------------------------------------------------------------------------------- */

enum vks_result vks_reload_between(void *user, struct vks_control *control)
{
    const struct vks_reloading *reloading = user;
    struct vks_reload_news news;
    if (!reloading->cli->reload) {
        return VKS_OK;
    }
    enum vks_result result =
        vks_reload_poll(reloading->cli->reload, reloading->grid, control->now, &news);
    control->redraw = control->redraw || news.swapped;
    if (result == VKS_OK && reloading->tell) {
        result = reloading->tell(reloading->user, &news);
    }
    return result;
}

enum vks_result vks_begin_run(const struct vks_cli *cli, vks_context *context,
                              struct vks_grid *grid, unsigned planes, struct vks_watcher **watcher)
{
    enum vks_result result = vks_grid_open(grid, context, vks_cli_state(cli), planes);
    if (result == VKS_OK && cli->save_scene) {
        result = vks_scene_save(cli);
    }
    if (result == VKS_OK) {
        result = vks_timings_start(context);
    }
    if (result == VKS_OK && cli->watch && !cli->silent) {
        result = vks_watcher_open(vks_grid_graph(grid), cli->watch, cli->overwrite,
                                  vks_resume_position(cli, cli->watch), watcher);
    }
    return result;
}

enum vks_result vks_end_watch(const struct vks_cli *cli, struct vks_watcher *watcher,
                              enum vks_result result, bool partial, bool waits)
{
    if (waits) {
        vks_watcher_abort(watcher);
        return result;
    }
    struct vks_error why;
    uint64_t rows = 0;
    char *name = NULL;
    vks_error_keep(result, &why);
    const enum vks_result waited = watcher ? vks_watcher_wait(watcher) : VKS_OK;
    if (result == VKS_OK && waited != VKS_OK) {
        result = waited;
        vks_error_keep(result, &why);
    }
    partial = partial || result != VKS_OK;
    const enum vks_result kept = watcher && partial ? vks_watcher_keep_old(watcher, &name) : VKS_OK;
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
    return result == VKS_OK ? finished : vks_fail_again(&why);
}

enum vks_result vks_end_record(const struct vks_cli *cli, struct vks_outcome *outcome,
                               enum vks_result result)
{
    struct vks_error why;
    enum vks_result written = VKS_OK;
    vks_error_keep(result, &why);
    if (cli->record_events && (result == VKS_OK || outcome->run.steps > 0)) {
        written = vks_scene_record(cli, &outcome->events, outcome->run.steps);
    }
    if (written == VKS_OK && cli->record_events && !cli->headless) {
        vks_message(VKS_LOG_INFO, "wrote %s (%zu event%s)", cli->record_events,
                    outcome->events.count, outcome->events.count == 1 ? "" : "s");
    }
    vks_log_free(&outcome->events);
    return result == VKS_OK ? written : vks_fail_again(&why);
}

/* Warns, once per run, if most of the last picture lies outside its range. A dark picture inside
 * its range is as it should be, and so is a dark background, but not if there is nothing else. */
static void warn_clipped(const struct vks_cli *cli, const struct vks_grid *grid)
{
    static const double most = 0.6;
    const size_t count = vks_grid_count(grid);
    for (size_t i = 0; i < count; i++) {
        double below, above;
        if (cli->cells[i].common.look.values.range.mode != VKS_RANGE_FIXED ||
            vks_simulation_clipped(vks_grid_simulation(grid, i), &below, &above) != VKS_OK) {
            continue;
        }
        if (below > most || above > most) {
            vks_message(VKS_LOG_WARNING,
                        "%.0f%% of the last picture lies %s the range of --normalize %s and has "
                        "one colour; choose another range, or --normalize %s",
                        100 * (below > most ? below : above), below > most ? "below" : "above",
                        cli->cells[i].common.look.normalize,
                        below > most && below < 1 ? "symmetric" : "smooth");
            return;
        }
    }
}

enum vks_result vks_headless(const struct vks_cli *cli, vks_context *context, struct vks_grid *grid,
                             struct vks_outputs *outputs, struct vks_checkpoint *checkpoint)
{
    struct vks_watcher *watcher = NULL;
    struct vks_outcome outcome = {0};
    enum vks_result result = vks_log_copy(&outcome.events, &cli->events);
    outcome.events.done = cli->events.done; /* of a run that continues */
    if (result == VKS_OK) {
        result = vks_grid_fits(grid, context, vks_outputs_take_bands(cli));
    }
    if (result != VKS_OK) {
        goto finish;
    }
    vks_room_warn(cli, outputs);
    vks_phase_begin(VKS_PHASE_OUTPUTS);
    result = cli->silent ? VKS_OK : vks_outputs_start(cli, outputs);
    vks_phase_end();
    if (result != VKS_OK) {
        goto finish;
    }
    result = vks_begin_run(cli, context, grid, vks_outputs_planes(cli, outputs), &watcher);
    if (result != VKS_OK) {
        goto finish;
    }
    result = run(cli, grid, outputs, watcher, checkpoint, &outcome);
finish:;
    const bool ran = result == VKS_OK;
    vks_phase_begin(VKS_PHASE_WRITE);
    outputs->waits = vks_checkpoint_waits(checkpoint, !ran);
    /* The failure of one output is not that of another, and the state is valid in any case. */
    if (!cli->silent) {
        result = vks_outputs_finish(cli, grid, outputs, result, &outcome);
    }
    result = vks_end_watch(cli, watcher, result, outcome.run.interrupted || !ran, outputs->waits);
    result = vks_end_record(cli, &outcome, result);
    vks_phase_end();
    if (result == VKS_OK && outcome.has_frames && !vks_cli_has_no_colours(cli)) {
        warn_clipped(cli, grid);
    }
    if (ran) {
        struct vks_error why;
        vks_error_keep(result, &why);
        const enum vks_result summarised = vks_summary(cli, grid, &outcome);
        result = result == VKS_OK ? summarised : vks_fail_again(&why);
    }
    vks_collage_destroy(outcome.thumbnails);
    result = vks_checkpoint_finish(checkpoint, result);
    return result == VKS_OK && outcome.run.interrupted ? VKS_INTERRUPTED : result;
}
