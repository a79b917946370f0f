/* SPDX-License-Identifier: MIT */
#ifndef VKS_TOOL_SMALL_H
#define VKS_TOOL_SMALL_H

#include "api/settings.h"

/* Makes the field and its picture smaller, so that a software driver computes and draws them fast
 * enough for a window: at most 512x512 cells and, unless that was given, pixels, and at most 20 MiB
 * of fields, because what a step takes grows with what it reads and writes. Sides of the field are
 * halved. `settings` are finished; they stay as they are if they are small enough or cannot be
 * smaller. */
enum vks_result vks_make_small(struct vks_settings *settings);

#endif
