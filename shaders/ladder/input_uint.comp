// SPDX-License-Identifier: MIT
// Fills an input of the ladder's kernels with integers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(input_params);

layout(std430, set = 0, binding = 0) writeonly buffer source
{
    uint to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.count) {
        bool is_data = item % constants.pitch < constants.columns;
        to[item] = is_data ? RUNG_WORD(item, constants.addend) >> constants.shift : 0u;
    }
}
