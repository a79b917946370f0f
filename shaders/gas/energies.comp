// SPDX-License-Identifier: MIT
// Computes the energies of a frame from their sums, which it clears. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/energy_sums.glsl"

layout(constant_id = 1) const bool on_grid = false;

layout(std430, set = 0, binding = 1) readonly buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 2) writeonly buffer energies
{
    float energies_now[ENERGY_COUNT];
};

// A sum over particles.
float of_particles(uint amount)
{
    return vks_from_fixed(sums[amount],
                          vks_power_of_two(-sum_exponent(amount, constants.bits)));
}

// A sum over nodes of values per volume.
float of_nodes(uint amount)
{
    precise float total =
        vks_from_fixed(sums[amount], vks_power_of_two(-sum_exponent(amount, node_bits())));
    total = total * constants.h;
    total = vks_flush(total) * constants.h2;
    return vks_flush(total);
}

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    float half_step = 0.5f * uintBitsToFloat(clock_words[CLOCK_DT]);
    precise float kinetic = on_grid ? of_nodes(SUM_KINETIC) : of_particles(SUM_KINETIC);
    precise float square = 0.5f * half_step * of_nodes(SUM_ACCELERATION);
    precise float work = of_nodes(SUM_WORK) + vks_flush(square);
    work = vks_flush(work) * half_step;
    kinetic = kinetic + vks_flush(work);
    kinetic = vks_flush(kinetic);
    float heat = on_grid ? of_nodes(SUM_HEAT) : of_particles(SUM_HEAT);
    float oscillators = of_particles(SUM_OSCILLATORS);
    float potential = of_nodes(SUM_POTENTIAL);
    precise float sum = kinetic + heat;
    sum = sum + oscillators;
    sum = sum + potential;
    energies_now[ENERGY_KINETIC] = kinetic;
    energies_now[ENERGY_HEAT] = heat;
    energies_now[ENERGY_OSCILLATORS] = oscillators;
    energies_now[ENERGY_POTENTIAL] = potential;
    energies_now[ENERGY_TOTAL] = vks_flush(sum);
    for (uint i = 0u; i < SUM_COUNT; i++) {
        sums[i] = uvec2(0u);
        max_bits[i] = 0u;
    }
}
