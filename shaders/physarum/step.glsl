// SPDX-License-Identifier: MIT
// The number of the current step, and the blocks in which counts spill, which are marked by it.
#ifndef VKS_PHYSARUM_STEP_GLSL
#define VKS_PHYSARUM_STEP_GLSL
#include "physarum/constants.glsl"

VKS_CLOCK;

uint fused_step = 0u; // number of the step within its dispatch

#ifdef VKS_TEXELS
// Read before any branch, where llvmpipe loads once for all invocations.
uint dispatch_step = first_step + step_in_batch;
#else
#define dispatch_step (first_step + step_in_batch)
#endif

uint current_step()
{
    return dispatch_step + fused_step;
}

// The block of a cell of a plane. Planes have whole blocks.
uint block_of(uint plane, uint row, uint column)
{
    uint rows = ((constants.height - 1u) >> constants.block_rows_bits) + 1u;
    return (plane * rows + (row >> constants.block_rows_bits)) * constants.blocks +
           (column >> constants.block_columns_bits);
}
#endif
