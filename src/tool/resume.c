/* SPDX-License-Identifier: MIT */
#include "tool/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/option_json.h"
#include "ranks/ranks.h"
#include "tool/cli.h"

/* --- locks ----------------------------------------------------------------------------------- */

/* One for --resume, one for another name of --checkpoint. */
static struct {
    char *path;
    int fd;
} locks[2];

/* Opens and locks the file; -1 with errno set, EWOULDBLOCK if another process has it. A file that
 * its owner has removed meanwhile is no lock. */
static int open_lock(const char *path)
{
    struct stat opened, named;
    for (;;) {
        const int fd = vks_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0) {
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const int error = errno;
            close(fd);
            errno = error;
            return -1;
        }
        if (fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
            opened.st_dev == named.st_dev) {
            return fd;
        }
        close(fd);
    }
}

static enum vks_result fail_locked(const char *name, const char *path, int error)
{
    char process[32] = "";
    FILE *file = error == EWOULDBLOCK ? fopen(path, "re") : NULL;
    if (file && !fgets(process, sizeof(process), file)) {
        process[0] = '\0';
    }
    if (file) {
        (void)fclose(file);
    }
    return error == EWOULDBLOCK
               ? vks_fail(VKS_ERROR_FILE, "another run keeps the checkpoint '%s': process %s", name,
                          process)
           : error == ELOOP
               ? vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a symbolic link", path)
               : vks_fail_write(path, error);
}

enum vks_result vks_checkpoint_lock(const char *name)
{
    uint32_t index = 0;
    if (vks_mpi_count(&index) > 1 && index > 0) {
        return VKS_OK;
    }
    char *path = vks_format("%s.lock", name);
    size_t at = 0;
    if (!path) {
        return vks_fail_memory();
    }
    while (at + 1 < VKS_COUNT(locks) && locks[at].path && strcmp(locks[at].path, path) != 0) {
        at++;
    }
    if (locks[at].path) {
        free(path);
        return VKS_OK;
    }
    const int fd = open_lock(path);
    if (fd < 0) {
        const enum vks_result result = fail_locked(name, path, errno);
        free(path);
        return result;
    }
    if (ftruncate(fd, 0) == 0) {
        (void)dprintf(fd, "%ld", (long)getpid()); /* for messages */
    }
    locks[at].path = path;
    locks[at].fd = fd;
    return VKS_OK;
}

static void give_up_locks(bool removes)
{
    for (size_t i = 0; i < VKS_COUNT(locks); i++) {
        if (locks[i].path) {
            if (removes) {
                unlink(locks[i].path);
            }
            close(locks[i].fd);
            free(locks[i].path);
            locks[i].path = NULL;
        }
    }
}

void vks_checkpoint_unlock(void)
{
    give_up_locks(true);
}

void vks_checkpoint_leave_locks(void)
{
    give_up_locks(false);
}

/* --- choosing -------------------------------------------------------------------------------- */

enum vks_result vks_checkpoint_check_name(const char *option, const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && name[length - 1] != '/'
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "--%s '%s' must be the beginning of a file's name",
                          option, name);
}

char *vks_checkpoint_path(const char *name, size_t slot)
{
    return vks_format("%s.%c.vkc.npz", name, "ab"[slot]);
}

static uint64_t count_of(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name)); /* -1: UINT64_MAX */
}

/* Reads the header of the file. */
static enum vks_result open_file(struct vks_resumed *resumed)
{
    enum vks_result result = vks_state_file_open(&resumed->file, resumed->path, NULL);
    if (result != VKS_OK) {
        return result;
    }
    json_t *run = json_object_get(resumed->file.header, "run");
    const json_t *start = json_object_get(run, "start");
    if (!json_is_object(run) || !json_is_object(json_object_get(run, "scene")) ||
        !json_is_array(json_object_get(run, "options")) || !json_is_object(start)) {
        return vks_fail(VKS_ERROR_FILE, "'%s' is a state file, but not a checkpoint",
                        resumed->path);
    }
    resumed->run = json_incref(run);
    resumed->number = count_of(run, "number");
    resumed->complete = json_is_true(json_object_get(run, "complete"));
    resumed->place = (struct vks_run_place){
        .steps = count_of(run, "steps"),
        .frames = count_of(run, "frames"),
        .due = count_of(run, "due"),
        .presented = count_of(run, "presented"),
        .look_at = count_of(run, "look_at"),
        .arrived = json_is_true(json_object_get(json_object_get(run, "time"), "arrived"))};
    return resumed->number > 0 && resumed->place.steps <= UINT64_C(1) << 62 &&
                   resumed->place.frames <= UINT64_C(1) << 62
               ? VKS_OK
               : vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged: \"run\"",
                          resumed->path);
}

