/* SPDX-License-Identifier: MIT */
#include "gpu/device.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

enum { MAX_DEVICES = 32, MAX_FAMILIES = 32, MAX_EXTENSIONS = 16 };

const char *vks_vk_result_text(VkResult result)
{
    switch (result) {
#define ROW(name) \
    case name:    \
        return #name;
        ROW(VK_SUCCESS)
        ROW(VK_NOT_READY)
        ROW(VK_TIMEOUT)
        ROW(VK_INCOMPLETE)
        ROW(VK_ERROR_OUT_OF_HOST_MEMORY)
        ROW(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        ROW(VK_ERROR_INITIALIZATION_FAILED)
        ROW(VK_ERROR_DEVICE_LOST)
        ROW(VK_ERROR_MEMORY_MAP_FAILED)
        ROW(VK_ERROR_LAYER_NOT_PRESENT)
        ROW(VK_ERROR_EXTENSION_NOT_PRESENT)
        ROW(VK_ERROR_FEATURE_NOT_PRESENT)
        ROW(VK_ERROR_INCOMPATIBLE_DRIVER)
        ROW(VK_ERROR_TOO_MANY_OBJECTS)
        ROW(VK_ERROR_FORMAT_NOT_SUPPORTED)
        ROW(VK_ERROR_FRAGMENTED_POOL)
        ROW(VK_ERROR_OUT_OF_POOL_MEMORY)
        ROW(VK_ERROR_SURFACE_LOST_KHR)
        ROW(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR)
        ROW(VK_SUBOPTIMAL_KHR)
        ROW(VK_ERROR_OUT_OF_DATE_KHR)
#undef ROW
    default:
        return "a Vulkan error";
    }
}

enum vks_result vks_gpu_check(const struct vks_gpu *gpu, VkResult result, const char *call)
{
    if (result >= 0) {
        return VKS_OK;
    }
    const char *name = gpu && gpu->info.name[0] ? gpu->info.name : "the Vulkan driver";
    const char *hint = "";
    if (result == VK_ERROR_DEVICE_LOST) {
        hint = "; the device stopped working, its driver may have a time limit";
    } else if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
        hint = "; a smaller --size or fewer items need less memory";
    }
    return vks_fail(VKS_ERROR_GPU, "%s failed on %s: %s%s", call, name, vks_vk_result_text(result),
                    hint);
}

/* --- instance -------------------------------------------------------------------------------- */

static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct vks_gpu *gpu = user;
    (void)severity;
    (void)types;
    /* What the layer cannot look at on this device is no finding. */
    if (data->pMessageIdName &&
        strcmp(data->pMessageIdName, "UNASSIGNED-GPU-Assisted Validation Warning") == 0) {
        vks_message(VKS_LOG_VERBOSE, "validation layer: %s",
                    data->pMessage ? data->pMessage : "(no text)");
        return VK_FALSE;
    }
    __atomic_add_fetch(&gpu->validation_messages, 1, __ATOMIC_RELAXED);
    vks_message(VKS_LOG_ERROR, "validation: %s", data->pMessage ? data->pMessage : "(no text)");
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

static enum vks_result create_instance(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";
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
    bool validate = params->validation != VKS_VALIDATION_OFF;
    if (validate) {
        if (!has_layer(validation_layer)) {
            return vks_fail(VKS_ERROR_DEVICE,
                            "--validate needs the Vulkan validation layer, which is not installed "
                            "(Debian: apt install vulkan-validationlayers)");
        }
        extensions[extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    }
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
    VkResult made = vkCreateInstance(&info, NULL, &gpu->instance);
    if (made == VK_ERROR_INCOMPATIBLE_DRIVER) {
        gpu->instance = VK_NULL_HANDLE;
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan driver found; install the GPU's driver or a "
                                          "software one (Debian: apt install mesa-vulkan-drivers)");
    }
    if (made != VK_SUCCESS) {
        gpu->instance = VK_NULL_HANDLE;
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan instance could be made: %s",
                        vks_vk_result_text(made));
    }
    load_instance_functions(gpu->instance, params->instance_extensions != NULL);
    if (validate) {
        /* Loader functions of an extension belong to their instance. */
        PFN_vkVoidFunction create =
            vkGetInstanceProcAddr(gpu->instance, "vkCreateDebugUtilsMessengerEXT");
        PFN_vkVoidFunction destroy =
            vkGetInstanceProcAddr(gpu->instance, "vkDestroyDebugUtilsMessengerEXT");
        if (!create || !destroy) {
            return vks_fail(VKS_ERROR_DEVICE, "the validation layer has no debug messenger");
        }
        messenger.pNext = NULL;
        gpu->destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)destroy;
        return vks_gpu_check(gpu,
                             ((PFN_vkCreateDebugUtilsMessengerEXT)create)(gpu->instance, &messenger,
                                                                          NULL, &gpu->messenger),
                             "vkCreateDebugUtilsMessengerEXT");
    }
    return VKS_OK;
}

