/* SPDX-License-Identifier: MIT */
#include "tool/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/model_check.h"
#include "api/settings.h"
#include "api/simulation.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "formula/find.h"
#include "formula/formula.h"
#include "formula/plugin.h"
#include "selftest/selftest.h"
#include "sim/registry.h"
#include "tool/check.h"
#include "tool/checkpoint.h"
#include "tool/cli.h"
#include "tool/model_file.h"
#include "tool/resume.h"

const struct vks_command vks_commands[] = {
    {.name = "run",
     .arguments = "[SIMULATION]",
     .summary = "runs a simulation in a window, or with --out or --headless into files (default)",
     .options = &vks_cli_options,
     .has_device = true,
     .has_simulation = true,
     .max_arguments = 1,
     .run = vks_command_run},
    {.name = "devices",
     .arguments = "",
     .summary = "lists the Vulkan devices with their missing and optional features",
     .options = &vks_json_options,
     .has_device = true,
     .run = vks_command_devices},
    {.name = "bench",
     .arguments = "[ceilings [NAME...] | ranks | KERNEL | all]",
     .summary = "measures the device's limits, exchanges between ranks or a kernel; without "
                "arguments, lists them",
     .options = &vks_bench_options,
     .has_device = true,
     .max_arguments = SIZE_MAX,
     .word = vks_bench_word,
     .run = vks_command_bench},
    {.name = "scale",
     .arguments = "[SIMULATION]",
     .summary = "measures how the time per step grows with the size or another quantity",
     .options = &vks_scale_options,
     .has_device = true,
     .has_simulation = true,
     .max_arguments = 1,
     .run = vks_command_scale},
    {.name = "onset",
     .arguments = "[physarum]",
     .summary = "predicts which patterns of physarum grow, and how fast, and measures it",
     .options = &vks_onset_options,
     .has_device = true,
     .has_simulation = true,
     .max_arguments = 1,
     .run = vks_command_onset},
    {.name = "sensitivity",
     .arguments = "[SIMULATION]",
     .summary = "measures how fast a small change grows (the finite-size exponent)",
     .options = &vks_sensitivity_options,
     .has_device = true,
     .has_simulation = true,
     .max_arguments = 1,
     .run = vks_command_sensitivity},
    {.name = "sweep",
     .arguments = "[SIMULATION]",
     .summary = "runs a simulation once per combination of values, on one or more devices, and "
                "writes a table of the results",
     .options = &vks_sweep_options,
     .has_device = true,
     .has_simulation = true,
     .has_jobs = true,
     .max_arguments = 1,
     .run = vks_command_sweep},
    {.name = "check",
     .arguments = "SIMULATION | FILE...",
     .summary =
         "compares the bytes of a simulation on all devices and run in many ways; or checks that "
         "shaders are exact",
     .options = &vks_check_options,
     .has_device = true,
     .has_simulation = true,
     .is_file = vks_is_shader_file,
     .max_arguments = SIZE_MAX,
     .run = vks_command_check},
    {.name = "selftest",
     .arguments = "[GROUP...]",
     .summary = "tests whether devices compute the right bytes; groups are operations, functions, "
                "memory, primitives, simulations, pictures and soak",
     .options = &vks_selftest_options,
     .has_device = true,
     .max_arguments = VKS_SELFTEST_GROUPS,
     .word = vks_selftest_word,
     .run = vks_command_selftest},
    {.name = "new",
     .arguments = "NAME",
     .summary = "makes a folder with a simulation of your own to start from, and its test",
     .options = &vks_new_options,
     .max_arguments = 1,
     .run = vks_command_new},
    {.name = "report",
     .arguments = "FILE.json...",
     .summary = "summarises the --timings=json output of a run, or compares several runs",
     .options = &vks_report_options,
     .max_arguments = SIZE_MAX,
     .run = vks_command_report},
    {0},
};

static const char *const validations[] = {
    [VKS_VALIDATION_OFF] = "off",
    [VKS_VALIDATION_CORE] = "core",
    [VKS_VALIDATION_SYNC] = "sync",
    [VKS_VALIDATION_GPU] = "gpu",
    NULL,
};

