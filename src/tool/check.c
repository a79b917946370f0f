/* SPDX-License-Identifier: MIT */
/* The command `check`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"
#include "check/check.h"
#include "runs/presets.h"
#include "tool/check.h"
#include "tool/cli.h"

enum { MAX_DEVICES = 32, MAX_CASES = 256 };

struct values {
    char *preset;
    uint64_t steps;
    bool json;
};

#define AT(member) offsetof(struct values, member)
static const struct vks_option rows[] = {
    {.name = "preset",
     .type = VKS_OPTION_TEXT,
     .offset = AT(preset),
     .argument = "NAME,...",
     .help = "presets to check (see --list); default: the first"},
    {.name = "steps",
     .type = VKS_OPTION_COUNT,
     .offset = AT(steps),
     .min = 2,
     .max = 1e6,
     .default_text = "96",
     .unit = "",
     .help = "steps of each run"},
    {.name = "json", .type = VKS_OPTION_FLAG, .offset = AT(json), .help = "print JSON"},
};
#undef AT

const struct vks_option_table vks_check_options = {rows, VKS_COUNT(rows)};

/* A preset at a size, which all devices run. */
struct check_case {
    char preset[64];
    char size[48];
    struct vks_settings settings;
    struct vks_check_history first; /* of the first device */
};

struct command {
    struct vks_call *call;
    struct values values;
    struct check_case cases[MAX_CASES];
    size_t case_count;
    struct vks_device_info infos[MAX_DEVICES];
    size_t device_count;
    bool restricted; /* to the device that the call names */
    size_t experiments, different;
    json_t *devices; /* with --json */
};

/* --- cases ----------------------------------------------------------------------------------- */

enum { SIZES = 3 };

/* Of the simulation, so that the state is small and has several workgroups: rows of a multiple of
 * four cells and of an odd number; the third in place of one that the simulation does not take. */
static const char *const sizes[2][SIZES] = {{"132x40", "61x37", "128x32"},
                                            {"36x20x12", "21x13x7", "32x16x8"}};

/* Half as many items as cells, unless the density or the command line gives their number. */
static enum vks_result set_count(const struct command *command, struct vks_settings *settings)
{
    const char *name = settings->model->count_option;
    const struct vks_size size = settings->common.size;
    char text[32];
    if (!name || settings->model->density_option || vks_call_has(command->call, name)) {
        return VKS_OK;
    }
    snprintf(text, sizeof(text), "%" PRIu64,
             (uint64_t)size.width * size.height * size.depth / 2 + 1);
    return vks_settings_set(settings, name, text);
}

static enum vks_result make_settings(const struct command *command, const char *preset,
                                     const char *size, struct vks_settings *settings)
{
    enum vks_result result = vks_call_settings(command->call, preset, settings);
    if (result == VKS_OK && size) {
        result = vks_settings_set(settings, "size", size);
        result = result == VKS_OK ? set_count(command, settings) : result;
    }
    if (result == VKS_OK && !vks_call_has(command->call, "output-size")) {
        free(settings->common.look.output_size);
        settings->common.look.output_size = NULL;
    }
    if (result == VKS_OK) {
        result = vks_settings_take_image_size(settings);
    }
    return result == VKS_OK ? vks_settings_finish(settings) : result;
}

/* Adds the case of a preset and a size (NULL: that of the command line). */
static enum vks_result add_case(struct command *command, const char *preset, const char *size)
{
    if (command->case_count == MAX_CASES) {
        return vks_fail_option(VKS_ERROR_USAGE, "preset", "names more than %d presets",
                               MAX_CASES / 2);
    }
    struct check_case *added = &command->cases[command->case_count];
    const enum vks_result result = make_settings(command, preset, size, &added->settings);
    if (result != VKS_OK) {
        vks_settings_free(&added->settings);
        return result;
    }
    const struct vks_common *common = &added->settings.common;
    snprintf(added->preset, sizeof(added->preset), "%s", preset ? preset : "default");
    vks_option_get(VKS_COMMON_ROW(size), common, added->size, sizeof(added->size));
    command->case_count++;
    return VKS_OK;
}

