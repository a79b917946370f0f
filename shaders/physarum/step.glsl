// SPDX-License-Identifier: MIT
// The number of the current step.
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
#endif
