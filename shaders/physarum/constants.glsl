// SPDX-License-Identifier: MIT
// Common to the passes of a step.
#ifndef VKS_PHYSARUM_CONSTANTS_GLSL
#define VKS_PHYSARUM_CONSTANTS_GLSL
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);
VKS_CLOCK;

uint fused_step = 0u; // number of the step within its dispatch

uint current_step()
{
    return first_step + step_in_batch + fused_step;
}
#endif