/* Adds the preset at two sizes. */
static enum vks_result add_sizes(struct command *command, const char *preset, bool deep)
{
    const size_t before = command->case_count;
    struct vks_error first = {.result = VKS_OK};
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < SIZES && command->case_count < before + 2 && result == VKS_OK; i++) {
        result = add_case(command, preset, sizes[deep][i]);
        if (result == VKS_ERROR_USAGE) {
            vks_message(VKS_LOG_VERBOSE, "%s is left out: %s", sizes[deep][i], vks_error_text());
            if (first.result == VKS_OK) {
                vks_error_keep(result, &first);
            }
            result = VKS_OK;
        }
    }
    return result == VKS_OK && command->case_count == before ? vks_fail_again(&first) : result;
}

/* Adds the preset at both sizes, or at that of the command line. */
static enum vks_result add_preset(struct command *command, const char *preset)
{
    struct vks_settings settings = {0};
    enum vks_result result = vks_call_settings(command->call, preset, &settings);
    const bool deep = result == VKS_OK && settings.common.size.depth > 1;
    vks_settings_free(&settings);
    if (result != VKS_OK) {
        return result;
    }
    return vks_call_has(command->call, "size") ? add_case(command, preset, NULL)
                                               : add_sizes(command, preset, deep);
}

static enum vks_result add_presets(struct command *command)
{
    const char *at = command->values.preset;
    enum vks_result result = at ? VKS_OK : add_preset(command, NULL);
    while (at && *at && result == VKS_OK) {
        char name[64];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        result = add_preset(command, name);
        at += length + (at[length] == ',');
    }
    return result;
}

/* --- devices --------------------------------------------------------------------------------- */

/* All that are suitable, or the one that --device or VKSIM_DEVICE names. */
static enum vks_result find_devices(struct command *command)
{
    const char *named = getenv("VKSIM_DEVICE");
    struct vks_device_info infos[MAX_DEVICES] = {{.size = sizeof(infos[0])}};
    size_t found = 0;
    command->restricted = command->call->shared.device || (named && named[0]);
    command->device_count = 1;
    if (command->restricted) {
        return VKS_OK;
    }
    const enum vks_result result = vks_devices(infos, MAX_DEVICES, &found);
    command->device_count = 0;
    for (size_t i = 0; result == VKS_OK && i < found && i < MAX_DEVICES; i++) {
        if (infos[i].lacks[0]) {
            vks_message(VKS_LOG_INFO, "%s is left out: it lacks %s", infos[i].name, infos[i].lacks);
        } else {
            command->infos[command->device_count++] = infos[i];
        }
    }
    if (result == VKS_OK && command->device_count == 0) {
        return vks_fail(VKS_ERROR_DEVICE, "no suitable Vulkan device found; see vksim devices");
    }
    return result;
}

/* --- results --------------------------------------------------------------------------------- */

static const char *const outcomes[] = {
    [VKS_CHECK_SAME] = "same",
    [VKS_CHECK_DIFFERS] = "differs",
    [VKS_CHECK_LEFT_OUT] = "left out",
};

static void print_row(const struct vks_check_row *row, const char *same)
{
    printf("  %-34.60s %s", row->name,
           row->outcome == VKS_CHECK_SAME ? same : outcomes[row->outcome]);
    if (row->field[0]) {
        printf(" from step %" PRIu64 " on, first in '%s'", row->step, row->field);
    } else if (row->outcome == VKS_CHECK_DIFFERS && row->step > 0) {
        printf(" at step %" PRIu64, row->step);
    }
    if (row->why[0]) {
        printf(": %s", row->why);
    }
    printf("\n");
}

