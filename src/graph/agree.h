/* SPDX-License-Identifier: MIT */
/* Does a declaration agree with the shaders that it names? Pure: no device is needed. */
#ifndef VKS_GRAPH_AGREE_H
#define VKS_GRAPH_AGREE_H

#include "gpu/pipeline.h"
#include "graph/model.h"

/* VKS_ERROR_INTERNAL with a message when the pass and its shader differ in their buffers, elements,
 * constants or accesses to a field; and when the shader is not exact, unless the declaration only
 * measures. The declaration has accepted the pass. */
enum vks_result vks_check_agreement(const struct vks_declaration *declaration,
                                    const struct vks_pass *pass, const struct vks_shader *shader);

#endif
