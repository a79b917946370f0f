/* SPDX-License-Identifier: MIT */
/* The smallest plug-in, whose debugging information has all types of vksim/model.h. */
#include <vksim/model.h>

extern const struct vks_plugin_shader no_shaders[];
const struct vks_plugin_shader no_shaders[] = {{NULL, NULL, 0, NULL, 0}};
static const struct vks_model model = {.name = "none"};

VKS_DEFINE_PLUGIN(no_shaders, &model)