static json_t *row_json(const struct vks_check_row *row)
{
    json_t *object =
        json_pack("{s:s, s:s}", "experiment", row->name, "result", outcomes[row->outcome]);
    bool complete = object != NULL;
    if (complete && row->outcome == VKS_CHECK_DIFFERS) {
        complete = json_object_set_new(object, "step", json_integer((json_int_t)row->step)) == 0 &&
                   json_object_set_new(object, "field", json_string(row->field)) == 0;
    }
    if (complete && row->why[0]) {
        complete = json_object_set_new(object, "why", json_string(row->why)) == 0;
    }
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static void count(struct command *command, const struct vks_check_row *row)
{
    command->experiments += row->outcome != VKS_CHECK_LEFT_OUT;
    command->different += row->outcome == VKS_CHECK_DIFFERS;
}

static enum vks_result show_case(struct command *command, const struct vks_device_info *info,
                                 const struct check_case *at, const struct vks_check *check,
                                 json_t *runs)
{
    json_t *list = command->values.json ? json_array() : NULL;
    bool complete = list || !command->values.json;
    if (!command->values.json) {
        printf("%s, %s, preset %s, digest %s after %" PRIu64 " steps\n", info->name, at->size,
               at->preset, check->history.state, check->history.steps);
    }
    for (size_t i = 0; i < check->row_count && complete; i++) {
        count(command, &check->rows[i]);
        if (list) {
            complete = json_array_append_new(list, row_json(&check->rows[i])) == 0;
        } else {
            print_row(&check->rows[i], outcomes[VKS_CHECK_SAME]);
        }
    }
    if (list && complete) {
        json_t *run = json_pack("{s:s, s:s, s:s, s:O}", "preset", at->preset, "size", at->size,
                                "digest", check->history.state, "experiments", list);
        complete = run && json_array_append_new(runs, run) == 0;
    }
    json_decref(list);
    fflush(stdout); /* a write error is found at the end */
    return complete ? VKS_OK : vks_fail_memory();
}

/* --- running --------------------------------------------------------------------------------- */

static enum vks_result run_case(struct command *command, vks_context *context, size_t index,
                                const struct vks_device_info *info, json_t *runs)
{
    struct check_case *at = &command->cases[index];
    struct vks_check check;
    const bool is_first = at->first.steps == 0;
    enum vks_result result =
        vks_check_run(context, &at->settings, command->values.steps, is_first ? NULL : &at->first,
                      command->infos[0].name, &check);
    if (result == VKS_OK) {
        result = show_case(command, info, at, &check, runs);
    }
    if (result == VKS_OK && is_first) {
        at->first = check.history;
        check.history = (struct vks_check_history){.steps = 0};
    }
    vks_check_free(&check);
    return result;
}

/* With validation layers: the first case only, because they look at how passes use memory. */
static enum vks_result validate(struct command *command, const char *selector, json_t *device)
{
    struct vks_check_row row;
    const struct check_case *at = &command->cases[0];
    enum vks_result result = vks_check_validate(selector, &at->settings, &at->first, &row);
    if (result != VKS_OK) {
        return result;
    }
    count(command, &row);
    if (!command->values.json) {
        print_row(&row, "silent");
        return VKS_OK;
    }
    return json_object_set_new(device, "validation", row_json(&row)) == 0 ? VKS_OK
                                                                          : vks_fail_memory();
}

static enum vks_result run_device(struct command *command, size_t index)
{
    struct vks_device_info *info = &command->infos[index];
    struct vks_gpu_params params = vks_call_gpu(command->call);
    vks_context *context = NULL;
    char selector[16];
    json_t *device = json_object(), *runs = json_array();
    snprintf(selector, sizeof(selector), "%u", info->index);
    params.device = command->restricted ? command->call->shared.device : selector;
    params.quiet = true;
    enum vks_result result =
        device && runs ? vks_context_open(&params, &context) : vks_fail_memory();
    if (result == VKS_OK) {
        info->size = sizeof(*info);
        result = vks_context_device(context, info);
    }
    for (size_t i = 0; i < command->case_count && result == VKS_OK; i++) {
        result = run_case(command, context, i, info, runs);
    }
    command->call->messages += context ? vks_context_close(context) : 0;
    if (result == VKS_OK) {
        result = validate(command, params.device, device);
    }
    if (result == VKS_OK) {
        result = vks_task_advance(1);
    }
    if (result == VKS_OK && command->values.json) {
        const bool complete =
            json_object_set_new(device, "name", json_string(info->name)) == 0 &&
            json_object_set_new(device, "driver", json_string(info->driver)) == 0 &&
            json_object_set(device, "runs", runs) == 0 &&
            json_array_append(command->devices, device) == 0;
        result = complete ? VKS_OK : vks_fail_memory();
    }
    json_decref(runs);
    json_decref(device);
    return result;
}

static enum vks_result run_devices(struct command *command)
{
    struct vks_task task;
    char what[96];
    const struct vks_model *model = command->cases[0].settings.model;
    const size_t of_device = command->case_count * vks_check_count(model) + 1;
    enum vks_result result = VKS_OK;
    snprintf(what, sizeof(what), "checking %.64s", model->name);
    vks_task_begin(&task, what, command->device_count * of_device);
    for (size_t i = 0; i < command->device_count && result == VKS_OK; i++) {
        result = run_device(command, i);
    }
    vks_task_end(&task);
    return result;
}

static enum vks_result conclude(struct command *command)
{
    const char *model = command->cases[0].settings.model->name;
    if (command->values.json) {
        json_t *root = json_pack("{s:s, s:I, s:b, s:O}", "simulation", model, "steps",
                                 (json_int_t)command->values.steps, "same", command->different == 0,
                                 "devices", command->devices);
        const enum vks_result result = vks_print_json(root, root != NULL);
        if (result != VKS_OK) {
            return result;
        }
    } else if (command->different == 0) {
        printf("%s: the same bytes in all %zu experiments\n", model, command->experiments);
    }
    return command->different == 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_STOPPED, "%s differs in %zu of %zu experiments", model,
                          command->different, command->experiments);
}

