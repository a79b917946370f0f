/* SPDX-License-Identifier: MIT */
#include "tool/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/task.h"
#include "runs/saver.h"
#include "tool/resume.h"

static const char range_field[] = "view_level"; /* of pictures: the range of --normalize smooth */

static atomic_bool asked_for; /* by SIGUSR1 */

/* What vks_checkpoint_retry() needs after the run. */
static struct {
    char *name;
    uint64_t number, retries;
} lost;

struct vks_checkpoint {
    const struct vks_cli *cli;
    struct vks_checkpointed run; /* zero: it has not begun */
    double seconds;              /* between two; 0: they are `steps` apart */
    uint64_t steps;
    double last;                /* vks_seconds() of the last one */
    struct vks_run_place place; /* at that time, */
    size_t applied;             /* with these events */
    uint64_t number, good; /* of the last one, and of the last one that is on the disk; 0: none */
    size_t slot;           /* of the next */
    struct vks_saver *saver;
    json_t *end;              /* of a complete run, to be written once its files are; NULL: none */
    struct vks_error failure; /* of the last one */
};

/* --- options --------------------------------------------------------------------------------- */

/* Parses "30s", "10min", "2h" or "5000steps". */
static bool parse_interval(const char *text, double *seconds, uint64_t *steps)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    const double max_seconds = 365 * 86400.0;
    const char *end;
    const double value = vks_parse_real(text, &end);
    *seconds = 0;
    *steps = 0;
    if (end != text && strcmp(end, "steps") == 0 && value >= 1 && value <= 1e15) {
        *steps = (uint64_t)value;
        return (double)*steps == value;
    }
    for (size_t i = 0; i < VKS_COUNT(units) && end != text; i++) {
        if (strcmp(end, units[i].name) == 0) {
            *seconds = value * units[i].seconds;
        }
    }
    return *seconds >= 1 && *seconds <= max_seconds;
}

/* What cannot be continued. */
static enum vks_result check_run(const struct vks_cli *cli)
{
    if (cli->vary.count) {
        return vks_fail(VKS_ERROR_USAGE, "--checkpoint is for one simulation, but --vary runs "
                                         "several; run one without --vary");
    }
    if (cli->hot_reload || cli->collage.width) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--%s and --checkpoint exclude each other: %s cannot be "
                        "continued",
                        cli->hot_reload ? "hot-reload" : "collage",
                        cli->hot_reload ? "a run with changed shaders" : "a contact sheet");
    }
    return vks_outputs_has_stream(cli)
               ? vks_fail(VKS_ERROR_USAGE, "--out - and --checkpoint exclude each other: standard "
                                           "output cannot be continued; name a file")
               : VKS_OK;
}

enum vks_result vks_checkpoint_prepare(struct vks_cli *cli)
{
    const char *resumed = cli->resume ? cli->resume : cli->resume_or_start;
    double seconds;
    uint64_t steps;
    if (!cli->checkpoint && resumed) {
        cli->checkpoint = vks_strdup(resumed);
        if (!cli->checkpoint) {
            return vks_fail_memory();
        }
    }
    const struct vks_option *const rest[] = {VKS_CLI_ROW(checkpoint_every), VKS_CLI_ROW(retries)};
    for (size_t i = 0; i < VKS_COUNT(rest) && !cli->checkpoint; i++) {
        if (vks_cli_given(cli, rest[i]) == VKS_GIVEN) {
            return vks_fail(VKS_ERROR_USAGE, "--%s needs --checkpoint", rest[i]->name);
        }
    }
    if (!cli->checkpoint) {
        return VKS_OK;
    }
    if (!parse_interval(cli->checkpoint_every, &seconds, &steps)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--checkpoint-every '%s' must be a time of 1s to 365 days or a number of "
                        "steps, with its unit: 30s, 10min, 2h or 5000steps",
                        cli->checkpoint_every);
    }
    enum vks_result result = vks_checkpoint_check_name("checkpoint", cli->checkpoint);
    if (result == VKS_OK) {
        result = check_run(cli);
    }
    for (size_t i = 0; i < VKS_CHECKPOINT_SLOTS && result == VKS_OK; i++) {
        cli->checkpoint_files[i] = vks_checkpoint_path(cli->checkpoint, i);
        result = cli->checkpoint_files[i] ? VKS_OK : vks_fail_memory();
        if (result == VKS_OK && !vks_resume_keeps_name(cli) && !cli->overwrite && !cli->silent &&
            access(cli->checkpoint_files[i], F_OK) == 0) {
            result = vks_fail(VKS_ERROR_EXISTS,
                              "the checkpoint '%s' exists already: --resume %s continues its run, "
                              "--overwrite replaces it",
                              cli->checkpoint_files[i], cli->checkpoint);
        }
    }
    return result;
}

