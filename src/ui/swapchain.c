/* SPDX-License-Identifier: MIT */
#include "ui/swapchain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/debug.h"
#include "ui/capture.h"

enum {
    MAX_IMAGES = 16,
    MAX_FORMATS = 64,
    MAX_MODES = 16,
    MAX_ATTEMPTS = 3, /* to get an image: while a window changes, new ones may be out of date */
    MAX_DOTS = 128,
};

_Static_assert((int)VKS_PANE_SLOTS == (int)VKS_FRAMES_IN_FLIGHT, "a slot per frame in flight");

/* Around a picture that does not fill the window: slightly lighter than black, so that dark
 * pictures have a visible edge. */
static const VkClearColorValue surround = {.float32 = {0.05f, 0.05f, 0.06f, 1.0f}};

static const uint64_t acquire_nanoseconds = 100000000;

static uint8_t ink_pixels[] = {255, 255, 255, 255, 0, 0, 0, 255};
static const struct vks_canvas inks = {ink_pixels, 2, 1};

/* One presentation: free again once the timeline has reached `value`. */
struct frame_in_flight {
    VkSemaphore acquired;
    VkCommandBuffer commands;
    uint64_t value;
};

struct vks_swapchain {
    struct vks_gpu *gpu;
    struct vks_capture capture; /* the picture */
    bool captured;              /* it has one */
    struct vks_pane inks;       /* a white and a black pixel, for dots */
    struct vks_surface_maker maker;
    unsigned present; /* as the caller wants it */
    VkSurfaceKHR surface;
    uint32_t family; /* of the queue that presents */
    VkQueue queue;
    VkSurfaceFormatKHR format;
    VkPresentModeKHR mode;
    VkSwapchainKHR handle; /* null before the first presentation */
    VkExtent2D extent;
    uint32_t image_count;
    VkImage images[MAX_IMAGES];
    VkSemaphore drawn[MAX_IMAGES]; /* one per image: free once the image is acquired again */
    bool lost;                     /* the surface must be recreated, */
    bool out_of_date;              /* or the images must, */
    bool suboptimal;               /* or if the surface has another size */
    struct frame_in_flight frames[VKS_FRAMES_IN_FLIGHT];
    size_t frame; /* the next one's index in the ring */
};

/* True for a code after which the run goes on with a new surface or new images. */
static bool is_gone(struct vks_swapchain *swapchain, VkResult code)
{
    const bool lost = code == VK_ERROR_SURFACE_LOST_KHR;
    const bool out_of_date =
        code == VK_ERROR_OUT_OF_DATE_KHR || code == VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT;
    swapchain->lost = swapchain->lost || lost;
    swapchain->out_of_date = swapchain->out_of_date || out_of_date;
    return lost || out_of_date;
}

/* --- formats --------------------------------------------------------------------------------- */

/* The picture's values are already encoded for a screen, so a format that encodes them again (sRGB)
 * does not qualify. */
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
    VkSurfaceCapabilitiesKHR caps;
    uint32_t count = MAX_FORMATS;
    enum vks_result result = vks_gpu_check(
        gpu,
        vkGetPhysicalDeviceSurfaceFormatsKHR(gpu->physical, swapchain->surface, &count, formats),
        "vkGetPhysicalDeviceSurfaceFormatsKHR");
    if (result == VKS_OK) {
        result = vks_gpu_check(
            gpu,
            vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu->physical, swapchain->surface, &caps),
            "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    }
    if (result != VKS_OK) {
        return result;
    }
    if (caps.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) {
        for (uint32_t i = 0; i < count; i++) { /* in the surface's order of preference */
            if (is_usable(gpu, &formats[i])) {
                swapchain->format = formats[i];
                return VKS_OK;
            }
        }
    }
    return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                         "%s has no format to show pictures in on this display", gpu->info.name);
}

static const struct {
    const char *name;
    VkPresentModeKHR mode;
} present_modes[] = {
#define VKS_PRESENT_MODE(name, mode) {name, mode},
#include "ui/present.def"
};

/* The names of those that the surface has, as a list. */
static void list_modes(const VkPresentModeKHR *modes, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < VKS_COUNT(present_modes); i++) {
        for (uint32_t j = 0; j < count && used < size; j++) {
            if (modes[j] == present_modes[i].mode) {
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                         present_modes[i].name);
            }
        }
    }
}

