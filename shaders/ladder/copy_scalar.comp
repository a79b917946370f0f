// SPDX-License-Identifier: MIT
// Copies a vector: one word per lane. Neighbouring lanes access neighbouring words, which the
// device combines into few requests to memory. Each lane moves little, so many lanes must be in
// flight.
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
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uint to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        STORE(to, item, LOAD(from, item));
    }
}
