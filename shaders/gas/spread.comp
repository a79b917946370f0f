// SPDX-License-Identifier: MIT
// Particles: deposits the energy of their motion relative to the nodes. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/spread.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.particles) {
        spread_on_nodes(mover_at(i));
    }
}
