/* SPDX-License-Identifier: MIT */
#include "tool/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "reload/follow.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "tool/capture.h"
#include "tool/headless.h"
#include "tool/resume.h"
#include "tool/small.h"
#include "tool/summary.h"

#if VKS_HAVE_WINDOW
#include "tool/rendering.h"
#include "ui/window.h"

static const struct vks_outputs no_outputs;
static const double opening_seconds = 0.1;             /* between two words while a run is opened */
static const double history_seconds = 3;               /* between two moments to return to */
static const uint64_t max_history = UINT64_C(1) << 32; /* bytes, and a quarter of the memory */

/* A run in the window. */
struct shown {
    struct vks_cli cli;           /* as if the command line had asked for this run */
    struct vks_settings settings; /* of one that the window asked for; without a model: the first */
    struct vks_grid *grid;
    char *preset;
    const char *given; /* the value of --record-events; NULL: none */
    char *record;      /* the file for it of a run after the first */
    unsigned number;   /* from 1 */
    struct vks_history history;
    struct vks_watcher *watcher;       /* NULL: none */
    struct vks_checkpoint *checkpoint; /* of the first run; NULL: none */
    struct vks_checkpointed checkpointed;
    bool seeks; /* to `step` at once */
    uint64_t step;
    struct vks_follow follow; /* of --hot-reload with a file of formulas */
    bool told;                /* that it has errors */
    struct vks_outcome outcome;
};

static enum vks_result scene_of(void *user, const struct vks_log *log, char **text)
{
    const struct shown *shown = user;
    return vks_scene_origin(&shown->cli, log, false, text);
}

static enum vks_result render(void *user, const struct vks_rendering *rendering,
                              struct vks_job *job)
{
    const struct shown *shown = user;
    const vks_context *context = vks_simulation_context(vks_grid_simulation(shown->grid, 0));
    return vks_rendering_job(&shown->cli, context->gpu.info.index, rendering, job);
}

/* As vksim --scene would run the picture. */
static enum vks_result reopen(void *user, const char *path, struct vks_next_run *next)
{
    char program[] = "vksim", option[] = "--scene";
    char *arguments[] = {program, option, (char *)(uintptr_t)path, NULL};
    struct vks_call call;
    struct vks_cli cli = {0};
    (void)user;
    enum vks_result result = vks_call_parse(&call, 3, arguments);
    if (result == VKS_OK) {
        result = vks_cli_parse(&cli, &call);
    }
    if (result == VKS_OK && cli.vary.count > 0) {
        result =
            vks_fail(VKS_ERROR_USAGE, "'%s' shows a grid of runs; vksim --scene opens it", path);
    }
    if (result == VKS_OK) {
        const bool has_length = vks_cli_ends(&cli) && cli.steps != UINT64_MAX;
        *next = (struct vks_next_run){.settings = cli.settings,
                                      .log = cli.events,
                                      .seeks = has_length,
                                      .step = has_length ? cli.steps : 0};
        snprintf(next->preset, sizeof(next->preset), "%s",
                 vks_model_presets(cli.settings.model)[0].name);
        cli.settings = (struct vks_settings){0};
        cli.events = (struct vks_log){0};
    }
    vks_cli_free(&cli);
    vks_call_free(&call);
    return result;
}

static void start_history(struct shown *shown, const vks_context *context)
{
    const uint64_t quarter = vks_gpu_budget(&context->gpu).size / 4;
    shown->history =
        (struct vks_history){.keeper = vks_grid_keeper(shown->grid),
                             .max_bytes = quarter < max_history ? quarter : max_history,
                             .interval = history_seconds};
}

/* Shows what became of shaders. */
static enum vks_result tell_news(void *user, const struct vks_reload_news *news)
{
    struct vks_window *window = user;
    if (news->swapped) {
        vks_window_say(window, "new shaders");
    }
    return news->is_told
               ? vks_window_notice(window,
                                   "Shaders with errors; the run goes on with the last good ones",
                                   news->errors)
               : VKS_OK;
}

