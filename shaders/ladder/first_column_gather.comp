// SPDX-License-Identifier: MIT
// Gathers the first column of a matrix, wherever the matrix is: in the device's memory or, across
// the bus, in the host's. Each lane reads one element; its neighbours' are a row apart, so that a
// request of a subgroup touches as many sectors as it has lanes, and uses 4 bytes of each.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint to[];
};

void main()
{
    uint row = vks_item();
    if (row < constants.height) {
        STORE(to, row, LOAD(from, row * constants.source_pitch));
    }
}
