/* SPDX-License-Identifier: MIT */
/* The command `selftest`. */
#include "selftest/selftest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task.h"
#include "tool/command.h"

struct values {
    bool is_short, is_long, overwrite;
    char *save;
};

#define AT(member) offsetof(struct values, member)
static const struct vks_option rows[] = {
    {.name = "short",
     .type = VKS_OPTION_FLAG,
     .offset = AT(is_short),
     .help = "fewer numbers and runs; the default for software drivers"},
    {.name = "long",
     .type = VKS_OPTION_FLAG,
     .offset = AT(is_long),
     .help = "many more numbers, every recorded run, and two minutes at full load"},
    {.name = "save",
     .type = VKS_OPTION_TEXT,
     .offset = AT(save),
     .argument = "FILE.json",
     .help = "write a report to send in, with drivers, limits, results and times, and without "
             "the names of users and computers"},
    {.name = "overwrite",
     .type = VKS_OPTION_FLAG,
     .offset = AT(overwrite),
     .help = "replace the file of --save if it exists"},
};
#undef AT

const struct vks_option_table vks_selftest_options = {rows, VKS_COUNT(rows)};

const char *vks_selftest_word(size_t index)
{
    return index < VKS_SELFTEST_GROUPS ? vks_selftest_groups[index]->name : NULL;
}

struct command {
    struct vks_call *call;
    struct values values;
    bool groups[VKS_SELFTEST_GROUPS]; /* to run */
    struct vks_device_info infos[VKS_MAX_DEVICES];
    size_t device_count;
    size_t failed, passed; /* rows on all devices */
    const char *lacking;   /* the name of a device that lacks something */
    json_t *devices;       /* of the report */
};

/* --- what to run ----------------------------------------------------------------------------- */

static enum vks_result fail_group(const char *word)
{
    char names[256] = "";
    for (size_t i = 0; i < VKS_SELFTEST_GROUPS; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s",
                 i == 0                         ? ""
                 : i + 1 == VKS_SELFTEST_GROUPS ? " and "
                                                : ", ",
                 vks_selftest_groups[i]->name);
    }
    return vks_fail(VKS_ERROR_USAGE, "'%s' is not a group of the self-test, which are %s", word,
                    names);
}

static enum vks_result read_groups(struct command *command)
{
    const struct vks_call *call = command->call;
    for (size_t i = 0; i < VKS_SELFTEST_GROUPS; i++) {
        command->groups[i] = call->argument_count == 0;
    }
    for (size_t a = 0; a < call->argument_count; a++) {
        size_t at = 0;
        while (at < VKS_SELFTEST_GROUPS &&
               strcmp(call->arguments[a], vks_selftest_groups[at]->name) != 0) {
            at++;
        }
        if (at == VKS_SELFTEST_GROUPS) {
            return fail_group(call->arguments[a]);
        }
        command->groups[at] = true;
    }
    return VKS_OK;
}

static enum vks_result check_values(const struct command *command)
{
    const struct values *values = &command->values;
    struct vks_atomic_file file;
    if (values->is_short && values->is_long) {
        return vks_fail_option(VKS_ERROR_USAGE, "long", "excludes --short");
    }
    if (!values->save) {
        return VKS_OK;
    }
    const enum vks_result result = vks_atomic_file_begin(&file, values->save, values->overwrite);
    vks_atomic_file_abort(&file);
    return result;
}

/* All of them, or those that --device or VKSIM_DEVICE names. */
static enum vks_result find_devices(struct command *command)
{
    struct vks_device_info infos[VKS_MAX_DEVICES] = {{.size = sizeof(infos[0])}};
    const char *variable = getenv("VKSIM_DEVICE");
    const char *named = command->call->shared.device ? command->call->shared.device : variable;
    size_t found = 0;
    enum vks_result result = vks_devices(infos, VKS_MAX_DEVICES, &found);
    for (size_t i = 0; result == VKS_OK && i < found && i < VKS_MAX_DEVICES; i++) {
        if (!named || !named[0] || vks_device_selects(named, &infos[i])) {
            command->infos[command->device_count++] = infos[i];
        }
    }
    if (result == VKS_OK && command->device_count == 0) {
        vks_context *context = NULL; /* its error says which there are */
        result = vks_call_open(command->call, &context);
        vks_call_close(command->call, context);
    }
    return result;
}

/* --- the report ------------------------------------------------------------------------------ */

