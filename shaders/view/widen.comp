// SPDX-License-Identifier: MIT
// Extends the range of a picture in bands by that of another band. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

VKS_CONSTANTS(widen_params);

layout(std430, set = 0, binding = 0) readonly buffer band_range
{
    float band[]; // min, max
};
layout(std430, set = 0, binding = 1) buffer view_range
{
    float all[];
};

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    bool is_first = constants.first != 0u;
    all[0] = is_first || band[0] < all[0] ? band[0] : all[0];
    all[1] = is_first || band[1] > all[1] ? band[1] : all[1];
}