void vks_resumed_free(struct vks_resumed *resumed)
{
    if (resumed) {
        vks_state_file_close(&resumed->file);
        json_decref(resumed->run);
        free(resumed->name);
        free(resumed->path);
        free(resumed);
    }
}

/* The checkpoint in that slot. *found stays NULL if there is no file. */
static enum vks_result open_slot(const char *name, size_t slot, struct vks_resumed **found)
{
    struct vks_resumed *resumed = calloc(1, sizeof(*resumed));
    struct stat info;
    *found = NULL;
    if (!resumed) {
        return vks_fail_memory();
    }
    resumed->slot = slot;
    resumed->name = vks_strdup(name);
    resumed->path = vks_checkpoint_path(name, slot);
    enum vks_result result = resumed->name && resumed->path ? VKS_OK : vks_fail_memory();
    if (result == VKS_OK && lstat(resumed->path, &info) != 0 && errno == ENOENT) {
        vks_resumed_free(resumed);
        return VKS_OK;
    }
    if (result == VKS_OK) {
        result = open_file(resumed);
    }
    if (result != VKS_OK) {
        vks_resumed_free(resumed);
        return result;
    }
    *found = resumed;
    return VKS_OK;
}

/* Opens both. Returns the slot of the newer one, of which there may be none. */
static size_t open_both(const char *name, struct vks_resumed *found[VKS_CHECKPOINT_SLOTS],
                        struct vks_error why[VKS_CHECKPOINT_SLOTS])
{
    for (size_t i = 0; i < VKS_CHECKPOINT_SLOTS; i++) {
        vks_error_keep(open_slot(name, i, &found[i]), &why[i]);
    }
    return found[1] && (!found[0] || found[1]->number > found[0]->number);
}

char *vks_checkpoint_newest(const char *name)
{
    struct vks_resumed *found[VKS_CHECKPOINT_SLOTS];
    struct vks_error before, why[VKS_CHECKPOINT_SLOTS]; /* vks_resume_call() says what is wrong */
    vks_error_keep(VKS_OK, &before);
    const struct vks_resumed *newest = found[open_both(name, found, why)];
    char *path = newest ? vks_strdup(newest->path) : NULL;
    vks_resumed_free(found[0]);
    vks_resumed_free(found[1]);
    (void)vks_fail_again(&before);
    return path;
}

/* Whether there is a file of that name, in whatever condition. */
static bool is_there(const char *name)
{
    struct stat info;
    bool found = false;
    for (size_t i = 0; i < VKS_CHECKPOINT_SLOTS; i++) {
        char *path = vks_checkpoint_path(name, i);
        found = found || !path || lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
        free(path);
    }
    return found;
}

/* The newer checkpoint, or if it is damaged the other, with a warning. *chosen stays NULL if there
 * is no file. The arrays are read here, and again when they are loaded: by then, outputs have been
 * cut to the positions of the chosen one, and there may be no memory to keep the arrays. */
static enum vks_result choose(const char *name, struct vks_resumed **chosen)
{
    struct vks_resumed *found[VKS_CHECKPOINT_SLOTS];
    struct vks_error why[VKS_CHECKPOINT_SLOTS];
    const size_t first = open_both(name, found, why);
    *chosen = NULL;
    for (size_t i = 0; i < VKS_CHECKPOINT_SLOTS; i++) {
        const size_t slot = i == 0 ? first : 1 - first;
        if (found[slot] && !*chosen) {
            vks_error_keep(vks_state_file_verify(&found[slot]->file), &why[slot]);
            *chosen = why[slot].result == VKS_OK ? found[slot] : NULL;
        }
    }
    for (size_t i = 0; i < VKS_CHECKPOINT_SLOTS; i++) {
        if (*chosen && why[i].result != VKS_OK) {
            vks_message(VKS_LOG_WARNING,
                        "continuing with '%s', because the other checkpoint of "
                        "'%s' is damaged: %s",
                        (*chosen)->path, name, why[i].text);
        }
        if (found[i] != *chosen) {
            vks_resumed_free(found[i]);
        }
    }
    if (*chosen || (why[0].result == VKS_OK && why[1].result == VKS_OK)) {
        return VKS_OK;
    }
    if (why[0].result == VKS_OK || why[1].result == VKS_OK) {
        return vks_fail_again(&why[why[0].result == VKS_OK]);
    }
    return vks_fail(VKS_ERROR_FILE, "both checkpoints of '%s' are damaged: %s; %s", name,
                    why[0].text, why[1].text);
}