static enum vks_result choose_mode(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkPresentModeKHR modes[MAX_MODES];
    uint32_t count = MAX_MODES;
    char names[80];
    swapchain->mode = VK_PRESENT_MODE_FIFO_KHR; /* which all surfaces have */
    if (swapchain->present == 0) {
        return VKS_OK;
    }
    const enum vks_result result = vks_gpu_check(
        gpu,
        vkGetPhysicalDeviceSurfacePresentModesKHR(gpu->physical, swapchain->surface, &count, modes),
        "vkGetPhysicalDeviceSurfacePresentModesKHR");
    if (result != VKS_OK) {
        return result;
    }
    swapchain->mode = present_modes[swapchain->present - 1].mode;
    for (uint32_t i = 0; i < count; i++) {
        if (modes[i] == swapchain->mode) {
            return VKS_OK;
        }
    }
    list_modes(modes, count, names, sizeof(names));
    return vks_fail_option(VKS_ERROR_DEVICE, "present", ": %s has only %s on this display",
                           gpu->info.name, names);
}

/* --- the surface ----------------------------------------------------------------------------- */

/* The queue that presents: the one that draws, if its family can. */
static enum vks_result choose_queue(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkBool32 supported = VK_FALSE;
    for (uint32_t i = 0; i < gpu->families; i++) {
        swapchain->family = (gpu->family + i) % gpu->families;
        const enum vks_result result =
            vks_gpu_check(gpu,
                          vkGetPhysicalDeviceSurfaceSupportKHR(gpu->physical, swapchain->family,
                                                               swapchain->surface, &supported),
                          "vkGetPhysicalDeviceSurfaceSupportKHR");
        if (result != VKS_OK || supported) {
            gpu->vk.vkGetDeviceQueue(gpu->device, swapchain->family, 0, &swapchain->queue);
            return result;
        }
    }
    return vks_fail(VKS_ERROR_DEVICE,
                    "%s cannot show windows on this display; choose another --device (see "
                    "--list-devices), or --headless",
                    gpu->info.name);
}

static enum vks_result make_surface(struct vks_swapchain *swapchain)
{
    enum vks_result result =
        swapchain->maker.make(swapchain->maker.user, swapchain->gpu, &swapchain->surface);
    if (result == VKS_OK) {
        result = choose_queue(swapchain);
    }
    if (result == VKS_OK) {
        result = choose_format(swapchain);
    }
    return result == VKS_OK ? choose_mode(swapchain) : result;
}

/* --- images ---------------------------------------------------------------------------------- */

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

static uint32_t clamp(uint32_t value, uint32_t min, uint32_t max)
{
    return value < min ? min : value > max ? max : value;
}

/* Most surfaces have a size of their own; others (Wayland) take that of the swapchain. */
static VkExtent2D surface_extent(const VkSurfaceCapabilitiesKHR *caps, VkExtent2D drawable)
{
    if (caps->currentExtent.width != UINT32_MAX) {
        return caps->currentExtent;
    }
    return (VkExtent2D){
        clamp(drawable.width, caps->minImageExtent.width, caps->maxImageExtent.width),
        clamp(drawable.height, caps->minImageExtent.height, caps->maxImageExtent.height)};
}

/* The images of a new swapchain, and a semaphore for each. */
static enum vks_result get_images(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    uint32_t count = 0;
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkGetSwapchainImagesKHR(gpu->device, swapchain->handle, &count, NULL),
        "vkGetSwapchainImagesKHR");
    if (result == VKS_OK && count > MAX_IMAGES) {
        result = vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_WINDOW,
                               "%s needs %u images for a window; vksim supports at most %d",
                               gpu->info.name, count, MAX_IMAGES);
    }
    if (result == VKS_OK) {
        result = vks_gpu_check(gpu,
                               gpu->vk.vkGetSwapchainImagesKHR(gpu->device, swapchain->handle,
                                                               &count, swapchain->images),
                               "vkGetSwapchainImagesKHR");
    }
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    for (uint32_t i = 0; result == VKS_OK && i < count; i++) {
        result = vks_gpu_check(
            gpu, gpu->vk.vkCreateSemaphore(gpu->device, &semaphore, NULL, &swapchain->drawn[i]),
            "vkCreateSemaphore");
        if (result == VKS_OK) {
            swapchain->image_count++;
            vks_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)swapchain->images[i], "screen %u", i);
            vks_gpu_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)swapchain->drawn[i], "drawn %u",
                         i);
        }
    }
    return result;
}

