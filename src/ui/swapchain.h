/* SPDX-License-Identifier: MIT */
/* Pictures on a surface: each is captured from a graph (ui/capture.h) and presented on the images
 * of a swapchain. Independent of the window system. */
#ifndef VKS_UI_SWAPCHAIN_H
#define VKS_UI_SWAPCHAIN_H

#include "base/option.h"
#include "graph/graph.h"

struct vks_swapchain;

/* For pictures of `size`. The swapchain takes over the surface, also on failure. VKS_ERROR_DEVICE
 * if the device cannot present on it, VKS_ERROR_USAGE if the picture is too large for an image. */
enum vks_result vks_swapchain_create(struct vks_gpu *gpu, VkSurfaceKHR surface,
                                     struct vks_size size, struct vks_swapchain **swapchain);
void vks_swapchain_destroy(struct vks_swapchain *swapchain); /* waits; NULL is fine */

/* Draws the graph's state and copies its field "picture" (u32, H x W, RGBA8). Does not wait, unless
 * two captures are pending. The graph may be destroyed afterwards. */
enum vks_result vks_swapchain_capture(struct vks_swapchain *swapchain, struct vks_graph *graph);

/* Presents the last captured picture, whole and centred. `drawable` is the window's size in pixels,
 * for surfaces without a size of their own; 0 x 0: minimised. *presented is false if that is not
 * possible now: the window is minimised, or no image became available within 0.1 s because the
 * window is not visible. */
enum vks_result vks_swapchain_present(struct vks_swapchain *swapchain, VkExtent2D drawable,
                                      bool *presented);
/* The window's size may have changed. */
void vks_swapchain_resized(struct vks_swapchain *swapchain);

#endif
