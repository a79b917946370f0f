/* SPDX-License-Identifier: MIT */
#include "gpu/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"

enum { MAX_EXTENSIONS = 16 };

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

/* Names of the objects that a message is about and does not contain, as "'trail', 'step': ". */
static void names_of(const VkDebugUtilsMessengerCallbackDataEXT *data, const char *message,
                     char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < data->objectCount && used < size; i++) {
        const char *name = data->pObjects[i].pObjectName;
        if (name && name[0] && !strstr(message, name)) {
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", name);
        }
    }
    if (used > 0 && used < size) {
        snprintf(text + used, size - used, ": ");
    }
}

static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct vks_gpu *gpu = user;
    const char *message = data->pMessage ? data->pMessage : "(no text)";
    char names[512];
    (void)severity;
    (void)types;
    /* What the layer cannot look at on this device is not a finding. */
    if (data->pMessageIdName &&
        strcmp(data->pMessageIdName, "UNASSIGNED-GPU-Assisted Validation Warning") == 0) {
        vks_message(VKS_LOG_VERBOSE, "validation layer: %s", message);
        return VK_FALSE;
    }
    __atomic_add_fetch(&gpu->validation_messages, 1, __ATOMIC_RELAXED);
    names_of(data, message, names, sizeof(names));
    vks_message(VKS_LOG_ERROR, "validation: %s%s", names, message);
    return VK_FALSE;
}

static bool has_layer(const char *name)
{
    uint32_t count = 0;
    if (vkEnumerateInstanceLayerProperties(&count, NULL) != VK_SUCCESS || count == 0) {
        return false;
    }
    VkLayerProperties *layers = calloc(count, sizeof(*layers));
    bool found = false;
    if (layers && vkEnumerateInstanceLayerProperties(&count, layers) >= 0) {
        for (uint32_t i = 0; i < count; i++) {
            found = found || strcmp(layers[i].layerName, name) == 0;
        }
    }
    free(layers);
    return found;
}

/* volk keeps the instance functions in process-wide variables. Those of the core go through the
 * loader to whatever instance they are called with, so they are loaded once, and again only for
 * the extensions of a window. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static bool load_loader(void)
{
    static bool loaded;
    pthread_mutex_lock(&loading);
    loaded = loaded || volkInitialize() == VK_SUCCESS;
    bool result = loaded;
    pthread_mutex_unlock(&loading);
    return result;
}

static void load_instance_functions(VkInstance instance, bool for_window)
{
    static bool loaded;
    pthread_mutex_lock(&loading);
    if (!loaded || for_window) {
        volkLoadInstanceOnly(instance);
        loaded = true;
    }
    pthread_mutex_unlock(&loading);
}

/* Functions of an extension belong to their instance. */
static enum vks_result load_debug_functions(struct vks_gpu *gpu, bool validate)
{
#define LOAD(name) (PFN_##name) vkGetInstanceProcAddr(gpu->instance, #name)
    gpu->debug.set_name = LOAD(vkSetDebugUtilsObjectNameEXT);
    gpu->debug.begin_label = LOAD(vkCmdBeginDebugUtilsLabelEXT);
    gpu->debug.end_label = LOAD(vkCmdEndDebugUtilsLabelEXT);
    gpu->debug.create_messenger = LOAD(vkCreateDebugUtilsMessengerEXT);
    gpu->debug.destroy_messenger = LOAD(vkDestroyDebugUtilsMessengerEXT);
#undef LOAD
    if (validate && (!gpu->debug.create_messenger || !gpu->debug.destroy_messenger)) {
        return vks_fail(VKS_ERROR_DEVICE, "the validation layer has no debug messenger");
    }
    return VKS_OK;
}

/* Makes the instance with VK_EXT_debug_utils, the last on the list, or without it where the loader
 * is too old to have it. (To ask beforehand would make the loader load every driver twice.) */
static VkResult make_instance(struct vks_gpu *gpu, VkInstanceCreateInfo *info, bool *named)
{
    VkResult made = vkCreateInstance(info, NULL, &gpu->instance);
    *named = true;
    if (made == VK_ERROR_EXTENSION_NOT_PRESENT && info->enabledLayerCount == 0) {
        *named = false;
        info->enabledExtensionCount--;
        made = vkCreateInstance(info, NULL, &gpu->instance);
    }
    if (made != VK_SUCCESS) {
        gpu->instance = VK_NULL_HANDLE;
    }
    return made;
}

enum vks_result vks_create_instance(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    if (!load_loader()) {
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan loader (libvulkan.so.1) found; install it "
                                          "(Debian: apt install libvulkan1 mesa-vulkan-drivers)");
    }
    const char *extensions[MAX_EXTENSIONS];
    uint32_t extension_count = 0;
    for (size_t i = 0; params->instance_extensions && params->instance_extensions[i]; i++) {
        if (extension_count < MAX_EXTENSIONS - 1) {
            extensions[extension_count++] = params->instance_extensions[i];
        }
    }
    VkValidationFeatureEnableEXT enables[2];
    uint32_t enable_count = 0;
    if (params->validation == VKS_VALIDATION_SYNC) {
        enables[enable_count++] = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    } else if (params->validation == VKS_VALIDATION_GPU) {
        enables[enable_count++] = VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT;
        enables[enable_count++] =
            VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT;
    }
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = enable_count,
        .pEnabledValidationFeatures = enables,
    };
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .pNext = enable_count ? &features : NULL,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = gpu,
    };
    const char *layers[] = {validation_layer};
    const bool validate = params->validation != VKS_VALIDATION_OFF;
    if (validate && !has_layer(validation_layer)) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_VALIDATION,
                             "the Vulkan validation layer is not installed "
                             "(Debian: apt install vulkan-validationlayers)");
    }
    extensions[extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "vksim",
        .pEngineName = "vksim",
        .apiVersion = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validate ? &messenger : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validate ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    bool named;
    const VkResult made = make_instance(gpu, &info, &named);
    if (made == VK_ERROR_INCOMPATIBLE_DRIVER) {
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan driver found; install the GPU's driver or a "
                                          "software one (Debian: apt install mesa-vulkan-drivers)");
    }
    if (made != VK_SUCCESS) {
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan instance could be made: %s",
                        vks_vk_result_text(made));
    }
    load_instance_functions(gpu->instance, params->instance_extensions != NULL);
    enum vks_result result = named ? load_debug_functions(gpu, validate) : VKS_OK;
    if (result == VKS_OK && validate) {
        messenger.pNext = NULL;
        result = vks_gpu_check(
            gpu,
            gpu->debug.create_messenger(gpu->instance, &messenger, NULL, &gpu->debug.messenger),
            "vkCreateDebugUtilsMessengerEXT");
    }
    return result;
}

void vks_destroy_instance(struct vks_gpu *gpu)
{
    if (gpu->debug.messenger) {
        gpu->debug.destroy_messenger(gpu->instance, gpu->debug.messenger, NULL);
    }
    if (gpu->instance) {
        vkDestroyInstance(gpu->instance, NULL);
    }
}
