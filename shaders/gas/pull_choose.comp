// SPDX-License-Identifier: MIT
// gas/pull; the last workgroup to finish also chooses dt, which saves a dispatch. All other limits
// are complete. No workgroup waits for another.
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_LAST
#include "gas/choose_particles.glsl"

VKS_FIELD(6, readonly, potential, float, potentials);
VKS_FIELD(7, writeonly, pull_z, float, pulls_z);
VKS_FIELD(8, writeonly, pull_y, float, pulls_y);
VKS_FIELD(9, writeonly, pull_x, float, pulls_x);
layout(std430, set = 0, binding = 10) buffer finished
{
    uint groups_finished; // initially 0
};
#include "gas/pull.glsl"

void main()
{
    pull_nodes();
    if (gl_LocalInvocationIndex == 0u) {
        memoryBarrierBuffer();
        uint before = atomicAdd(groups_finished, 1u);
        if (before == gl_NumWorkGroups.x * gl_NumWorkGroups.y - 1u) {
            memoryBarrierBuffer();
            choose_step();
            groups_finished = 0u;
        }
    }
}
