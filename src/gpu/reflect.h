/* SPDX-License-Identifier: MIT */
/* What a compute shader's SPIR-V says of itself: buffers, push constants, specialization
 * constants, shared memory. So C never repeats a layout. */
#ifndef VKS_GPU_REFLECT_H
#define VKS_GPU_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

enum { VKS_MAX_BINDINGS = 16, VKS_MAX_SPEC_IDS = 16 };

/* Several blocks may share a binding, to read a field by elements of other sizes; the
 * shortest of their names is the field's ("trail" beside "trail_cells"). */
struct vks_reflected_buffer {
    char name[48];    /* of the block */
    uint32_t binding; /* in set 0 */
    uint32_t stride;  /* bytes an element of its last, run-time sized array; 0: no such array */
    bool read_only;   /* every member is readonly */
    bool write_only;
};

struct vks_reflected_constant {
    char name[48]; /* "" for the workgroup size's */
    uint32_t id;   /* constant_id */
};

struct vks_reflection {
    struct vks_reflected_buffer buffers[VKS_MAX_BINDINGS];
    size_t buffer_count;
    struct vks_reflected_constant constants[VKS_MAX_SPEC_IDS];
    size_t constant_count;
    uint32_t push_size;     /* bytes of the push-constant block, 0 if none */
    uint32_t shared_bytes;  /* of workgroup variables, specialization constants at default */
    bool sized_by_constant; /* local_size_x_id = 0, local_size_y_id = 1 are there */
};

/* VKS_ERROR_GPU with a sentence naming `shader` when the module is damaged or uses what vksim
 * does not (another descriptor kind, set 1, several entry points). */
enum vks_result vks_reflect(const char *shader, const uint32_t *words, size_t count,
                            struct vks_reflection *reflection);

#endif
