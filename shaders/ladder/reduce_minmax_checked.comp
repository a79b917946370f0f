// SPDX-License-Identifier: MIT
// Minimum and maximum of floats: a lane first reads the extremes so far and leaves out the atomic
// operations that would change nothing. The value read may be old, but it can only be too small,
// and then the operation is merely unnecessary. A sum has no such shortcut, because every item
// changes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/order.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[]; // the bits of floats
};
layout(std430, set = 0, binding = 1) coherent buffer result
{
    uint most[2];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        uvec2 own = extremes_of(LOAD(from, item));
        if (own.x > LOAD(most, 0)) {
            atomicMax(ATOMIC(most, 0), own.x);
        }
        if (own.y > LOAD(most, 1)) {
            atomicMax(ATOMIC(most, 1), own.y);
        }
    }
}
