/* SPDX-License-Identifier: MIT */
/* One Vulkan device with one queue, opened through volk. All higher layers use Vulkan through a
 * struct vks_gpu. */
#ifndef VKS_GPU_DEVICE_H
#define VKS_GPU_DEVICE_H

#include <vksim/vksim.h>

#include <pthread.h>
#include <stdatomic.h>
#include <volk.h>

enum { VKS_MAX_DEVICES = 32 }; /* that are listed */
#define VKS_BATCH_SECONDS 0.05

enum { VKS_GPU_SECONDS = 60 }; /* the default timeout of a GPU */

struct vks_gpu_params {
    const char *device; /* as in struct vks_context_params */
    enum vks_validation validation;
    bool no_disk_cache;
    double timeout;       /* as in struct vks_context_params */
    double batch;         /* seconds of the longest submission of steps; 0: VKS_BATCH_SECONDS */
    bool statistics;      /* pipelines keep register and spill counts if the driver reports them */
    bool quiet;           /* no message about the device */
    bool compile_only;    /* for null devices, which have neither memory nor semaphores */
    uint32_t rank, ranks; /* of several on this host, which take the suitable devices in turn, best
                           * first, unless one is named; 0 or 1: there is one */
    uint32_t without;     /* tests only: bits 1 << enum vks_feature to disable */
    const char *const *instance_extensions; /* of the window system; NULL-terminated; NULL: none */
    /* Called after the drivers are loaded and before the device is opened, which takes a GPU's
     * driver a while. May be NULL. */
    void (*opening)(void *user);
    void *user;
};

/* VK_EXT_debug_utils, whose entry points belong to the instance; NULL without it. */
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

/* Other ways to run the passes of simulations that are made from now on, none of which may change
 * a result; zero: the usual one. For vksim check and tests. */
struct vks_probe {
    uint32_t group; /* invocations of a workgroup, in passes that leave it free; 0: declared */
    bool reversed;  /* workgroups one after another, the last first, in passes that do not
                     * count them */
    uint32_t batch_steps; /* steps of each submission; 0: by their time */
};

struct vks_gpu {
    VkInstance instance;
    struct vks_debug debug;
    VkPhysicalDevice physical;
    VkDevice device;
    struct VolkDeviceTable vk; /* the device's own entry points */
    uint32_t family;
    VkQueue queue;
    uint32_t families; /* of the device; with instance extensions, each has a queue for a window */
    pthread_mutex_t lock; /* held by calls that use the queue, which several threads may */
    VkCommandPool pool;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    struct vks_device_info info;
    uint32_t features; /* enabled ones, for vks_gpu_has() */
    /* Bytes above which a field is split, if all its passes have a wide variant: the maximum range
     * of a binding, info.largest_buffer. Tests set less. */
    uint64_t field_range;
    struct vks_probe probe;
    /* A shader copies snapshots faster than copy commands do: not on software drivers, where tests
     * set it. */
    bool copies_by_shader;
    uint64_t max_allocation; /* bytes of one VkDeviceMemory */
    /* Atomic, because other threads read snapshots. */
    _Atomic uint32_t allocations;     /* live VkDeviceMemory objects */
    _Atomic uint64_t allocated_bytes; /* of them */
    _Atomic uint64_t peak_bytes;      /* their maximum so far */
    uint32_t timestamp_bits;          /* valid ones, as the queue reports */
    double timestamp_period;          /* seconds per tick; 0 if the queue has no timestamps */
    double gauge_seconds; /* of graph/settle.h, at the highest clock rate; 0: not known */
    uint64_t timestamp_mask;
    /* Lanes of a subgroup; both are 0 without shuffles or if the size is not known beforehand.
     * `sized`: a pipeline can request a size. */
    bool subgroup_sized;
    uint32_t min_subgroup, max_subgroup;
    uint32_t max_subgroups; /* in a workgroup */
    bool can_blit;          /* the queue supports graphics, for a window's blit */
    bool serial;            /* wait after each submission */
    uint64_t timeout;       /* ns that a wait may take */
    double batch;           /* seconds that a submission of steps may take */
    atomic_bool hung;       /* one took longer: later ones fail at once, and nothing is destroyed */
    VkSemaphore timeline;   /* signalled by every submission */
    _Atomic uint64_t submitted; /* value that the last submission signals */
    VkPipelineCache cache;
    /* Called before the pipeline of a pass is built for a new graph; NULL: nothing. A failure ends
     * that. */
    enum vks_result (*builds)(void *user);
    void *builds_for;
    struct vks_layouts *layouts; /* of the shaders used so far (gpu/pipeline.c) */
    size_t layouts_count, layouts_capacity;
    struct vks_kept_pipeline *kept; /* gpu/kept.c */
    size_t kept_count, kept_capacity;
    char *cache_path;          /* NULL: no disk cache */
    size_t cache_loaded;       /* bytes that came from the disk */
    uint32_t pipelines;        /* created so far, */
    uint32_t pipelines_cached; /* of which the driver found this many in its cache */
    uint64_t validation_messages;
};

