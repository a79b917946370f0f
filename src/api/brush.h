/* SPDX-License-Identifier: MIT */
#ifndef VKS_API_BRUSH_H
#define VKS_API_BRUSH_H

#include "api/settings.h"

/* Finds the model's brush of that name, for a run with these settings: *index in the model's rows.
 * VKS_ERROR_USAGE if there is none or the run lacks what it needs. */
enum vks_result vks_brush_find(const struct vks_settings *settings, const char *name,
                               size_t *index);

#endif
