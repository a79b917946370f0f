// SPDX-License-Identifier: MIT
// Particles: stores mass, mean density and units as measured, unless the state has them.
// docs/sims/gas.md.
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
    uint heaviest;
    uint hottest;
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
        int exponent = 60 - int(constants.bits) - exponent_of(uintBitsToFloat(heaviest));
        float total = max(vks_from_fixed(sum, vks_power_of_two(-min(exponent, 126))), VKS_TINY);
        precise float mean = total * constants.per_h3;
        mean = mean * constants.per_nodes;
        precise float energy = uintBitsToFloat(hottest) * total;
        energy = max(vks_flush(energy), VKS_TINY);
        precise float bound = energy + energy;
        int energy_unit = unit_for(bound);
        uvec2 units = vks_fixed(energy, vks_power_of_two(energy_unit));
        clock_words[CLOCK_MEAN] = floatBitsToUint(max(vks_flush(mean), VKS_TINY));
        clock_words[CLOCK_MASS_UNIT] = uint(unit_for(total));
        clock_words[CLOCK_ENERGY_UNIT] = uint(energy_unit);
        clock_words[CLOCK_MOMENTUM_UNIT] = uint(momentum_unit_for(total, bound));
        clock_words[CLOCK_TOTAL] = floatBitsToUint(total);
        clock_words[CLOCK_ENERGY] = units.x;
        clock_words[CLOCK_ENERGY + 1] = units.y;
    }
    sum = uvec2(0u);
    heaviest = 0u;
    hottest = 0u;
    time_now = uvec2(clock_words[CLOCK_TIME], clock_words[CLOCK_TIME + 1]);
    dt_now = uintBitsToFloat(clock_words[CLOCK_DT]);
}