/* --- the command line ------------------------------------------------------------------------ */

/* Options of the run that say what it computes, and which states are frames. */
static bool is_fixed(const struct vks_option *row)
{
    const struct vks_option *const own[] = {
        VKS_CLI_ROW(warmup),    VKS_CLI_ROW(frame_time),  VKS_CLI_ROW(preset),
        VKS_CLI_ROW(scene),     VKS_CLI_ROW(load_state),  VKS_CLI_ROW(vary_across),
        VKS_CLI_ROW(vary_down), VKS_CLI_ROW(grid),        VKS_CLI_ROW(hot_reload),
        VKS_CLI_ROW(collage),   VKS_COMMON_ROW(size),     VKS_COMMON_ROW(seed),
        VKS_COMMON_ROW(init),   VKS_COMMON_ROW(init_fit), VKS_COMMON_ROW(steps_per_frame),
    };
    bool found = false;
    for (size_t i = 0; i < VKS_COUNT(own); i++) {
        found = found || own[i] == row;
    }
    return found;
}

static bool is_row_of(struct vks_option_table table, const struct vks_option *row)
{
    return row >= table.options && row < table.options + table.count;
}

/* Whether the row belongs to an output, so that another --out replaces it, too. */
static bool is_of_outputs(const struct vks_option *row)
{
    return row == VKS_CLI_ROW(last_out) || row == VKS_CLI_ROW(coding.encoder) ||
           row == VKS_CLI_ROW(coding.crf) || row == VKS_CLI_ROW(coding.depth) ||
           row == VKS_CLI_ROW(poster);
}

/* Whether the row says on which devices the run computes. */
static bool is_of_devices(const struct vks_option *row)
{
    return row == VKS_CLI_ROW(devices) || strcmp(row->name, "device") == 0;
}

/* Whether another number of ranks, which mpirun gives, too, replaces the row. */
static bool is_of_ranks(const struct vks_option *row)
{
    return row == VKS_CLI_ROW(ranks_text) || row == VKS_CLI_ROW(exchange_every) ||
           row == VKS_CLI_ROW(retries) || is_of_devices(row);
}

/* Whether the command line, of `count` words, replaces a stored option. */
static bool is_replaced(const struct vks_word *words, size_t count, const struct vks_option *row)
{
    uint32_t index;
    bool found = row == VKS_CLI_ROW(checkpoint) || row == VKS_CLI_ROW(resume) ||
                 row == VKS_CLI_ROW(resume_or_start) ||
                 (is_of_ranks(row) && vks_mpi_count(&index) > 1);
    for (size_t i = 0; i < count; i++) {
        const struct vks_option *given = words[i].option;
        found = found || given == row || (is_of_devices(given) && is_of_devices(row)) ||
                (given == VKS_CLI_ROW(ranks_text) && is_of_ranks(row)) ||
                (row->group != 0 && is_row_of(vks_cli_options, row) &&
                 is_row_of(vks_cli_options, given) && given->group == row->group) ||
                (given == VKS_CLI_ROW(last_out) && is_of_outputs(row));
    }
    return found;
}

/* The last text that the run had of an option; NULL: none. */
static const char *stored_text(const struct vks_resumed *resumed, const char *name)
{
    const json_t *options = json_object_get(resumed->run, "options");
    const char *text = NULL;
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *pair = json_array_get(options, i);
        const char *own = json_string_value(json_array_get(pair, 0));
        text = own && strcmp(own, name) == 0 ? json_string_value(json_array_get(pair, 1)) : text;
    }
    return text;
}

/* Takes a stored option if it is one of the run itself and not replaced. Those of simulations are
 * in the state. */
static enum vks_result take_stored(const struct vks_call *call, size_t given, const json_t *pair,
                                   struct vks_word *words, size_t *count)
{
    const struct vks_option_table tables[] = {vks_cli_options, vks_device_options,
                                              vks_shared_options};
    const char *name = json_string_value(json_array_get(pair, 0));
    const char *text = json_string_value(json_array_get(pair, 1));
    const struct vks_option *row = NULL;
    if (!name || !text) {
        return vks_fail(VKS_ERROR_FILE, "'%s': its vksim.json is damaged: \"options\"",
                        call->resumed->path);
    }
    for (size_t i = 0; i < VKS_COUNT(tables) && !row; i++) {
        row = vks_option_find(tables[i], name);
    }
    if (row && !is_replaced(call->words, given, row)) {
        words[(*count)++] = (struct vks_word){.option = row, .text = text, .stored = true};
    }
    return VKS_OK;
}

