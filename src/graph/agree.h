/* SPDX-License-Identifier: MIT */
/* Does a declaration agree with the shaders that it names? Pure: no device is needed. */
#ifndef VKS_GRAPH_AGREE_H
#define VKS_GRAPH_AGREE_H

#include "gpu/pipeline.h"
#include "graph/model.h"

/* VKS_ERROR_GPU with a sentence when the pass names a buffer that the shader does not have or the
 * other way round, has other elements or constants, uses a field in a way that the shader does not,
 * or does not use it in a way that the shader does; and when the shader is not exact, unless the
 * declaration only measures. The pass has been accepted by the declaration. */
enum vks_result vks_check_agreement(const struct vks_declaration *declaration,
                                    const struct vks_pass *pass, const struct vks_shader *shader);

#endif