/* --- opening --------------------------------------------------------------------------------- */

static void on_request(int number)
{
    (void)number;
    atomic_store(&asked_for, true);
}

/* Removes the checkpoints of an earlier run, which --overwrite allows: one that ends before its
 * first is not to be confused with that. */
static void remove_old(const struct vks_cli *cli)
{
    for (size_t i = 0; i < VKS_CHECKPOINT_SLOTS; i++) {
        (void)unlink(cli->checkpoint_files[i]);
    }
}

enum vks_result vks_checkpoint_open(const struct vks_cli *cli, struct vks_checkpoint **out)
{
    const struct sigaction action = {.sa_handler = on_request, .sa_flags = SA_RESTART};
    *out = NULL;
    if (!cli->checkpoint || cli->dry_run) {
        return VKS_OK;
    }
    const enum vks_result locked = cli->silent ? VKS_OK : vks_checkpoint_lock(cli->checkpoint);
    struct vks_checkpoint *checkpoint = locked == VKS_OK ? calloc(1, sizeof(*checkpoint)) : NULL;
    if (!checkpoint) {
        return locked == VKS_OK ? vks_fail_memory() : locked;
    }
    checkpoint->cli = cli;
    (void)parse_interval(cli->checkpoint_every, &checkpoint->seconds, &checkpoint->steps);
    if (vks_resume_keeps_name(cli)) {
        checkpoint->number = checkpoint->good = cli->resumed->number;
        checkpoint->slot = 1 - cli->resumed->slot;
        checkpoint->place = cli->resumed->place;
        checkpoint->applied = cli->events.done;
        checkpoint->last = vks_seconds();
    }
    lost.name = vks_strdup(cli->checkpoint);
    lost.number = checkpoint->good;
    lost.retries = cli->ranks > 1 ? 0 : cli->retries;    /* of one process */
    for (size_t i = 0; i < cli->call->word_count; i++) { /* argv no longer has the secret */
        lost.retries = cli->call->words[i].option->flags & VKS_OPTION_SECRET ? 0 : lost.retries;
    }
    if (sigaction(SIGUSR1, &action, NULL) != 0 || !lost.name) {
        free(checkpoint);
        return vks_fail_memory();
    }
    *out = checkpoint;
    return VKS_OK;
}

/* --- the description ------------------------------------------------------------------------- */

/* The value, or NULL if memory ran out. */
static json_t *whole(json_t *value, bool complete)
{
    if (!complete) {
        json_decref(value);
        return NULL;
    }
    return value;
}

/* Whether the option is of the run, and not of its simulation. */
static bool is_of_run(const char *name)
{
    return vks_option_find(vks_cli_options, name) || vks_option_find(vks_device_options, name) ||
           vks_option_find(vks_shared_options, name);
}

/* The options as the command line gives them, except secrets. */
static json_t *list_options(const struct vks_cli *cli)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < cli->call->word_count; i++) {
        const struct vks_word *word = &cli->call->words[i];
        good =
            (word->option->flags & VKS_OPTION_SECRET) ||
            json_array_append_new(list, json_pack("[s, s]", word->option->name, word->text)) == 0;
    }
    /* Those of simulations, which only say what the run was begun with. */
    const json_t *before = cli->resumed ? json_object_get(cli->resumed->run, "options") : NULL;
    for (size_t i = 0, at = 0; good && i < json_array_size(before); i++) {
        json_t *pair = json_array_get(before, i);
        const char *name = json_string_value(json_array_get(pair, 0));
        good = is_of_run(name) || vks_call_has(cli->call, name) ||
               json_array_insert(list, at++, pair) == 0;
    }
    return whole(list, good);
}

