// SPDX-License-Identifier: MIT
// Grid: both half kicks of gravity that meet at the start of a step. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, , momentum_z, float, momenta_z);
VKS_FIELD(2, , momentum_y, float, momenta_y);
VKS_FIELD(3, , momentum_x, float, momenta_x);
VKS_FIELD(4, , energy, float, energies);
VKS_FIELD(5, writeonly, velocity_z, float, velocities_z);
VKS_FIELD(6, writeonly, velocity_y, float, velocities_y);
VKS_FIELD(7, writeonly, velocity_x, float, velocities_x);
VKS_FIELD(8, readonly, acceleration_z, float, accelerations_z);
VKS_FIELD(9, readonly, acceleration_y, float, accelerations_y);
VKS_FIELD(10, readonly, acceleration_x, float, accelerations_x);
layout(std430, set = 0, binding = 11) readonly buffer step_values
{
    float step_value[];
};
layout(std430, set = 0, binding = 12) readonly buffer clockwork
{
    uint clock_words[];
};

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth ||
        step_value[STEP_DT] == 0.0f) {
        return;
    }
    float r = VKS_AT(densities, node);
    if (!(r > vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN])))) {
        return;
    }
    vec3 m = vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node));
    vec3 g = vec3(VKS_AT(accelerations_z, node), VKS_AT(accelerations_y, node),
                  VKS_AT(accelerations_x, node));
    precise vec3 kick = g * step_value[STEP_HALF];
    kick = flush(kick);
    kick = kick * r;
    kick = flush(kick);
    precise vec3 per_mass = kick * vks_reciprocal(r);
    precise vec3 between = kick * 0.5f;
    between = m + between;
    precise vec3 work = flush(per_mass) * between;
    precise float sum = work.x + work.y;
    sum = sum + work.z;
    precise float e = VKS_AT(energies, node) + sum;
    precise vec3 after = m + kick;
    after = flush(after);
    vec3 u = velocity_of(r, after);
    VKS_AT(momenta_z, node) = after.x;
    VKS_AT(momenta_y, node) = after.y;
    VKS_AT(momenta_x, node) = after.z;
    VKS_AT(energies, node) = vks_flush(e);
    VKS_AT(velocities_z, node) = u.x;
    VKS_AT(velocities_y, node) = u.y;
    VKS_AT(velocities_x, node) = u.z;
}
