/* SPDX-License-Identifier: MIT */
/* A picture on a surface: kept as an image on the device, scaled onto the images of a swapchain.
 * No window system here. Everything waits for the device before it is given back. */
#ifndef VKS_UI_SWAPCHAIN_H
#define VKS_UI_SWAPCHAIN_H

#include "graph/graph.h"

struct vks_swapchain;

/* For pictures of `size`. The surface becomes the swapchain's, also on failure. VKS_ERROR_DEVICE
 * when the device cannot show on it, VKS_ERROR_USAGE when the picture is too large for an image. */
enum vks_result vks_swapchain_create(struct vks_gpu *gpu, VkSurfaceKHR surface,
                                     struct vks_size size, struct vks_swapchain **swapchain);
void vks_swapchain_destroy(struct vks_swapchain *swapchain); /* NULL is fine */

/* Draws the graph's state and takes its field "picture" (u32, H x W, RGBA8) over. Does not wait,
 * unless two pictures are in flight already. The graph may go afterwards. */
enum vks_result vks_swapchain_take(struct vks_swapchain *swapchain, struct vks_graph *graph);

/* Shows the picture taken last, whole and centred. `drawable` is the window's size in pixels, for
 * surfaces that follow what is shown on them; 0 x 0: minimised. *shown is false when nothing could
 * be shown now: minimised, or no image came free within 0.1 s because nobody sees the window. */
enum vks_result vks_swapchain_show(struct vks_swapchain *swapchain, VkExtent2D drawable,
                                   bool *shown);
/* The window's size may have changed. */
void vks_swapchain_resized(struct vks_swapchain *swapchain);

#endif