/* Takes a given option. One that says the same as the run is no change. */
static enum vks_result take_given(const struct vks_call *call, const struct vks_word *word,
                                  struct vks_word *words, size_t *count)
{
    const struct vks_option *row = word->option;
    const char *stored = stored_text(call->resumed, row->name);
    const bool same = stored && strcmp(stored, word->text) == 0;
    const bool is_own = vks_call_is_own(call, word);
    const bool is_look = is_row_of(vks_common_options, row) && !is_fixed(row);
    if (!same && !(row->flags & VKS_OPTION_UNSAVED) && (is_own ? is_fixed(row) : !is_look)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--%s %s would change the run of the checkpoint '%s'%s%s; a new run can "
                        "start from its state: --load-state %s",
                        row->name, word->text, call->resumed->name, stored ? ", which has " : "",
                        stored ? stored : "", call->resumed->path);
    }
    if (is_own || !same) {
        words[(*count)++] = *word;
    }
    return VKS_OK;
}

static enum vks_result merge(struct vks_call *call)
{
    const json_t *options = json_object_get(call->resumed->run, "options");
    const size_t stored = json_array_size(options), given = call->word_count;
    struct vks_word *words = calloc(stored + given + 1, sizeof(*words));
    size_t count = 0;
    enum vks_result result = words ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < stored && result == VKS_OK; i++) {
        result = take_stored(call, given, json_array_get(options, i), words, &count);
    }
    for (size_t i = 0; i < given && result == VKS_OK; i++) {
        result = take_given(call, &call->words[i], words, &count);
    }
    if (result != VKS_OK) {
        free(words);
        return result;
    }
    free(call->words);
    call->words = words;
    call->word_count = count;
    return VKS_OK;
}

enum vks_result vks_resume_call(struct vks_call *call)
{
    const char *must = NULL, *may = NULL;
    for (size_t i = 0; i < call->word_count; i++) {
        const struct vks_word *word = &call->words[i];
        must = word->option == VKS_CLI_ROW(resume) ? word->text : must;
        may = word->option == VKS_CLI_ROW(resume_or_start) ? word->text : may;
    }
    if (must && may) {
        return vks_fail(VKS_ERROR_USAGE, "--resume and --resume-or-start exclude each other");
    }
    const char *name = must ? must : may;
    if (!name) {
        return VKS_OK;
    }
    enum vks_result result = vks_checkpoint_check_name(must ? "resume" : "resume-or-start", name);
    const bool found = result == VKS_OK && is_there(name);
    if (found) {
        result = vks_checkpoint_lock(name);
    }
    if (found && result == VKS_OK) {
        result = choose(name, &call->resumed);
    }
    if (result == VKS_OK && must && !call->resumed) {
        return vks_fail(VKS_ERROR_FILE,
                        "there is no checkpoint '%s' (looked for %s.a.vkc.npz and %s.b.vkc.npz)",
                        name, name, name);
    }
    return result == VKS_OK && call->resumed ? merge(call) : result;
}

/* --- the run --------------------------------------------------------------------------------- */

enum vks_result vks_resume_cli(struct vks_cli *cli)
{
    struct vks_resumed *resumed = cli->call->resumed;
    const json_t *names = json_object_get(resumed->run, "from_scene");
    const json_t *start = json_object_get(resumed->run, "start");
    enum vks_result result = VKS_OK;
    cli->resumed = resumed;
    cli->state = resumed->file;
    resumed->file = (struct vks_state_file){0};
    cli->first_step = count_of(start, "step");
    cli->begin = json_real_value(json_object_get(start, "time"));
    cli->scene_object = json_incref(json_object_get(resumed->run, "scene"));
    for (size_t i = 0; i < json_array_size(names) && result == VKS_OK; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const struct vks_option *row = name ? vks_option_find(vks_cli_options, name) : NULL;
        const json_t *value = name ? json_object_get(cli->scene_object, name) : NULL;
        if (row && value && !vks_cli_overrides(cli, row)) {
            vks_cli_mark(cli, row, VKS_GIVEN_BY_SCENE);
            result = vks_option_from_json(row, cli, value, resumed->path);
        }
    }
    if (result == VKS_OK) {
        result =
            vks_log_read(json_object_get(cli->scene_object, "events"), resumed->path, &cli->events);
    }
    const uint64_t applied = count_of(resumed->run, "applied");
    cli->events.done = applied < cli->events.count ? (size_t)applied : cli->events.count;
    return result == VKS_ERROR_USAGE ? vks_fail(VKS_ERROR_FILE, "%s", vks_error_text()) : result;
}

