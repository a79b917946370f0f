/* SPDX-License-Identifier: MIT */
/* The live window: SDL2 and a swapchain. Pictures never leave the device on their way from the
 * "picture" buffer to the screen. */
#ifndef VKS_UI_WINDOW_H
#define VKS_UI_WINDOW_H

#include "runs/grid.h"

struct vks_window;

/* Opens a window of a sensible size for pictures of `size`, and a context on a device that can
 * present on it. VKS_ERROR_DEVICE with VKS_HINT_WINDOW without a display. On failure *context and
 * *window are unchanged. */
enum vks_result vks_window_open(const struct vks_gpu_params *params, const char *title,
                                struct vks_size size, vks_context **context,
                                struct vks_window **window);
/* The presenter for vks_run(): handles keys, updates the title, presents pictures of the grid. */
struct vks_presenter vks_window_presenter(struct vks_window *window, struct vks_grid *grid);
/* Frees everything on the device; to be called before the context is destroyed. NULL is fine. */
void vks_window_release(struct vks_window *window);
/* Closes the window; to be called after the context is destroyed. NULL is fine. */
void vks_window_close(struct vks_window *window);

#endif
