/* SPDX-License-Identifier: MIT */
#include "ui/capture.h"

#include "base/error.h"
#include "gpu/debug.h"
#include "gpu/memory.h"

enum {
    MAX_LEVELS = 17, /* of a picture of 65536 x 65536 pixels */
    CRISP = 6,       /* from this magnification on, pixels are drawn as squares, not blended */
};

static const char what[] = "the picture in the window";

/* Around a picture that does not fill the window: slightly lighter than black, so that dark
 * pictures have a visible edge. */
static const VkClearColorValue surround = {.float32 = {0.05f, 0.05f, 0.06f, 1.0f}};

/* --- geometry -------------------------------------------------------------------------------- */

/* The largest centred rectangle in the window with the picture's aspect ratio. */
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

static VkExtent2D level_extent(const struct vks_capture *capture, uint32_t level)
{
    const uint32_t width = capture->size.width >> level, height = capture->size.height >> level;
    return (VkExtent2D){width ? width : 1, height ? height : 1};
}

/* The smallest level that is not smaller than `target`. It is less than twice as large, so a linear
 * filter skips no pixels. */
static uint32_t level_for(const struct vks_capture *capture, VkExtent2D target)
{
    uint32_t level = 0;
    while (level + 1 < capture->levels) {
        const VkExtent2D next = level_extent(capture, level + 1);
        if (next.width < target.width || next.height < target.height) {
            break;
        }
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

/* Images are used by transfers only; semaphores order presentation. */
static void transition(const struct vks_capture *capture, VkCommandBuffer commands,
                       const struct transition *change)
{
    VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .srcAccessMask = change->before,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .dstAccessMask = change->after,
        .oldLayout = change->from,
        .newLayout = change->to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = change->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, change->level, 1, 0, 1},
    };
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .imageMemoryBarrierCount = 1,
        .pImageMemoryBarriers = &barrier,
    };
    capture->gpu->vk.vkCmdPipelineBarrier2(commands, &info);
}

/* Makes an image or level ready to be written; its contents are discarded. */
static void make_target(const struct vks_capture *capture, VkCommandBuffer commands, VkImage image,
                        uint32_t level)
{
    transition(capture, commands,
               &(struct transition){image, level, VK_IMAGE_LAYOUT_UNDEFINED,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                                    VK_ACCESS_2_TRANSFER_WRITE_BIT});
}

/* Makes a level that was written ready to be read. */
static void make_source(const struct vks_capture *capture, VkCommandBuffer commands, uint32_t level)
{
    transition(capture, commands,
               &(struct transition){capture->image, level, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_TRANSFER_READ_BIT});
}

static void blit(const struct vks_capture *capture, VkCommandBuffer commands, uint32_t level,
                 VkImage to, uint32_t to_level, VkRect2D rect, VkFilter filter)
{
    const VkExtent2D from = level_extent(capture, level);
    VkImageBlit region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
        .srcOffsets = {{0, 0, 0}, {(int32_t)from.width, (int32_t)from.height, 1}},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, to_level, 0, 1},
        .dstOffsets = {{rect.offset.x, rect.offset.y, 0},
                       {rect.offset.x + (int32_t)rect.extent.width,
                        rect.offset.y + (int32_t)rect.extent.height, 1}},
    };
    capture->gpu->vk.vkCmdBlitImage(commands, capture->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, filter);
}

void vks_capture_draw(const struct vks_capture *capture, VkCommandBuffer commands, VkImage image,
                      VkExtent2D extent)
{
    const VkRect2D rect = fit(capture->size, extent);
    const uint32_t level = level_for(capture, rect.extent);
    for (uint32_t i = 1; i <= level; i++) {
        const VkRect2D whole = {.extent = level_extent(capture, i)};
        make_target(capture, commands, capture->image, i);
        blit(capture, commands, i - 1, capture->image, i, whole, VK_FILTER_LINEAR);
        make_source(capture, commands, i);
    }
    make_target(capture, commands, image, 0);
    if (rect.extent.width < extent.width || rect.extent.height < extent.height) {
        VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        capture->gpu->vk.vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                              &surround, 1, &range);
        transition(capture, commands,
                   &(struct transition){image, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                        VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                        VK_ACCESS_2_TRANSFER_WRITE_BIT});
    }
    const bool crisp = rect.extent.width >= CRISP * (uint64_t)capture->size.width;
    blit(capture, commands, level, image, 0, rect, crisp ? VK_FILTER_NEAREST : VK_FILTER_LINEAR);
    transition(capture, commands,
               &(struct transition){image, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                    0});
}

