/* SPDX-License-Identifier: MIT */
#include "ui/swapchain.h"

#include <stdlib.h>

#include "base/error.h"
#include "gpu/debug.h"
#include "gpu/buffer.h"

enum {
    IN_FLIGHT = 2, /* pictures taken, and shown, ahead of the GPU */
    MAX_IMAGES = 16,
    MAX_LEVELS = 17, /* of a picture of 65536 cells a side */
    MAX_FORMATS = 64,
    CRISP = 6, /* from this magnification on cells are drawn as squares, not blended */
};

/* Around a picture that does not fill the window; a shade over black, so that dark pictures have
 * an edge. */
static const VkClearColorValue surround = {.float32 = {0.05f, 0.05f, 0.06f, 1.0f}};

static const uint64_t acquire_nanoseconds = 100000000;

/* One showing: free again when the timeline has reached `value`. */
struct showing {
    VkSemaphore acquired;
    VkCommandBuffer commands;
    uint64_t value;
};

struct vks_swapchain {
    struct vks_gpu *gpu;
    VkSurfaceKHR surface;
    VkSurfaceFormatKHR format;
    VkSwapchainKHR handle; /* null before the first showing */
    VkExtent2D extent;
    uint32_t image_count;
    VkImage images[MAX_IMAGES];
    VkSemaphore drawn[MAX_IMAGES]; /* one an image: free again when that is acquired again */
    bool outdated;                 /* must be made anew */
    bool doubtful;                 /* must be made anew if the surface has another size */
    struct showing showings[IN_FLIGHT];
    size_t showing_at;

    struct vks_size size; /* of the picture */
    uint32_t levels;
    VkImage picture; /* between submissions: level 0 is a transfer source, the others are nothing */
    struct vks_block block;    /* memory of the picture */
    uint64_t taken[IN_FLIGHT]; /* timeline values, a ring */
    size_t taken_at;
    struct vks_graph *graph; /* only while one is taken */
};

/* --- geometry -------------------------------------------------------------------------------- */

/* As large as fits with its sides' ratio, centred. */
static VkRect2D fit(struct vks_size size, VkExtent2D window)
{
    uint64_t width = window.width, height = window.height;
    if (width * size.height <= height * size.width) {
        height = (width * size.height + size.width / 2) / size.width;
    } else {
        width = (height * size.width + size.height / 2) / size.height;
    }
    width = width ? width : 1;
    height = height ? height : 1;
    return (VkRect2D){
        .offset = {(int32_t)((window.width - width) / 2), (int32_t)((window.height - height) / 2)},
        .extent = {(uint32_t)width, (uint32_t)height},
    };
}

static uint32_t level_side(uint32_t side, uint32_t level)
{
    return side >> level ? side >> level : 1;
}

/* Halvings after which what is left is less than a factor of two, which the filter can do without
 * leaving cells out. */
static uint32_t level_for(const struct vks_swapchain *swapchain, VkExtent2D shown)
{
    uint32_t level = 0;
    while (level + 1 < swapchain->levels &&
           level_side(swapchain->size.width, level + 1) >= shown.width &&
           level_side(swapchain->size.height, level + 1) >= shown.height) {
        level++;
    }
    return level;
}

/* --- commands -------------------------------------------------------------------------------- */

struct transition {
    VkImage image;
    uint32_t level;
    VkImageLayout from, to;
    VkAccessFlags2 before, after;
};

/* All that happens to images here are transfers; presenting is ordered by semaphores. */
static void transition(const struct vks_swapchain *swapchain, VkCommandBuffer commands,
                       const struct transition *what)
{
    VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .srcAccessMask = what->before,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .dstAccessMask = what->after,
        .oldLayout = what->from,
        .newLayout = what->to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = what->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, what->level, 1, 0, 1},
    };
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .imageMemoryBarrierCount = 1,
        .pImageMemoryBarriers = &barrier,
    };
    swapchain->gpu->vk.vkCmdPipelineBarrier2(commands, &info);
}

