// SPDX-License-Identifier: MIT
// Particles: deposits the energy of their motion relative to the nodes. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/dispersion.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.particles) {
        add_to_nodes(mover_at(i));
    }
}