/* The run's own options whose values came from a scene. */
static json_t *list_scened(const struct vks_cli *cli)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < vks_cli_options.count; i++) {
        const struct vks_option *row = &vks_cli_options.options[i];
        good = vks_cli_given(cli, row) != VKS_GIVEN_BY_SCENE ||
               json_array_append_new(list, json_string(row->name)) == 0;
    }
    return whole(list, good);
}

/* The values of options that states do not have. */
static json_t *list_unsaved(const struct vks_settings *settings)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    const void *const values[] = {settings->own, &settings->common};
    json_t *object = json_object();
    bool good = object != NULL;
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; good && i < tables[t].count; i++) {
            const struct vks_option *row = &tables[t].options[i];
            const bool is_missing =
                (row->flags & (VKS_OPTION_NOT_SAVED | VKS_OPTION_NOT_IN_STATE)) &&
                !(row->flags & VKS_OPTION_SECRET);
            char text[VKS_VALUE_SIZE];
            good = !is_missing || !vks_option_is_set(row, values[t]) ||
                   json_object_set_new(
                       object, row->name,
                       json_string(vks_option_get(row, values[t], text, sizeof(text)))) == 0;
        }
    }
    return whole(object, good);
}

/* What a restart returns to, and where the run counts from. */
static json_t *describe_start(const struct vks_cli *cli)
{
    if (cli->resumed) {
        return json_deep_copy(json_object_get(cli->resumed->run, "start"));
    }
    return json_pack("{s:s?, s:I, s:I, s:f}", "state", cli->load_state, "seed",
                     (json_int_t)cli->cells[0].common.seed, "step", (json_int_t)cli->first_step,
                     "time", cli->begin);
}

/* Whether a few words of a graph have to be kept that are no state: the range that pictures follow,
 * and the scalars of the last step, which tables show. */
static bool is_kept(const struct vks_field *field)
{
    return !field->bound &&
           (strcmp(field->name, range_field) == 0 || (field->watched && !field->persistent));
}

/* Calls `visit` for such fields of the steps and of the picture. */
static enum vks_result each_kept(const struct vks_grid *grid, json_t *fields,
                                 enum vks_result (*visit)(struct vks_graph *graph,
                                                          const struct vks_field *field,
                                                          json_t *fields))
{
    vks_simulation *simulation = vks_grid_simulation(grid, 0);
    struct vks_graph *const graphs[] = {vks_simulation_graph(simulation),
                                        vks_simulation_picture(simulation)};
    const struct vks_declaration *steps = vks_graph_declaration(graphs[0]);
    enum vks_result result = VKS_OK;
    for (size_t g = 0; g < VKS_COUNT(graphs); g++) {
        const struct vks_declaration *declaration = vks_graph_declaration(graphs[g]);
        for (size_t i = 0; i < declaration->field_count && result == VKS_OK; i++) {
            const struct vks_field *field = &declaration->fields[i];
            /* Rank 0's picture has copies of the last frame. */
            const bool is_copy = g > 0 && vks_find_field(steps, field->name) >= 0;
            result = is_kept(field) && !is_copy ? visit(graphs[g], field, fields) : VKS_OK;
        }
    }
    return result;
}

/* Adds a new value to the object. */
static enum vks_result add(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0 ? VKS_OK : vks_fail_memory();
}

/* Adds a new value to the list. */
static enum vks_result append(json_t *list, json_t *value)
{
    return json_array_append_new(list, value) == 0 ? VKS_OK : vks_fail_memory();
}

/* Adds the words of a field as an array. */
static enum vks_result add_field(struct vks_graph *graph, const struct vks_field *field,
                                 json_t *fields)
{
    const size_t count = (size_t)vks_field_bytes(field) / sizeof(uint32_t);
    uint32_t *words = calloc(count + 1, sizeof(*words));
    json_t *list = json_array();
    enum vks_result result = add(fields, field->name, list);
    if (result == VKS_OK) {
        result = words ? vks_graph_download_to(graph, field->name, words) : vks_fail_memory();
    }
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        result = append(list, json_integer(words[i]));
    }
    free(words);
    return result;
}

