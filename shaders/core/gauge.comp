// SPDX-License-Identifier: MIT
// A chain of dependent operations, whose time shows the clock rate of the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(push_constant, std430) uniform vks_push
{
    uint step_in_batch;
    uint rounds, factor;
};
layout(std430, set = 0, binding = 0) buffer word
{
    uint value;
};

void main()
{
    uint x = value;
    for (uint i = 0u; i < rounds; i++) {
        x = x * factor + i;
    }
    if (vks_item() == 0u) {
        value = x;
    }
}