#define AT(member) offsetof(struct vks_shared, member)
static const struct vks_option device_rows[] = {
    {.name = "device",
     .topic = "device",
     .type = VKS_OPTION_TEXT,
     .offset = AT(device),
     .argument = "SEL",
     .help = "GPU to use: index, part of its name, or UUID; default: VKSIM_DEVICE if set, "
             "otherwise the best"},
    {.name = "validate",
     .type = VKS_OPTION_CHOICE,
     .offset = AT(validation),
     .choices = validations,
     .default_text = "off",
     .implied = "core",
     .argument = "KIND",
     .help = "enable the Vulkan validation layers; if they report anything, the exit code is 6"},
    {.name = "gpu-timeout",
     .type = VKS_OPTION_REAL,
     .offset = AT(gpu_timeout),
     .max = 1e6,
     .default_text = "60",
     .unit = "s",
     .argument = "SECONDS",
     .help = "end the run if the GPU does not finish its work within this time; 0: wait for ever, "
             "as for a software driver by default"},
};
const char *const vks_help_topics[] = {"short", "run", "look", "output", "device", "all", NULL};
static const struct vks_option rows[] = {
    {.name = "quiet",
     .topic = "device",
     .type = VKS_OPTION_FLAG,
     .offset = AT(quiet),
     .help = "print errors only"},
    {.name = "verbose",
     .type = VKS_OPTION_FLAG,
     .offset = AT(verbose),
     .letter = 'v',
     .help = "print details of the device, caches and files"},
    {.name = "version",
     .type = VKS_OPTION_FLAG,
     .offset = AT(version),
     .letter = 'V',
     .help = "print the version and exit"},
    {.name = "help",
     .type = VKS_OPTION_TEXT,
     .choices = vks_help_topics,
     .implied = "short",
     .argument = "TOPIC",
     .offset = AT(help),
     .letter = 'h',
     .help = "print the most common options, those of the given command or simulation, or of a "
             "topic (all: every option, and the variants of simulations), with the values of the "
             "given preset, and exit"},
};
#undef AT

static const struct vks_option json_rows[] = {
    {.name = "json",
     .type = VKS_OPTION_FLAG,
     .offset = offsetof(struct vks_json_values, json),
     .help = "print JSON, with sizes in bytes and times in seconds"},
};

const struct vks_option_table vks_json_options = {json_rows, VKS_COUNT(json_rows)};
const struct vks_option_table vks_shared_options = {rows, VKS_COUNT(rows)};
const struct vks_option_table vks_device_options = {device_rows, VKS_COUNT(device_rows)};

void vks_command_tables(const struct vks_command *command, const struct vks_model *model,
                        struct vks_option_table tables[VKS_COMMAND_TABLES])
{
    const struct vks_option_table none = {NULL, 0};
    tables[0] = *command->options;
    tables[1] = command->has_device ? vks_device_options : none;
    tables[2] = vks_shared_options;
    tables[3] = command->has_simulation ? vks_common_options : none;
    tables[4] = command->has_simulation && model ? model->options : none;
    tables[5] = command->has_jobs ? vks_job_options() : none;
}

/* --- names ----------------------------------------------------------------------------------- */

static const struct vks_command *find_command(const char *name)
{
    const struct vks_command *found = vks_commands;
    while (found->name && strcmp(found->name, name) != 0) {
        found++;
    }
    return found->name ? found : NULL;
}

/* The row of that name: of the command, or of the simulation of the file in the first word, or else
 * of the first one that has it. Options of one name take a value in all simulations or in none
 * (vks_models_check()). */
static const struct vks_option *find_row(const struct vks_call *call, const char *name)
{
    const struct vks_option *option = NULL;
    for (size_t i = 0; !option && vks_model_at(i); i++) {
        struct vks_option_table tables[VKS_COMMAND_TABLES];
        const struct vks_model *model = call->file ? call->model : vks_model_at(i);
        vks_command_tables(call->command, model, tables);
        for (size_t t = 0; !option && t < VKS_COUNT(tables); t++) {
            option = vks_option_find(tables[t], name);
        }
    }
    return option;
}

/* The simulation whose options are suggested for an unknown one: that of a file, the first that is
 * named, or the default. */
static const struct vks_model *likely_model(const struct vks_call *call)
{
    const struct vks_model *model = call->model;
    for (int i = 1; i < call->argc && !model; i++) {
        model = vks_model_known(call->argv[i]);
    }
    return model ? model : vks_model_at(0);
}