static enum vks_result check_simulation(struct command *command)
{
    enum vks_result result = add_presets(command);
    if (result == VKS_OK) {
        result = find_devices(command);
    }
    if (result == VKS_OK) {
        command->devices = json_array();
        result = command->devices ? run_devices(command) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = conclude(command);
    }
    for (size_t i = 0; i < command->case_count; i++) {
        struct vks_check held = {.history = command->cases[i].first};
        vks_check_free(&held);
        vks_settings_free(&command->cases[i].settings);
    }
    json_decref(command->devices);
    return result;
}

/* Whether all arguments are files of shaders, or none. */
static enum vks_result read_arguments(const struct vks_call *call, bool *files)
{
    const size_t count = call->argument_count;
    *files = count > 0 && vks_is_shader_file(call->arguments[0]);
    if (count == 0) {
        return vks_fail(VKS_ERROR_USAGE, "check needs a simulation or files of shaders: vksim "
                                         "check gray-scott, vksim check FILE.spv");
    }
    for (size_t i = 1; i < count; i++) {
        if (!*files || !vks_is_shader_file(call->arguments[i])) {
            return vks_fail(VKS_ERROR_USAGE,
                            "unexpected argument '%s' after '%s'; check takes one simulation, or "
                            "files that end in .spv, .comp or .glsl",
                            call->arguments[i], call->arguments[i - 1]);
        }
    }
    return VKS_OK;
}

enum vks_result vks_command_check(struct vks_call *call)
{
    struct command *command = calloc(1, sizeof(*command));
    bool files = false;
    if (!command) {
        return vks_fail_memory();
    }
    command->call = call;
    enum vks_result result = vks_call_values(call, &command->values);
    if (result == VKS_OK) {
        result = read_arguments(call, &files);
    }
    if (result == VKS_OK && files) {
        result = vks_check_shaders(call->arguments, call->argument_count, command->values.json);
    } else if (result == VKS_OK) {
        result = check_simulation(command);
    }
    vks_options_free(vks_check_options, &command->values);
    free(command);
    return result;
}