/* What an image or level held is of no use any more: it becomes something to write to. */
static void make_target(const struct vks_swapchain *swapchain, VkCommandBuffer commands,
                        VkImage image, uint32_t level)
{
    transition(swapchain, commands,
               &(struct transition){image, level, VK_IMAGE_LAYOUT_UNDEFINED,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                                    VK_ACCESS_2_TRANSFER_WRITE_BIT});
}

static void make_source(const struct vks_swapchain *swapchain, VkCommandBuffer commands,
                        uint32_t level)
{
    transition(swapchain, commands,
               &(struct transition){swapchain->picture, level, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_TRANSFER_READ_BIT});
}

static void record_take(void *user, VkCommandBuffer commands)
{
    const struct vks_swapchain *swapchain = user;
    VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {swapchain->size.width, swapchain->size.height, 1},
    };
    make_target(swapchain, commands, swapchain->picture, 0);
    swapchain->gpu->vk.vkCmdCopyBufferToImage(
        commands, vks_graph_buffer(swapchain->graph, "picture"), swapchain->picture,
        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    make_source(swapchain, commands, 0);
}

static void blit(const struct vks_swapchain *swapchain, VkCommandBuffer commands, uint32_t level,
                 VkImage to, uint32_t to_level, VkRect2D where, VkFilter filter)
{
    VkImageBlit region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
        .srcOffsets = {{0, 0, 0},
                       {(int32_t)level_side(swapchain->size.width, level),
                        (int32_t)level_side(swapchain->size.height, level), 1}},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, to_level, 0, 1},
        .dstOffsets = {{where.offset.x, where.offset.y, 0},
                       {where.offset.x + (int32_t)where.extent.width,
                        where.offset.y + (int32_t)where.extent.height, 1}},
    };
    swapchain->gpu->vk.vkCmdBlitImage(commands, swapchain->picture,
                                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to,
                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, filter);
}

static void record_show(const struct vks_swapchain *swapchain, VkCommandBuffer commands,
                        VkImage image)
{
    const VkRect2D where = fit(swapchain->size, swapchain->extent);
    const uint32_t level = level_for(swapchain, where.extent);
    for (uint32_t i = 1; i <= level; i++) {
        const VkRect2D whole = {.extent = {level_side(swapchain->size.width, i),
                                           level_side(swapchain->size.height, i)}};
        make_target(swapchain, commands, swapchain->picture, i);
        blit(swapchain, commands, i - 1, swapchain->picture, i, whole, VK_FILTER_LINEAR);
        make_source(swapchain, commands, i);
    }
    make_target(swapchain, commands, image, 0);
    if (where.extent.width < swapchain->extent.width ||
        where.extent.height < swapchain->extent.height) {
        VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        swapchain->gpu->vk.vkCmdClearColorImage(
            commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &surround, 1, &range);
        transition(swapchain, commands,
                   &(struct transition){image, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                        VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                        VK_ACCESS_2_TRANSFER_WRITE_BIT});
    }
    const bool crisp = where.extent.width >= CRISP * (uint64_t)swapchain->size.width;
    blit(swapchain, commands, level, image, 0, where, crisp ? VK_FILTER_NEAREST : VK_FILTER_LINEAR);
    transition(swapchain, commands,
               &(struct transition){image, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                    0});
}

/* --- the picture ----------------------------------------------------------------------------- */

static enum vks_result allocate_picture(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkMemoryRequirements needs;
    gpu->vk.vkGetImageMemoryRequirements(gpu->device, swapchain->picture, &needs);
    int type = vks_memory_type(gpu, needs.memoryTypeBits, VKS_MEMORY_DEVICE);
    if (type < 0) {
        return vks_fail(VKS_ERROR_GPU, "%s has no memory for a picture", gpu->info.name);
    }
    enum vks_result result = vks_block_allocate(gpu, &swapchain->block,
                                                &(struct vks_block_params){
                                                    .size = needs.size,
                                                    .type = (uint32_t)type,
                                                    .what = "the picture in the window",
                                                });
    if (result != VKS_OK) {
        return result;
    }
    return vks_gpu_check(
        gpu, gpu->vk.vkBindImageMemory(gpu->device, swapchain->picture, swapchain->block.memory, 0),
        "vkBindImageMemory");
}

