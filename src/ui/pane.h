/* SPDX-License-Identifier: MIT */
/* A rectangle of the window whose pixels the host draws, such as the panel: an image on the device
 * that is updated where they change. */
#ifndef VKS_UI_PANE_H
#define VKS_UI_PANE_H

#include "gpu/buffer.h"
#include "ui/image.h"
#include "ui/place.h"
#include "view/text.h"

enum {
    VKS_MAX_PANE_CHANGES = 64,
    VKS_PANE_SLOTS = 2, /* presentations in flight */
};

struct vks_pane {
    struct vks_image image;                        /* between submissions a transfer source */
    struct vks_buffer staging[VKS_PANE_SLOTS];     /* as large as the image */
    bool fresh;                                    /* the image has no contents yet */
    const struct vks_canvas *canvas;               /* the caller's */
    struct vks_rect changes[VKS_MAX_PANE_CHANGES]; /* of the canvas, not yet in the image */
    size_t change_count;
};

/* Notes the changed rectangles of a canvas, which must stay until they are recorded or there is
 * another. With another size than before the device becomes idle, and all of it has changed. */
enum vks_result vks_pane_update(struct vks_gpu *gpu, struct vks_pane *pane,
                                const struct vks_canvas *canvas, const struct vks_rect *changes,
                                size_t count);
/* Records the changes. The GPU no longer uses that slot's staging buffer. */
void vks_pane_record(struct vks_pane *pane, VkCommandBuffer commands, size_t slot);
/* Records the drawing of the pane with its corner at (x, y) onto an image of that extent, a
 * transfer target. What lies outside is cut. */
void vks_pane_draw(const struct vks_pane *pane, VkCommandBuffer commands, VkImage image,
                   VkExtent2D extent, int32_t x, int32_t y);
/* The device must be idle. A zeroed structure is fine. */
void vks_pane_destroy(struct vks_pane *pane);

#endif
