// SPDX-License-Identifier: MIT
// gas/acceleration; the last workgroup to finish also chooses dt, which saves a dispatch. All other
// limits are complete. No workgroup waits for another.
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_LAST
#include "gas/time_step_particles.glsl"

VKS_FIELD(6, readonly, potential, float, potentials);
VKS_FIELD(7, writeonly, acceleration_z, float, accelerations_z);
VKS_FIELD(8, writeonly, acceleration_y, float, accelerations_y);
VKS_FIELD(9, writeonly, acceleration_x, float, accelerations_x);
layout(std430, set = 0, binding = 10) buffer finished
{
    uint groups_finished; // initially 0
};
#include "gas/acceleration.glsl"

void main()
{
    store_accelerations();
    if (gl_LocalInvocationIndex == 0u) {
        memoryBarrierBuffer();
        uint before = atomicAdd(groups_finished, 1u);
        if (before == gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z - 1u) {
            memoryBarrierBuffer();
            choose_dt();
            groups_finished = 0u;
        }
    }
}