/* --- capturing ------------------------------------------------------------------------------- */

struct capturing {
    const struct vks_capture *capture;
    const struct vks_graph *graph;
};

static void record_capture(void *user, VkCommandBuffer commands)
{
    const struct capturing *capturing = user;
    const struct vks_capture *capture = capturing->capture;
    VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {capture->size.width, capture->size.height, 1},
    };
    make_target(capture, commands, capture->image, 0);
    capture->gpu->vk.vkCmdCopyBufferToImage(commands, vks_graph_buffer(capturing->graph, "picture"),
                                            capture->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                            &region);
    make_source(capture, commands, 0);
}

enum vks_result vks_capture_frame(struct vks_capture *capture, struct vks_graph *graph)
{
    struct capturing capturing = {capture, graph};
    uint64_t *value = &capture->values[capture->next];
    capture->next = (capture->next + 1) % VKS_FRAMES_IN_FLIGHT;
    enum vks_result result = vks_gpu_wait(capture->gpu, *value);
    return result == VKS_OK ? vks_graph_frame(graph, record_capture, &capturing, VK_NULL_HANDLE,
                                              VK_NULL_HANDLE, value)
                            : result;
}

/* --- creation -------------------------------------------------------------------------------- */

static enum vks_result allocate(struct vks_capture *capture)
{
    struct vks_gpu *gpu = capture->gpu;
    VkMemoryRequirements needs;
    gpu->vk.vkGetImageMemoryRequirements(gpu->device, capture->image, &needs);
    int type = vks_memory_type(gpu, needs.memoryTypeBits, VKS_MEMORY_DEVICE);
    if (type < 0) {
        return vks_fail(VKS_ERROR_GPU, "%s has no memory for a picture", gpu->info.name);
    }
    enum vks_result result = vks_block_allocate(
        gpu, &capture->block,
        &(struct vks_block_params){.size = needs.size, .type = (uint32_t)type, .what = what});
    if (result != VKS_OK) {
        return result;
    }
    return vks_gpu_check(
        gpu, gpu->vk.vkBindImageMemory(gpu->device, capture->image, capture->block.memory, 0),
        "vkBindImageMemory");
}

enum vks_result vks_capture_create(struct vks_gpu *gpu, struct vks_size size,
                                   struct vks_capture *capture)
{
    const uint32_t max = gpu->properties.limits.maxImageDimension2D;
    *capture = (struct vks_capture){.gpu = gpu, .size = size, .levels = 1};
    if (size.width > max || size.height > max) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a picture of %ux%u: %s shows at most %u pixels per side; choose a smaller "
                        "--size or --output-size, or --headless",
                        size.width, size.height, gpu->info.name, max);
    }
    while (capture->levels < MAX_LEVELS && (size.width | size.height) >> capture->levels) {
        capture->levels++;
    }
    /* Vulkan guarantees all uses of this format here. */
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {size.width, size.height, 1},
        .mipLevels = capture->levels,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateImage(gpu->device, &info, NULL, &capture->image), "vkCreateImage");
    if (result != VKS_OK) {
        capture->image = VK_NULL_HANDLE;
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)capture->image, "%s", what);
    return allocate(capture);
}

void vks_capture_destroy(struct vks_capture *capture)
{
    if (capture->gpu) {
        capture->gpu->vk.vkDestroyImage(capture->gpu->device, capture->image, NULL);
        vks_block_free(capture->gpu, &capture->block);
    }
}