/* --- choosing a device ----------------------------------------------------------------------- */

/* The queue family to use: compute and transfer, with graphics where there is (a window's blit). */
static bool find_family(VkPhysicalDevice physical, uint32_t *family, VkQueueFamilyProperties *out)
{
    VkQueueFamilyProperties families[MAX_FAMILIES];
    uint32_t count = MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if (!(flags & VK_QUEUE_COMPUTE_BIT)) {
            continue;
        }
        int score = flags & VK_QUEUE_GRAPHICS_BIT ? 1 : 0;
        if (best < 0 || score > best) {
            best = score;
            *family = i;
            *out = families[i];
        }
    }
    return best >= 0;
}

static void add_lack(char *lacks, size_t size, const char *text)
{
    size_t used = strlen(lacks);
    snprintf(lacks + used, size - used, "%s%s", used ? ", " : "", text);
}

static void describe(VkPhysicalDevice physical, uint32_t index, struct vks_device_info *info)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                       .pNext = &driver};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    VkPhysicalDeviceVulkan13Properties properties13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties properties11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &properties13};
    *info = (struct vks_device_info){.index = index};

    VkPhysicalDeviceProperties plain;
    vkGetPhysicalDeviceProperties(physical, &plain);
    bool recent = plain.apiVersion >= VK_API_VERSION_1_2;
    if (recent) {
        vkGetPhysicalDeviceProperties2(physical, &properties);
        snprintf(info->driver, sizeof(info->driver), "%s %s", driver.driverName, driver.driverInfo);
        char *out = info->uuid;
        for (unsigned i = 0; i < VK_UUID_SIZE; i++) {
            out += sprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                           id.deviceUUID[i]);
        }
    }
    snprintf(info->name, sizeof(info->name), "%s", plain.deviceName);
    snprintf(info->api_version, sizeof(info->api_version), "%u.%u.%u",
             VK_API_VERSION_MAJOR(plain.apiVersion), VK_API_VERSION_MINOR(plain.apiVersion),
             VK_API_VERSION_PATCH(plain.apiVersion));
    switch (plain.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        info->type = VKS_DEVICE_INTEGRATED;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        info->type = VKS_DEVICE_DISCRETE;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        info->type = VKS_DEVICE_VIRTUAL;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        info->type = VKS_DEVICE_SOFTWARE;
        break;
    default:
        info->type = VKS_DEVICE_OTHER;
        break;
    }
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++) {
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            memory.memoryHeaps[i].size > info->memory) {
            info->memory = memory.memoryHeaps[i].size;
        }
    }
    info->largest_buffer = plain.limits.maxStorageBufferRange;
    if (plain.apiVersion >= VK_API_VERSION_1_3) {
        VkPhysicalDeviceProperties2 more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &properties11};
        vkGetPhysicalDeviceProperties2(physical, &more);
        if (properties13.maxBufferSize < info->largest_buffer) {
            info->largest_buffer = properties13.maxBufferSize;
        }
        if (properties11.maxMemoryAllocationSize < info->largest_buffer) {
            info->largest_buffer = properties11.maxMemoryAllocationSize;
        }
    }

    char *lacks = info->lacks;
    size_t size = sizeof(info->lacks);
    if (plain.apiVersion < VK_API_VERSION_1_3) {
        add_lack(lacks, size, "Vulkan 1.3");
    }
    uint32_t family;
    VkQueueFamilyProperties queue;
    if (!find_family(physical, &family, &queue)) {
        add_lack(lacks, size, "a compute queue");
    }
    if (plain.limits.maxComputeSharedMemorySize < 32768) {
        add_lack(lacks, size, "32 KiB of shared memory");
    }
    if (plain.limits.maxComputeWorkGroupInvocations < 256) {
        add_lack(lacks, size, "workgroups of 256");
    }
    if (plain.limits.maxPushConstantsSize < 128) {
        add_lack(lacks, size, "128 bytes of push constants");
    }
}

