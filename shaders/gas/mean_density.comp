// SPDX-License-Identifier: MIT
// Stores the measured mean density unless the state has one. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "gas/unit.glsl"
#include "lib/fixed.glsl"

layout(std430, set = 0, binding = 0) buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 1) buffer measured
{
    uvec2 sum;
    uint highest;
};
layout(std430, set = 0, binding = 2) writeonly buffer time
{
    uvec2 time_now;
};
layout(std430, set = 0, binding = 3) writeonly buffer dt
{
    float dt_now;
};

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    if (clock_words[CLOCK_MEAN] == 0u) {
        int exponent = exponent_of(uintBitsToFloat(highest));
        precise float mean = vks_from_fixed(sum, vks_power_of_two(-min(29 - exponent, 126)));
        mean = mean * constants.per_nodes;
        clock_words[CLOCK_MEAN] = floatBitsToUint(max(vks_flush(mean), VKS_TINY));
    }
    sum = uvec2(0u);
    highest = 0u;
    time_now = uvec2(clock_words[CLOCK_TIME], clock_words[CLOCK_TIME + 1]);
    dt_now = uintBitsToFloat(clock_words[CLOCK_DT]);
}