/* Waits until the outputs are on the disk, and adds their positions. */
static enum vks_result add_outputs(const struct vks_checkpointed *run, json_t *object)
{
    json_t *list = json_array(), *position = NULL;
    enum vks_result result = add(object, "outputs", list);
    for (size_t i = 0; i < run->outputs->sink_count && result == VKS_OK; i++) {
        result = vks_sink_hold(run->outputs->sinks[i], &position);
        result = result == VKS_OK ? append(list, position) : result;
    }
    if (result == VKS_OK && run->watcher) {
        result = vks_watcher_wait(run->watcher);
        result = result == VKS_OK ? vks_watcher_hold(run->watcher, &position) : result;
        result = result == VKS_OK ? append(list, position) : result;
    }
    return result;
}

static enum vks_result add_time(const struct vks_timed *timed, bool arrived, json_t *object)
{
    double time = timed->begin, dt = 0;
    if (timed->loaded && !vks_timed_latest(timed, &time, &dt)) {
        time = timed->time;
        dt = timed->dt;
    } else {
        (void)vks_timed_latest(timed, &time, &dt); /* false: no step yet */
    }
    json_t *state = json_pack("{s:f, s:f, s:f, s:I, s:b, s:b}", "time", time, "dt", dt, "now",
                              timed->now, "multiple", (json_int_t)timed->multiple, "started",
                              (int)timed->started, "arrived", (int)arrived);
    return add(object, "time", state);
}

/* Adds what does not change while the run waits. */
static enum vks_result add_run(const struct vks_checkpoint *checkpoint,
                               const struct vks_run_place *place, size_t applied, bool complete,
                               json_t *object)
{
    const struct vks_checkpointed *run = &checkpoint->run;
    const struct vks_settings *settings =
        vks_simulation_settings(vks_grid_simulation(run->grid, 0));
    char *folder = realpath(".", NULL);
    json_t *scene = NULL;
    enum vks_result result = vks_scene_make(run->cli, run->log, &scene);
    json_t *more = json_pack(
        "{s:I, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "number",
        (json_int_t)(checkpoint->number + 1), "complete", (int)complete, "folder",
        folder ? folder : "", "steps", (json_int_t)place->steps, "frames",
        (json_int_t)place->frames, "due", (json_int_t)place->due, "presented",
        (json_int_t)place->presented, "look_at", (json_int_t)place->look_at, "applied",
        (json_int_t)applied, "options", list_options(run->cli), "from_scene", list_scened(run->cli),
        "unsaved", list_unsaved(settings), "start", describe_start(run->cli), "scene", scene);
    if (result == VKS_OK && (!more || json_object_update(object, more) != 0)) {
        result = vks_fail(VKS_ERROR_FILE, "the options of the run cannot be written as JSON: they "
                                          "must be UTF-8");
    }
    json_decref(more);
    free(folder);
    return result;
}

/* Waits for the GPU and the outputs, and describes the run as a new object. */
static enum vks_result describe(const struct vks_checkpoint *checkpoint,
                                const struct vks_run_place *place, size_t applied, bool complete,
                                json_t **described)
{
    const struct vks_checkpointed *run = &checkpoint->run;
    const struct vks_runnable runnable = vks_grid_runnable(run->grid);
    json_t *object = json_object();
    char text[VKS_DIGEST_STATE_CHARS + 1];
    enum vks_result result = object ? runnable.wait(runnable.user) : vks_fail_memory();
    if (result == VKS_OK && run->ring) {
        result = vks_ring_drain(run->ring);
    }
    if (result == VKS_OK) {
        result = add_outputs(run, object);
    }
    if (result == VKS_OK) {
        json_t *fields = json_object();
        result = add(object, "fields", fields);
        result = result == VKS_OK ? each_kept(run->grid, fields, add_field) : result;
    }
    if (result == VKS_OK && run->timed) {
        result = add_time(run->timed, place->arrived, object);
    }
    if (result == VKS_OK) {
        result = add_run(checkpoint, place, applied, complete, object);
    }
    if (result == VKS_OK && run->ring && run->cli->digest) {
        vks_ring_digest_state(run->ring, text);
        result = add(object, "digested", json_string(text));
    }
    *described = result == VKS_OK ? json_deep_copy(object) : NULL; /* another thread writes it */
    json_decref(object);
    return result == VKS_OK && !*described ? vks_fail_memory() : result;
}

