/* SPDX-License-Identifier: MIT */
/* Reflection of a compute shader: buffers and how it uses them, push constants, specialization
 * constants, shared memory. The build reads it from the SPIR-V (tools/spv_reflect.c) and writes it
 * as constant tables next to the code, so C never repeats a layout and the library never parses a
 * module. */
#ifndef VKS_GPU_REFLECT_H
#define VKS_GPU_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids of the specialization constants for the workgroup size: this one for x, the next for y.
 * shaders/lib/pass.glsl declares them; 255 is free. Every shader has both. */
enum { VKS_GROUP_SIZE_ID = 253 };

/* Specialization constant of wide variants: the base-2 logarithm of a chunk's bytes. */
#define VKS_CHUNK_BITS "vks_chunk_bits"

/* Several blocks may share a binding, to read a field by elements of other sizes. They are one
 * buffer here: the shortest of their names is the field's ("trail" next to "trail_cells"). */
struct vks_reflected_buffer {
    const char *name; /* of the block */
    uint32_t binding; /* in set 0 */
    uint32_t stride;  /* bytes per element of the last, run-time sized array; 0: there is none.
                       * Of several blocks: the greatest common divisor */
    bool read_only;   /* every member is `readonly` */
    bool write_only;  /* every member is `writeonly` */
    /* What the code does, whatever the qualifiers allow. */
    bool loads;
    bool stores;
    bool atomics;
    /* The buffer holds the addresses of a field's chunks (shaders/lib/field.glsl): its `stride` and
     * qualifiers are those of this table, but the accesses are those to the field. */
    bool chunked;
};

struct vks_reflected_constant {
    const char *name;
    uint32_t id; /* constant_id */
};

struct vks_reflection {
    const struct vks_reflected_buffer *buffers;
    size_t buffer_count;
    const struct vks_reflected_constant *constants; /* without those of the workgroup size */
    size_t constant_count;
    uint32_t push_size;    /* bytes of the push-constant block, 0 if none */
    uint32_t shared_bytes; /* of workgroup variables, specialization constants at default */
};

#endif