/* --- formulas that change during a run ------------------------------------------------------- */

/* Those values of the settings that differ from the preset's, as a new object. */
static enum vks_result find_changes(const struct vks_settings *settings, const char *preset,
                                    json_t **changes)
{
    struct vks_settings base = {0};
    json_t *before = json_object(), *value;
    const char *name;
    *changes = json_object();
    enum vks_result result =
        before && *changes ? vks_settings_init(&base, settings->model) : vks_fail_memory();
    if (result == VKS_OK && vks_preset_exists(settings->model, preset)) {
        result = vks_preset_apply(&base, preset);
    }
    if (result == VKS_OK) {
        result = vks_settings_to_json(&base, before);
    }
    if (result == VKS_OK) {
        result = vks_settings_to_json(settings, *changes);
    }
    json_object_foreach(before, name, value)
    {
        if (json_equal(json_object_get(*changes, name), value)) {
            (void)json_object_del(*changes, name);
        }
    }
    json_decref(before);
    vks_settings_free(&base);
    return result;
}

/* Sets those of the values that the model has and takes. */
static void set_changes(struct vks_settings *settings, const json_t *changes)
{
    const char *name;
    json_t *value;
    struct vks_error before;
    vks_error_keep(VKS_OK, &before);
    json_object_foreach((json_t *)(uintptr_t)changes, name, value)
    {
        json_t *one = json_pack("{sO}", name, value);
        if (one) {
            (void)vks_settings_set_values(settings, one);
        }
        json_decref(one);
    }
    vks_fail_again(&before);
}

/* The settings of the same run with another version of its formulas. */
static enum vks_result renew_settings(const struct shown *shown, const struct vks_model *model,
                                      struct vks_settings *next)
{
    const struct vks_settings *settings =
        vks_simulation_settings(vks_grid_simulation(shown->grid, 0));
    json_t *changes = NULL;
    enum vks_result result = find_changes(settings, shown->preset, &changes);
    if (result == VKS_OK) {
        result = vks_settings_init(next, model);
    }
    if (result == VKS_OK && vks_preset_exists(model, shown->preset)) {
        result = vks_preset_apply(next, shown->preset);
    }
    if (result == VKS_OK) {
        set_changes(next, changes);
        result = vks_settings_finish(next);
    }
    json_decref(changes);
    return result;
}

/* What a run calls between its steps. */
struct between {
    struct shown *shown;
    struct vks_window *window;
    struct vks_reloading reloading;
    bool follows; /* --hot-reload is the file of the run's formulas */
};

/* Asks for the run with the formulas as they are in their files now. */
static enum vks_result ask_renewed(const struct between *between, struct vks_control *control)
{
    const struct shown *shown = between->shown;
    const struct vks_model *running = shown->cli.settings.model, *model = running;
    struct vks_next_run next = {.carries = true, .seeks = control->paused, .step = control->now};
    enum vks_result result = vks_renew(vks_model_known(running->name), &model);
    if (result != VKS_OK || model == running) {
        return result;
    }
    result = renew_settings(shown, model, &next.settings);
    if (result != VKS_OK) {
        vks_next_run_free(&next);
        return result;
    }
    snprintf(next.preset, sizeof(next.preset), "%s",
             vks_preset_exists(model, shown->preset) ? shown->preset
                                                     : vks_model_presets(model)[0].name);
    vks_message(VKS_LOG_INFO, "step %" PRIu64 ": new formulas", control->now);
    vks_window_say(between->window, "new formulas");
    vks_window_ask(between->window, control, &next);
    return VKS_OK;
}

