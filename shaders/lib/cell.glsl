// SPDX-License-Identifier: MIT
//
// Cells of a field of float32, or of IEEE halves, two per word: VKS_CELL(words, i) is the value of
// cell i of the buffer member `uint words[]`.
#ifndef VKS_LIB_CELL_GLSL
#define VKS_LIB_CELL_GLSL

#include "lib/exact.glsl"

layout(constant_id = 8) const bool half_cells = false;

#define VKS_CELL(words, i)                                                                         \
    (half_cells ? vks_from_half((VKS_AT(words, (i) >> 1) >> (((i)&1u) * 16u)) & 0xffffu)           \
                : uintBitsToFloat(VKS_AT(words, i)))

#endif