/* 4 for discrete down to 0 for software; -1 when it lacks something. */
static int score_of(const struct vks_device_info *info)
{
    static const int scores[] = {
        [VKS_DEVICE_OTHER] = 1,   [VKS_DEVICE_INTEGRATED] = 3, [VKS_DEVICE_DISCRETE] = 4,
        [VKS_DEVICE_VIRTUAL] = 2, [VKS_DEVICE_SOFTWARE] = 0,
    };
    return info->lacks[0] ? -1 : scores[info->type];
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}

static bool selects(const char *wanted, const struct vks_device_info *info)
{
    char *end;
    unsigned long index = strtoul(wanted, &end, 10);
    if (isdigit((unsigned char)wanted[0]) && *end == '\0') {
        return index == info->index;
    }
    return strcasecmp(info->uuid, wanted) == 0 || contains_ignoring_case(info->name, wanted);
}

static enum vks_result enumerate(struct vks_gpu *gpu, VkPhysicalDevice *devices, uint32_t *count)
{
    *count = MAX_DEVICES;
    VkResult result = vkEnumeratePhysicalDevices(gpu->instance, count, devices);
    if (result < 0) {
        return vks_fail(VKS_ERROR_DEVICE, "the Vulkan drivers could not be listed: %s",
                        vks_vk_result_text(result));
    }
    return VKS_OK;
}

static enum vks_result choose(struct vks_gpu *gpu, const char *wanted)
{
    VkPhysicalDevice devices[MAX_DEVICES];
    struct vks_device_info infos[MAX_DEVICES];
    uint32_t count;
    enum vks_result result = enumerate(gpu, devices, &count);
    if (result != VKS_OK) {
        return result;
    }
    if (count == 0) {
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan device found; install the GPU's driver or a "
                                          "software one (Debian: apt install mesa-vulkan-drivers)");
    }
    const char *source = "--device";
    if (!wanted || !wanted[0]) {
        wanted = getenv("VKSIM_DEVICE");
        source = "VKSIM_DEVICE";
    }
    bool any = !wanted || !wanted[0];
    int best = -1;
    int best_score = -2;
    char list[1024] = "";
    for (uint32_t i = 0; i < count; i++) {
        describe(devices[i], i, &infos[i]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%u '%s'", i ? ", " : "", i, infos[i].name);
        if ((any || selects(wanted, &infos[i])) && score_of(&infos[i]) > best_score) {
            best = (int)i;
            best_score = score_of(&infos[i]);
        }
    }
    if (best < 0) {
        return vks_fail(VKS_ERROR_DEVICE, "%s '%s' is no Vulkan device here; there are: %s", source,
                        wanted, list);
    }
    if (best_score < 0) {
        return vks_fail(VKS_ERROR_DEVICE, "%s lacks what vksim needs: %s", infos[best].name,
                        infos[best].lacks);
    }
    gpu->physical = devices[best];
    gpu->info = infos[best];
    if (gpu->info.type == VKS_DEVICE_SOFTWARE && any) {
        vks_message(VKS_LOG_INFO, "no GPU found: computing on the processor with %s",
                    gpu->info.name);
    } else {
        vks_message(gpu->info.type == VKS_DEVICE_SOFTWARE ? VKS_LOG_INFO : VKS_LOG_VERBOSE,
                    "device %u: %s (%s)", gpu->info.index, gpu->info.name, gpu->info.driver);
    }
    return VKS_OK;
}

static bool has_device_extension(VkPhysicalDevice physical, const char *name)
{
    uint32_t count = 0;
    if (vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) != VK_SUCCESS) {
        return false;
    }
    VkExtensionProperties *extensions = calloc(count ? count : 1, sizeof(*extensions));
    bool found = false;
    if (extensions &&
        vkEnumerateDeviceExtensionProperties(physical, NULL, &count, extensions) >= 0) {
        for (uint32_t i = 0; i < count; i++) {
            found = found || strcmp(extensions[i].extensionName, name) == 0;
        }
    }
    free(extensions);
    return found;
}

