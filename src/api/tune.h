/* SPDX-License-Identifier: MIT */
/* Which of a model's variants is the fastest on the device at hand: measured once, then remembered
 * in a file next to the pipeline cache. All variants produce identical bytes. */
#ifndef VKS_API_TUNE_H
#define VKS_API_TUNE_H

#include "gpu/device.h"
#include "api/settings.h"

/* Sets settings->limits and settings->variant, within what --variant requests. Measuring takes at
 * most some `most_seconds`, pipelines included; what comes too late is not tried, and then nothing
 * is remembered. On a software device, where the plain variant does as well and measuring takes
 * long, the first one is taken unmeasured; so it is where none can be measured (for want of memory
 * for a second set of fields, say). The settings are finished. */
void vks_tune(struct vks_gpu *gpu, struct vks_settings *settings, double most_seconds);

#endif