static json_t *limits_json(const VkPhysicalDeviceLimits *limits)
{
    const struct {
        const char *name;
        uint64_t value;
    } list[] = {
        {"maxPerStageDescriptorStorageBuffers", limits->maxPerStageDescriptorStorageBuffers},
        {"maxComputeSharedMemorySize", limits->maxComputeSharedMemorySize},
        {"maxComputeWorkGroupInvocations", limits->maxComputeWorkGroupInvocations},
        {"maxComputeWorkGroupSizeX", limits->maxComputeWorkGroupSize[0]},
        {"maxComputeWorkGroupCountX", limits->maxComputeWorkGroupCount[0]},
        {"maxPushConstantsSize", limits->maxPushConstantsSize},
        {"maxStorageBufferRange", limits->maxStorageBufferRange},
        {"maxTexelBufferElements", limits->maxTexelBufferElements},
        {"maxMemoryAllocationCount", limits->maxMemoryAllocationCount},
        {"minStorageBufferOffsetAlignment", limits->minStorageBufferOffsetAlignment},
        {"nonCoherentAtomSize", limits->nonCoherentAtomSize},
    };
    json_t *object = json_object();
    bool complete = object != NULL;
    for (size_t i = 0; i < VKS_COUNT(list) && complete; i++) {
        complete =
            json_object_set_new(object, list[i].name, json_integer((json_int_t)list[i].value)) == 0;
    }
    if (!complete) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *memory_json(const VkPhysicalDeviceMemoryProperties *memory)
{
    json_t *types = json_array();
    bool complete = types != NULL;
    for (uint32_t i = 0; i < memory->memoryTypeCount && complete; i++) {
        const VkMemoryType *type = &memory->memoryTypes[i];
        json_t *object = json_pack("{s:I, s:I, s:I}", "flags", (json_int_t)type->propertyFlags,
                                   "heap", (json_int_t)type->heapIndex, "size",
                                   (json_int_t)memory->memoryHeaps[type->heapIndex].size);
        complete = object && json_array_append_new(types, object) == 0;
    }
    if (!complete) {
        json_decref(types);
        return NULL;
    }
    return types;
}

/* The UUID is left out: some drivers make it from the serial number. */
static json_t *device_json(const struct vks_device_info *info)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:[]}", "device", info->name, "driver",
                     info->driver, "vulkan", info->api_version, "lacks", info->lacks, "offers",
                     info->features, "rows");
}

static bool add_properties(json_t *device, const struct vks_gpu *gpu)
{
    const VkPhysicalDeviceProperties *properties = &gpu->properties;
    return json_object_set_new(device, "vendor", json_integer(properties->vendorID)) == 0 &&
           json_object_set_new(device, "id", json_integer(properties->deviceID)) == 0 &&
           json_object_set_new(device, "subgroups",
                               json_pack("[I, I]", (json_int_t)gpu->min_subgroup,
                                         (json_int_t)gpu->max_subgroup)) == 0 &&
           json_object_set_new(device, "limits", limits_json(&properties->limits)) == 0 &&
           json_object_set_new(device, "memory_types", memory_json(&gpu->memory)) == 0;
}

static const char *const outcomes[] = {
    [VKS_SELFTEST_PASSED] = "passed",
    [VKS_SELFTEST_FAILED] = "failed",
    [VKS_SELFTEST_ABSENT] = "absent",
};

static bool add_row(json_t *device, const struct vks_selftest_group *group,
                    const struct vks_selftest_result *row)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:f}", "group", group->name, "row", row->name,
                               "result", outcomes[row->outcome], "values", (json_int_t)row->count,
                               "seconds", row->seconds);
    bool complete = object != NULL;
    if (complete && row->digest[0]) {
        complete = json_object_set_new(object, "digest", json_string(row->digest)) == 0;
    }
    if (complete && row->text[0]) {
        complete = json_object_set_new(object, "why", json_string(row->text)) == 0;
    }
    return json_array_append_new(json_object_get(device, "rows"), complete ? object : NULL) == 0;
}

static enum vks_result print_report(FILE *out, const void *user)
{
    const struct command *command = user;
    json_t *root =
        json_pack("{s:s, s:i, s:i, s:O}", "vksim", VKS_VERSION, "passed", (int)command->passed,
                  "failed", (int)command->failed, "devices", command->devices);
    return vks_print_json_to(out, root, root != NULL);
}

/* --- running --------------------------------------------------------------------------------- */

/* "12.3 M" */
static const char *count_text(uint64_t count, char text[32])
{
    snprintf(text, 32, count >= 1000000 ? "%.1f M" : "%.0f",
             count >= 1000000 ? (double)count / 1e6 : (double)count);
    return text;
}

struct sums {
    size_t passed, failed, absent;
    uint64_t values;
    double seconds;
};

/* A group's line is printed before those of its rows that failed, which are kept for it. */
static enum vks_result run_group(struct command *command, const struct vks_selftest *test,
                                 const struct vks_selftest_group *group, json_t *device,
                                 struct sums *all)
{
    const size_t count = group->count(test->length);
    struct vks_selftest_result *rows_of = calloc(count, sizeof(*rows_of));
    struct sums sums = {0};
    char values[32];
    enum vks_result result = rows_of ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        struct vks_selftest_result *row = &rows_of[i];
        result = vks_selftest_run(test, group, i, row);
        if (result == VKS_OK && !add_row(device, group, row)) {
            result = vks_fail_memory();
        }
        sums.passed += row->outcome == VKS_SELFTEST_PASSED;
        sums.failed += row->outcome == VKS_SELFTEST_FAILED;
        sums.absent += row->outcome == VKS_SELFTEST_ABSENT;
        sums.values += row->count;
        sums.seconds += row->seconds;
    }
    if (result == VKS_OK) {
        printf("  %-12s %3zu of %3zu passed %9s values %7.1f s", group->name, sums.passed,
               sums.passed + sums.failed, count_text(sums.values, values), sums.seconds);
        printf(sums.absent ? ", %zu absent\n" : "\n", sums.absent);
    }
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        if (rows_of[i].outcome == VKS_SELFTEST_FAILED) {
            printf("    failed: %s: %s\n", rows_of[i].name, rows_of[i].text);
        } else if (rows_of[i].outcome == VKS_SELFTEST_ABSENT) {
            vks_message(VKS_LOG_VERBOSE, "absent: %s: %s", rows_of[i].name, rows_of[i].text);
        }
    }
    fflush(stdout); /* a write error is found at the end */
    free(rows_of);
    command->passed += sums.passed;
    command->failed += sums.failed;
    all->passed += sums.passed;
    all->failed += sums.failed;
    return result;
}

