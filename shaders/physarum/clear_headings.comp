// SPDX-License-Identifier: MIT
// Clears the sums of a picture of headings.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, writeonly, heading_sums, uint, sums);

void main()
{
    uint i = vks_item();
    if (i < 3u * constants.width * constants.height) {
        VKS_AT(sums, i) = 0u;
    }
}
