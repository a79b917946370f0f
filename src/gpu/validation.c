/* SPDX-License-Identifier: MIT */
/* The validation layer: how its checks are requested, and what is done with its messages. */
#include "gpu/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

enum { MAX_LAYER_EXTENSIONS = 64 };

static const char layer_name[] = "VK_LAYER_KHRONOS_validation";

/* --- messages -------------------------------------------------------------------------------- */

/* The message's id and the names of its objects, as "SYNC-HAZARD-WRITE-AFTER-READ: 'trail', 'step':
 * ". Older layers repeat them in the text, newer ones do not. */
static void write_head(const VkDebugUtilsMessengerCallbackDataEXT *data, char *text, size_t size)
{
    const char *separator = "";
    size_t used = 0;
    text[0] = '\0';
    if (data->pMessageIdName && data->pMessageIdName[0]) {
        used = (size_t)snprintf(text, size, "%s: ", data->pMessageIdName);
    }
    for (uint32_t i = 0; i < data->objectCount && used < size; i++) {
        const char *name = data->pObjects[i].pObjectName;
        if (name && name[0]) {
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", separator, name);
            separator = ", ";
        }
    }
    if (separator[0] && used < size) {
        snprintf(text + used, size - used, ": ");
    }
}

static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct vks_gpu *gpu = user;
    char head[512];
    (void)severity;
    (void)types;
    __atomic_add_fetch(&gpu->validation_messages, 1, __ATOMIC_RELAXED);
    write_head(data, head, sizeof(head));
    vks_message(VKS_LOG_ERROR, "validation: %s%s", head,
                data->pMessage ? data->pMessage : "(no text)");
    return VK_FALSE;
}

/* Ids of the warnings in which GPU-assisted validation describes its own set-up: a check that the
 * device cannot support, a feature that it enables for itself, checks that slow each other down.
 * What it finds has other ids. */
static const char *const setup_ids[] = {
    "UNASSIGNED-GPU-Assisted Validation Warning", /* 1.3.239 */
    "WARNING-GPU-Assisted-Validation",            /* 1.4.309, as the next */
    "VALIDATION-SETTINGS",
};

/* With VKS_VALIDATION_GPU: warnings about the set-up are not findings, and not counted. */
static VkBool32 VKAPI_PTR on_assisted(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    for (size_t i = 0; i < VKS_COUNT(setup_ids); i++) {
        if (severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT && data->pMessageIdName &&
            strcmp(data->pMessageIdName, setup_ids[i]) == 0) {
            vks_message(VKS_LOG_VERBOSE, "validation layer: %s",
                        data->pMessage ? data->pMessage : "(no text)");
            return VK_FALSE;
        }
    }
    return on_message(severity, types, data, user);
}

/* --- the request ----------------------------------------------------------------------------- */

#ifndef VK_EXT_layer_settings /* The layer may be newer than the headers, such as Debian 12's. */
#define VK_EXT_LAYER_SETTINGS_EXTENSION_NAME "VK_EXT_layer_settings"
#define VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT ((VkStructureType)1000496000)
typedef enum { VK_LAYER_SETTING_TYPE_BOOL32_EXT = 0 } VkLayerSettingTypeEXT;
typedef struct {
    const char *pLayerName;
    const char *pSettingName;
    VkLayerSettingTypeEXT type;
    uint32_t valueCount;
    const void *pValues;
} VkLayerSettingEXT;
typedef struct {
    VkStructureType sType;
    const void *pNext;
    uint32_t settingCount;
    const VkLayerSettingEXT *pSettings;
} VkLayerSettingsCreateInfoEXT;
#endif

static const VkBool32 enabled = VK_TRUE;

/* By default synchronization validation of version 1.4.309 ignores what shaders access. */
static const VkLayerSettingEXT shader_accesses = {
    .pLayerName = layer_name,
    .pSettingName = "syncval_shader_accesses_heuristic",
    .type = VK_LAYER_SETTING_TYPE_BOOL32_EXT,
    .valueCount = 1,
    .pValues = &enabled,
};
static const VkLayerSettingsCreateInfoEXT sync_settings = {
    .sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
    .settingCount = 1,
    .pSettings = &shader_accesses,
};

static const VkValidationFeatureEnableEXT sync_checks[] = {
    VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
};
static const VkValidationFeatureEnableEXT gpu_checks[] = {
    VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
    VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT,
};

/* Whether the layer is installed, and in *settings whether it has VK_EXT_layer_settings. */
static bool find_layer(bool *settings)
{
    VkExtensionProperties extensions[MAX_LAYER_EXTENSIONS];
    uint32_t count = MAX_LAYER_EXTENSIONS;
    *settings = false;
    if (vkEnumerateInstanceExtensionProperties(layer_name, &count, extensions) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        *settings = *settings ||
                    strcmp(extensions[i].extensionName, VK_EXT_LAYER_SETTINGS_EXTENSION_NAME) == 0;
    }
    return true;
}

enum vks_result vks_validation_request(struct vks_gpu *gpu, enum vks_validation kind,
                                       struct vks_validation_request *request)
{
    bool settings;
    if (!find_layer(&settings)) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_VALIDATION,
                             "the Vulkan validation layer is not installed "
                             "(Debian: apt install vulkan-validationlayers)");
    }
    *request = (struct vks_validation_request){
        .layer = layer_name,
        .messenger =
            {
                .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                .pfnUserCallback = kind == VKS_VALIDATION_GPU ? on_assisted : on_message,
                .pUserData = gpu,
            },
        .features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT},
    };
    if (kind == VKS_VALIDATION_SYNC) {
        request->messenger.pNext = &request->features;
        request->features.enabledValidationFeatureCount = VKS_COUNT(sync_checks);
        request->features.pEnabledValidationFeatures = sync_checks;
        if (settings) {
            request->features.pNext = &sync_settings;
            request->extension = VK_EXT_LAYER_SETTINGS_EXTENSION_NAME;
        }
    } else if (kind == VKS_VALIDATION_GPU) {
        request->messenger.pNext = &request->features;
        request->features.enabledValidationFeatureCount = VKS_COUNT(gpu_checks);
        request->features.pEnabledValidationFeatures = gpu_checks;
    }
    return VKS_OK;
}
