/* SPDX-License-Identifier: MIT */
/* The jobs of a sweep. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "frames/numbered.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "tool/cli.h"
#include "tool/sweep.h"

/* --- words ------------------------------------------------------------------------------------ */

enum vks_result vks_words_add(struct vks_words *words, const char *word)
{
    char **grown = vks_grow(words->words, sizeof(*grown), words->count + 1, &words->capacity);
    char *copy = vks_strdup(word);
    words->words = grown ? grown : words->words;
    if (!grown || !copy) {
        free(copy);
        return vks_fail_memory();
    }
    words->words[words->count++] = copy;
    words->words[words->count] = NULL;
    return VKS_OK;
}

void vks_words_free(struct vks_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->words[i]);
    }
    free(words->words);
    *words = (struct vks_words){0};
}

/* Adds "--NAME=VALUE", which every option takes. */
static enum vks_result add_option(struct vks_words *words, const char *name, const char *value)
{
    char *word = vks_format("--%s=%s", name, value);
    const enum vks_result result = word ? vks_words_add(words, word) : vks_fail_memory();
    free(word);
    return result;
}

/* --- files of jobs ---------------------------------------------------------------------------- */

/* The directive for a job's number, %d or %0Nd, in the name of a file, and its end; NULL: none. */
static const char *find_number(const char *text, const char **end)
{
    for (const char *at = strchr(text, '%'); at; at = strchr(at + 2, '%')) {
        *end = at + 1 + strspn(at + 1, "0123456789");
        if (**end == 'd' && *end - at <= 3) {
            ++*end;
            return at;
        }
        if (at[1] == '\0') {
            break;
        }
    }
    return NULL;
}

/* The name of a job's file, a heap string; NULL without memory. */
static char *number_file(const char *text, size_t job)
{
    const char *end, *at = find_number(text, &end);
    return at ? vks_format("%.*s%0*zu%s", (int)(at - text), text, atoi(at + 1), job, end)
              : vks_strdup(text);
}

static bool is_file(const struct vks_word *word)
{
    return vks_job_writes(word->option) && strcmp(word->text, "none") != 0;
}

/* --- values ----------------------------------------------------------------------------------- */

static const char preset[] = "preset";

/* Checks a value on settings that are changed by it. */
static enum vks_result check_value(struct vks_settings *scratch, const char *option,
                                   const char *value, const char *where)
{
    const enum vks_result result = strcmp(option, preset) == 0
                                       ? vks_preset_apply(scratch, value)
                                       : vks_settings_set(scratch, option, value);
    return result == VKS_OK ? VKS_OK : vks_fail(result, "%s: %s", where, vks_error_text());
}

/* The option must vary once, and have no value of its own. */
static enum vks_result check_option(const struct vks_sweep *sweep, const char *option,
                                    const char *flag)
{
    for (size_t i = 0; i < sweep->columns; i++) {
        if (strcmp(vks_sweep_option(sweep, i), option) == 0) {
            return vks_fail(VKS_ERROR_USAGE, "%s: '%s' varies already", flag, option);
        }
    }
    return vks_call_has(sweep->call, option)
               ? vks_fail(VKS_ERROR_USAGE, "--%s has one value, and %s varies it", option, flag)
               : VKS_OK;
}

static enum vks_result add_axis(struct vks_sweep *sweep, struct vks_settings *scratch,
                                const char *text, const char *flag)
{
    struct vks_axis *axis = &sweep->axes[sweep->axis_count];
    enum vks_result result = vks_axis_parse(axis, scratch, text, 0, VKS_MAX_JOBS, flag);
    if (result == VKS_OK) {
        result = check_option(sweep, axis->option, flag);
    }
    for (size_t i = 0; i < axis->count && result == VKS_OK; i++) {
        result = check_value(scratch, axis->option, axis->values[i], flag);
    }
    sweep->axis_count++;
    sweep->columns++;
    if (result == VKS_OK && axis->count > VKS_MAX_JOBS / sweep->count) {
        return vks_fail(VKS_ERROR_USAGE, "the sweep has %.0f jobs, and a sweep has at most %d",
                        (double)sweep->count * (double)axis->count, VKS_MAX_JOBS);
    }
    sweep->count *= axis->count;
    return result;
}