/* Takes new formulas; an error is shown while the old ones go on. */
static enum vks_result follow(const struct between *between, struct vks_control *control)
{
    struct shown *shown = between->shown;
    if (!vks_follow_poll(&shown->follow, shown->cli.settings.model, vks_seconds())) {
        return VKS_OK;
    }
    const enum vks_result result = ask_renewed(between, control);
    const bool wrong = result == VKS_ERROR_USAGE || result == VKS_ERROR_FILE;
    if (result != VKS_OK && !wrong) {
        return result;
    }
    if (wrong) {
        vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
    }
    const bool tell = wrong || shown->told;
    shown->told = wrong;
    return tell ? vks_window_notice(between->window,
                                    "Formulas with errors; the run goes on with the last good ones",
                                    wrong ? vks_error_text() : NULL)
                : VKS_OK;
}

/* vks_run_params.between */
static enum vks_result look_for_news(void *user, struct vks_control *control)
{
    struct between *between = user;
    return between->follows ? follow(between, control)
                            : vks_reload_between(&between->reloading, control);
}

/* --- a run ----------------------------------------------------------------------------------- */

/* Compiles the shaders of --hot-reload for it. */
static enum vks_result begin_reload(struct shown *shown)
{
    struct vks_cli *cli = &shown->cli;
    return cli->reload ? vks_reload_begin(cli->reload, shown->grid, &cli->reload_run) : VKS_OK;
}

/* Runs it, on from where it was. */
static enum vks_result run(struct shown *shown, vks_context *context, struct vks_window *window)
{
    const struct vks_cli *cli = &shown->cli;
    const bool ends = vks_cli_ends(cli);
    const struct vks_runnable runnable = vks_grid_runnable(shown->grid);
    struct vks_presenter presenter;
    struct vks_capture capture;
    struct between between = {
        .shown = shown,
        .window = window,
        .reloading = {.cli = cli, .grid = shown->grid, .user = window, .tell = tell_news},
        .follows =
            cli->hot_reload && !cli->reload && vks_follow_is(cli->settings.model, cli->hot_reload)};
    const struct vks_window_run in_window = {
        .grid = shown->grid,
        .preset = shown->preset,
        .log = &shown->outcome.events,
        .history = &shown->history,
        .smooth = !ends && !shown->watcher,
        .scene = scene_of,
        .reopen = reopen,
        .render = render,
        .user = shown,
        .seeks = shown->seeks,
        .step = ends && shown->step > cli->steps ? cli->steps : shown->step};
    const bool continues =
        cli->resumed && shown->outcome.run.steps == 0; /* not for the second time */
    enum vks_result result = vks_window_begin(window, &in_window, &presenter);
    shown->seeks = false; /* not if it goes on after an attempt to open another */
    if (result == VKS_OK) {
        result =
            vks_run(&runnable,
                    &(struct vks_run_params){
                        .begin = shown->outcome.run.steps,
                        .place = continues ? &cli->resumed->place : NULL,
                        .keeper = vks_checkpoint_keeper(shown->checkpoint, &shown->checkpointed),
                        .steps = ends ? cli->steps : UINT64_MAX,
                        .warmup = cli->warmup,
                        .steps_per_frame = vks_grid_steps_per_frame(shown->grid),
                        .frames = ends ? cli->frames : UINT64_MAX,
                        .log = &shown->outcome.events,
                        .history = &shown->history,
                        .slice = 0.012,
                        .section = vks_capture_section(cli, &context->gpu, &capture),
                        .between = look_for_news,
                        .user = &between,
                    },
                    &presenter, &shown->outcome.run);
    }
    return vks_window_end(window, result);
}

/* Completes the files of --watch and --record-events. */
static enum vks_result end_files(struct shown *shown, enum vks_result result)
{
    const bool partial = shown->outcome.run.interrupted || result != VKS_OK;
    const bool waits = vks_checkpoint_waits(shown->checkpoint, result != VKS_OK);
    result = vks_end_watch(&shown->cli, shown->watcher, result, partial, waits);
    shown->watcher = NULL;
    return vks_end_record(&shown->cli, &shown->outcome, result);
}

