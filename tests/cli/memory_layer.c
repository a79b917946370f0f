/* SPDX-License-Identifier: MIT */
/* A Vulkan layer that changes what a device reports about itself, so that tests do not depend on
 * the driver and the machine; they name it in VK_INSTANCE_LAYERS. Environment variables:
 *
 *   MEMORY_LAYER_HEAP    the size and budget of each heap that the device reports, in bytes
 *   MEMORY_LAYER_BUFFERS the storage buffers that a shader can have
 *   MEMORY_LAYER_PIECE   the largest allocation that succeeds, in bytes
 *   MEMORY_LAYER_SHORT   from the allocation of that number on, memory is short until the next call
 *                        that waits
 *   MEMORY_LAYER_LOST    the device is lost from that call on, of those that submit work and wait
 *   MEMORY_LAYER_HANGS   the device does none of the work that is submitted from that call on
 *   MEMORY_LAYER_WRONG   FROM:TO, the numbers of two SPIR-V instructions with equal operands: the
 *                        driver seems to compile the first as the second
 *   MEMORY_LAYER_CALLS   a file that gets the number of these calls when the device is destroyed
 *   MEMORY_LAYER_ACQUIRE, MEMORY_LAYER_PRESENT
 *                        what calls of vkAcquireNextImageKHR and vkQueuePresentKHR return: a list
 *                        of NUMBER:RESULT, such as 3:-1000000000 for a surface that is lost in the
 *                        third call; the number 0 is all calls
 *   MEMORY_LAYER_QUEUES  if set, another family of queues seems to follow those of the device,
 * which alone presents; images that it presents must be shared with it MEMORY_LAYER_MODES   the
 * number of present modes that a surface has: the first of the driver's MEMORY_LAYER_REPLAY  if
 * set, the device reports bufferDeviceAddressCaptureReplay, which is then not enabled: RenderDoc
 * presents devices without it, such as lavapipe, as Vulkan 1.2 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/* Functions of the next layer or the driver, looked up when an instance or a device is made: later
 * the loader would return those of this layer. The programs under test use one of each at a time.
 */
static struct {
    PFN_vkGetInstanceProcAddr instance_function;
    PFN_vkGetDeviceProcAddr device_function;
    PFN_vkCreateDevice create_device;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties families;
    PFN_vkGetPhysicalDeviceMemoryProperties memory_properties;
    PFN_vkGetPhysicalDeviceMemoryProperties2 memory_properties2;
    PFN_vkGetPhysicalDeviceFeatures2 features2;
    PFN_vkGetPhysicalDeviceProperties properties;
    PFN_vkGetPhysicalDeviceSurfacePresentModesKHR modes;
    PFN_vkGetPhysicalDeviceSurfaceSupportKHR support;
    PFN_vkGetDeviceQueue queue;
    PFN_vkCreateSwapchainKHR swapchain;
    PFN_vkAllocateMemory allocate_memory;
    PFN_vkCreateShaderModule create_module;
    PFN_vkDestroyDevice destroy_device;
    PFN_vkQueueSubmit2 submit;
    PFN_vkWaitSemaphores wait;
    PFN_vkGetSemaphoreCounterValue value;
    PFN_vkAcquireNextImageKHR acquire;
    PFN_vkQueuePresentKHR present;
} next;

static VkDeviceSize number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* The link of the loader's chain that says what comes next. Both kinds begin alike. */
static VkLayerInstanceCreateInfo *find_link(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *at = chain; at; at = at->pNext) {
        VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)at;
        if (at->sType == type && link->function == VK_LAYER_LINK_INFO) {
            return link;
        }
    }
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks,
                                                      VkInstance *out)
{
    VkLayerInstanceCreateInfo *link =
        find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    next.instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)next.instance_function(NULL, "vkCreateInstance");
    const VkResult made = create(info, callbacks, out);
    if (made == VK_SUCCESS) {
#define LOOK_UP(name) (PFN_##name) next.instance_function(*out, #name)
        next.create_device = LOOK_UP(vkCreateDevice);
        next.families = LOOK_UP(vkGetPhysicalDeviceQueueFamilyProperties);
        next.memory_properties = LOOK_UP(vkGetPhysicalDeviceMemoryProperties);
        next.memory_properties2 = LOOK_UP(vkGetPhysicalDeviceMemoryProperties2);
        next.features2 = LOOK_UP(vkGetPhysicalDeviceFeatures2);
        next.properties = LOOK_UP(vkGetPhysicalDeviceProperties);
        next.modes = LOOK_UP(vkGetPhysicalDeviceSurfacePresentModesKHR);
        next.support = LOOK_UP(vkGetPhysicalDeviceSurfaceSupportKHR);
#undef LOOK_UP
    }
    return made;
}

