/* SPDX-License-Identifier: MIT */
/* The live window: SDL2 and a swapchain. Pictures go from the "picture" buffer to the
 * screen without passing through the processor. */
#ifndef VKS_UI_WINDOW_H
#define VKS_UI_WINDOW_H

#include "runs/grid.h"

struct vks_window;

/* Opens a window of a sensible size for pictures of `size` and a context on a device that can show
 * it. VKS_ERROR_DEVICE without a display, a sentence that names --headless. On failure both are
 * untouched. */
enum vks_result vks_window_open(const struct vks_gpu_params *params, const char *title,
                                struct vks_size size, vks_context **context,
                                struct vks_window **window);
/* What vks_run() wants, for what runs: keys, title, pictures. */
struct vks_presenter vks_window_presenter(struct vks_window *window, struct vks_grid *grid);
/* Gives back everything on the device; before the context is destroyed. NULL is fine. */
void vks_window_release(struct vks_window *window);
/* Closes the window; after the context is destroyed. NULL is fine. */
void vks_window_close(struct vks_window *window);

#endif
