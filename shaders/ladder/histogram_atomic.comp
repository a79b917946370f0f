// SPDX-License-Identifier: MIT
// Counts keys: one global atomic addition per key. All lanes of the device share 256 counters, and
// additions to the same counter are done one after another.
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
layout(std430, set = 0, binding = 1) buffer result
{
    uint counted[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        uint key = LOAD(from, item);
        atomicAdd(ATOMIC(counted, key), 1u);
    }
}