static enum vks_result create_picture(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    const uint32_t most = gpu->properties.limits.maxImageDimension2D;
    const struct vks_size size = swapchain->size;
    if (size.width > most || size.height > most) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a picture of %ux%u: %s shows at most %u pixels a side; choose a smaller "
                        "--size or --output-size, or --headless",
                        size.width, size.height, gpu->info.name, most);
    }
    for (swapchain->levels = 1;
         swapchain->levels < MAX_LEVELS && (size.width | size.height) >> swapchain->levels;) {
        swapchain->levels++;
    }
    /* Vulkan promises all that is done with this format. */
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {size.width, size.height, 1},
        .mipLevels = swapchain->levels,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateImage(gpu->device, &info, NULL, &swapchain->picture), "vkCreateImage");
    if (result != VKS_OK) {
        swapchain->picture = VK_NULL_HANDLE;
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)swapchain->picture,
                 "the picture in the window");
    return allocate_picture(swapchain);
}

enum vks_result vks_swapchain_take(struct vks_swapchain *swapchain, struct vks_graph *graph)
{
    uint64_t *value = &swapchain->taken[swapchain->taken_at];
    swapchain->taken_at = (swapchain->taken_at + 1) % IN_FLIGHT;
    enum vks_result result = vks_gpu_wait(swapchain->gpu, *value);
    if (result == VKS_OK) {
        swapchain->graph = graph;
        result =
            vks_graph_frame(graph, record_take, swapchain, VK_NULL_HANDLE, VK_NULL_HANDLE, value);
        swapchain->graph = NULL;
    }
    return result;
}

/* --- the surface and its images -------------------------------------------------------------- */

/* The picture's values are encoded for a screen already: a format that encodes once more is no use.
 * The first that Vulkan lists is the one the screen likes best. */
static bool is_usable(const struct vks_gpu *gpu, const VkSurfaceFormatKHR *format)
{
    bool plain = format->format == VK_FORMAT_B8G8R8A8_UNORM ||
                 format->format == VK_FORMAT_R8G8B8A8_UNORM ||
                 format->format == VK_FORMAT_A8B8G8R8_UNORM_PACK32 ||
                 format->format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 ||
                 format->format == VK_FORMAT_A2R10G10B10_UNORM_PACK32;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(gpu->physical, format->format, &properties);
    return plain && format->colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR &&
           (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT);
}

static enum vks_result choose_format(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkSurfaceFormatKHR formats[MAX_FORMATS];
    VkSurfaceCapabilitiesKHR can;
    uint32_t count = MAX_FORMATS;
    enum vks_result result = vks_gpu_check(
        gpu,
        vkGetPhysicalDeviceSurfaceFormatsKHR(gpu->physical, swapchain->surface, &count, formats),
        "vkGetPhysicalDeviceSurfaceFormatsKHR");
    if (result == VKS_OK) {
        result = vks_gpu_check(
            gpu, vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu->physical, swapchain->surface, &can),
            "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    }
    if (result != VKS_OK) {
        return result;
    }
    if (can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) {
        for (uint32_t i = 0; i < count; i++) {
            if (is_usable(gpu, &formats[i])) {
                swapchain->format = formats[i];
                return VKS_OK;
            }
        }
    }
    return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                         "%s has no format to show pictures in on this display", gpu->info.name);
}

static void destroy_images(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        gpu->vk.vkDestroySemaphore(gpu->device, swapchain->drawn[i], NULL);
        swapchain->drawn[i] = VK_NULL_HANDLE;
    }
    swapchain->image_count = 0;
    if (swapchain->handle) {
        gpu->vk.vkDestroySwapchainKHR(gpu->device, swapchain->handle, NULL);
        swapchain->handle = VK_NULL_HANDLE;
    }
}