static enum vks_result create_images(struct vks_swapchain *swapchain,
                                     const VkSurfaceCapabilitiesKHR *caps, VkExtent2D extent)
{
    struct vks_gpu *gpu = swapchain->gpu;
    const VkCompositeAlphaFlagsKHR alphas = caps->supportedCompositeAlpha;
    const bool upright = (caps->supportedTransforms & VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR) != 0;
    uint32_t wanted = caps->minImageCount + 1;
    VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = swapchain->surface,
        .minImageCount = caps->maxImageCount ? clamp(wanted, 1, caps->maxImageCount) : wanted,
        .imageFormat = swapchain->format.format,
        .imageColorSpace = swapchain->format.colorSpace,
        .imageExtent = extent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .imageSharingMode = swapchain->family == gpu->family ? VK_SHARING_MODE_EXCLUSIVE
                                                             : VK_SHARING_MODE_CONCURRENT,
        .queueFamilyIndexCount = 2, /* if concurrent */
        .pQueueFamilyIndices = (const uint32_t[]){gpu->family, swapchain->family},
        .preTransform = upright ? VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR : caps->currentTransform,
        /* Opaque if supported, else the lowest bit: all pixels have an alpha of one anyway. */
        .compositeAlpha = (VkCompositeAlphaFlagBitsKHR)(alphas & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                                                            ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                                                            : alphas & (~alphas + 1)),
        .presentMode = swapchain->mode,
        .clipped = VK_TRUE,
        .oldSwapchain = swapchain->handle,
    };
    VkSwapchainKHR made = VK_NULL_HANDLE;
    VkResult created = gpu->vk.vkCreateSwapchainKHR(gpu->device, &info, NULL, &made);
    destroy_images(swapchain);
    if (created != VK_SUCCESS) {
        return is_gone(swapchain, created) ? VKS_OK
                                           : vks_gpu_check(gpu, created, "vkCreateSwapchainKHR");
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_SWAPCHAIN_KHR, (uint64_t)made, "swapchain");
    swapchain->handle = made;
    swapchain->extent = extent;
    return get_images(swapchain);
}

/* Recreates the surface if it is lost, once no image of it is in use. */
static enum vks_result renew_surface(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    if (!swapchain->lost) {
        return VKS_OK;
    }
    enum vks_result result = vks_gpu_wait_idle(gpu);
    if (result == VKS_OK) {
        destroy_images(swapchain);
        vkDestroySurfaceKHR(gpu->instance, swapchain->surface, NULL);
        swapchain->surface = VK_NULL_HANDLE;
        result = make_surface(swapchain);
    }
    swapchain->lost = result != VKS_OK;
    return result;
}

/* Recreates the images if they may not fit the surface, whose size is `extent`. */
static enum vks_result renew_images(struct vks_swapchain *swapchain,
                                    const VkSurfaceCapabilitiesKHR *caps, VkExtent2D extent)
{
    enum vks_result result = VKS_OK;
    const bool fits = swapchain->handle && extent.width == swapchain->extent.width &&
                      extent.height == swapchain->extent.height;
    if (!fits || swapchain->out_of_date) {
        /* Vulkan does not report when a presentation is done with its semaphore; with an idle
         * device, it is. */
        result = vks_gpu_wait_idle(swapchain->gpu);
        swapchain->out_of_date = false;
        if (result == VKS_OK) {
            result = create_images(swapchain, caps, extent);
        }
    }
    swapchain->suboptimal = false;
    return result;
}

/* Makes surface and images fit to present on. *ready is false if the surface has no area, or is
 * gone again. */
