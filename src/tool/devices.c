/* SPDX-License-Identifier: MIT */
/* The command `devices`. */
#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/memory.h"
#include "tool/command.h"

static const char *const types[] = {
    [VKS_DEVICE_OTHER] = "other",       [VKS_DEVICE_INTEGRATED] = "integrated",
    [VKS_DEVICE_DISCRETE] = "discrete", [VKS_DEVICE_VIRTUAL] = "virtual",
    [VKS_DEVICE_SOFTWARE] = "software",
};

static void print_text(const struct vks_device_info *info)
{
    char memory[32], buffer[32];
    printf(
        "%u: %s (%s)\n   driver  %s, Vulkan %s\n   memory  %s, buffers up to %s, %u in a shader\n"
        "   UUID    %s\n   lacks   %s\n   offers  %s\n",
        info->index, info->name, types[info->type], info->driver, info->api_version,
        vks_format_bytes(info->memory, memory), vks_format_bytes(info->largest_buffer, buffer),
        (unsigned)info->buffers, info->uuid, info->lacks[0] ? info->lacks : "nothing",
        info->features[0] ? info->features : "nothing more");
}

static enum vks_result print_json(const struct vks_device_info *infos, size_t count)
{
    json_t *array = json_array();
    bool complete = array != NULL;
    for (size_t i = 0; i < count && complete; i++) {
        const struct vks_device_info *info = &infos[i];
        json_t *object =
            json_pack("{s:I, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:s, s:s}", "index",
                      (json_int_t)info->index, "name", info->name, "type", types[info->type],
                      "driver", info->driver, "vulkan", info->api_version, "memory",
                      (json_int_t)info->memory, "largest_buffer", (json_int_t)info->largest_buffer,
                      "buffers", (json_int_t)info->buffers, "uuid", info->uuid, "lacks",
                      info->lacks, "offers", info->features);
        complete = object && json_array_append_new(array, object) == 0;
    }
    return vks_print_json(array, complete);
}

static enum vks_result print(const struct vks_device_info *infos, size_t count, bool json)
{
    for (size_t i = 0; i < count && !json; i++) {
        print_text(&infos[i]);
    }
    return json ? print_json(infos, count) : VKS_OK;
}

enum vks_result vks_print_devices(bool json)
{
    struct vks_device_info infos[32] = {{.size = sizeof(infos[0])}};
    size_t count = 0;
    const enum vks_result result = vks_devices(infos, VKS_COUNT(infos), &count);
    if (result != VKS_OK) {
        return result;
    }
    if (count == 0) {
        return vks_fail(VKS_ERROR_DEVICE,
                        "no Vulkan device found; install the GPU's driver or a "
                        "software driver (Debian: apt install mesa-vulkan-drivers)");
    }
    return print(infos, count < VKS_COUNT(infos) ? count : VKS_COUNT(infos), json);
}

enum vks_result vks_command_devices(struct vks_call *call)
{
    struct vks_json_values options = {0};
    struct vks_device_info info;
    vks_context *context = NULL;
    enum vks_result result = vks_call_values(call, &options);
    if (result != VKS_OK || !call->shared.device) {
        return result == VKS_OK ? vks_print_devices(options.json) : result;
    }
    result = vks_call_open(call, &context);
    if (result == VKS_OK) {
        info.size = sizeof(info);
        (void)vks_context_device(context, &info); /* the size is right */
        result = print(&info, 1, options.json);
    }
    vks_call_close(call, context);
    return result;
}