static enum vks_result read_from(struct vks_sweep *sweep, struct vks_settings *scratch)
{
    struct vks_csv *from = &sweep->from;
    const char *path = sweep->values.from;
    struct stat info;
    void *structure;
    if (!sweep->values.list && stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--from '%s' must be a regular file, because --resume reads it again",
                        path);
    }
    enum vks_result result = vks_csv_read(path, false, from);
    if (result == VKS_OK && (from->rows < 2 || from->rows - 1 > VKS_MAX_JOBS)) {
        return vks_fail(VKS_ERROR_USAGE, "--from '%s' needs a header and 1 to %d rows, and has %zu",
                        path, VKS_MAX_JOBS, from->rows ? from->rows - 1 : 0);
    }
    for (size_t i = 0; i < from->columns && result == VKS_OK; i++) {
        const char *name = vks_csv_cell(from, 0, i);
        const struct vks_option *option = vks_settings_option(scratch, name, &structure);
        if (strcmp(name, preset) != 0 && (!option || (option->flags & VKS_OPTION_SECRET))) {
            return vks_fail(VKS_ERROR_USAGE,
                            "--from '%s': the header has '%.64s', which is not an option of %s "
                            "that can vary",
                            path, name, sweep->model->name);
        }
        result = check_option(sweep, name, "--from");
        sweep->columns++;
    }
    for (size_t row = 1; row < from->rows && result == VKS_OK; row++) {
        char where[64];
        snprintf(where, sizeof(where), "--from, row %zu", row);
        for (size_t i = 0; i < from->columns && result == VKS_OK; i++) {
            const char *value = vks_csv_cell(from, row, i);
            result =
                value[0] ? check_value(scratch, vks_csv_cell(from, 0, i), value, where) : VKS_OK;
        }
    }
    sweep->count = from->rows - 1;
    return result;
}

static enum vks_result read_part(struct vks_sweep *sweep)
{
    static const char digits[] = "0123456789";
    const char *text = sweep->values.part ? sweep->values.part : "0/1";
    const size_t length = strspn(text, digits);
    const char *last = text + length + (text[length] == '/');
    sweep->part = strtoul(text, NULL, 10);
    sweep->parts = strtoul(last, NULL, 10);
    return length > 0 && text[length] == '/' && *last && !last[strspn(last, digits)] &&
                   sweep->part < sweep->parts && sweep->parts <= VKS_MAX_JOBS
               ? VKS_OK
               : vks_fail_option(VKS_ERROR_USAGE, "part",
                                 "'%s' is not I/N, with N parts numbered from 0 to N - 1", text);
}

/* The simulation of the command line, else of its scene, else the first. */
static enum vks_result find_model(struct vks_sweep *sweep)
{
    const struct vks_call *call = sweep->call;
    const char *name = call->argument_count ? call->arguments[0] : NULL;
    const char *path = NULL;
    for (size_t i = 0; i < call->word_count && !name; i++) {
        path = strcmp(call->words[i].option->name, "scene") == 0 ? call->words[i].text : path;
    }
    json_t *scene = path ? vks_scene_peek(path) : NULL;
    if (path && !scene) {
        return vks_error_last()->result;
    }
    name = name ? name : json_string_value(json_object_get(scene, "simulation"));
    sweep->model = vks_model_find(name ? name : vks_model_at(0)->name);
    json_decref(scene);
    return sweep->model ? VKS_OK : VKS_ERROR_USAGE;
}

enum vks_result vks_sweep_read(struct vks_sweep *sweep)
{
    const struct vks_call *call = sweep->call;
    struct vks_settings scratch = {0};
    const char *end;
    sweep->count = 1;
    sweep->axes = calloc(call->word_count + 1, sizeof(*sweep->axes));
    enum vks_result result = sweep->axes ? find_model(sweep) : vks_fail_memory();
    if (result == VKS_OK) {
        result = vks_settings_init(&scratch, sweep->model);
    }
    if (result == VKS_OK && sweep->values.from) {
        result = read_from(sweep, &scratch);
    }
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &call->words[i];
        if (strcmp(word->option->name, "vary") == 0) {
            result = add_axis(sweep, &scratch, word->text, "--vary");
        } else if (strcmp(word->option->name, "seeds") == 0) {
            char *text = vks_format("seed=%s", word->text);
            result = text ? add_axis(sweep, &scratch, text, "--seeds") : vks_fail_memory();
            free(text);
        } else if (word->option->flags & VKS_OPTION_SECRET) {
            result =
                vks_fail(VKS_ERROR_USAGE, "--%s is secret, and a sweep would write it to its files",
                         word->option->name);
        } else if (is_file(word) && !find_number(word->text, &end)) {
            result = vks_fail(VKS_ERROR_USAGE,
                              "--%s '%s' would be the same file for every job; add the job number, "
                              "as in p/%%06d.png",
                              word->option->name, word->text);
        }
    }
    if (result == VKS_OK && sweep->columns == 0) {
        result = vks_fail(VKS_ERROR_USAGE, "sweep needs --vary OPTION=VALUES, --seeds or --from, "
                                           "such as --vary feed=0.03..0.06/4");
    }
    if (scratch.model) {
        vks_settings_free(&scratch);
    }
    return result == VKS_OK ? read_part(sweep) : result;
}

