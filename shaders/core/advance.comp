// SPDX-License-Identifier: MIT
// Advances the clock at the end of a batch of steps.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(push_constant, std430) uniform vks_push
{
    uint step_in_batch;
    uint steps;
};
layout(std430, set = 0, binding = 0) buffer clock
{
    uint first_step;
};

void main()
{
    if (vks_item() == 0u) {
        first_step += steps;
    }
}