static uint32_t clamp(uint32_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Most surfaces have a size; some (Wayland) take the one of what is shown on them. */
static VkExtent2D surface_extent(const VkSurfaceCapabilitiesKHR *can, VkExtent2D drawable)
{
    if (can->currentExtent.width != UINT32_MAX) {
        return can->currentExtent;
    }
    return (VkExtent2D){
        clamp(drawable.width, can->minImageExtent.width, can->maxImageExtent.width),
        clamp(drawable.height, can->minImageExtent.height, can->maxImageExtent.height)};
}

static enum vks_result create_images(struct vks_swapchain *swapchain,
                                     const VkSurfaceCapabilitiesKHR *can, VkExtent2D extent)
{
    struct vks_gpu *gpu = swapchain->gpu;
    const VkCompositeAlphaFlagsKHR alphas = can->supportedCompositeAlpha;
    const bool upright = (can->supportedTransforms & VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR) != 0;
    uint32_t wanted = can->minImageCount + 1;
    VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = swapchain->surface,
        .minImageCount = can->maxImageCount ? clamp(wanted, 1, can->maxImageCount) : wanted,
        .imageFormat = swapchain->format.format,
        .imageColorSpace = swapchain->format.colorSpace,
        .imageExtent = extent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .imageSharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .preTransform = upright ? VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR : can->currentTransform,
        /* Opaque, else the lowest bit there is: all pixels have an alpha of one anyway. */
        .compositeAlpha = (VkCompositeAlphaFlagBitsKHR)(alphas & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                                                            ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                                                            : alphas & (~alphas + 1)),
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
        .oldSwapchain = swapchain->handle,
    };
    VkSwapchainKHR made = VK_NULL_HANDLE;
    VkResult created = gpu->vk.vkCreateSwapchainKHR(gpu->device, &info, NULL, &made);
    destroy_images(swapchain);
    enum vks_result result = vks_gpu_check(gpu, created, "vkCreateSwapchainKHR");
    if (result != VKS_OK) {
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_SWAPCHAIN_KHR, (uint64_t)made, "swapchain");
    swapchain->handle = made;
    swapchain->extent = extent;
    uint32_t count = 0;
    result = vks_gpu_check(gpu, gpu->vk.vkGetSwapchainImagesKHR(gpu->device, made, &count, NULL),
                           "vkGetSwapchainImagesKHR");
    if (result == VKS_OK && count > MAX_IMAGES) {
        result = vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_WINDOW,
                               "%s needs %u images for a window, more than the %d that vksim has "
                               "room for",
                               gpu->info.name, count, MAX_IMAGES);
    }
    if (result == VKS_OK) {
        result = vks_gpu_check(
            gpu, gpu->vk.vkGetSwapchainImagesKHR(gpu->device, made, &count, swapchain->images),
            "vkGetSwapchainImagesKHR");
    }
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    while (result == VKS_OK && swapchain->image_count < count) {
        result = vks_gpu_check(gpu,
                               gpu->vk.vkCreateSemaphore(gpu->device, &semaphore, NULL,
                                                         &swapchain->drawn[swapchain->image_count]),
                               "vkCreateSemaphore");
        if (result == VKS_OK) {
            const uint32_t i = swapchain->image_count++;
            vks_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)swapchain->images[i], "screen %u", i);
            vks_gpu_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)swapchain->drawn[i], "drawn %u",
                         i);
        }
    }
    return result;
}

