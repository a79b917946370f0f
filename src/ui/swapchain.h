/* SPDX-License-Identifier: MIT */
/* Pictures on a surface: each is captured from a graph (ui/capture.h) and presented, with panes
 * beside it, on the images of a swapchain. Independent of the window system. */
#ifndef VKS_UI_SWAPCHAIN_H
#define VKS_UI_SWAPCHAIN_H

#include "base/option.h"
#include "frames/ring.h"
#include "graph/graph.h"
#include "ui/pane.h"

struct vks_swapchain;

enum { VKS_MAX_PANES = 4 };

/* A ring of dots on the picture, around a brush. */
struct vks_dots {
    double x, y, radius;  /* pixels of the screen; radius 0: none */
    uint32_t size;        /* of a dot */
    struct vks_rect area; /* outside which there are none */
};

/* Makes the surface of a window: at first, and each time that it was lost. The swapchain takes it
 * over. */
struct vks_surface_maker {
    enum vks_result (*make)(void *user, const struct vks_gpu *gpu, VkSurfaceKHR *surface);
    void *user;
};

/* For pictures of `size`. `present`: the row of ui/present.def, from 1; 0: fifo. VKS_ERROR_DEVICE
 * if the device cannot present on the surface, or not so; VKS_ERROR_USAGE if the picture is too
 * large for an image. */
enum vks_result vks_swapchain_create(struct vks_gpu *gpu, const struct vks_surface_maker *maker,
                                     unsigned present, struct vks_size size,
                                     struct vks_swapchain **swapchain);
void vks_swapchain_destroy(struct vks_swapchain *swapchain); /* waits; NULL is fine */

/* Continues with pictures of another size, of which there is none yet. Waits for the device. */
enum vks_result vks_swapchain_use(struct vks_swapchain *swapchain, struct vks_size size);
/* As vks_capture_frame(). The graph may be destroyed afterwards. */
enum vks_result vks_swapchain_capture(struct vks_swapchain *swapchain, struct vks_graph *graph,
                                      struct vks_ring *ring);

/* What is presented, from the back to the front. */
struct vks_screen {
    struct vks_place place; /* of the captured picture, if there is one */
    struct {
        struct vks_pane *pane;
        int32_t x, y;
    } panes[VKS_MAX_PANES];
    size_t pane_count;
    struct vks_dots dots;
    int32_t frame; /* pixels of a white frame within the picture's edge; 0: none */
};

/* Presents the last captured picture and the panes. `drawable` is the window's size in pixels,
 * for surfaces without a size of their own; 0 x 0: minimised. *presented is false if that is not
 * possible now: the window is minimised, or no image became available within 0.1 s because the
 * window is not visible. Images that are out of date and a lost surface are recreated;
 * VKS_ERROR_DEVICE if the new surface is lost at once, again and again. */
enum vks_result vks_swapchain_present(struct vks_swapchain *swapchain, VkExtent2D drawable,
                                      const struct vks_screen *screen, bool *presented);
/* The window's size may have changed. */
void vks_swapchain_resized(struct vks_swapchain *swapchain);

#endif