void vks_sweep_free(struct vks_sweep *sweep)
{
    for (size_t i = 0; i < sweep->axis_count; i++) {
        vks_axis_free(&sweep->axes[i]);
    }
    free(sweep->axes);
    vks_csv_free(&sweep->from);
    vks_options_free(vks_sweep_options, &sweep->values);
}

const char *vks_sweep_option(const struct vks_sweep *sweep, size_t column)
{
    const size_t of_file = sweep->from.columns;
    return column < of_file ? vks_csv_cell(&sweep->from, 0, column)
                            : sweep->axes[column - of_file].option;
}

const char *vks_sweep_value(const struct vks_sweep *sweep, size_t job, size_t column)
{
    const size_t of_file = sweep->from.columns;
    for (size_t i = sweep->axis_count; i > 0; i--) {
        const struct vks_axis *axis = &sweep->axes[i - 1];
        if (column == of_file + i - 1) {
            return axis->values[job % axis->count];
        }
        job /= axis->count;
    }
    return vks_csv_cell(&sweep->from, 1 + job, column);
}

/* --- command lines ---------------------------------------------------------------------------- */

/* True for --vary, --seeds and --from. */
static bool is_axis(const struct vks_word *word)
{
    static const char *const names[] = {"vary", "seeds", "from"};
    bool found = false;
    for (size_t i = 0; i < VKS_COUNT(names); i++) {
        found = found || strcmp(word->option->name, names[i]) == 0;
    }
    return found;
}

/* Adds the words that name the simulation. */
static enum vks_result add_model(const struct vks_sweep *sweep, struct vks_words *words)
{
    const struct vks_call *call = sweep->call;
    const char *name = call->argument_count ? call->arguments[0] : NULL;
    enum vks_result result = call->file ? vks_words_add(words, call->file) : VKS_OK;
    name = call->file && !call->model_named ? NULL : name;
    return result == VKS_OK && name ? vks_words_add(words, name) : result;
}

enum vks_result vks_sweep_define(const struct vks_sweep *sweep, struct vks_words *words)
{
    const struct vks_call *call = sweep->call;
    enum vks_result result = add_model(sweep, words);
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &call->words[i];
        result = !vks_call_is_own(call, word) || is_axis(word)
                     ? add_option(words, word->option->name, word->text)
                     : VKS_OK;
    }
    return result;
}

/* The command line of a job: as another process needs it (`shown`), or for this one, in which the
 * file of a simulation is loaded and a device is open. */
static enum vks_result make_words(const struct vks_sweep *sweep, size_t job, bool shown, bool again,
                                  struct vks_words *words)
{
    const struct vks_call *call = sweep->call;
    bool has_output = false;
    enum vks_result result = vks_words_add(words, call->argv[0]);
    if (result == VKS_OK) {
        result = shown ? add_model(sweep, words) : vks_words_add(words, sweep->model->name);
    }
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &call->words[i];
        const char *name = word->option->name;
        const bool of_device = vks_option_find(vks_device_options, name) == word->option;
        const bool is_out = strcmp(name, "out") == 0;
        const bool kept = !vks_call_is_own(call, word) || (shown && of_device);
        if (kept && (!is_out || is_file(word))) {
            char *text = is_file(word) ? number_file(word->text, job) : vks_strdup(word->text);
            result = text ? add_option(words, name, text) : vks_fail_memory();
            has_output = has_output || is_out;
            free(text);
        }
    }
    for (size_t i = 0; i < sweep->columns && result == VKS_OK; i++) {
        const char *value = vks_sweep_value(sweep, job, i);
        result = value[0] ? add_option(words, vks_sweep_option(sweep, i), value) : VKS_OK;
    }
    if (result == VKS_OK && !has_output) {
        result = vks_words_add(words, "--out=none");
    }
    if (result == VKS_OK && !has_output && shown) { /* otherwise the job would print nothing */
        result = vks_words_add(words, "--digest");
    }
    return result == VKS_OK && (again || sweep->values.overwrite)
               ? vks_words_add(words, "--overwrite")
               : result;
}