/* Makes the images fit the surface if they may not. *ready is false when it has no area. */
static enum vks_result prepare(struct vks_swapchain *swapchain, VkExtent2D drawable, bool *ready)
{
    struct vks_gpu *gpu = swapchain->gpu;
    *ready = drawable.width > 0 && drawable.height > 0;
    if (!*ready || (swapchain->handle && !swapchain->outdated && !swapchain->doubtful)) {
        return VKS_OK;
    }
    VkSurfaceCapabilitiesKHR can;
    enum vks_result result = vks_gpu_check(
        gpu, vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu->physical, swapchain->surface, &can),
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    if (result != VKS_OK) {
        return result;
    }
    const VkExtent2D extent = surface_extent(&can, drawable);
    *ready = extent.width > 0 && extent.height > 0;
    if (!*ready) {
        return VKS_OK;
    }
    if (!swapchain->handle || swapchain->outdated || extent.width != swapchain->extent.width ||
        extent.height != swapchain->extent.height) {
        /* Nothing tells when presenting is done with its semaphores; an idle device is. */
        result = vks_gpu_check(gpu, gpu->vk.vkDeviceWaitIdle(gpu->device), "vkDeviceWaitIdle");
        if (result == VKS_OK) {
            result = create_images(swapchain, &can, extent);
        }
    }
    if (result == VKS_OK) {
        swapchain->outdated = false;
        swapchain->doubtful = false;
    }
    return result;
}

void vks_swapchain_resized(struct vks_swapchain *swapchain)
{
    swapchain->doubtful = true;
}

/* --- showing --------------------------------------------------------------------------------- */

/* An image to draw on; *index is UINT32_MAX when there is none now. */
static enum vks_result acquire(struct vks_swapchain *swapchain, VkExtent2D drawable,
                               VkSemaphore acquired, uint32_t *index)
{
    struct vks_gpu *gpu = swapchain->gpu;
    *index = UINT32_MAX;
    /* A window that is being resized may outdate the images at once again; not for ever. */
    for (int tries = 0; tries < 3; tries++) {
        bool ready;
        uint32_t image = 0;
        enum vks_result result = prepare(swapchain, drawable, &ready);
        if (result != VKS_OK || !ready) {
            return result;
        }
        VkResult got = gpu->vk.vkAcquireNextImageKHR(
            gpu->device, swapchain->handle, acquire_nanoseconds, acquired, VK_NULL_HANDLE, &image);
        if (got == VK_SUCCESS || got == VK_SUBOPTIMAL_KHR) {
            swapchain->doubtful = got == VK_SUBOPTIMAL_KHR;
            *index = image;
            return VKS_OK;
        }
        if (got != VK_ERROR_OUT_OF_DATE_KHR) { /* VK_TIMEOUT and VK_NOT_READY are no failures */
            return vks_gpu_check(gpu, got, "vkAcquireNextImageKHR");
        }
        swapchain->outdated = true;
    }
    return VKS_OK;
}

static enum vks_result draw(struct vks_swapchain *swapchain, struct showing *showing,
                            uint32_t index)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkBeginCommandBuffer(showing->commands, &begin), "vkBeginCommandBuffer");
    if (result == VKS_OK) {
        vks_gpu_label_begin(gpu, showing->commands, "show");
        record_show(swapchain, showing->commands, swapchain->images[index]);
        vks_gpu_label_end(gpu, showing->commands);
        result =
            vks_gpu_check(gpu, gpu->vk.vkEndCommandBuffer(showing->commands), "vkEndCommandBuffer");
    }
    if (result == VKS_OK) {
        result = vks_gpu_submit(gpu, showing->commands, showing->acquired, swapchain->drawn[index]);
    }
    if (result == VKS_OK) {
        showing->value = gpu->submitted;
    }
    return result;
}

static enum vks_result present(struct vks_swapchain *swapchain, uint32_t index)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkPresentInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &swapchain->drawn[index],
        .swapchainCount = 1,
        .pSwapchains = &swapchain->handle,
        .pImageIndices = &index,
    };
    VkResult presented = gpu->vk.vkQueuePresentKHR(gpu->queue, &info);
    swapchain->doubtful = swapchain->doubtful || presented == VK_SUBOPTIMAL_KHR;
    if (presented == VK_ERROR_OUT_OF_DATE_KHR) {
        swapchain->outdated = true;
        return VKS_OK;
    }
    return vks_gpu_check(gpu, presented, "vkQueuePresentKHR");
}