static enum vks_result prepare(struct vks_swapchain *swapchain, VkExtent2D drawable, bool *ready)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkSurfaceCapabilitiesKHR caps;
    *ready = drawable.width > 0 && drawable.height > 0;
    if (!*ready || (swapchain->handle && !swapchain->lost && !swapchain->out_of_date &&
                    !swapchain->suboptimal)) {
        return VKS_OK;
    }
    enum vks_result result = renew_surface(swapchain);
    if (result != VKS_OK) {
        return result;
    }
    const VkResult got =
        vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu->physical, swapchain->surface, &caps);
    *ready = !is_gone(swapchain, got);
    if (got != VK_SUCCESS) {
        return *ready ? vks_gpu_check(gpu, got, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR")
                      : VKS_OK;
    }
    const VkExtent2D extent = surface_extent(&caps, drawable);
    *ready = extent.width > 0 && extent.height > 0;
    if (*ready) {
        result = renew_images(swapchain, &caps, extent);
        *ready = swapchain->handle != VK_NULL_HANDLE;
    }
    return result;
}

void vks_swapchain_resized(struct vks_swapchain *swapchain)
{
    swapchain->suboptimal = true;
}

/* --- presentation ---------------------------------------------------------------------------- */

/* An image to draw on; *index is UINT32_MAX if none is available now. */
static enum vks_result acquire(struct vks_swapchain *swapchain, VkExtent2D drawable,
                               VkSemaphore acquired, uint32_t *index)
{
    struct vks_gpu *gpu = swapchain->gpu;
    *index = UINT32_MAX;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        bool ready;
        uint32_t image = 0;
        enum vks_result result = prepare(swapchain, drawable, &ready);
        if (result != VKS_OK || (!ready && !swapchain->lost)) {
            return result;
        }
        if (!ready) {
            continue;
        }
        VkResult got = gpu->vk.vkAcquireNextImageKHR(
            gpu->device, swapchain->handle, acquire_nanoseconds, acquired, VK_NULL_HANDLE, &image);
        if (got == VK_SUCCESS || got == VK_SUBOPTIMAL_KHR) {
            swapchain->suboptimal = got == VK_SUBOPTIMAL_KHR;
            *index = image;
            return VKS_OK;
        }
        if (!is_gone(swapchain, got)) { /* VK_TIMEOUT and VK_NOT_READY are not failures */
            return vks_gpu_check(gpu, got, "vkAcquireNextImageKHR");
        }
    }
    return swapchain->lost ? vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW,
                                           "the display does not keep the window's surface")
                           : VKS_OK;
}

/* Records dots in turns of white and black, so that they are visible on any picture. */
static void draw_dots(const struct vks_swapchain *swapchain, VkCommandBuffer commands,
                      VkImage image, const struct vks_dots *dots)
{
    VkImageBlit regions[MAX_DOTS];
    uint32_t count = 0, wanted = (uint32_t)(dots->radius * 2);
    const int32_t size = (int32_t)dots->size;
    wanted = clamp(wanted & ~1U, 12, MAX_DOTS);
    const double right = fmin(dots->area.x + (double)dots->area.width, swapchain->extent.width);
    const double bottom = fmin(dots->area.y + (double)dots->area.height, swapchain->extent.height);
    for (uint32_t i = 0; i < wanted && dots->radius > 0; i++) {
        const double turn = 6.283185307179586 * i / wanted;
        const int32_t x = (int32_t)floor(dots->x + dots->radius * cos(turn) - size / 2.0 + 0.5);
        const int32_t y = (int32_t)floor(dots->y + dots->radius * sin(turn) - size / 2.0 + 0.5);
        const int32_t ink = (int32_t)(i & 1);
        if (x >= dots->area.x && y >= dots->area.y && x + size <= right && y + size <= bottom) {
            regions[count++] = (VkImageBlit){
                .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                .srcOffsets = {{ink, 0, 0}, {ink + 1, 1, 1}},
                .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                .dstOffsets = {{x, y, 0}, {x + size, y + size, 1}},
            };
        }
    }
    if (count > 0) {
        swapchain->gpu->vk.vkCmdBlitImage(
            commands, swapchain->inks.image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, count, regions, VK_FILTER_NEAREST);
    }
}

