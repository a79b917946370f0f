// SPDX-License-Identifier: MIT
// Common to the passes of a step.
#ifndef VKS_PHYSARUM_CONSTANTS_GLSL
#define VKS_PHYSARUM_CONSTANTS_GLSL
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);
#endif
