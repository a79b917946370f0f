/* SPDX-License-Identifier: MIT */
#include "ui/image.h"

#include "base/error.h"
#include "gpu/debug.h"

static enum vks_result allocate(struct vks_image *image, const char *what)
{
    struct vks_gpu *gpu = image->gpu;
    VkMemoryRequirements needs;
    gpu->vk.vkGetImageMemoryRequirements(gpu->device, image->image, &needs);
    int type = vks_memory_type(gpu, needs.memoryTypeBits, VKS_MEMORY_DEVICE);
    if (type < 0) {
        return vks_fail(VKS_ERROR_GPU, "%s has no memory for %s", gpu->info.name, what);
    }
    enum vks_result result = vks_block_allocate(
        gpu, &image->block,
        &(struct vks_block_params){.size = needs.size, .type = (uint32_t)type, .what = what});
    if (result != VKS_OK) {
        return result;
    }
    return vks_gpu_check(
        gpu, gpu->vk.vkBindImageMemory(gpu->device, image->image, image->block.memory, 0),
        "vkBindImageMemory");
}

enum vks_result vks_image_create(struct vks_gpu *gpu, uint32_t width, uint32_t height,
                                 uint32_t levels, const char *what, struct vks_image *image)
{
    *image = (struct vks_image){.gpu = gpu, .width = width, .height = height, .levels = levels};
    /* Vulkan guarantees all uses of this format here. */
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {width, height, 1},
        .mipLevels = levels,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateImage(gpu->device, &info, NULL, &image->image), "vkCreateImage");
    if (result != VKS_OK) {
        image->image = VK_NULL_HANDLE;
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->image, "%s", what);
    return allocate(image, what);
}

void vks_image_destroy(struct vks_image *image)
{
    if (image->gpu) {
        image->gpu->vk.vkDestroyImage(image->gpu->device, image->image, NULL);
        vks_block_free(image->gpu, &image->block);
    }
    *image = (struct vks_image){0};
}

void vks_image_turn(const struct vks_gpu *gpu, VkCommandBuffer commands, VkImage image,
                    uint32_t level, enum vks_turn turn)
{
    static const struct {
        VkImageLayout from, to;
        VkAccessFlags2 before, after;
    } turns[] = {
        [VKS_TO_TARGET] = {VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                           VK_ACCESS_2_TRANSFER_WRITE_BIT},
        [VKS_SOURCE_TO_TARGET] = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                                  VK_ACCESS_2_TRANSFER_WRITE_BIT},
        [VKS_TARGET_TO_SOURCE] = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                  VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
        [VKS_TARGET_AGAIN] = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                              VK_ACCESS_2_TRANSFER_WRITE_BIT},
        [VKS_TARGET_TO_SCREEN] = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                  0},
    };
    VkImageMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .srcAccessMask = turns[turn].before,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .dstAccessMask = turns[turn].after,
        .oldLayout = turns[turn].from,
        .newLayout = turns[turn].to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1},
    };
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .imageMemoryBarrierCount = 1,
        .pImageMemoryBarriers = &barrier,
    };
    gpu->vk.vkCmdPipelineBarrier2(commands, &info);
}
