// SPDX-License-Identifier: MIT
// Fills a source of the ladder's kernels, padding included.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) writeonly buffer source
{
    float to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.lanes) {
        to[item] = float(RUNG_WORD(item, constants.addend));
    }
}
