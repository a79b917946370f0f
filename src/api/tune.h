/* SPDX-License-Identifier: MIT */
/* Which of a model's variants is the fastest on the device at hand: measured once, then remembered
 * in a file next to the pipeline cache. All variants produce identical bytes. */
#ifndef VKS_API_TUNE_H
#define VKS_API_TUNE_H

#include "gpu/device.h"
#include "api/settings.h"

/* Sets settings->limits and settings->variant, within what --variant requests. Measuring takes
 * about `most_seconds` at most, pipelines included; if time runs out, the fastest so far is used
 * and nothing is remembered. The first candidate is used unmeasured on software devices, where
 * measuring is slow and variants differ little, and if none can be measured, for example because
 * memory is too short for a second set of fields. The settings are finished. */
void vks_tune(struct vks_gpu *gpu, struct vks_settings *settings, double most_seconds);

#endif