static enum vks_result unknown_option(const struct vks_call *call, const char *given)
{
    const struct vks_command *command = call->command;
    const struct vks_model *model = likely_model(call);
    struct vks_option_table tables[VKS_COMMAND_TABLES];
    vks_command_tables(command, model, tables);
    if (command->has_simulation && vks_option_replaced(given)) {
        return vks_fail(VKS_ERROR_USAGE, "--%s was replaced by --%s; see vksim %s --help all",
                        given, vks_option_replaced(given), call->file ? call->file : model->name);
    }
    const char *near = vks_option_nearest(tables, VKS_COUNT(tables), given);
    const bool is_run = command == vks_commands;
    const char *word = !is_run ? command->name : call->file ? call->file : "";
    return vks_fail(VKS_ERROR_USAGE, "unknown option '--%s'%s%s%s; see vksim %s%s--help", given,
                    near ? " (did you mean '--" : "", near ? near : "", near ? "'?)" : "", word,
                    word[0] ? " " : "");
}

/* Commands, then simulations. */
static const char *next_name(void *user, size_t index)
{
    (void)user;
    size_t commands = 0;
    while (vks_commands[commands].name) {
        commands++;
    }
    if (index < commands) {
        return vks_commands[index].name;
    }
    const struct vks_model *model = vks_model_at(index - commands);
    return model ? model->name : NULL;
}

/* --- argv ------------------------------------------------------------------------------------ */

/* The name of the option of a short form such as -o, or NULL. */
static const char *find_letter(const struct vks_command *command, const char *text)
{
    struct vks_option_table tables[VKS_COMMAND_TABLES];
    vks_command_tables(command, NULL, tables);
    for (size_t t = 0; t < VKS_COUNT(tables) && text[1] && !text[2]; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            if (tables[t].options[i].letter == text[1]) {
                return tables[t].options[i].name;
            }
        }
    }
    return NULL;
}

/* The name in argv[at], without dashes and value, into `name`; *equals is that of "--name=value",
 * or NULL. */
static enum vks_result split_name(const struct vks_command *command, const char *text,
                                  char name[64], const char **equals)
{
    const char *found = find_letter(command, text);
    *equals = found ? NULL : strchr(text, '=');
    if (!found && (text[1] != '-' || text[2] == '\0')) {
        return vks_fail(VKS_ERROR_USAGE, "unknown option '%s'; options begin with two dashes",
                        text);
    }
    const char *begin = found ? found : text + 2;
    const size_t length = *equals ? (size_t)(*equals - begin) : strlen(begin);
    if (length >= 64) {
        return vks_fail(VKS_ERROR_USAGE, "unknown option '%.80s...'; see vksim --help", text);
    }
    memcpy(name, begin, length);
    name[length] = '\0';
    return VKS_OK;
}

/* The value in the word after an option. */
static enum vks_result take_value(const struct vks_command *command, const char *text,
                                  struct vks_word *word)
{
    const bool secret = word->option->flags & VKS_OPTION_SECRET;
    const struct vks_option *option = word->option;
    const bool is_option =
        text && text[0] == '-' &&
        (find_letter(command, text) || (text[1] == '-' && isalpha((unsigned char)text[2])));
    if (is_option && secret) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--%s needs a value, and the next word begins with two dashes; write "
                        "--%s=VALUE if that is the value",
                        option->name, option->name);
    }
    if (is_option) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--%s needs a value, but '%s' is an option; write --%s=%s if that is the "
                        "value",
                        option->name, text, option->name, text);
    }
    word->text = text;
    return text ? VKS_OK
                : vks_fail(VKS_ERROR_USAGE, "--%s needs a value: %s", option->name, option->help);
}

/* What stands for a secret value in argv, which reports contain. */
static const char hidden[] = "(hidden)";

/* Parses argv[*at], which begins with a dash, and advances *at past it and its value. */
static enum vks_result split_option(const struct vks_call *call, int *at, struct vks_word *word)
{
    const struct vks_command *command = call->command;
    const int argc = call->argc;
    char **argv = call->argv;
    char name[64];
    const char *equals;
    const enum vks_result result = split_name(command, argv[(*at)++], name, &equals);
    if (result != VKS_OK) {
        return result;
    }
    word->option = find_row(call, name);
    if (!word->option) {
        return unknown_option(call, name);
    }
    const bool secret = word->option->flags & VKS_OPTION_SECRET;
    if (equals) {
        word->text = equals + 1;
        argv[*at - 1] = secret ? (char *)(uintptr_t)hidden : argv[*at - 1];
    } else if (word->option->type == VKS_OPTION_FLAG) {
        word->text = "true";
    } else if (word->option->implied) {
        word->text = word->option->implied;
    } else {
        const enum vks_result taken = take_value(command, *at < argc ? argv[(*at)++] : NULL, word);
        argv[*at - 1] = secret ? (char *)(uintptr_t)hidden : argv[*at - 1];
        return taken;
    }
    return VKS_OK;
}

