// SPDX-License-Identifier: MIT
// Many invocations add amounts to few cells in fixed point, with the atomics of lib/fixed.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"

struct accumulate_params {
    uint count, cells;
};
VKS_CONSTANTS(accumulate_params);

layout(std430, set = 0, binding = 0) readonly buffer amounts
{
    uvec2 values[];
};
layout(std430, set = 0, binding = 1) buffer totals
{
    uvec2 cells[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        VKS_FIXED_ATOMIC_ADD(cells[i % constants.cells], values[i])
    }
}
