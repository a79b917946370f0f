/* SPDX-License-Identifier: MIT */
/* A captured picture: an image on the device that outlives the graph's next frames and is scaled
 * onto the images of a swapchain. */
#ifndef VKS_UI_CAPTURE_H
#define VKS_UI_CAPTURE_H

#include "frames/ring.h"
#include "graph/graph.h"
#include "ui/image.h"
#include "ui/place.h"

enum { VKS_FRAMES_IN_FLIGHT = 2 }; /* that are captured, and presented, ahead of the GPU */

struct vks_capture {
    struct vks_size size;
    struct vks_image image; /* between submissions: level 0, the picture, is a transfer source, and
                             * so are the levels that are `made`; the others undefined */
    uint32_t made;          /* levels of this picture above level 0 */
    uint64_t values[VKS_FRAMES_IN_FLIGHT]; /* a ring: timeline values of the last captures */
    size_t next;                           /* in the ring */
};

/* For pictures of `size`. VKS_ERROR_USAGE if that is too large for an image. After a failure, too,
 * vks_capture_destroy() frees it. */
enum vks_result vks_capture_create(struct vks_gpu *gpu, struct vks_size size,
                                   struct vks_capture *capture);
/* The device must be idle. A zeroed structure is fine. */
void vks_capture_destroy(struct vks_capture *capture);

/* Draws the graph's state and copies its field "picture" (u32, H x W, RGBA8). Waits only if
 * VKS_FRAMES_IN_FLIGHT captures are pending. With a ring of that graph (NULL: none) the frame is
 * pushed to it, with its waits and failures, and drawn only once. */
enum vks_result vks_capture_frame(struct vks_capture *capture, struct vks_graph *graph,
                                  struct vks_ring *ring);

/* Records the drawing of the picture at its place onto an image of that extent, a transfer target.
 */
void vks_capture_draw(struct vks_capture *capture, VkCommandBuffer commands, VkImage image,
                      VkExtent2D extent, const struct vks_place *place);

#endif
