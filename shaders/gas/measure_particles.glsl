// SPDX-License-Identifier: MIT
// Particles, at the start: measures the max mass and energy of a particle, then the total mass in
// units that depend on the max. docs/sims/gas.md.
#include "gas/node.glsl"
#include "gas/present.glsl"
#include "gas/unit.glsl"
#include "lib/fixed.glsl"
#include "lib/fold.glsl"

#define MEASURE_MAX 0
#define MEASURE_SUM 1

layout(constant_id = 0) const uint part = MEASURE_MAX;

VKS_FIELD(0, readonly, vz, float, vzs);
VKS_FIELD(1, readonly, vy, float, vys);
VKS_FIELD(2, readonly, vx, float, vxs);
VKS_FIELD(3, readonly, mass, float, masses);
VKS_FIELD(4, readonly, heat, float, heats);
VKS_FIELD(5, readonly, oscillator, float, oscillators);
layout(std430, set = 0, binding = 6) buffer measured
{
    uvec2 sum;
    uint heaviest; // bits of floats that are not negative
    uint hottest;
};

shared uvec2 folded[256];

uvec2 combined(uvec2 a, uvec2 b)
{
    return part == MEASURE_MAX ? max(a, b) : vks_fixed_add(a, b);
}

float specific_energy(uint i)
{
    precise float energy = VKS_AT(heats, i) + VKS_AT(oscillators, i);
    precise float motion = 0.5f * square(vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i)));
    energy = energy + motion;
    return vks_flush(energy);
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint i = vks_item();
    uvec2 own = uvec2(0u);
    if (i < PARTICLES) {
        float m = VKS_AT(masses, i);
        if (part == MEASURE_MAX) {
            own = floatBitsToUint(vec2(m, specific_energy(i)));
        } else {
            int exponent = 60 - int(constants.bits) - exponent_of(uintBitsToFloat(heaviest));
            own = vks_fixed(m, vks_power_of_two(min(exponent, 126)));
        }
    }
    folded[t] = own;
    VKS_FOLD(folded, combined);
    if (t == 0u) {
        if (part == MEASURE_MAX) {
            atomicMax(heaviest, folded[0].x);
            atomicMax(hottest, folded[0].y);
        } else {
            VKS_FIXED_ATOMIC_ADD(sum, folded[0]);
        }
    }
}