enum vks_result vks_sweep_call(const struct vks_sweep *sweep, size_t job, bool again,
                               struct vks_words *words, struct vks_call *call)
{
    *call = (struct vks_call){.command = vks_commands};
    const enum vks_result result = make_words(sweep, job, false, again, words);
    return result == VKS_OK ? vks_call_parse(call, (int)words->count, words->words) : result;
}

enum vks_result vks_sweep_key(const struct vks_sweep *sweep, size_t job, bool warns, char key[33])
{
    struct vks_words words = {0};
    struct vks_call call = {0};
    enum vks_result result = vks_sweep_call(sweep, job, false, &words, &call);
    key[0] = '\0';
    result = result == VKS_OK ? vks_job_key(&call, warns, key) : result;
    vks_call_free(&call);
    vks_words_free(&words);
    return result;
}

/* Prints a word so that a shell reads it as one. */
static void put_word(const char *word)
{
    bool plain = *word != '\0';
    for (const char *at = word; *at; at++) {
        plain = plain && (isalnum((unsigned char)*at) || strchr("-_=+.,:/@%", *at));
    }
    fputs(plain ? "" : "'", stdout);
    for (; *word; word++) {
        fputs(*word == '\'' ? "'\\'" : "", stdout);
        putchar(*word);
    }
    fputs(plain ? "" : "'", stdout);
}

enum vks_result vks_sweep_print(const struct vks_sweep *sweep, size_t first, size_t step)
{
    enum vks_result result = VKS_OK;
    for (size_t job = first; job < sweep->count && result == VKS_OK; job += step) {
        struct vks_words words = {0};
        result = make_words(sweep, job, true, false, &words);
        for (size_t i = 0; i < words.count && result == VKS_OK; i++) {
            put_word(words.words[i]);
            putchar(i + 1 < words.count ? ' ' : '\n');
        }
        vks_words_free(&words);
    }
    return result;
}

/* Checks the path of a job's file, or of one per frame. `first`: the folder, too. */
static enum vks_result check_path(const char *path, const struct vks_numbered *frames, bool first,
                                  bool overwrite)
{
    struct vks_atomic_file file = {0};
    enum vks_result result = VKS_OK;
    if (vks_sweep_is_part(path)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' has the name of a part of a sweep", path);
    }
    if (frames->digits > 0 && !overwrite) {
        result = vks_numbered_check_new(frames, 0);
    }
    if (result == VKS_OK && first) {
        result = vks_atomic_file_begin(&file, path, overwrite);
        vks_atomic_file_abort(&file);
    } else if (result == VKS_OK && !overwrite && access(path, F_OK) == 0) {
        result = vks_fail_exists(path);
    }
    return result;
}

static enum vks_result check_file(const struct vks_sweep *sweep, const struct vks_word *word,
                                  size_t job)
{
    char *path = number_file(word->text, job);
    struct vks_numbered frames = {0};
    enum vks_result result = path ? VKS_OK : vks_fail_memory();
    if (path && strcmp(word->option->name, "out") == 0) {
        result = vks_numbered_parse(path, &frames);
    }
    if (result == VKS_OK) {
        result = check_path(path, &frames, job == sweep->part, sweep->values.overwrite);
    }
    vks_numbered_free(&frames);
    free(path);
    return result;
}

enum vks_result vks_sweep_check_new(const struct vks_sweep *sweep)
{
    const struct vks_call *call = sweep->call;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < call->word_count; i++) {
        const struct vks_word *word = &call->words[i];
        if (vks_call_is_own(call, word) || !is_file(word)) {
            continue;
        }
        for (size_t job = sweep->part; job < sweep->count && result == VKS_OK;
             job += sweep->parts) {
            result = check_file(sweep, word, job);
        }
    }
    return result;
}
