/* SPDX-License-Identifier: MIT */
/* Shared by the files that open and close a device: instance.c, validation.c, physical.c,
 * floor.c, features.c, device.c, pipeline.c and kept.c. */
#ifndef VKS_GPU_INTERNAL_H
#define VKS_GPU_INTERNAL_H

#include "gpu/device.h"
#include "gpu/features.h"

/* --- instance.c ------------------------------------------------------------------------------ */

/* Loads the Vulkan loader and creates the instance, with a messenger if validation is on. After a
 * failure, call vks_destroy_instance(). */
enum vks_result vks_create_instance(struct vks_gpu *gpu, const struct vks_gpu_params *params);
void vks_destroy_instance(struct vks_gpu *gpu);

/* --- validation.c ---------------------------------------------------------------------------- */

/* What asks vkCreateInstance for the validation layer. The structures refer to each other. */
struct vks_validation_request {
    const char *layer;
    const char *extension; /* of the layer, to be enabled with it; NULL: none */
    VkDebugUtilsMessengerCreateInfoEXT messenger; /* first of the chain */
    VkValidationFeaturesEXT features;
};

/* Fills *request for any kind but OFF, with messages that are logged and counted in *gpu. Fails if
 * the layer is not installed. */
enum vks_result vks_validation_request(struct vks_gpu *gpu, enum vks_validation kind,
                                       struct vks_validation_request *request);

/* --- physical.c ------------------------------------------------------------------------------ */

enum { VKS_MAX_FAMILIES = 32 };

/* What a device must have at least, besides Vulkan 1.3: see describe() in physical.c. */
enum {
    VKS_FLOOR_BUFFERS = 24, /* storage buffers of a shader */
    VKS_FLOOR_SHARED = 32 << 10,
    VKS_FLOOR_INVOCATIONS = 256, /* of a workgroup */
    VKS_FLOOR_PUSH = 128,
};

/* The queue family to use: compute and transfer, preferably with graphics (for a window's blit).
 * False if there is none. */
bool vks_find_family(VkPhysicalDevice physical, uint32_t *family, VkQueueFamilyProperties *out);

/* Sets gpu->physical and gpu->info to the device named by `wanted` or VKSIM_DEVICE, else to the
 * best one. */
enum vks_result vks_choose_device(struct vks_gpu *gpu, const struct vks_gpu_params *params);

/* --- floor.c --------------------------------------------------------------------------------- */

/* Reads VKSIM_FLOOR, which tests set to "core", "floor" or "roadmap-2022". VKS_ERROR_USAGE for any
 * other value. */
enum vks_result vks_floor_choose(void);
/* Wraps the functions that ask physical devices, after volk has loaded them, so that devices offer
 * no more than the chosen profile does; without one it does nothing. */
void vks_floor_lower(void);

/* --- features.c ------------------------------------------------------------------------------ */

/* The linked Vulkan feature structures that the table of features refers to. */
struct vks_feature_chain {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
#ifdef VK_KHR_cooperative_matrix
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
#endif
#ifdef VK_NV_cooperative_matrix2
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2;
#endif
};

/* The features of the table that a Vulkan 1.3 device offers. */
struct vks_offer {
    uint32_t features; /* bits 1 << enum vks_feature */
    uint32_t unknown;  /* the same, for features unknown to the Vulkan headers of this build */
    const char *extensions[VKS_FEATURE_COUNT]; /* the one that each feature needs; NULL: none */
};
void vks_read_offer(VkPhysicalDevice physical, struct vks_offer *offer);

/* Names of the features in `text`, separated by commas. */
void vks_offer_text(const struct vks_offer *offer, char *text, size_t size);

/* Fills the chain and the extension list for creating the device, and gpu->features, with every
 * feature that is in `offer` and requested by `params`. */
void vks_enable_features(struct vks_gpu *gpu, const struct vks_gpu_params *params,
                         const struct vks_offer *offer, struct vks_feature_chain *chain,
                         const char *extensions[VKS_FEATURE_COUNT], uint32_t *extension_count);

/* --- pipeline.c ------------------------------------------------------------------------------ */

/* Destroys gpu->layouts. */
void vks_gpu_layouts_free(struct vks_gpu *gpu);

/* --- kept.c ---------------------------------------------------------------------------------- */

/* The kept pipeline of a shader with that key, which gets one more user; VK_NULL_HANDLE: none. */
VkPipeline vks_kept_find(struct vks_gpu *gpu, const struct vks_shader *shader, const uint32_t *key,
                         size_t words);
/* Keeps a pipeline with one user. VKS_ERROR_GPU: out of memory; it is still the caller's. */
enum vks_result vks_kept_add(struct vks_gpu *gpu, const struct vks_shader *shader,
                             const uint32_t *key, size_t words, VkPipeline pipeline);
/* One user less. Without users it stays for the next one, unless there are many. */
void vks_kept_release(struct vks_gpu *gpu, VkPipeline pipeline);
void vks_kept_free(struct vks_gpu *gpu); /* nothing may use them any more */

#endif
