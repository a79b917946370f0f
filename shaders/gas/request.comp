// SPDX-License-Identifier: MIT
// Tracers: the energy that each oscillator requests from the surrounding gas. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/exchange.glsl"

VKS_FIELD(0, readonly, mass, float, masses);
VKS_FIELD(1, readonly, heat, float, heats);
VKS_FIELD(2, readonly, oscillator, float, oscillators);
VKS_FIELD(3, readonly, frequency, float, frequencies);
VKS_FIELD(4, writeonly, gain, float, gains);
layout(std430, set = 0, binding = 5) readonly buffer step_values
{
    float step_value[];
};
layout(std430, set = 0, binding = 6) readonly buffer clockwork
{
    uint clock_words[];
};

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    Store before = Store(VKS_AT(heats, i), VKS_AT(oscillators, i));
    Store after = exchanged(before, VKS_AT(masses, i), VKS_AT(frequencies, i),
                            uintBitsToFloat(clock_words[CLOCK_MEAN]), step_value[STEP_DT]);
    precise float gain = after.oscillator - before.oscillator;
    gain = VKS_AT(masses, i) * vks_flush(gain);
    VKS_AT(gains, i) = vks_flush(gain);
}