static void read_subgroups(struct vks_gpu *gpu)
{
    VkPhysicalDeviceVulkan13Properties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties operations = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &sizes};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &operations};
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    if ((operations.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) &&
        (operations.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)) {
        gpu->subgroup_sized = (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
        gpu->subgroup_least = gpu->subgroup_sized ? sizes.minSubgroupSize : operations.subgroupSize;
        gpu->subgroup_most = gpu->subgroup_sized ? sizes.maxSubgroupSize : operations.subgroupSize;
        gpu->subgroups_most = sizes.maxComputeWorkgroupSubgroups;
        if (!gpu->subgroup_sized && sizes.minSubgroupSize != sizes.maxSubgroupSize) {
            gpu->subgroup_least = gpu->subgroup_most = 0; /* no telling which it will be */
        }
    }
}

static enum vks_result create_device(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    VkQueueFamilyProperties family = {0};
    find_family(gpu->physical, &gpu->family, &family);
    vkGetPhysicalDeviceProperties(gpu->physical, &gpu->properties);
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
    read_subgroups(gpu);
    gpu->can_blit = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    double period = (double)gpu->properties.limits.timestampPeriod * 1e-9;
    if (family.timestampValidBits > 0 && isfinite(period)) {
        gpu->timestamp_period = period;
        gpu->timestamp_mask = family.timestampValidBits >= 64
                                  ? UINT64_MAX
                                  : (UINT64_C(1) << family.timestampValidBits) - 1;
    }

    const char *extensions[2];
    uint32_t extension_count = 0;
    if (params->instance_extensions) {
        if (!gpu->can_blit || !has_device_extension(gpu->physical, "VK_KHR_swapchain")) {
            return vks_fail(VKS_ERROR_DEVICE, "%s cannot show windows; use --headless",
                            gpu->info.name);
        }
        extensions[extension_count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    }
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE,
    };
    if (params->statistics &&
        has_device_extension(gpu->physical, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
        extensions[extension_count++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
        gpu->statistics = true;
    }
    VkPhysicalDeviceFeatures2 available = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkGetPhysicalDeviceFeatures2(gpu->physical, &available);

    /* All are required of every Vulkan 1.3 device. */
    VkPhysicalDeviceVulkan13Features features13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = gpu->statistics ? &executable : NULL,
        .synchronization2 = VK_TRUE,
        .maintenance4 = VK_TRUE,
        .subgroupSizeControl = VK_TRUE,
        .computeFullSubgroups = VK_TRUE,
    };
    VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &features13,
        .timelineSemaphore = VK_TRUE,
    };
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &features12,
    };
    if (params->validation == VKS_VALIDATION_GPU) {
        /* The layer (1.3.239) loses track of timeline semaphores while it reads its findings. */
        gpu->serial = true;
        /* What the instrumented shaders write their findings with. */
        features.features.fragmentStoresAndAtomics = available.features.fragmentStoresAndAtomics;
        features.features.vertexPipelineStoresAndAtomics =
            available.features.vertexPipelineStoresAndAtomics;
        features.features.shaderInt64 = available.features.shaderInt64;
        features12.bufferDeviceAddress = VK_TRUE;
    }
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->family,
        .queueCount = 1,
        .pQueuePriorities = (const float[]){1.0f},
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    VkResult made = vkCreateDevice(gpu->physical, &info, NULL, &gpu->device);
    if (made != VK_SUCCESS) {
        gpu->device = VK_NULL_HANDLE;
        return vks_fail(VKS_ERROR_DEVICE, "%s could not be opened: %s", gpu->info.name,
                        vks_vk_result_text(made));
    }
    volkLoadDeviceTable(&gpu->vk, gpu->device);
    gpu->vk.vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);

    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = gpu->family,
    };
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool),
                      "vkCreateCommandPool");
    if (result != VKS_OK) {
        return result;
    }
    if (params->statistics) {
        return VKS_OK;
    }
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type};
    return vks_gpu_check(gpu,
                         gpu->vk.vkCreateSemaphore(gpu->device, &semaphore, NULL, &gpu->timeline),
                         "vkCreateSemaphore");
}