/* Records a white frame within the edge of a rectangle. */
static void draw_frame(const struct vks_swapchain *swapchain, VkCommandBuffer commands,
                       VkImage image, const struct vks_rect *rect, int32_t size)
{
    const int32_t width = (int32_t)swapchain->extent.width;
    const int32_t height = (int32_t)swapchain->extent.height;
    const int32_t left = rect->x, top = rect->y;
    const int32_t right = left + rect->width < width ? left + rect->width : width;
    const int32_t bottom = top + rect->height < height ? top + rect->height : height;
    if (right - left < 2 * size || bottom - top < 2 * size) {
        return;
    }
    const int32_t sides[4][4] = {{left, top, right, top + size},
                                 {left, bottom - size, right, bottom},
                                 {left, top + size, left + size, bottom - size},
                                 {right - size, top + size, right, bottom - size}};
    VkImageBlit regions[4];
    for (size_t i = 0; i < VKS_COUNT(regions); i++) {
        regions[i] = (VkImageBlit){
            .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
            .srcOffsets = {{0, 0, 0}, {1, 1, 1}},
            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
            .dstOffsets = {{sides[i][0], sides[i][1], 0}, {sides[i][2], sides[i][3], 1}},
        };
    }
    swapchain->gpu->vk.vkCmdBlitImage(
        commands, swapchain->inks.image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VKS_COUNT(regions), regions, VK_FILTER_NEAREST);
}

/* Records everything on the screen onto an image, from the back to the front. */
static void draw(struct vks_swapchain *swapchain, VkCommandBuffer commands, VkImage image,
                 const struct vks_screen *screen)
{
    const struct vks_gpu *gpu = swapchain->gpu;
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vks_pane_record(&swapchain->inks, commands, swapchain->frame);
    for (size_t i = 0; i < screen->pane_count; i++) {
        vks_pane_record(screen->panes[i].pane, commands, swapchain->frame);
    }
    vks_image_turn(gpu, commands, image, 0, VKS_TO_TARGET);
    gpu->vk.vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &surround,
                                 1, &range);
    vks_image_turn(gpu, commands, image, 0, VKS_TARGET_AGAIN);
    if (swapchain->captured) {
        vks_capture_draw(&swapchain->capture, commands, image, swapchain->extent, &screen->place);
    }
    vks_image_turn(gpu, commands, image, 0, VKS_TARGET_AGAIN);
    if (screen->dots.radius > 0) {
        draw_dots(swapchain, commands, image, &screen->dots);
        vks_image_turn(gpu, commands, image, 0, VKS_TARGET_AGAIN);
    }
    if (screen->frame > 0) {
        draw_frame(swapchain, commands, image, &screen->place.area, screen->frame);
        vks_image_turn(gpu, commands, image, 0, VKS_TARGET_AGAIN);
    }
    for (size_t i = 0; i < screen->pane_count; i++) {
        vks_pane_draw(screen->panes[i].pane, commands, image, swapchain->extent, screen->panes[i].x,
                      screen->panes[i].y);
        vks_image_turn(gpu, commands, image, 0,
                       i + 1 < screen->pane_count ? VKS_TARGET_AGAIN : VKS_TARGET_TO_SCREEN);
    }
    if (screen->pane_count == 0) {
        vks_image_turn(gpu, commands, image, 0, VKS_TARGET_TO_SCREEN);
    }
}

/* Submits the drawing of the screen onto an image. */
static enum vks_result submit_draw(struct vks_swapchain *swapchain, struct frame_in_flight *frame,
                                   uint32_t index, const struct vks_screen *screen)
{
    struct vks_gpu *gpu = swapchain->gpu;
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkBeginCommandBuffer(frame->commands, &begin), "vkBeginCommandBuffer");
    if (result == VKS_OK) {
        vks_gpu_label_begin(gpu, frame->commands, "present");
        draw(swapchain, frame->commands, swapchain->images[index], screen);
        vks_gpu_label_end(gpu, frame->commands);
        result =
            vks_gpu_check(gpu, gpu->vk.vkEndCommandBuffer(frame->commands), "vkEndCommandBuffer");
    }
    if (result == VKS_OK) {
        result = vks_gpu_submit(gpu, frame->commands, frame->acquired, swapchain->drawn[index]);
    }
    if (result == VKS_OK) {
        frame->value = gpu->submitted;
    }
    return result;
}

static enum vks_result queue_present(struct vks_swapchain *swapchain, uint32_t index)
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
    pthread_mutex_lock(&gpu->lock);
    VkResult code = gpu->vk.vkQueuePresentKHR(swapchain->queue, &info);
    pthread_mutex_unlock(&gpu->lock);
    swapchain->suboptimal = swapchain->suboptimal || code == VK_SUBOPTIMAL_KHR;
    return is_gone(swapchain, code) ? VKS_OK : vks_gpu_check(gpu, code, "vkQueuePresentKHR");
}

