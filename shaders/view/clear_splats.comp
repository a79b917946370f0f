// SPDX-License-Identifier: MIT
// Clears the sums of points before a picture.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

VKS_CONSTANTS(counted_params);

VKS_FIELD(0, writeonly, view_sums, uvec4, sums);

void main()
{
    uint i = vks_item();
    if (i < constants.pixels) {
        VKS_AT(sums, i) = uvec4(0u);
    }
}
