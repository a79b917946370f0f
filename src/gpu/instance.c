/* SPDX-License-Identifier: MIT */
#include "gpu/internal.h"

#include <pthread.h>

#include "base/error.h"

enum { MAX_EXTENSIONS = 16 };

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
        vks_floor_lower();
        loaded = true;
    }
    pthread_mutex_unlock(&loading);
}

static enum vks_result choose_floor(void)
{
    pthread_mutex_lock(&loading);
    const enum vks_result result = vks_floor_choose();
    pthread_mutex_unlock(&loading);
    return result;
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
    enum vks_result result = choose_floor();
    if (result != VKS_OK) {
        return result;
    }
    const char *extensions[MAX_EXTENSIONS];
    uint32_t extension_count = 0;
    for (size_t i = 0; params->instance_extensions && params->instance_extensions[i]; i++) {
        if (extension_count < MAX_EXTENSIONS - 2) { /* two of ours may follow */
            extensions[extension_count++] = params->instance_extensions[i];
        }
    }
    const bool validate = params->validation != VKS_VALIDATION_OFF;
    struct vks_validation_request request;
    if (validate) {
        result = vks_validation_request(gpu, params->validation, &request);
        if (result != VKS_OK) {
            return result;
        }
        if (request.extension) {
            extensions[extension_count++] = request.extension;
        }
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
        .pNext = validate ? &request.messenger : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validate ? 1 : 0,
        .ppEnabledLayerNames = validate ? &request.layer : NULL,
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
    result = named ? load_debug_functions(gpu, validate) : VKS_OK;
    if (result == VKS_OK && validate) {
        request.messenger.pNext = NULL;
        result = vks_gpu_check(gpu,
                               gpu->debug.create_messenger(gpu->instance, &request.messenger, NULL,
                                                           &gpu->debug.messenger),
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
