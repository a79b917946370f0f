/* SPDX-License-Identifier: MIT */
/* Command lines as main() takes them, up to the device: nothing is opened or written. */
#ifndef FUZZ_TOOL_H
#define FUZZ_TOOL_H

#include "fuzz.h"

#include "api/model_check.h"
#include "base/error.h"
#include "base/log.h"
#include "formula/formula.h"
#include "sim/registry.h"
#include "tool/cli.h"
#include "tool/resume.h"

/* The check of all tables takes most of the time of a command line, and as long as no file adds a
 * simulation, it always says the same: the linker puts this in its place (--wrap). */
enum vks_result __real_vks_models_check(struct vks_option_table taken);
enum vks_result __wrap_vks_models_check(struct vks_option_table taken);

enum vks_result __wrap_vks_models_check(struct vks_option_table taken)
{
    enum { MAX_TABLES = 32 };
    static const struct vks_option *checked[MAX_TABLES];
    static size_t models, count;
    size_t now = 0, at = 0;
    while (vks_model_at(now)) {
        now++;
    }
    models = models ? models : now;
    while (at < count && checked[at] != taken.options) {
        at++;
    }
    const bool known = now == models && at < count;
    const enum vks_result result = known ? VKS_OK : __real_vks_models_check(taken);
    if (result == VKS_OK && now == models && at == count && count < MAX_TABLES) {
        checked[count++] = taken.options;
    }
    return result;
}

static inline void fuzz_drop(void *user, enum vks_log_level level, const char *text)
{
    (void)user;
    (void)level;
    fuzz_require(text[0] != '\0', "a message has words");
}

static inline void fuzz_check(enum vks_result result)
{
    fuzz_require(result == VKS_OK || result == VKS_ERROR_FILE || result == VKS_ERROR_USAGE,
                 "a failure is of the input");
    fuzz_require(result == VKS_OK || strlen(vks_error_text()) > 10, "a failure has a sentence");
}

/* Parses a run, and calls `inspect` (NULL: none) with what results. */
static inline enum vks_result fuzz_run(const struct vks_call *call,
                                       void (*inspect)(const struct vks_cli *cli))
{
    struct vks_cli cli;
    enum vks_result result = vks_cli_parse(&cli, call);
    result = vks_state_file_explain(&cli.state, &cli.settings, result);
    fuzz_check(result);
    if (result == VKS_OK && inspect && !cli.list && !cli.list_devices) {
        inspect(&cli);
    }
    vks_cli_free(&cli);
    return result;
}

/* Parses the options of another command, in room for those of any. */
static inline enum vks_result fuzz_values(const struct vks_call *call)
{
    static max_align_t values[256];
    memset(values, 0, sizeof(values));
    const enum vks_result result = vks_call_values(call, values);
    fuzz_check(result);
    vks_options_free(*call->command->options, values);
    return result;
}

/* Parses the command line. */
static inline enum vks_result fuzz_command_line(int argc, char **argv,
                                                void (*inspect)(const struct vks_cli *cli))
{
    struct vks_call call;
    vks_message_to(VKS_LOG_VERBOSE, fuzz_drop, NULL);
    enum vks_result result = vks_call_parse(&call, argc, argv);
    const struct vks_model *model = call.model;
    fuzz_check(result);
    if (result == VKS_OK && !call.shared.version && !call.shared.help) {
        result = call.command == vks_commands ? fuzz_run(&call, inspect) : fuzz_values(&call);
    }
    vks_call_free(&call);
    vks_checkpoint_unlock();
    if (model) { /* a file's; the next input may name another of the same name */
        vks_model_forget(model);
        vks_formula_free(model);
    }
    return result;
}

#endif