static enum vks_result run_groups(struct command *command, const struct vks_selftest *test,
                                  json_t *device)
{
    struct vks_task task;
    struct sums sums = {0};
    size_t total = 0;
    const double begin = vks_seconds();
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < VKS_SELFTEST_GROUPS; i++) {
        total += command->groups[i] ? vks_selftest_groups[i]->count(test->length) : 0;
    }
    vks_task_begin(&task, "testing the device", total);
    for (size_t i = 0; i < VKS_SELFTEST_GROUPS && result == VKS_OK; i++) {
        if (command->groups[i]) {
            result = run_group(command, test, vks_selftest_groups[i], device, &sums);
        }
    }
    vks_task_end(&task);
    if (result == VKS_OK) {
        printf("  %zu of %zu passed in %.0f s\n", sums.passed, sums.passed + sums.failed,
               vks_seconds() - begin);
        fflush(stdout);
    }
    return result;
}

static enum vks_result run_device(struct command *command, const struct vks_device_info *info,
                                  json_t *device)
{
    const struct values *values = &command->values;
    struct vks_gpu_params params = vks_call_gpu(command->call);
    struct vks_selftest test = {.length = VKS_SELFTEST_NORMAL};
    char selector[16];
    snprintf(selector, sizeof(selector), "%u", info->index);
    params.device = selector;
    params.quiet = true;
    params.no_disk_cache = true; /* the driver's compiler is part of the test */
    if (values->is_short || (info->type == VKS_DEVICE_SOFTWARE && !values->is_long)) {
        test.length = VKS_SELFTEST_SHORT;
    } else if (values->is_long) {
        test.length = VKS_SELFTEST_LONG;
    }
    enum vks_result result = vks_context_open(&params, &test.context);
    if (result == VKS_OK && !add_properties(device, &test.context->gpu)) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = run_groups(command, &test, device);
    }
    struct vks_error why;
    vks_error_keep(result, &why);
    command->call->messages += test.context ? vks_context_close(test.context) : 0;
    return vks_fail_again(&why);
}

static enum vks_result run_devices(struct command *command)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < command->device_count && result == VKS_OK; i++) {
        const struct vks_device_info *info = &command->infos[i];
        json_t *device = device_json(info);
        if (json_array_append_new(command->devices, device) != 0) {
            return vks_fail_memory();
        }
        printf("%s, driver %s, Vulkan %s\n", info->name, info->driver, info->api_version);
        if (info->lacks[0]) {
            printf("  lacks %s\n", info->lacks);
            command->lacking = info->name;
        } else {
            result = run_device(command, info, device);
        }
    }
    return result;
}

static enum vks_result conclude(const struct command *command)
{
    const struct values *values = &command->values;
    const char *name = command->infos[0].name;
    if (values->save) {
        const enum vks_result result =
            vks_print_file(values->save, values->overwrite, print_report, command);
        if (result != VKS_OK) {
            return result;
        }
        printf("Attach '%s' to an issue named \"selftest: %s\".\n", values->save, name);
    }
    if (command->failed > 0) {
        return vks_fail(VKS_ERROR_STOPPED, "%zu of %zu rows failed%s", command->failed,
                        command->passed + command->failed,
                        values->save ? "" : "; --save FILE.json writes a report to send in");
    }
    return command->lacking
               ? vks_fail(VKS_ERROR_DEVICE, "%s lacks what vksim needs", command->lacking)
               : VKS_OK;
}

enum vks_result vks_command_selftest(struct vks_call *call)
{
    struct command *command = calloc(1, sizeof(*command));
    if (!command) {
        return vks_fail_memory();
    }
    command->call = call;
    enum vks_result result = vks_call_values(call, &command->values);
    result = result == VKS_OK ? read_groups(command) : result;
    result = result == VKS_OK ? check_values(command) : result;
    result = result == VKS_OK ? find_devices(command) : result;
    if (result == VKS_OK) {
        vks_selftest_add_shaders();
        command->devices = json_array();
        result = command->devices ? run_devices(command) : vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = conclude(command);
    }
    json_decref(command->devices);
    vks_options_free(vks_selftest_options, &command->values);
    free(command);
    return result;
}
