// SPDX-License-Identifier: MIT
// Energies of the particles; of tracers, which sample the gas of a grid, only that of their
// oscillators. docs/sims/gas.md.
#include "gas/reduce_energies.glsl"
#include "gas/present.glsl"

layout(constant_id = 1) const bool are_tracers = false;

VKS_FIELD(1, readonly, vz, float, vzs);
VKS_FIELD(2, readonly, vy, float, vys);
VKS_FIELD(3, readonly, vx, float, vxs);
VKS_FIELD(4, readonly, mass, float, masses);
VKS_FIELD(5, readonly, heat, float, heats);
VKS_FIELD(6, readonly, oscillator, float, oscillators);

void main()
{
    uint i = vks_item();
    precise vec3 energy = vec3(0.0f);
    if (i < PARTICLES) {
        energy.z = VKS_AT(oscillators, i);
        if (!are_tracers) {
            energy.x = 0.5f * square(vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i)));
            energy.x = vks_flush(energy.x);
            energy.y = VKS_AT(heats, i);
        }
        energy = energy * VKS_AT(masses, i);
        energy = flush(energy);
    }
    if (!are_tracers) {
        reduce(SUM_KINETIC, energy.x, constants.bits);
        reduce(SUM_HEAT, energy.y, constants.bits);
    }
    reduce(SUM_OSCILLATORS, energy.z, constants.bits);
}
