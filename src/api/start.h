/* SPDX-License-Identifier: MIT */
/* The initial condition that the option `init` names. */
#ifndef VKS_API_START_H
#define VKS_API_START_H

#include "api/settings.h"

/* Sets `start` and `from_image` from `init`. */
enum vks_result vks_start_parse(const struct vks_model *model, struct vks_common *common);

/* The file of image:FILE; NULL for another start. `init` has been parsed. */
const char *vks_start_image(const struct vks_common *common);

#endif