enum vks_result vks_swapchain_capture(struct vks_swapchain *swapchain, struct vks_graph *graph,
                                      struct vks_ring *ring)
{
    swapchain->captured = true;
    return vks_capture_frame(&swapchain->capture, graph, ring);
}

enum vks_result vks_swapchain_present(struct vks_swapchain *swapchain, VkExtent2D drawable,
                                      const struct vks_screen *screen, bool *presented)
{
    struct frame_in_flight *frame = &swapchain->frames[swapchain->frame];
    uint32_t index = UINT32_MAX;
    *presented = false;
    enum vks_result result = vks_gpu_wait(swapchain->gpu, frame->value);
    if (result == VKS_OK) {
        result = acquire(swapchain, drawable, frame->acquired, &index);
    }
    if (result != VKS_OK || index == UINT32_MAX) {
        return result;
    }
    result = submit_draw(swapchain, frame, index, screen);
    swapchain->frame = (swapchain->frame + 1) % VKS_FRAMES_IN_FLIGHT;
    if (result == VKS_OK) {
        result = queue_present(swapchain, index);
    }
    *presented = result == VKS_OK && !swapchain->lost && !swapchain->out_of_date;
    return result;
}

/* --- creation -------------------------------------------------------------------------------- */

static enum vks_result create_frames(struct vks_swapchain *swapchain)
{
    struct vks_gpu *gpu = swapchain->gpu;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < VKS_FRAMES_IN_FLIGHT; i++) {
        VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        VkCommandBufferAllocateInfo commands = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = gpu->pool,
            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            .commandBufferCount = 1,
        };
        struct frame_in_flight *frame = &swapchain->frames[i];
        result = vks_gpu_check(
            gpu, gpu->vk.vkCreateSemaphore(gpu->device, &semaphore, NULL, &frame->acquired),
            "vkCreateSemaphore");
        if (result != VKS_OK) {
            frame->acquired = VK_NULL_HANDLE;
        } else {
            result = vks_gpu_check(
                gpu, gpu->vk.vkAllocateCommandBuffers(gpu->device, &commands, &frame->commands),
                "vkAllocateCommandBuffers");
        }
        if (result == VKS_OK) {
            vks_gpu_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)frame->acquired, "acquired %zu",
                         i);
            vks_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)frame->commands,
                         "present %zu", i);
        }
    }
    return result;
}

enum vks_result vks_swapchain_use(struct vks_swapchain *swapchain, struct vks_size size)
{
    const enum vks_result result = vks_gpu_wait_idle(swapchain->gpu);
    vks_capture_destroy(&swapchain->capture);
    swapchain->captured = false;
    return result == VKS_OK ? vks_capture_create(swapchain->gpu, size, &swapchain->capture)
                            : result;
}

enum vks_result vks_swapchain_create(struct vks_gpu *gpu, const struct vks_surface_maker *maker,
                                     unsigned present, struct vks_size size,
                                     struct vks_swapchain **out)
{
    struct vks_swapchain *swapchain = calloc(1, sizeof(*swapchain));
    if (!swapchain) {
        return vks_fail_memory();
    }
    swapchain->gpu = gpu;
    swapchain->maker = *maker;
    swapchain->present = present;
    enum vks_result result = make_surface(swapchain);
    if (result == VKS_OK) {
        result = vks_swapchain_use(swapchain, size);
    }
    if (result == VKS_OK) {
        result = vks_pane_update(gpu, &swapchain->inks, &inks, NULL, 0);
    }
    if (result == VKS_OK) {
        result = create_frames(swapchain);
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
    (void)vks_gpu_wait_idle(gpu);
    for (size_t i = 0; i < VKS_FRAMES_IN_FLIGHT; i++) {
        if (swapchain->frames[i].commands) {
            gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &swapchain->frames[i].commands);
        }
        gpu->vk.vkDestroySemaphore(gpu->device, swapchain->frames[i].acquired, NULL);
    }
    destroy_images(swapchain);
    vks_pane_destroy(&swapchain->inks);
    vks_capture_destroy(&swapchain->capture);
    vkDestroySurfaceKHR(gpu->instance, swapchain->surface, NULL);
    free(swapchain);
}
