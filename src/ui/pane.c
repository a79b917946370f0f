/* SPDX-License-Identifier: MIT */
#include "ui/pane.h"

#include <string.h>

static enum vks_result create(struct vks_gpu *gpu, struct vks_pane *pane, uint32_t width,
                              uint32_t height)
{
    enum vks_result result = vks_gpu_wait_idle(gpu);
    vks_pane_destroy(pane);
    if (result == VKS_OK) {
        result = vks_image_create(gpu, width, height, 1, "a pane of the window", &pane->image);
    }
    for (size_t i = 0; i < VKS_PANE_SLOTS && result == VKS_OK; i++) {
        result = vks_buffer_create(gpu, &pane->staging[i], (uint64_t)width * height * 4,
                                   VKS_MEMORY_UPLOAD, "a pane of the window");
    }
    if (result != VKS_OK) {
        vks_pane_destroy(pane);
    }
    pane->fresh = true;
    return result;
}

enum vks_result vks_pane_update(struct vks_gpu *gpu, struct vks_pane *pane,
                                const struct vks_canvas *canvas, const struct vks_rect *changes,
                                size_t count)
{
    const struct vks_rect whole = {0, 0, (int32_t)canvas->width, (int32_t)canvas->height};
    enum vks_result result = VKS_OK;
    if (pane->image.width != canvas->width || pane->image.height != canvas->height) {
        result = create(gpu, pane, canvas->width, canvas->height);
    }
    pane->canvas = canvas;
    if (pane->fresh || pane->change_count + count > VKS_MAX_PANE_CHANGES) {
        pane->change_count = 0;
        changes = &whole;
        count = 1;
    }
    memcpy(&pane->changes[pane->change_count], changes, count * sizeof(*changes));
    pane->change_count += count;
    return result;
}

/* Copies a rectangle of the canvas to the staging buffer, which has the same rows. */
static VkBufferImageCopy stage(const struct vks_pane *pane, size_t slot,
                               const struct vks_rect *area)
{
    const struct vks_canvas *canvas = pane->canvas;
    const size_t first = ((size_t)area->y * canvas->width + (size_t)area->x) * 4;
    char *staging = pane->staging[slot].map;
    for (int32_t row = 0; row < area->height; row++) {
        const size_t at = first + (size_t)row * canvas->width * 4;
        memcpy(staging + at, canvas->rgba + at, (size_t)area->width * 4);
    }
    return (VkBufferImageCopy){
        .bufferOffset = first,
        .bufferRowLength = canvas->width,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageOffset = {area->x, area->y, 0},
        .imageExtent = {(uint32_t)area->width, (uint32_t)area->height, 1},
    };
}

void vks_pane_record(struct vks_pane *pane, VkCommandBuffer commands, size_t slot)
{
    const struct vks_image *image = &pane->image;
    VkBufferImageCopy copies[VKS_MAX_PANE_CHANGES];
    if (pane->change_count == 0) {
        return;
    }
    for (size_t i = 0; i < pane->change_count; i++) {
        copies[i] = stage(pane, slot, &pane->changes[i]);
    }
    vks_image_turn(image->gpu, commands, image->image, 0,
                   pane->fresh ? VKS_TO_TARGET : VKS_SOURCE_TO_TARGET);
    image->gpu->vk.vkCmdCopyBufferToImage(commands, pane->staging[slot].buffer, image->image,
                                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                          (uint32_t)pane->change_count, copies);
    vks_image_turn(image->gpu, commands, image->image, 0, VKS_TARGET_TO_SOURCE);
    pane->fresh = false;
    pane->change_count = 0;
}

/* The beginning and end of the pane, of that length, that lie within an image of length `most` if
 * the pane is at `at`. */
static void cut(int32_t at, uint32_t length, uint32_t most, int32_t *from, int32_t *to)
{
    *from = at < 0 ? -at : 0;
    *to = (int64_t)at + length > most ? (int32_t)most - at : (int32_t)length;
}

void vks_pane_draw(const struct vks_pane *pane, VkCommandBuffer commands, VkImage image,
                   VkExtent2D extent, int32_t x, int32_t y)
{
    int32_t left, right, top, bottom;
    cut(x, pane->image.width, extent.width, &left, &right);
    cut(y, pane->image.height, extent.height, &top, &bottom);
    const VkImageBlit region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .srcOffsets = {{left, top, 0}, {right, bottom, 1}},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstOffsets = {{x + left, y + top, 0}, {x + right, y + bottom, 1}},
    };
    if (right > left && bottom > top && !pane->fresh) {
        pane->image.gpu->vk.vkCmdBlitImage(
            commands, pane->image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, VK_FILTER_NEAREST);
    }
}

void vks_pane_destroy(struct vks_pane *pane)
{
    for (size_t i = 0; pane->image.gpu && i < VKS_PANE_SLOTS; i++) {
        vks_buffer_destroy(pane->image.gpu, &pane->staging[i]);
    }
    vks_image_destroy(&pane->image);
    *pane = (struct vks_pane){0};
}
