/* SPDX-License-Identifier: MIT */
/* One Vulkan device with one queue, opened through volk. Everything above this layer that talks
 * Vulkan does so through a struct vks_gpu. */
#ifndef VKS_GPU_DEVICE_H
#define VKS_GPU_DEVICE_H

#include <vksim/vksim.h>

#include <volk.h>

struct vks_gpu_params {
    const char *device; /* as in struct vks_context_params */
    enum vks_validation validation;
    bool no_disk_cache;
    /* Only to compile: pipelines keep register and spill counts, where the driver has them, and
     * nothing can be submitted (null devices have neither memory nor semaphores). */
    bool statistics;
    uint32_t without; /* tests only: bits 1 << enum vks_feature that stay off */
    const char *const *instance_extensions; /* of the window system; NULL-terminated; NULL: none */
};

/* Entry points of VK_EXT_debug_utils, which belong to the instance; NULL without it. */
struct vks_debug {
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkCreateDebugUtilsMessengerEXT create_messenger;
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
    VkDebugUtilsMessengerEXT messenger; /* only with validation */
};

/* What all pipelines of a shader share. A driver's cache may find a pipeline only with the layout
 * that it was built with, so layouts live as long as the device. */
struct vks_layouts {
    const struct vks_shader *shader;
    VkDescriptorSetLayout set;
    VkPipelineLayout pipeline;
};

struct vks_gpu {
    VkInstance instance;
    struct vks_debug debug;
    VkPhysicalDevice physical;
    VkDevice device;
    struct VolkDeviceTable vk; /* the device's own entry points */
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    struct vks_device_info info;
    uint32_t features; /* those enabled, for vks_gpu_has() */
    /* Bytes above which a field is split, if all its passes can reach it by chunks: the most that a
     * shader can bind, info.largest_buffer. Tests set less. */
    uint64_t field_range;
    uint64_t max_allocation;  /* bytes of one VkDeviceMemory */
    uint32_t allocations;     /* VkDeviceMemory that there are now */
    uint64_t allocated_bytes; /* of them */
    double timestamp_period;  /* seconds a tick; 0 when the queue has no timestamps */
    uint64_t timestamp_mask;
    /* Lanes of a subgroup; `most` is 0 where no subgroup passes values from lane to lane, or the
     * size is not known beforehand. `sized`: a pipeline can ask for one of several. */
    bool subgroup_sized;
    uint32_t subgroup_least, subgroup_most;
    uint32_t subgroups_most; /* in a workgroup */
    bool can_blit;           /* the queue does graphics: what a window needs */
    bool serial;             /* wait for each submission at once */
    VkSemaphore timeline;    /* the only clock: signalled by every submission */
    uint64_t submitted;      /* value the last submission signals */
    VkPipelineCache cache;
    struct vks_layouts *layouts; /* of the shaders used so far (gpu/pipeline.c) */
    size_t layouts_count, layouts_capacity;
    char *cache_path;    /* NULL: no disk cache */
    size_t cache_loaded; /* bytes that came from the disk */
    uint64_t validation_messages;
};

/* Opens a device; logs which, and that it is software when it is. On failure everything is undone
 * and *gpu is zero. */
enum vks_result vks_gpu_open(struct vks_gpu *gpu, const struct vks_gpu_params *params);
/* Waits for the device, saves the pipeline cache and closes; only the count of validation messages
 * stays. A zeroed structure is fine. */
void vks_gpu_close(struct vks_gpu *gpu);

enum vks_result vks_gpu_list(struct vks_device_info *infos, size_t capacity, size_t *count);

/* VKS_OK, or a sentence with the call, the device and Vulkan's code. */
enum vks_result vks_gpu_check(const struct vks_gpu *gpu, VkResult result, const char *call);
const char *vks_vk_result_text(VkResult result);

/* Submits command buffers that signal the next timeline value (gpu->submitted afterwards). `wait`
 * and `signal` are binary semaphores of a swapchain, or VK_NULL_HANDLE. */
enum vks_result vks_gpu_submit(struct vks_gpu *gpu, VkCommandBuffer commands, VkSemaphore wait,
                               VkSemaphore signal);
/* Waits until the timeline has reached `value`. Safe from any thread. */
enum vks_result vks_gpu_wait(const struct vks_gpu *gpu, uint64_t value);
/* True when the timeline has reached `value`; never blocks. */
bool vks_gpu_reached(const struct vks_gpu *gpu, uint64_t value);

/* Pipeline cache file (src/gpu/cache.c): a damaged or foreign file is ignored. */
enum vks_result vks_gpu_cache_open(struct vks_gpu *gpu, bool disk);
void vks_gpu_cache_close(struct vks_gpu *gpu);
/* KIND-device-driver.EXTENSION in $VKSIM_CACHE_DIR, $XDG_CACHE_HOME/vksim or ~/.cache/vksim: a heap
 * string, the caller's; NULL when none of them is set. */
char *vks_gpu_cache_name(const struct vks_gpu *gpu, const char *kind, const char *extension);
/* Writes such a file, and its folders. Best effort: what cannot be kept costs time, not the run. */
void vks_gpu_cache_keep(char *path, const void *data, size_t size);

#endif