/* Frees a run. The grid of the first is the caller's. */
static void close_run(struct shown *shown)
{
    vks_history_free(&shown->history);
    vks_log_free(&shown->outcome.events);
    if (shown->settings.model) {
        vks_grid_destroy(shown->grid);
        vks_settings_free(&shown->settings);
    } else {
        vks_grid_close(shown->grid);
    }
    free(shown->preset);
    free(shown->record);
    free(shown);
}

static struct shown *first_run(const struct vks_cli *cli, struct vks_grid *grid)
{
    struct shown *shown = calloc(1, sizeof(*shown));
    const char *scened = NULL;
    if (!shown) {
        return NULL;
    }
    shown->cli = *cli;
    vks_follow_begin(&shown->follow, cli->settings.model);
    shown->given = cli->record_events;
    shown->grid = grid;
    shown->number = 1;
    if (vks_scene_text(cli, "preset", &scened) != VKS_OK) {
        scened = NULL;
    }
    shown->preset = vks_strdup(cli->preset ? cli->preset
                               : scened    ? scened
                                           : vks_model_presets(cli->settings.model)[0].name);
    return shown;
}

/* Puts settings, which it takes, and a grid with them in place of the command line's. */
static enum vks_result use_settings(struct shown *shown, struct vks_settings *settings)
{
    const struct vks_vary none = {.count = 0};
    shown->settings = *settings;
    shown->cli.settings = shown->settings;
    shown->cli.cells = &shown->settings;
    shown->cli.vary = none;
    return vks_grid_create(&shown->settings, &none, &shown->grid);
}

static bool is_slow(const vks_context *context)
{
    return context->gpu.info.type == VKS_DEVICE_SOFTWARE;
}

/* On a software driver the first run is small unless its size is given. */
static enum vks_result start_small(struct shown *shown, const vks_context *context)
{
    const struct vks_cli *cli = &shown->cli;
    struct vks_settings small = {0};
    if (!is_slow(context) || vks_settings_set_since(&cli->settings, VKS_COMMON_ROW(size)) ||
        cli->scene || vks_cli_state(cli) || cli->vary.count) {
        return VKS_OK;
    }
    enum vks_result result = vks_settings_copy(&small, &cli->settings);
    if (result == VKS_OK) {
        result = vks_make_small(&small);
    }
    const enum vks_result used = use_settings(shown, &small);
    return result == VKS_OK ? used : result;
}

/* session.json is followed by session-2.json and so on, without those that exist. */
static enum vks_result name_record(struct shown *next)
{
    const char *given = next->given;
    const char *slash = given ? strrchr(given, '/') : NULL;
    const char *dot = given ? strrchr(given, '.') : NULL;
    if (!given) {
        return VKS_OK;
    }
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - given) : strlen(given);
    for (unsigned number = next->number;; number++) {
        free(next->record);
        next->record = vks_format("%.*s-%u.json", (int)stem, given, number);
        if (!next->record || next->cli.overwrite || access(next->record, F_OK) != 0) {
            break;
        }
    }
    next->cli.record_events = next->record;
    return next->record ? VKS_OK : vks_fail_memory();
}

/* A run that is being opened: the window says how far it is. */
struct opening {
    struct vks_window *window;
    const char *name;
    unsigned done, total; /* pipelines */
    double shown;
};

static void count_shader(void *user, const char *name)
{
    struct opening *opening = user;
    (void)name;
    opening->total++;
}

/* vks_gpu.builds */
static enum vks_result show_opening(void *user)
{
    struct opening *opening = user;
    const double now = vks_seconds();
    const unsigned number = ++opening->done;
    char words[96];
    if (now - opening->shown < opening_seconds || number > opening->total) {
        return VKS_OK;
    }
    opening->shown = now;
    snprintf(words, sizeof(words), "compiling %s: %u of %u", opening->name, number, opening->total);
    return vks_window_wait(opening->window, words);
}