/* Whether there seems to be a second family of queues, after the only one of software drivers. */
static bool has_second(void)
{
    return getenv("MEMORY_LAYER_QUEUES") != NULL;
}

/* Sets bufferDeviceAddressCaptureReplay in the chain, if the environment says so. */
static void set_replay(const void *chain, VkBool32 value)
{
    for (const VkBaseInStructure *at = chain; at && getenv("MEMORY_LAYER_REPLAY"); at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            ((VkPhysicalDeviceVulkan12Features *)at)->bufferDeviceAddressCaptureReplay = value;
        }
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                                    const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkDevice *out)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)find_link(
        info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    next.device_function = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    set_replay(info->pNext, VK_FALSE);
    VkDeviceCreateInfo real = *info;
    real.queueCreateInfoCount -= has_second() ? 1 : 0;
    const VkResult made = next.create_device(physical, &real, callbacks, out);
    if (made == VK_SUCCESS) {
#define LOOK_UP(name) (PFN_##name) next.device_function(*out, #name)
        next.allocate_memory = LOOK_UP(vkAllocateMemory);
        next.create_module = LOOK_UP(vkCreateShaderModule);
        next.destroy_device = LOOK_UP(vkDestroyDevice);
        next.submit = LOOK_UP(vkQueueSubmit2);
        next.wait = LOOK_UP(vkWaitSemaphores);
        next.value = LOOK_UP(vkGetSemaphoreCounterValue);
        next.queue = LOOK_UP(vkGetDeviceQueue);
        next.swapchain = LOOK_UP(vkCreateSwapchainKHR);
        next.acquire = LOOK_UP(vkAcquireNextImageKHR);
        next.present = LOOK_UP(vkQueuePresentKHR);
#undef LOOK_UP
    }
    return made;
}

/* MEMORY_LAYER_TIMESTAMP_BITS: the valid bits of timestamps that queues report; 0: there are none.
 */
static VKAPI_ATTR void VKAPI_CALL families(VkPhysicalDevice physical, uint32_t *count,
                                           VkQueueFamilyProperties *properties)
{
    const VkDeviceSize bits = number("MEMORY_LAYER_TIMESTAMP_BITS");
    if (has_second() && !properties) {
        *count = 2;
        return;
    }
    if (has_second()) {
        *count = 1;
        next.families(physical, count, properties);
        properties[1] = properties[0];
        *count = 2;
    } else {
        next.families(physical, count, properties);
    }
    for (uint32_t i = 0; properties && bits != UINT64_MAX && i < *count; i++) {
        properties[i].timestampValidBits = (uint32_t)bits;
    }
}

static void shrink(VkPhysicalDeviceMemoryProperties *properties)
{
    const VkDeviceSize size = number("MEMORY_LAYER_HEAP");
    for (uint32_t i = 0; i < properties->memoryHeapCount; i++) {
        if (properties->memoryHeaps[i].size > size) {
            properties->memoryHeaps[i].size = size;
        }
    }
}

/* llvmpipe has budgets from Mesa 25 on; what it calls used is what the whole system uses. */
static void shrink_budget(VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    const VkDeviceSize size = number("MEMORY_LAYER_HEAP");
    for (uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS; i++) {
        if (budget->heapBudget[i] > size) {
            budget->heapBudget[i] = size;
            budget->heapUsage[i] = 0;
        }
    }
}