/* Opens a device and logs its name, and whether it is a software driver. On failure *gpu is
 * zero. */
enum vks_result vks_gpu_open(struct vks_gpu *gpu, const struct vks_gpu_params *params);
/* Waits for the device, saves the pipeline cache and closes; leaves a device that hangs as it is.
 * Only the count of validation messages remains. A zeroed structure is fine. */
void vks_gpu_close(struct vks_gpu *gpu);

enum vks_result vks_gpu_list(struct vks_device_info *infos, size_t capacity, size_t *count);
/* The devices that vks_gpu_open() would open with each of these parameters, without opening them.
 */
enum vks_result vks_gpu_find(const struct vks_gpu_params *params, size_t count,
                             struct vks_device_info *infos);
/* How many of the devices are of the best kind, which ranks take in turn; 0 without one. */
uint32_t vks_best_devices(const struct vks_device_info *infos, size_t count);
/* Whether `wanted`, an index, a part of a name or a UUID, names that device of the list. */
bool vks_device_selects(const char *wanted, const struct vks_device_info *info);

/* VKS_OK, or an error with the call, the device and Vulkan's code: VKS_ERROR_LOST if the device was
 * lost, else VKS_ERROR_GPU. */
enum vks_result vks_gpu_check(const struct vks_gpu *gpu, VkResult result, const char *call);
const char *vks_vk_result_text(VkResult result);

/* Submits commands that signal the next timeline value (gpu->submitted afterwards). `wait` and
 * `signal` are binary semaphores of a swapchain, or VK_NULL_HANDLE. */
enum vks_result vks_gpu_submit(struct vks_gpu *gpu, VkCommandBuffer commands, VkSemaphore wait,
                               VkSemaphore signal);
/* The same with semaphores of any kind, each NULL for none, and commands that may be
 * VK_NULL_HANDLE. */
enum vks_result vks_gpu_submit_with(struct vks_gpu *gpu, VkCommandBuffer commands,
                                    const VkSemaphoreSubmitInfo *wait,
                                    const VkSemaphoreSubmitInfo *signal);
/* Submits commands that signal a fence, but not the timeline. Safe from any thread. */
enum vks_result vks_gpu_submit_fenced(struct vks_gpu *gpu, VkCommandBuffer commands, VkFence fence);
/* Waits for everything submitted. Safe from any thread. */
enum vks_result vks_gpu_wait_idle(struct vks_gpu *gpu);
/* Waits until the timeline has reached `value`. Safe from any thread. */
enum vks_result vks_gpu_wait(struct vks_gpu *gpu, uint64_t value);
/* Waits for a fence of vks_gpu_submit_fenced(). Safe from any thread. */
enum vks_result vks_gpu_wait_fence(struct vks_gpu *gpu, VkFence fence);
/* True when the timeline has reached `value`; never blocks. */
bool vks_gpu_reached(const struct vks_gpu *gpu, uint64_t value);

/* Pipeline cache file (src/gpu/cache.c): a damaged or foreign file is ignored. */
enum vks_result vks_gpu_cache_open(struct vks_gpu *gpu, bool disk);
void vks_gpu_cache_close(struct vks_gpu *gpu);
/* A file in $VKSIM_CACHE_DIR, $XDG_CACHE_HOME/vksim or ~/.cache/vksim, to be freed; NULL if none of
 * them is set, and in setuid programs. */
char *vks_cache_name(const char *file);
/* KIND-device-driver.EXTENSION there. */
char *vks_gpu_cache_name(const struct vks_gpu *gpu, const char *kind, const char *extension);
/* Writes such a file and creates its folders. A failure is only logged. */
void vks_gpu_cache_keep(char *path, const void *data, size_t size);

#endif
