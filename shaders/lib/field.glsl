// SPDX-License-Identifier: MIT
//
// Storage buffers that may be larger than one binding. VKS_FIELD(1, readonly, trail, float, trails)
// declares the buffer `trail` at binding 1 and VKS_AT(trails, i) is its element i, to be read,
// written or passed to an atomic function. The second argument is `readonly`, `writeonly` or empty.
// Other views of the buffer are declared as in any shader: same binding, name `trail_...`.
//
// This compiles to a plain storage block. The build compiles exact shaders a second time, with
// VKS_WIDE: the wide version, for fields larger than a buffer's range, binds a table of addresses,
// one per chunk of 2^vks_chunk_bits bytes. Addresses are pairs of uint, so no integer is wider than
// 32 bits. Elements have 4, 8 or 16 bytes and never straddle two chunks. VKS_AT evaluates its index
// twice: no side effects.
#ifndef VKS_LIB_FIELD_GLSL
#define VKS_LIB_FIELD_GLSL

#ifdef VKS_WIDE
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(constant_id = 252) const uint vks_chunk_bits = 30u;

// log2 of the bytes of an element.
#define VKS_BITS_OF_float 2u
#define VKS_BITS_OF_uint 2u
#define VKS_BITS_OF_vec2 3u
#define VKS_BITS_OF_uvec2 3u
#define VKS_BITS_OF_vec4 4u
#define VKS_BITS_OF_uvec4 4u
#define VKS_BITS_OF(type) VKS_BITS_OF_##type

#define VKS_FIELD(number, access, name, type, array)                                               \
    layout(std430, set = 0, binding = number) readonly buffer name                                 \
    {                                                                                              \
        uvec2 vks_chunks_##array[];                                                                \
    };                                                                                             \
    layout(std430, buffer_reference, buffer_reference_align = 16) access buffer vks_chunk_##array  \
    {                                                                                              \
        type at[];                                                                                 \
    };                                                                                             \
    const uint vks_bits_##array = vks_chunk_bits - VKS_BITS_OF(type)

#define VKS_AT(array, i)                                                                           \
    vks_chunk_##array(vks_chunks_##array[(i) >> vks_bits_##array])                                 \
        .at[(i) & ((1u << vks_bits_##array) - 1u)]

#else

#define VKS_FIELD(number, access, name, type, array)                                               \
    layout(std430, set = 0, binding = number) access buffer name                                   \
    {                                                                                              \
        type array[];                                                                              \
    }

#define VKS_AT(array, i) array[i]

#endif

// Buffers that are only read: VKS_INPUT(1, trail, float, trails) and VKS_IN(trails, i). With
// VKS_TEXELS, defined first, the shader reads them as texel buffers, one element per texel: the
// llvmpipe of Mesa 22.3 loads from storage buffers one component of one lane at a time. Chunked
// fields stay storage buffers. The reflection reads the element type from the variable's name, so
// each binding has a single type. VKS_INPUT_PAIRS and VKS_INPUT_WORDS are views of the buffer of
// fours as pairs and single words: its texels, which padding completes, or the storage buffer.
#if defined(VKS_TEXELS) && !defined(VKS_WIDE)
#extension GL_EXT_samplerless_texture_functions : require

#define vks_element_uint(texel) texel.x
#define vks_element_uvec2(texel) texel.xy
#define vks_element_uvec4(texel) texel
#define vks_element_float(texel) uintBitsToFloat(texel.x)
#define vks_element_vec4(texel) uintBitsToFloat(texel)

#define VKS_INPUT(number, name, type, array)                                                       \
    layout(set = 0, binding = number) uniform utextureBuffer vks_texels_##type##_##name;           \
    type vks_in_##array(uint i)                                                                    \
    {                                                                                              \
        uvec4 texel = texelFetch(vks_texels_##type##_##name, int(i));                              \
        return vks_element_##type(texel);                                                          \
    }
#define VKS_INPUT_PAIRS(number, name, fours, array)                                                \
    uvec2 vks_in_##array(uint i)                                                                   \
    {                                                                                              \
        uvec4 four = vks_in_##fours(i >> 1);                                                       \
        return (i & 1u) == 0u ? four.xy : four.zw;                                                 \
    }
#define VKS_INPUT_WORDS(number, name, fours, array)                                                \
    uint vks_in_##array(uint i)                                                                    \
    {                                                                                              \
        return vks_in_##fours(i >> 2)[i & 3u];                                                     \
    }
#define VKS_IN(array, i) vks_in_##array(i)
#else
#define VKS_INPUT(number, name, type, array) VKS_FIELD(number, readonly, name, type, array);
#define VKS_INPUT_PAIRS(number, name, fours, array) VKS_FIELD(number, readonly, name, uvec2, array);
#define VKS_INPUT_WORDS(number, name, fours, array) VKS_FIELD(number, readonly, name, uint, array);
#define VKS_IN(array, i) VKS_AT(array, i)
#endif
#endif