/* Until vks_gpu.builds is NULL again. */
static enum vks_result begin_opening(struct shown *shown, vks_context *context,
                                     struct vks_window *window, struct opening *opening)
{
    *opening = (struct opening){.window = window, .name = shown->cli.settings.model->name};
    const enum vks_result result = vks_grid_each_shader(shown->grid, count_shader, opening);
    context->gpu.builds = show_opening;
    context->gpu.builds_for = opening;
    return result == VKS_OK ? vks_window_wait(window, "starting ...") : result;
}

static enum vks_result open_first(struct shown *shown, vks_context *context,
                                  struct vks_window *window)
{
    struct opening opening;
    enum vks_result result = begin_opening(shown, context, window, &opening);
    if (result == VKS_OK) {
        result = vks_grid_fits(shown->grid, context, false);
    }
    if (result == VKS_OK) {
        result = begin_reload(shown);
    }
    if (result == VKS_OK) {
        result = vks_begin_run(&shown->cli, context, shown->grid, 0, &shown->watcher);
    }
    if (result == VKS_OK) { /* the window stays alive meanwhile, which it is not in a draw */
        result = vks_grid_build(shown->grid);
    }
    context->gpu.builds = NULL;
    return result;
}

/* Goes on from the state of the last run, if it has the same fields. */
static enum vks_result carry(const struct shown *last, struct shown *next)
{
    const enum vks_result result = vks_simulation_carry(
        vks_grid_simulation(next->grid, 0), vks_grid_simulation(last->grid, 0), &next->cli.carried);
    if (next->cli.carried) {
        next->outcome.run = last->outcome.run;
    } else if (result == VKS_OK) {
        next->seeks = false;
        vks_message(VKS_LOG_INFO, "the run begins again, because the new formulas have other "
                                  "fields or ranges");
    }
    return result;
}

/* Opens the run that the window asks for beside the present one, and takes it. */
static enum vks_result open_next(const struct shown *last, vks_context *context,
                                 struct vks_window *window, struct vks_next_run *asked,
                                 struct shown **out)
{
    struct opening opening;
    struct shown *next = calloc(1, sizeof(*next));
    if (!next) {
        vks_next_run_free(asked);
        return vks_fail_memory();
    }
    next->cli = last->cli;
    next->given = last->given;
    next->follow = last->follow;
    next->told = last->told;
    next->cli.carried = false;
    next->cli.events = (struct vks_log){0};
    next->cli.load_state = next->cli.watch = next->cli.checkpoint = NULL;
    next->cli.state = (struct vks_state_file){0};
    next->cli.resumed = NULL;
    next->cli.first_step = 0;
    next->cli.scene_object = NULL;
    next->cli.warmup = 0;
    next->number = last->number + 1;
    next->preset = vks_strdup(asked->preset);
    next->outcome.events = asked->log;
    next->seeks = asked->seeks;
    next->step = asked->step;
    enum vks_result result =
        asked->sized && is_slow(context) ? vks_make_small(&asked->settings) : VKS_OK;
    const enum vks_result used = use_settings(next, &asked->settings);
    result = result == VKS_OK ? used : result;
    if (result == VKS_OK) {
        result = next->preset ? name_record(next) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = vks_grid_fits(next->grid, context, false);
    }
    if (result == VKS_OK && last->cli.settings.model != next->settings.model) {
        result = begin_opening(next, context, window, &opening);
    }
    if (result == VKS_OK) {
        result = begin_reload(next);
    }
    if (result == VKS_OK) {
        result = vks_grid_open(next->grid, context, NULL, 0);
    }
    if (result == VKS_OK) {
        result = vks_grid_build(next->grid);
    }
    context->gpu.builds = NULL;
    if (result == VKS_OK && asked->carries) {
        result = carry(last, next);
    }
    if (result != VKS_OK) {
        struct vks_error why;
        vks_error_keep(result, &why);
        close_run(next);
        return vks_fail_again(&why);
    }
    start_history(next, context);
    next->outcome.begin = vks_seconds();
    *out = next;
    return VKS_OK;
}