/* Takes the text as the value of an option that can be given without one, if it is one of the
 * option's choices: "--help look". */
static bool take_choice(struct vks_word *before, const char *text)
{
    const struct vks_option *option = before ? before->option : NULL;
    for (size_t i = 0; option && option->implied && option->choices && option->choices[i]; i++) {
        if (before->text == option->implied && strcmp(option->choices[i], text) == 0) {
            before->text = text;
            return true;
        }
    }
    return false;
}

/* Chooses the simulation of that name among those of the file, if it is a plug-in that has one. */
static bool choose_of_plugin(struct vks_call *call, const char *name)
{
    const struct vks_model *model =
        call->file ? vks_plugin_model(vks_plugin_of(call->model), name) : NULL;
    if (model) {
        call->model = model;
        call->model_named = true;
        call->arguments[0] = model->name;
    }
    return model != NULL;
}

static enum vks_result add_argument(struct vks_call *call, const char *text)
{
    const struct vks_loaded_plugin *plugin = call->file ? vks_plugin_of(call->model) : NULL;
    if (plugin && !call->model_named && call->argument_count == 1 &&
        call->command->max_arguments == 1) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' has no simulation '%s'; --list has those of it",
                        plugin->path, text);
    }
    if (find_command(text)) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is a command and must come first: vksim %s", text,
                        text);
    }
    if (call->argument_count == call->command->max_arguments) {
        return vks_fail(VKS_ERROR_USAGE,
                        "unexpected argument '%s' after '%s'; options begin with two dashes", text,
                        call->argument_count ? call->arguments[call->argument_count - 1]
                                             : call->command->name);
    }
    call->arguments[call->argument_count++] = text;
    return VKS_OK;
}

/* Registers the model of a file, unless its name or its options are those of something else. */
static enum vks_result admit(const char *file, const struct vks_model **model)
{
    enum vks_result result = vks_model_admit(model);
    if (result == VKS_OK && vks_check_tables() != VKS_OK) {
        result = VKS_ERROR_USAGE;
        vks_model_forget(*model);
        vks_formula_free(*model);
    }
    return result == VKS_OK ? VKS_OK : vks_fail(result, "'%s': %s", file, vks_error_text());
}

enum vks_result vks_renew(const struct vks_model *old, const struct vks_model **model)
{
    enum vks_result result = vks_model_renew(old, model);
    if (result == VKS_OK && *model != old && vks_check_tables() != VKS_OK) {
        result = vks_fail(VKS_ERROR_USAGE, "'%s': %s", vks_formula_file(old, 0), vks_error_text());
        vks_model_replace(*model, old);
        vks_formula_free(*model);
        *model = old;
    }
    return result;
}

/* Loads a plug-in, unless the options of its models are those of something else. */
static enum vks_result admit_plugin(const char *path, const struct vks_model **model)
{
    enum vks_result result = vks_plugin_admit(path, model);
    if (result == VKS_OK && vks_check_tables() != VKS_OK) {
        result = vks_fail(VKS_ERROR_USAGE, "'%s': %s", path, vks_error_text());
    }
    return result;
}

/* Loads the simulation of a file, which messages call `word`; *model stays NULL if it cannot be. */
static enum vks_result load_model(const char *path, const char *word,
                                  const struct vks_model **model)
{
    if (vks_has_extension(path, ".so")) {
        return admit_plugin(path, model);
    }
    const enum vks_result result = vks_formula_load(path, model);
    return *model ? admit(word, model) : result;
}

/* If the first word names a simulation in a file, loads it, so that the options after it are known.
 */
static enum vks_result take_file(struct vks_call *call, const char *word, bool *taken)
{
    const struct vks_model *model = NULL;
    const bool known = word[0] == '-' || vks_model_known(word);
    char *path = known ? NULL : vks_find_model_file(word);
    const enum vks_result result = path ? load_model(path, word, &model) : VKS_OK;
    free(path);
    *taken = model != NULL;
    if (model && result == VKS_OK) {
        call->arguments[call->argument_count++] = model->name;
        call->file = word;
        call->model = model;
        choose_of_plugin(call, word);
    }
    return result;
}

