/* SPDX-License-Identifier: MIT */
/* Images that transfers fill and draw onto the screen. */
#ifndef VKS_UI_IMAGE_H
#define VKS_UI_IMAGE_H

#include "gpu/memory.h"

/* An image of RGBA8; each level after the first has half the size of the one before. */
struct vks_image {
    struct vks_gpu *gpu;
    uint32_t width, height, levels;
    VkImage image;
    struct vks_block block;
};

/* `what` is for messages and names of objects. After a failure, too, vks_image_destroy() frees it.
 */
enum vks_result vks_image_create(struct vks_gpu *gpu, uint32_t width, uint32_t height,
                                 uint32_t levels, const char *what, struct vks_image *image);
/* The device must be idle. A zeroed structure is fine. */
void vks_image_destroy(struct vks_image *image);

/* What happens to a level of an image. Images are used by transfers only; semaphores order
 * presentation. */
enum vks_turn {
    VKS_TO_TARGET, /* from anything, which is lost, to being written */
    VKS_SOURCE_TO_TARGET,
    VKS_TARGET_TO_SOURCE,
    VKS_TARGET_AGAIN, /* written again, over what was */
    VKS_TARGET_TO_SCREEN,
};
void vks_image_turn(const struct vks_gpu *gpu, VkCommandBuffer commands, VkImage image,
                    uint32_t level, enum vks_turn turn);

#endif
