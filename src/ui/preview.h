/* SPDX-License-Identifier: MIT */
/* Runs a preset in a small picture. It has a thread and a context of its own, so neither the window
 * nor its run waits for it. */
#ifndef VKS_UI_PREVIEW_H
#define VKS_UI_PREVIEW_H

#include "gpu/device.h"
#include "graph/model.h"
#include "ui/draw.h"

struct vks_preview;

/* `params` are those of the window's context, on whose device previews run. The device is opened
 * once there is something to run. */
enum vks_result vks_preview_create(const struct vks_gpu_params *params, const struct vks_gpu *gpu,
                                   struct vks_preview **preview);
/* Returns the validation messages of its context. May wait until the driver has compiled a shader.
 * NULL is fine. */
uint64_t vks_preview_destroy(struct vks_preview *preview);

/* Runs that preset from now on; NULL: none. Does not wait. A preset that cannot run has no
 * picture. With `still` it runs for a few seconds and has one picture then. */
void vks_preview_show(struct vks_preview *preview, const struct vks_model *model,
                      const char *preset, bool still);
/* Whether the still that was asked for is there, in *picture, or cannot be, without `rgba`. */
bool vks_preview_has_still(struct vks_preview *preview, struct vks_thumb *picture);
/* Whether there is a preset to run. */
bool vks_preview_runs(struct vks_preview *preview);
/* Whether the picture has changed since vks_preview_picture(). */
bool vks_preview_is_new(struct vks_preview *preview);
/* The newest picture of that preset, valid until the next call; without `rgba` while there is
 * none. */
struct vks_thumb vks_preview_picture(struct vks_preview *preview);

#endif