/* Loads the simulations of files that options name, so that their options are known. */
static enum vks_result take_held(struct vks_call *call)
{
    char **argv = call->argv;
    enum vks_result result = VKS_OK;
    for (int i = 1; i < call->argc && result == VKS_OK; i++) {
        const char *equals = strchr(argv[i], '=');
        const char *file = equals ? equals + 1 : argv[i + 1];
        const size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        struct vks_held_model held = {0};
        char option[32];
        if (file && length > 2 && length < sizeof(option) && strncmp(argv[i], "--", 2) == 0) {
            snprintf(option, sizeof(option), "%.*s", (int)length - 2, argv[i] + 2);
            result = vks_find_held_model(option, file, &held);
        }
        if (held.formula) {
            result = admit(file, &held.formula);
        } else if (held.path) {
            result = load_model(held.path, held.path, &held.formula);
        }
        call->model = held.formula && result == VKS_OK ? held.formula : call->model;
        free(held.path);
    }
    return result;
}

static enum vks_result split(struct vks_call *call, int argc, char **argv)
{
    const struct vks_command *named = argc > 1 ? find_command(argv[1]) : NULL;
    struct vks_word *before = NULL; /* the option in the word before */
    enum vks_result result = VKS_OK;
    int at = named ? 2 : 1;
    bool taken = false;
    call->command = named ? named : vks_commands;
    if (call->command->has_simulation && at < argc) {
        result = take_file(call, argv[at], &taken);
        at += taken;
        at += taken && at < argc && choose_of_plugin(call, argv[at]);
    }
    if (call->command->has_simulation && !taken && result == VKS_OK) {
        result = take_held(call);
    }
    while (at < argc && result == VKS_OK) {
        if (argv[at][0] == '-' && argv[at][1] != '\0') {
            result = split_option(call, &at, &call->words[call->word_count]);
            call->word_count += result == VKS_OK;
            before = result == VKS_OK ? &call->words[call->word_count - 1] : NULL;
        } else {
            result = take_choice(before, argv[at]) ? VKS_OK : add_argument(call, argv[at]);
            at++;
            before = NULL;
        }
    }
    return result;
}

/* What a word that is not a simulation's name may mean; "" if nothing is near. */
static void guess(const struct vks_call *call, const char *word, char *meant, size_t size)
{
    static const char *const lists[] = {"presets", "simulations", "views", "colormaps"};
    char owners[256];
    const char *near = vks_nearest(word, next_name, NULL), *option = word;
    for (size_t i = 0; i < VKS_COUNT(lists); i++) {
        option = strcmp(word, lists[i]) == 0 ? "list" : option;
    }
    meant[0] = '\0';
    if (near) { /* vks_model_find() has said which simulation it may be */
        snprintf(meant, size, "%s", find_command(near) ? near : "");
    } else if (vks_preset_owners(word, owners, sizeof(owners))[0]) {
        snprintf(meant, size, "%.*s --preset %s", (int)strcspn(owners, ","), owners, word);
    } else if (vks_option_find(*call->command->options, option) ||
               vks_option_find(vks_shared_options, option)) {
        snprintf(meant, size, "--%s", option);
    }
}

/* Checks the name of a simulation, with --help too. */
static enum vks_result check_simulation(const struct vks_call *call)
{
    const char *name =
        call->command->has_simulation && call->argument_count ? call->arguments[0] : NULL;
    if (!name || (call->command->is_file && call->command->is_file(name)) || vks_model_find(name)) {
        return VKS_OK;
    }
    char meant[320];
    guess(call, name, meant, sizeof(meant));
    return meant[0] ? vks_fail(VKS_ERROR_USAGE,
                               "there is no simulation or command '%s' (did you mean '%s'?); see "
                               "vksim --help",
                               name, meant)
                    : VKS_ERROR_USAGE;
}

enum vks_result vks_check_tables(void)
{
    enum vks_result result = vks_models_check(vks_shared_options);
    if (result == VKS_OK) {
        result = vks_models_check(vks_device_options);
    }
    for (const struct vks_command *command = vks_commands; command->name && result == VKS_OK;
         command++) {
        if (command->has_simulation) {
            result = vks_models_check(*command->options);
        }
    }
    for (size_t i = 0; vks_model_at(i) && result == VKS_OK; i++) {
        if (find_command(vks_model_at(i)->name)) {
            result = vks_fail(VKS_ERROR_USAGE, "the simulation %s has the name of a command",
                              vks_model_at(i)->name);
        }
    }
    return result;
}