/* --- writing --------------------------------------------------------------------------------- */

/* A failure is a warning: the checkpoint before is complete. */
static void keep_failure(struct vks_checkpoint *checkpoint, enum vks_result result)
{
    vks_error_keep(result, &checkpoint->failure);
    if (result != VKS_OK) {
        vks_message(VKS_LOG_WARNING, "no checkpoint was written: %s", vks_error_text());
    }
}

/* Waits for the checkpoint that is being written. */
static void end_saver(struct vks_checkpoint *checkpoint)
{
    if (!checkpoint->saver) {
        return;
    }
    const enum vks_result result = vks_saver_finish(checkpoint->saver);
    checkpoint->saver = NULL;
    keep_failure(checkpoint, result);
    if (result == VKS_OK) {
        checkpoint->good = lost.number = checkpoint->number;
        checkpoint->slot = 1 - checkpoint->slot;
    }
}

/* Starts to write a checkpoint, whose description it takes. */
static enum vks_result start_saver(struct vks_checkpoint *checkpoint, json_t *described)
{
    vks_simulation *simulation = vks_grid_simulation(checkpoint->run.grid, 0);
    const enum vks_result result =
        vks_saver_start(simulation, checkpoint->cli->checkpoint_files[checkpoint->slot], described,
                        &checkpoint->saver);
    checkpoint->number++;
    if (result == VKS_OK || result == VKS_ERROR_LOST) {
        return result;
    }
    keep_failure(checkpoint, result);
    return VKS_OK;
}

static bool is_due(const struct vks_checkpoint *checkpoint, const struct vks_run_place *place)
{
    return checkpoint->number == 0 ||
           (checkpoint->seconds > 0 ? vks_seconds() - checkpoint->last >= checkpoint->seconds
                                    : place->steps - checkpoint->place.steps >= checkpoint->steps);
}

static enum vks_result agree(void *user, uint64_t *value)
{
    const struct vks_checkpoint *checkpoint = user;
    return vks_simulation_agree(vks_grid_simulation(checkpoint->run.grid, 0), value);
}

/* Whether a run that goes on writes a checkpoint here: it is due, or was asked for, on any rank. */
static enum vks_result decide(struct vks_checkpoint *checkpoint, const struct vks_run_place *place,
                              bool *writes)
{
    /* A time may be missed, but not a number of steps. */
    const bool busy =
        checkpoint->seconds > 0 && checkpoint->saver && !vks_saver_is_done(checkpoint->saver);
    uint64_t wanted = !busy && (is_due(checkpoint, place) || atomic_load(&asked_for));
    const enum vks_result result = agree(checkpoint, &wanted);
    *writes = wanted != 0;
    return result;
}

static enum vks_result keep(void *user, const struct vks_run_place *place, size_t applied,
                            enum vks_run_stage stage)
{
    struct vks_checkpoint *checkpoint = user;
    const bool same = checkpoint->number > 0 && checkpoint->failure.result == VKS_OK &&
                      place->steps == checkpoint->place.steps &&
                      place->frames == checkpoint->place.frames && applied == checkpoint->applied;
    json_t *described;
    bool writes = !same || stage == VKS_RUN_COMPLETE;
    enum vks_result result = VKS_OK;
    if (writes && stage == VKS_RUN_GOES_ON) {
        result = decide(checkpoint, place, &writes);
    }
    if (result != VKS_OK || !writes) {
        return result;
    }
    atomic_store(&asked_for, false);
    end_saver(checkpoint);
    result = describe(checkpoint, place, applied, stage == VKS_RUN_COMPLETE, &described);
    if (result == VKS_OK && stage == VKS_RUN_COMPLETE) {
        checkpoint->end = described;
    } else if (result == VKS_OK) {
        result = start_saver(checkpoint, described);
        if (checkpoint->number == 1) {
            end_saver(checkpoint); /* from here on there is one */
        }
    }
    checkpoint->place = *place;
    checkpoint->applied = applied;
    checkpoint->last = vks_seconds();
    return result;
}

