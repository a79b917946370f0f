// SPDX-License-Identifier: MIT
// Has mean density and units measured again, because strokes have changed what they depend on.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "gas/params.h"

VKS_CONSTANTS(gas_params);

layout(std430, set = 0, binding = 0) buffer clockwork
{
    uint clock_words[];
};

void main()
{
    if (vks_item() == 0u && clock_words[CLOCK_MEAN] != 0u) {
        clock_words[CLOCK_MEAN] = 0u;
    }
}