static VKAPI_ATTR void VKAPI_CALL memory_properties(VkPhysicalDevice physical,
                                                    VkPhysicalDeviceMemoryProperties *properties)
{
    next.memory_properties(physical, properties);
    shrink(properties);
}

static VKAPI_ATTR void VKAPI_CALL memory_properties2(VkPhysicalDevice physical,
                                                     VkPhysicalDeviceMemoryProperties2 *properties)
{
    next.memory_properties2(physical, properties);
    shrink(&properties->memoryProperties);
    for (VkBaseOutStructure *at = properties->pNext; at; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) {
            shrink_budget((VkPhysicalDeviceMemoryBudgetPropertiesEXT *)at);
        }
    }
}

static VKAPI_ATTR void VKAPI_CALL features2(VkPhysicalDevice physical,
                                            VkPhysicalDeviceFeatures2 *features)
{
    next.features2(physical, features);
    set_replay(features->pNext, VK_TRUE);
}

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice physical,
                                             VkPhysicalDeviceProperties *out)
{
    const VkDeviceSize most = number("MEMORY_LAYER_BUFFERS");
    next.properties(physical, out);
    if (out->limits.maxPerStageDescriptorStorageBuffers > most) {
        out->limits.maxPerStageDescriptorStorageBuffers = (uint32_t)most;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL modes(VkPhysicalDevice physical, VkSurfaceKHR surface,
                                            uint32_t *count, VkPresentModeKHR *values)
{
    const VkDeviceSize most = number("MEMORY_LAYER_MODES");
    const VkResult result = next.modes(physical, surface, count, values);
    *count = *count > most ? (uint32_t)most : *count;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL support(VkPhysicalDevice physical, uint32_t family,
                                              VkSurfaceKHR surface, VkBool32 *supported)
{
    if (has_second() && family == 0) {
        *supported = VK_FALSE;
        return VK_SUCCESS;
    }
    return next.support(physical, has_second() ? 0 : family, surface, supported);
}

static VKAPI_ATTR void VKAPI_CALL queue(VkDevice device, uint32_t family, uint32_t index,
                                        VkQueue *out)
{
    next.queue(device, has_second() ? 0 : family, index, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL swapchain(VkDevice device,
                                                const VkSwapchainCreateInfoKHR *info,
                                                const VkAllocationCallbacks *callbacks,
                                                VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR real = *info;
    if (has_second() &&
        (info->imageSharingMode != VK_SHARING_MODE_CONCURRENT || info->queueFamilyIndexCount != 2 ||
         info->pQueueFamilyIndices[0] + info->pQueueFamilyIndices[1] != 1)) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    if (has_second()) {
        real.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
    }
    return next.swapchain(device, &real, callbacks, out);
}

static _Atomic bool is_short; /* of memory */

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device,
                                                      const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *callbacks,
                                                      VkDeviceMemory *memory)
{
    static _Atomic uint64_t allocations;
    is_short = is_short || ++allocations == number("MEMORY_LAYER_SHORT");
    if (is_short || info->allocationSize > number("MEMORY_LAYER_PIECE")) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    return next.allocate_memory(device, info, callbacks, memory);
}

/* Instructions begin with a word of their length and number, after a header of five words. */
static void replace(uint32_t *words, size_t count, const char *numbers)
{
    char *end;
    const uint32_t from = (uint32_t)strtoul(numbers, &end, 10);
    const uint32_t to = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : from;
    for (size_t at = 5; at < count && words[at] >> 16 > 0; at += words[at] >> 16) {
        words[at] = (words[at] & 0xffff) == from ? (words[at] & 0xffff0000) | to : words[at];
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkShaderModule *module)
{
    const char *wrong = getenv("MEMORY_LAYER_WRONG");
    uint32_t *words = wrong ? malloc(info->codeSize) : NULL;
    VkShaderModuleCreateInfo real = *info;
    if (words) {
        memcpy(words, info->pCode, info->codeSize);
        replace(words, info->codeSize / sizeof(*words), wrong);
        real.pCode = words;
    }
    const VkResult result = next.create_module(device, &real, callbacks, module);
    free(words);
    return result;
}

static _Atomic uint64_t calls;

static bool is_lost(void)
{
    return calls >= number("MEMORY_LAYER_LOST");
}

/* Counts a call; whether the device is lost by then. */
static bool is_lost_now(void)
{
    calls++;
    return is_lost();
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device,
                                                 const VkAllocationCallbacks *callbacks)
{
    const char *name = getenv("MEMORY_LAYER_CALLS");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) {
        fprintf(file, "%llu", (unsigned long long)calls);
        fclose(file);
    }
    next.destroy_device(device, callbacks);
}

/* From this call on, work never ends: what is submitted is not run. */
static bool hangs(void)
{
    return calls >= number("MEMORY_LAYER_HANGS");
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                             const VkSubmitInfo2 *infos, VkFence fence)
{
    return is_lost_now() ? VK_ERROR_DEVICE_LOST
           : hangs()     ? VK_SUCCESS
                         : next.submit(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_semaphores(VkDevice device,
                                                      const VkSemaphoreWaitInfo *info,
                                                      uint64_t timeout)
{
    is_short = false;
    return is_lost_now() ? VK_ERROR_DEVICE_LOST : next.wait(device, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL semaphore_value(VkDevice device, VkSemaphore semaphore,
                                                      uint64_t *value)
{
    return is_lost() ? VK_ERROR_DEVICE_LOST : next.value(device, semaphore, value);
}

/* What the call of this number, from 1, is to return; VK_SUCCESS: what it does. */
static VkResult planned(const char *name, long call)
{
    const char *text = getenv(name);
    char *end;
    while (text && *text) {
        const long number = strtol(text, &end, 10);
        const long result = *end == ':' ? strtol(end + 1, &end, 10) : 0;
        if (number == call || number == 0) {
            return (VkResult)result;
        }
        text = *end ? end + 1 : end;
    }
    return VK_SUCCESS;
}

/* A failing call acquires no image. */
static VKAPI_ATTR VkResult VKAPI_CALL acquire(VkDevice device, VkSwapchainKHR swapchain,
                                              uint64_t timeout, VkSemaphore semaphore,
                                              VkFence fence, uint32_t *index)
{
    static long number;
    const VkResult plan = planned("MEMORY_LAYER_ACQUIRE", ++number);
    if (plan < 0) {
        return plan;
    }
    const VkResult result = next.acquire(device, swapchain, timeout, semaphore, fence, index);
    return result == VK_SUCCESS ? plan : result;
}

/* A failing call has waited for its semaphores, too. */
static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
    static long number;
    const VkResult plan = planned("MEMORY_LAYER_PRESENT", ++number);
    const VkResult result = next.present(queue, info);
    return result == VK_SUCCESS ? plan : result;
}

static PFN_vkVoidFunction own(const char *name);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name)
{
    const PFN_vkVoidFunction function = own(name);
    return function ? function : next.device_function(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance,
                                                                  const char *name)
{
    const PFN_vkVoidFunction function = own(name);
    return function || !next.instance_function ? function : next.instance_function(instance, name);
}

static PFN_vkVoidFunction own(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_function},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_function},
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)families},
        {"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)memory_properties},
        {"vkGetPhysicalDeviceMemoryProperties2", (PFN_vkVoidFunction)memory_properties2},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)properties},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)features2},
        {"vkGetPhysicalDeviceSurfacePresentModesKHR", (PFN_vkVoidFunction)modes},
        {"vkGetPhysicalDeviceSurfaceSupportKHR", (PFN_vkVoidFunction)support},
        {"vkGetDeviceQueue", (PFN_vkVoidFunction)queue},
        {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)swapchain},
        {"vkAllocateMemory", (PFN_vkVoidFunction)allocate_memory},
        {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
        {"vkQueueSubmit2", (PFN_vkVoidFunction)submit},
        {"vkWaitSemaphores", (PFN_vkVoidFunction)wait_semaphores},
        {"vkGetSemaphoreCounterValue", (PFN_vkVoidFunction)semaphore_value},
        {"vkAcquireNextImageKHR", (PFN_vkVoidFunction)acquire},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].function;
        }
    }
    return NULL;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_function;
    interface->pfnGetDeviceProcAddr = device_function;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