/* Puts the run that the window asks for in place of the present one. If it cannot be opened, the
 * window says why, and the present one goes on. */
static enum vks_result exchange(struct shown **shown, vks_context *context,
                                struct vks_window *window, struct vks_next_run *asked)
{
    struct shown *next = NULL;
    const enum vks_result opened = open_next(*shown, context, window, asked, &next);
    enum vks_result result = vks_window_tolerate(window, opened);
    if (next) {
        result = end_files(*shown, VKS_OK);
        result = vks_checkpoint_finish((*shown)->checkpoint, result);
        close_run(*shown);
        *shown = next;
    }
    return result;
}

static enum vks_result show_all(struct shown **shown, vks_context *context,
                                struct vks_window *window)
{
    struct vks_next_run asked;
    start_history(*shown, context);
    (*shown)->outcome.begin = vks_seconds();
    enum vks_result result = run(*shown, context, window);
    while (result == VKS_OK && !(*shown)->outcome.run.interrupted &&
           vks_window_next(window, &asked)) {
        result = exchange(shown, context, window, &asked);
        if (result == VKS_OK) {
            result = run(*shown, context, window);
        }
    }
    return result;
}

enum vks_result vks_show(const struct vks_cli *cli, struct vks_grid *grid,
                         struct vks_checkpoint *checkpoint, uint64_t *messages)
{
    vks_context *context = NULL;
    struct vks_window *window = NULL;
    const struct vks_gpu_params params = vks_call_gpu(cli->call);
    struct shown *shown = first_run(cli, grid);
    if (!shown) {
        return vks_fail_memory();
    }
    enum vks_result result = vks_log_copy(&shown->outcome.events, &cli->events);
    shown->outcome.events.done = cli->events.done; /* of a run that continues */
    if (result == VKS_OK) {
        result = vks_window_open(&params, cli->present, cli->settings.model->name,
                                 vks_grid_size(grid), &context, &window);
    }
    if (result == VKS_OK) {
        result = vks_capture_ready(cli, &context->gpu);
    }
    if (result == VKS_OK) {
        result = start_small(shown, context);
    }
    if (result == VKS_OK) {
        result = open_first(shown, context, window);
    }
    if (result == VKS_OK) {
        result = vks_checkpoint_restore(&shown->cli, shown->grid, NULL);
    }
    shown->checkpoint = checkpoint;
    shown->checkpointed = (struct vks_checkpointed){.cli = &shown->cli,
                                                    .grid = shown->grid,
                                                    .outputs = &no_outputs,
                                                    .watcher = shown->watcher,
                                                    .log = &shown->outcome.events};
    if (result == VKS_OK) {
        result = show_all(&shown, context, window);
    }
    const bool interrupted = shown->outcome.run.interrupted;
    result = end_files(shown, result);
    if (result == VKS_OK) {
        result = vks_summary(&shown->cli, shown->grid, &shown->outcome);
    }
    result = vks_checkpoint_finish(shown->checkpoint, result);
    const uint64_t own_messages = vks_window_release(window);
    close_run(shown);
    vks_grid_close(grid);
    *messages = vks_context_close(context) + own_messages;
    vks_window_close(window);
    return result == VKS_OK && interrupted ? VKS_INTERRUPTED : result;
}

#else

enum vks_result vks_show(const struct vks_cli *cli, struct vks_grid *grid,
                         struct vks_checkpoint *checkpoint, uint64_t *messages)
{
    (void)cli;
    (void)grid;
    (void)checkpoint;
    (void)messages;
    return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                         "this vksim was built without SDL2 and has no window");
}

#endif