static bool is_row_of(struct vks_option_table table, const struct vks_word *word)
{
    return vks_option_find(table, word->option->name) == word->option;
}

/* Applies the words that are options of the table. */
static enum vks_result apply_words(const struct vks_call *call, struct vks_option_table table,
                                   void *values)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < call->word_count && result == VKS_OK; i++) {
        const struct vks_word *word = &call->words[i];
        if (is_row_of(table, word)) {
            result = vks_option_set(word->option, values, word->text);
        }
    }
    return result;
}

enum vks_result vks_call_parse(struct vks_call *call, int argc, char **argv)
{
    const struct vks_option_table tables[] = {vks_shared_options, vks_device_options};
    *call = (struct vks_call){.command = vks_commands, .argc = argc, .argv = argv};
    call->words = calloc((size_t)argc + 1, sizeof(*call->words));
    call->arguments = calloc((size_t)argc + 1, sizeof(*call->arguments));
    enum vks_result result =
        call->words && call->arguments ? vks_check_tables() : vks_fail_memory();
    for (size_t i = 0; i < VKS_COUNT(tables) && result == VKS_OK; i++) {
        result = vks_options_reset(tables[i], &call->shared);
    }
    if (result == VKS_OK) {
        result = split(call, argc, argv);
    }
    if (result == VKS_OK) {
        result = vks_resume_call(call);
    }
    for (size_t i = 0; i < VKS_COUNT(tables) && result == VKS_OK; i++) {
        result = apply_words(call, tables[i], &call->shared);
    }
    if (result == VKS_OK && call->shared.quiet && call->shared.verbose) {
        /* Printed all the same: the level of messages is not set yet. */
        vks_message(VKS_LOG_WARNING, "--verbose has no effect with --quiet");
    }
    return result == VKS_OK ? check_simulation(call) : result;
}

void vks_call_free(struct vks_call *call)
{
    vks_options_free(vks_shared_options, &call->shared);
    vks_options_free(vks_device_options, &call->shared);
    free(call->words);
    free(call->arguments);
    vks_resumed_free(call->resumed);
    *call = (struct vks_call){.command = vks_commands};
}

enum vks_result vks_call_values(const struct vks_call *call, void *values)
{
    const enum vks_result result = vks_options_reset(*call->command->options, values);
    return result == VKS_OK ? apply_words(call, *call->command->options, values) : result;
}

bool vks_call_is_own(const struct vks_call *call, const struct vks_word *word)
{
    return is_row_of(*call->command->options, word) || is_row_of(vks_device_options, word) ||
           is_row_of(vks_shared_options, word);
}

bool vks_call_has(const struct vks_call *call, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < call->word_count; i++) {
        found = found || strcmp(call->words[i].option->name, name) == 0;
    }
    return found;
}

/* --- devices --------------------------------------------------------------------------------- */

struct vks_gpu_params vks_call_gpu(const struct vks_call *call)
{
    const double seconds = call->shared.gpu_timeout;
    /* The default is the library's, which depends on the device. */
    const double timeout = !vks_call_has(call, "gpu-timeout") ? 0 : seconds > 0 ? seconds : -1;
    return (struct vks_gpu_params){.device = call->shared.device,
                                   .validation = (enum vks_validation)call->shared.validation,
                                   .timeout = timeout,
                                   .batch = vks_checkpoint_batch()};
}

enum vks_result vks_call_open(const struct vks_call *call, vks_context **context)
{
    const struct vks_gpu_params params = vks_call_gpu(call);
    return vks_context_open(&params, context);
}

void vks_call_close(struct vks_call *call, vks_context *context)
{
    if (context) {
        call->messages = vks_context_close(context);
    }
}

/* --- results --------------------------------------------------------------------------------- */

enum vks_result vks_print_json_to(FILE *out, json_t *value, bool complete)
{
    /* jansson escapes only ASCII control characters, but terminals interpret others, too. */
    const size_t flags = JSON_INDENT(2) | (isatty(fileno(out)) ? JSON_ENSURE_ASCII : 0);
    /* A write error is reported when the stream is flushed. */
    const bool printed = complete && value && (json_dumpf(value, out, flags) == 0 || ferror(out));
    json_decref(value);
    fputc('\n', out);
    return printed ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_print_json(json_t *value, bool complete)
{
    return vks_print_json_to(stdout, value, complete);
}
