// SPDX-License-Identifier: MIT
// Clears the count of a frame.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(std430, set = 0, binding = 0) writeonly buffer residue
{
    uint total;
};

void main()
{
    if (vks_item() == 0u) {
        total = 0u;
    }
}