enum vks_result vks_swapchain_show(struct vks_swapchain *swapchain, VkExtent2D drawable,
                                   bool *shown)
{
    struct showing *showing = &swapchain->showings[swapchain->showing_at];
    uint32_t index = UINT32_MAX;
    *shown = false;
    enum vks_result result = vks_gpu_wait(swapchain->gpu, showing->value);
    if (result == VKS_OK) {
        result = acquire(swapchain, drawable, showing->acquired, &index);
    }
    if (result != VKS_OK || index == UINT32_MAX) {
        return result;
    }
    swapchain->showing_at = (swapchain->showing_at + 1) % IN_FLIGHT;
    result = draw(swapchain, showing, index);
    if (result == VKS_OK) {
        result = present(swapchain, index);
    }
    *shown = result == VKS_OK && !swapchain->outdated;
    return result;
}

/* --- creation -------------------------------------------------------------------------------- */

static enum vks_result create_showings(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < IN_FLIGHT; i++) {
        VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        VkCommandBufferAllocateInfo commands = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = gpu->pool,
            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            .commandBufferCount = 1,
        };
        struct showing *showing = &swapchain->showings[i];
        result = vks_gpu_check(
            gpu, gpu->vk.vkCreateSemaphore(gpu->device, &semaphore, NULL, &showing->acquired),
            "vkCreateSemaphore");
        if (result != VKS_OK) {
            showing->acquired = VK_NULL_HANDLE;
        } else {
            result = vks_gpu_check(
                gpu, gpu->vk.vkAllocateCommandBuffers(gpu->device, &commands, &showing->commands),
                "vkAllocateCommandBuffers");
        }
        if (result == VKS_OK) {
            vks_gpu_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)showing->acquired, "acquired %zu",
                         i);
            vks_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)showing->commands,
                         "show %zu", i);
        }
    }
    return result;
}

enum vks_result vks_swapchain_create(struct vks_gpu *gpu, VkSurfaceKHR surface,
                                     struct vks_size size, struct vks_swapchain **out)
{
    VkBool32 supported = VK_FALSE;
    struct vks_swapchain *swapchain = calloc(1, sizeof(*swapchain));
    if (!swapchain) {
        vkDestroySurfaceKHR(gpu->instance, surface, NULL);
        return vks_fail_memory();
    }
    swapchain->gpu = gpu;
    swapchain->surface = surface;
    swapchain->size = size;
    enum vks_result result = vks_gpu_check(
        gpu, vkGetPhysicalDeviceSurfaceSupportKHR(gpu->physical, gpu->family, surface, &supported),
        "vkGetPhysicalDeviceSurfaceSupportKHR");
    if (result == VKS_OK && !supported) {
        result = vks_fail(VKS_ERROR_DEVICE,
                          "%s cannot show windows on this display; choose "
                          "another --device (see vksim devices), or --headless",
                          gpu->info.name);
    }
    if (result == VKS_OK) {
        result = choose_format(swapchain);
    }
    if (result == VKS_OK) {
        result = create_picture(swapchain);
    }
    if (result == VKS_OK) {
        result = create_showings(swapchain);
    }
    if (result != VKS_OK) {
        vks_swapchain_destroy(swapchain);
        return result;
    }
    *out = swapchain;
    return VKS_OK;
}

void vks_swapchain_destroy(struct vks_swapchain *swapchain)
{
    if (!swapchain) {
        return;
    }
    struct vks_gpu *gpu = swapchain->gpu;
    gpu->vk.vkDeviceWaitIdle(gpu->device);
    for (size_t i = 0; i < IN_FLIGHT; i++) {
        if (swapchain->showings[i].commands) {
            gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1,
                                         &swapchain->showings[i].commands);
        }
        gpu->vk.vkDestroySemaphore(gpu->device, swapchain->showings[i].acquired, NULL);
    }
    destroy_images(swapchain);
    gpu->vk.vkDestroyImage(gpu->device, swapchain->picture, NULL);
    vks_block_free(gpu, &swapchain->block);
    vkDestroySurfaceKHR(gpu->instance, swapchain->surface, NULL);
    free(swapchain);
}