struct vks_run_keeper vks_checkpoint_keeper(struct vks_checkpoint *checkpoint,
                                            const struct vks_checkpointed *run)
{
    if (!checkpoint) {
        return (struct vks_run_keeper){0};
    }
    checkpoint->run = *run;
    if (checkpoint->number == 0 && !checkpoint->cli->silent) {
        remove_old(checkpoint->cli);
    }
    return (struct vks_run_keeper){
        .user = checkpoint, .keep = keep, .agree = checkpoint->cli->ranks > 1 ? agree : NULL};
}

bool vks_checkpoint_waits(struct vks_checkpoint *checkpoint, bool failed)
{
    if (!checkpoint || (checkpoint->end && !failed)) {
        return false;
    }
    end_saver(checkpoint);
    return checkpoint->good > 0;
}

/* Removes what only positions of outputs need, once the last checkpoint says that they are
 * complete.
 */
static void forget_outputs(const struct vks_checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->cli->output_count; i++) {
        const struct vks_cli_output *output = &checkpoint->cli->outputs[i];
        if (checkpoint->failure.result == VKS_OK && output->kind == VKS_OUT_FILE) {
            vks_sink_forget(output->path);
        }
    }
}

enum vks_result vks_checkpoint_finish(struct vks_checkpoint *checkpoint, enum vks_result result)
{
    struct vks_error why;
    if (!checkpoint) {
        return result;
    }
    vks_error_keep(result, &why);
    end_saver(checkpoint);
    if (result == VKS_OK && checkpoint->end) {
        result = start_saver(checkpoint, checkpoint->end);
        checkpoint->end = NULL;
        vks_error_keep(result, &why);
        end_saver(checkpoint);
        if (!checkpoint->cli->silent) {
            forget_outputs(checkpoint);
        }
    } else if (checkpoint->good > 0) {
        vks_message(VKS_LOG_INFO, "to continue the run: vksim --resume %s",
                    checkpoint->cli->checkpoint);
    }
    if (result == VKS_OK && checkpoint->failure.result == VKS_ERROR_LOST) {
        result = vks_fail_again(&checkpoint->failure);
    } else if (result == VKS_OK && checkpoint->failure.result != VKS_OK) {
        result = vks_fail(VKS_ERROR_FILE, "the last checkpoint of '%s' could not be written",
                          checkpoint->cli->checkpoint);
    } else {
        result = vks_fail_again(&why);
    }
    return result;
}

void vks_checkpoint_close(struct vks_checkpoint *checkpoint)
{
    if (checkpoint) {
        json_decref(checkpoint->end);
        free(checkpoint);
    }
}

/* --- continuing ------------------------------------------------------------------------------ */

static enum vks_result restore_field(struct vks_graph *graph, const struct vks_field *field,
                                     json_t *fields)
{
    const json_t *list = json_object_get(fields, field->name);
    const size_t count = (size_t)vks_field_bytes(field) / sizeof(uint32_t);
    if (json_array_size(list) != count) { /* of another version, or with other options */
        return VKS_OK;
    }
    uint32_t *words = calloc(count + 1, sizeof(*words));
    for (size_t i = 0; words && i < count; i++) {
        words[i] = (uint32_t)json_integer_value(json_array_get(list, i));
    }
    const enum vks_result result =
        words ? vks_graph_upload(graph, field->name, words) : vks_fail_memory();
    free(words);
    return result;
}

static double real_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

enum vks_result vks_checkpoint_compare(const struct vks_cli *cli, const vks_context *context)
{
    const struct vks_transport *ranks = &context->ranks;
    const uint64_t own = cli->resumed ? cli->resumed->number : 0;
    uint64_t newest = own;
    enum vks_result result = VKS_OK;
    if (cli->checkpoint && ranks->count > 1) {
        result = ranks->combine(ranks->user, VKS_HIGHEST, &newest, 1);
    }
    return result == VKS_OK && own < newest
               ? vks_fail(VKS_ERROR_FILE,
                          "this rank has found checkpoint %" PRIu64
                          " of '%s', and another rank has "
                          "found %" PRIu64 "; all ranks need the same folder",
                          own, cli->checkpoint, newest)
               : result;
}