enum vks_result vks_gpu_open(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    const double begin = vks_seconds();
    *gpu = (struct vks_gpu){0};
    enum vks_result result = create_instance(gpu, params);
    const double instance = vks_seconds();
    if (result == VKS_OK) {
        result = choose(gpu, params->device);
    }
    if (result == VKS_OK) {
        result = create_device(gpu, params);
    }
    if (result == VKS_OK) {
        result = vks_gpu_cache_open(gpu, !params->no_disk_cache);
    }
    if (result != VKS_OK) {
        vks_gpu_close(gpu);
        return result;
    }
    vks_message(VKS_LOG_VERBOSE, "instance made in %.1f ms, device in %.1f ms",
                1e3 * (instance - begin), 1e3 * (vks_seconds() - instance));
    return VKS_OK;
}

void vks_gpu_close(struct vks_gpu *gpu)
{
    if (gpu->device) {
        if (gpu->timeline) {
            gpu->vk.vkDeviceWaitIdle(gpu->device);
            gpu->vk.vkDestroySemaphore(gpu->device, gpu->timeline, NULL);
        }
        vks_gpu_cache_close(gpu);
        gpu->vk.vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
        gpu->vk.vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->messenger) {
        gpu->destroy_messenger(gpu->instance, gpu->messenger, NULL);
    }
    if (gpu->instance) {
        vkDestroyInstance(gpu->instance, NULL);
    }
    *gpu = (struct vks_gpu){.validation_messages = gpu->validation_messages};
}

enum vks_result vks_gpu_list(struct vks_device_info *infos, size_t capacity, size_t *count)
{
    struct vks_gpu gpu = {0};
    VkPhysicalDevice devices[MAX_DEVICES];
    uint32_t found = 0;
    enum vks_result result = create_instance(&gpu, &(struct vks_gpu_params){0});
    if (result == VKS_OK) {
        result = enumerate(&gpu, devices, &found);
    }
    for (uint32_t i = 0; result == VKS_OK && i < found && i < capacity; i++) {
        describe(devices[i], i, &infos[i]);
    }
    *count = found;
    vks_gpu_close(&gpu);
    return result;
}

/* --- the queue ------------------------------------------------------------------------------- */

enum vks_result vks_gpu_submit(struct vks_gpu *gpu, VkCommandBuffer commands, VkSemaphore wait,
                               VkSemaphore signal)
{
    VkSemaphoreSubmitInfo waits = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
        .semaphore = wait,
        .stageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
    };
    VkSemaphoreSubmitInfo signals[2] = {
        {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
            .semaphore = gpu->timeline,
            .value = gpu->submitted + 1,
            .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        },
        {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
            .semaphore = signal,
            .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        },
    };
    VkCommandBufferSubmitInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = commands,
    };
    VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .waitSemaphoreInfoCount = wait ? 1 : 0,
        .pWaitSemaphoreInfos = &waits,
        .commandBufferInfoCount = 1,
        .pCommandBufferInfos = &buffer,
        .signalSemaphoreInfoCount = signal ? 2 : 1,
        .pSignalSemaphoreInfos = signals,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkQueueSubmit2(gpu->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit2");
    if (result == VKS_OK) {
        gpu->submitted++;
    }
    if (result == VKS_OK && gpu->serial) {
        result = vks_gpu_check(gpu, gpu->vk.vkQueueWaitIdle(gpu->queue), "vkQueueWaitIdle");
    }
    return result;
}

enum vks_result vks_gpu_wait(const struct vks_gpu *gpu, uint64_t value)
{
    if (gpu->serial) {
        return VKS_OK;
    }
    VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &gpu->timeline,
        .pValues = &value,
    };
    return vks_gpu_check(gpu, gpu->vk.vkWaitSemaphores(gpu->device, &info, UINT64_MAX),
                         "vkWaitSemaphores");
}

bool vks_gpu_reached(const struct vks_gpu *gpu, uint64_t value)
{
    uint64_t now = 0;
    return gpu->serial ||
           (gpu->vk.vkGetSemaphoreCounterValue(gpu->device, gpu->timeline, &now) == VK_SUCCESS &&
            now >= value);
}
