/* SPDX-License-Identifier: MIT */
#include "gpu/renderdoc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"

#if VKS_HAVE_RENDERDOC

#include <dlfcn.h>
#include <renderdoc_app.h>

enum { MAX_TOOLS = 16 };

#define COMMAND "renderdoccmd capture -w -d . vksim OPTIONS"

/* RenderDoc's functions; NULL if it is not loaded. It has to be there before the first Vulkan
 * instance, so it is never loaded here. */
static const RENDERDOC_API_1_0_0 *find_api(void)
{
    void *library = dlopen("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library) {
        return NULL;
    }
    pRENDERDOC_GetAPI get_api;
    void *api = NULL;
    *(void **)&get_api = dlsym(library, "RENDERDOC_GetAPI");
    if (get_api && get_api(eRENDERDOC_API_Version_1_0_0, &api) != 1) {
        api = NULL;
    }
    dlclose(library); /* only gives back the reference that dlopen() took */
    return api;
}

/* How RenderDoc names a Vulkan device. Windows are not named: a capture has all of them. */
static RENDERDOC_DevicePointer device_of(const struct vks_gpu *gpu)
{
    return RENDERDOC_DEVICEPOINTER_FROM_VKINSTANCE(gpu->instance);
}

/* Whether the layer is among the tools that are active on the device. The library may be loaded
 * without it. */
static bool has_layer(const struct vks_gpu *gpu)
{
    VkPhysicalDeviceToolProperties tools[MAX_TOOLS] = {{0}};
    uint32_t count = MAX_TOOLS;
    bool found = false;
    for (uint32_t i = 0; i < MAX_TOOLS; i++) {
        tools[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES;
    }
    if (vkGetPhysicalDeviceToolProperties(gpu->physical, &count, tools) < VK_SUCCESS) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        found = found || strcmp(tools[i].name, "RenderDoc") == 0;
    }
    return found;
}

/* Whether the layer will be loaded with the first Vulkan instance. */
static bool is_layer_wanted(void)
{
    static const char *const lists[] = {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"};
    const char *implicit = getenv("ENABLE_VULKAN_RENDERDOC_CAPTURE");
    bool wanted = implicit && implicit[0];
    for (size_t i = 0; i < VKS_COUNT(lists); i++) {
        const char *list = getenv(lists[i]); /* names, or patterns with stars, in any case */
        wanted = wanted || (list && strpbrk(list, "*~"));
        for (; list && !wanted && *list; list++) {
            wanted = strncasecmp(list, "RENDERDOC", strlen("RENDERDOC")) == 0;
        }
    }
    return wanted;
}

enum vks_result vks_renderdoc_check(const struct vks_gpu *gpu)
{
    if (!gpu && is_layer_wanted()) {
        return VKS_OK;
    }
    if (!find_api()) {
        return vks_fail(VKS_ERROR_DEVICE,
                        "RenderDoc is not loaded into this process; start it with: " COMMAND);
    }
    return !gpu || has_layer(gpu)
               ? VKS_OK
               : vks_fail(VKS_ERROR_DEVICE,
                          "RenderDoc is loaded, but its Vulkan layer is not active on "
                          "%s; start the process with: " COMMAND,
                          gpu->info.name);
}

enum vks_result vks_renderdoc_start(const struct vks_gpu *gpu)
{
    enum vks_result result = vks_renderdoc_check(gpu);
    const RENDERDOC_API_1_0_0 *api = find_api();
    if (result == VKS_OK && api->IsFrameCapturing()) {
        return vks_fail(VKS_ERROR_DEVICE, "RenderDoc is already making another capture");
    }
    if (result == VKS_OK) {
        api->StartFrameCapture(device_of(gpu), NULL);
    }
    return result;
}

enum vks_result vks_renderdoc_end(const struct vks_gpu *gpu, char **path)
{
    const RENDERDOC_API_1_0_0 *api = find_api();
    const uint32_t before = api ? api->GetNumCaptures() : 0;
    uint32_t length = 0;
    if (!api || !api->EndFrameCapture(device_of(gpu), NULL) || api->GetNumCaptures() == before ||
        !api->GetCapture(before, NULL, &length, NULL)) {
        return vks_fail(VKS_ERROR_FILE, "RenderDoc could not write its capture; see its log");
    }
    *path = calloc((size_t)length + 1, 1);
    if (!*path) {
        return vks_fail_memory();
    }
    (void)api->GetCapture(before, *path, &length, NULL);
    return VKS_OK;
}

#else

static enum vks_result fail_absent(void)
{
    return vks_fail(VKS_ERROR_DEVICE, "this vksim was built without RenderDoc's header "
                                      "renderdoc_app.h (Debian: librenderdoc-dev), so it cannot "
                                      "make captures");
}

enum vks_result vks_renderdoc_check(const struct vks_gpu *gpu)
{
    (void)gpu;
    return fail_absent();
}

enum vks_result vks_renderdoc_start(const struct vks_gpu *gpu)
{
    (void)gpu;
    return fail_absent();
}

enum vks_result vks_renderdoc_end(const struct vks_gpu *gpu, char **path)
{
    (void)gpu;
    *path = NULL;
    return fail_absent();
}

#endif
