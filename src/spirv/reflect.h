/* SPDX-License-Identifier: MIT */
/* Reflects a SPIR-V module for the library (gpu/reflect.h), and rejects shaders that the library
 * cannot use. Part of the build, and of the library for shaders from outside. */
#ifndef VKS_SPIRV_REFLECT_H
#define VKS_SPIRV_REFLECT_H

#include "gpu/reflect.h"

enum { VKS_SPV_FAULT_SIZE = 256 };

/* `reflection` points into the other parts. */
struct vks_spv_facts {
    struct vks_reflection reflection;
    struct vks_reflected_buffer *buffers;
    struct vks_reflected_constant *constants;
    char *names;
};

/* False, with the problem in `fault` ("its ..." or "it ...", to follow the shader's name), when
 * the module is damaged or does what vksim does not allow. Free in either case. */
bool vks_spv_reflect(const uint32_t *words, size_t count, struct vks_spv_facts *facts,
                     char fault[VKS_SPV_FAULT_SIZE]);
void vks_spv_facts_free(struct vks_spv_facts *facts);

#endif
