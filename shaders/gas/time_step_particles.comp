// SPDX-License-Identifier: MIT
// Particles: the choice of dt as a pass of its own.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/time_step_particles.glsl"

void main()
{
    if (vks_item() == 0u) {
        choose_dt();
    }
}
