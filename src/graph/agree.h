/* SPDX-License-Identifier: MIT */
/* Checks a declaration against its shaders. Pure: needs no device. */
#ifndef VKS_GRAPH_AGREE_H
#define VKS_GRAPH_AGREE_H

#include "gpu/pipeline.h"
#include "graph/declare.h"

/* VKS_ERROR_INTERNAL with a message if the pass and its shader differ in buffers, elements,
 * constants or accesses, or if the shader is not exact, unless the declaration only measures. The
 * pass comes from vks_declare_pass(). */
enum vks_result vks_check_agreement(const struct vks_declaration *declaration,
                                    const struct vks_pass *pass, const struct vks_shader *shader);

/* Index in pass->uses of a shader's block ("trail", or "trail_next" for what VKS_NEXT writes), or
 * -1. Only the first pass->use_count uses count. */
int vks_use_of_block(const struct vks_pass *pass, const char *block);

#endif