enum vks_result vks_checkpoint_restore(const struct vks_cli *cli, struct vks_grid *grid,
                                       struct vks_timed *timed)
{
    if (!cli->resumed) {
        return VKS_OK;
    }
    const struct vks_resumed *resumed = cli->resumed;
    const json_t *start = json_object_get(resumed->run, "start");
    const json_t *time = json_object_get(resumed->run, "time");
    vks_simulation *simulation = vks_grid_simulation(grid, 0);
    const char *state = json_string_value(json_object_get(start, "state"));
    enum vks_result result =
        vks_simulation_set_start(simulation, state, vks_json_count(start, "seed"));
    if (result == VKS_OK) {
        result = each_kept(grid, json_object_get(resumed->run, "fields"), restore_field);
    }
    if (result == VKS_OK && timed && time) {
        timed->loaded = true;
        timed->step = resumed->place.steps;
        timed->time = real_of(time, "time");
        timed->dt = real_of(time, "dt");
        timed->now = real_of(time, "now");
        timed->multiple = vks_json_count(time, "multiple");
        timed->started = json_is_true(json_object_get(time, "started"));
        result = vks_timed_continue(timed);
    }
    if (result == VKS_OK) {
        vks_message(VKS_LOG_INFO, "continuing after %" PRIu64 " step%s and %" PRIu64 " frame%s: %s",
                    resumed->place.steps, resumed->place.steps == 1 ? "" : "s",
                    resumed->place.frames, resumed->place.frames == 1 ? "" : "s", resumed->path);
    }
    return result;
}

/* --- a lost device --------------------------------------------------------------------------- */

/* Of this environment variable: times that the device was lost since the checkpoint of that number
 * was the last. */
static const char lost_variable[] = "VKSIM_LOST";

static uint64_t times_lost(uint64_t *number)
{
    const char *text = vks_environment(lost_variable);
    uint64_t times = 0;
    return text && sscanf(text, "%" SCNu64 ":%" SCNu64, &times, number) == 2 && times <= 100 ? times
                                                                                             : 0;
}

double vks_checkpoint_batch(void)
{
    uint64_t number;
    double seconds = VKS_BATCH_SECONDS;
    for (uint64_t times = times_lost(&number); times > 1; times--) {
        seconds /= 2;
    }
    return seconds;
}

static bool resumes(int argc, char **argv)
{
    bool found = false;
    for (int i = 1; i < argc; i++) {
        found = found || strncmp(argv[i], "--resume", strlen("--resume")) == 0;
    }
    return found;
}

void vks_checkpoint_retry(int argc, char **argv)
{
    uint64_t number = 0;
    const uint64_t before = times_lost(&number);
    const uint64_t times = before > 0 && number == lost.number ? before + 1 : 1;
    if (!lost.name || lost.number == 0 || lost.retries == 0) {
        return;
    }
    if (times > lost.retries) {
        vks_message(VKS_LOG_ERROR,
                    "the device was lost %" PRIu64 " times since checkpoint %" PRIu64 " of '%s'",
                    times, lost.number, lost.name);
        return;
    }
    char variable[64];
    char *option = vks_format("--resume-or-start=%s", lost.name);
    char **words = calloc((size_t)argc + 2, sizeof(*words));
    snprintf(variable, sizeof(variable), "%" PRIu64 ":%" PRIu64, times, lost.number);
    if (!option || !words || setenv(lost_variable, variable, 1) != 0) {
        return;
    }
    memcpy(words, argv, (size_t)argc * sizeof(*words));
    words[argc] = resumes(argc, argv) ? NULL : option;
    vks_message(VKS_LOG_WARNING,
                "continuing from checkpoint %" PRIu64 " of '%s' in a new process (%" PRIu64
                " of %" PRIu64 " times)",
                lost.number, lost.name, times, lost.retries);
    (void)fflush(stdout);
    vks_checkpoint_unlock();
    execv("/proc/self/exe", words);
    vks_message(VKS_LOG_ERROR, "vksim cannot be started again: %s", strerror(errno));
    free(words);
    free(option);
}
