/* SPDX-License-Identifier: MIT */
/* Reflection of a compute shader: buffers and how it uses them, push constants, specialization
 * constants, shared memory. The build reads it from the SPIR-V (spirv/reflect.c) and writes it
 * as constant tables next to the code, so C code repeats no layout and the library parses no
 * module, except those of formulas. */
#ifndef VKS_GPU_REFLECT_H
#define VKS_GPU_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Id of the specialization constant for the workgroup size in x; the next is for y. Every shader
 * has both (shaders/lib/pass.glsl); 255 is free. */
enum { VKS_GROUP_SIZE_ID = 253 };

/* Specialization constant of wide versions: log2 of the bytes of a chunk. */
#define VKS_CHUNK_BITS "vks_chunk_bits"

/* Several blocks may share a binding, to access a field by elements of different sizes. They are
 * one buffer here, with the shortest name ("trail" rather than "trail_cells"). */
struct vks_reflected_buffer {
    const char *name; /* of the block */
    uint32_t binding; /* in set 0 */
    uint32_t stride;  /* bytes per element of the run-time sized array; 0: none. Of several blocks:
                       * the greatest common divisor */
    bool read_only;   /* every member is `readonly` */
    bool write_only;  /* every member is `writeonly` */
    /* Accesses in the code, regardless of qualifiers. */
    bool loads;
    bool stores;
    bool atomics;
    /* The buffer holds the addresses of a field's chunks (shaders/lib/field.glsl): `stride` and
     * qualifiers are of this table, accesses are to the field. */
    bool chunked;
    uint32_t texel_words; /* per texel, 1, 2 or 4, of a texel buffer, which is read only; else 0 */
};

struct vks_reflected_constant {
    const char *name;
    uint32_t id; /* constant_id */
};

struct vks_reflection {
    const struct vks_reflected_buffer *buffers;
    size_t buffer_count;
    const struct vks_reflected_constant *constants; /* except the workgroup size */
    size_t constant_count;
    uint32_t push_size;    /* bytes of the push-constant block, 0 if none */
    uint32_t shared_bytes; /* of workgroup variables, with default specialization constants */
    /* Uses of gl_NumWorkGroups: bits 1 << axis of gl_WorkGroupID that are multiplied by it, to
     * number the workgroups, and whether there are others. */
    uint32_t numbered_axes;
    bool counts_groups;
};

#endif
