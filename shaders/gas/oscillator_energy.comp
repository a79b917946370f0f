// SPDX-License-Identifier: MIT
// Tracers, for pictures: the energy of each oscillator. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

VKS_FIELD(0, readonly, mass, float, masses);
VKS_FIELD(1, readonly, oscillator, float, oscillators);
VKS_FIELD(2, writeonly, oscillator_energy, float, oscillator_energies);

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    precise float energy = VKS_AT(masses, i) * VKS_AT(oscillators, i);
    VKS_AT(oscillator_energies, i) = vks_flush(energy);
}
