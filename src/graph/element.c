/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "graph/graph.h"

const struct vks_element_info *vks_element_info(enum vks_element element)
{
    static const struct vks_element_info infos[] = {
        [VKS_F32] = {"float32", .bytes = 4, .scalars = 1, .kind = 'f'},
        [VKS_U32] = {"uint32", .bytes = 4, .scalars = 1, .kind = 'u'},
        [VKS_U32X2] = {"uint32", .bytes = 8, .scalars = 2, .kind = 'u'},
        [VKS_F16] = {"float16", .bytes = 2, .scalars = 1, .kind = 'f'},
    };
    return element > 0 && (size_t)element < VKS_COUNT(infos) ? &infos[element] : NULL;
}

uint32_t vks_element_bytes(enum vks_element element)
{
    return vks_element_info(element)->bytes;
}

uint64_t vks_field_bytes(const struct vks_field *field)
{
    uint64_t bytes = 0;
    return vks_multiply(vks_field_count(field), vks_element_bytes(field->element), &bytes)
               ? bytes
               : UINT64_MAX;
}

uint32_t vks_array_shape(const struct vks_field *field, uint64_t shape[4])
{
    const uint32_t scalars = vks_element_info(field->element)->scalars;
    for (uint32_t i = 0; i < 4; i++) {
        shape[i] = i < field->rank ? field->shape[i] : 0;
    }
    if (scalars > 1) {
        shape[field->rank] = scalars;
    }
    return field->rank + (scalars > 1 ? 1 : 0);
}
