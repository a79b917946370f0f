// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences, and the largest |g|^2. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

VKS_FIELD(0, readonly, potential, float, potentials);
VKS_FIELD(1, writeonly, acceleration_z, float, accelerations_z);
VKS_FIELD(2, writeonly, acceleration_y, float, accelerations_y);
VKS_FIELD(3, writeonly, acceleration_x, float, accelerations_x);
layout(std430, set = 0, binding = 4) buffer limits
{
    uint maxima[];
};
#include "gas/acceleration.glsl"

void main()
{
    store_accelerations();
}