enum vks_result vks_resume_settings(const struct vks_cli *cli, struct vks_settings *settings)
{
    const json_t *unsaved = json_object_get(cli->resumed->run, "unsaved"), *value;
    const unsigned flags = VKS_OPTION_NOT_SAVED | VKS_OPTION_NOT_IN_STATE;
    const char *name;
    enum vks_result result = VKS_OK;
    json_object_foreach((json_t *)(uintptr_t)unsaved, name, value)
    {
        void *structure;
        const struct vks_option *row = vks_settings_option(settings, name, &structure);
        if (row && (row->flags & flags) && result == VKS_OK) {
            result = vks_option_from_json(row, structure, value, cli->resumed->path);
        }
    }
    return result == VKS_OK ? vks_call_apply(cli->call, settings) : result;
}

enum vks_result vks_resume_check_length(const struct vks_cli *cli)
{
    const struct vks_run_place *place = &cli->resumed->place;
    const char *name = cli->resumed->name;
    const uint64_t per_frame = cli->cells[0].common.steps_per_frame;
    if (!vks_cli_ends(cli)) {
        return VKS_OK;
    }
    if (place->frames > cli->frames || place->steps > cli->steps) {
        return place->frames > cli->frames
                   ? vks_fail(VKS_ERROR_USAGE, "the run of '%s' has %" PRIu64 " frames already",
                              name, place->frames)
                   : vks_fail(VKS_ERROR_USAGE, "the run of '%s' has %" PRIu64 " steps already",
                              name, place->steps);
    }
    const bool is_last = place->presented == place->steps && place->steps < cli->steps;
    return !cli->by_time && cli->resumed->complete && is_last &&
                   (place->presented - cli->warmup) % per_frame != 0
               ? vks_fail(VKS_ERROR_USAGE,
                          "the last frame of '%s', after %" PRIu64
                          " steps, is not one of a longer run, because frames are %" PRIu64
                          " steps apart",
                          name, place->presented, per_frame)
               : VKS_OK;
}

bool vks_resume_is_complete(const struct vks_cli *cli)
{
    return cli->resumed && cli->resumed->complete && vks_cli_ends(cli) &&
           (cli->until_end || (cli->steps == UINT64_MAX ? cli->frames <= cli->resumed->place.frames
                                                        : cli->steps <= cli->resumed->place.steps));
}

/* --- files ----------------------------------------------------------------------------------- */

bool vks_resume_keeps_name(const struct vks_cli *cli)
{
    return cli->resumed && strcmp(cli->resumed->name, cli->checkpoint) == 0;
}

bool vks_resume_owns(const struct vks_cli *cli, const char *path)
{
    const json_t *options = cli->resumed ? json_object_get(cli->resumed->run, "options") : NULL;
    bool found = (vks_resume_keeps_name(cli) &&
                  (path == cli->checkpoint_files[0] || path == cli->checkpoint_files[1])) ||
                 (cli->resumed && cli->default_out && strcmp(cli->default_out, path) == 0);
    for (size_t i = 0; i < json_array_size(options); i++) {
        const char *text = json_string_value(json_array_get(json_array_get(options, i), 1));
        found = found || (text && strcmp(text, path) == 0);
    }
    return found;
}

/* Whether the path leads out of the folder that it is relative to. */
static bool leads_out(const char *path)
{
    bool out = path[0] == '/';
    for (const char *part = path; part && !out; part = strchr(part, '/')) {
        part += *part == '/';
        out = strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0');
    }
    return out;
}

enum vks_result vks_resume_confirm(const struct vks_cli *cli, const char *option, const char *path)
{
    bool confirmed = !cli->resumed || !leads_out(path);
    for (size_t i = 0; i < cli->call->word_count && !confirmed; i++) {
        const struct vks_word *word = &cli->call->words[i];
        confirmed = !word->stored && strcmp(word->text, path) == 0;
    }
    char *own = confirmed ? NULL : vks_folder_of(cli->resumed->path);
    char *folder = confirmed ? NULL : vks_folder_of(path);
    confirmed = confirmed || (own && folder && vks_is_same_file(own, folder));
    free(own);
    free(folder);
    return confirmed ? VKS_OK
                     : vks_fail(VKS_ERROR_FILE,
                                "the checkpoint '%s' would write '%s', which is in another folder; "
                                "confirm it with %s %s",
                                cli->resumed->name, path, option, path);
}

const json_t *vks_resume_position(const struct vks_cli *cli, const char *path)
{
    const json_t *outputs = cli->resumed ? json_object_get(cli->resumed->run, "outputs") : NULL;
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *position = json_array_get(outputs, i);
        const char *name = json_string_value(json_object_get(position, "path"));
        if (name && strcmp(name, path) == 0) {
            return position;
        }
    }
    return NULL;
}
