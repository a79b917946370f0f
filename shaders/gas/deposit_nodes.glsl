// SPDX-License-Identifier: MIT
// Particles, first pass: deposits mass, momentum and heat on the eight nodes around each particle,
// in fixed point, so that no unit is lost and the order does not matter. docs/sims/gas.md.
#include "gas/deposit.glsl"
#include "gas/present.glsl"

layout(constant_id = 0) const bool with_momentum = true;
layout(constant_id = 1) const bool with_heat = true;

void main()
{
    uint i = vks_item();
    if (i >= PARTICLES) {
        return;
    }
    Place place = place_at(i);
    deposit_on_nodes(i, place, 0u);
    if (with_momentum) {
        deposit_on_nodes(i, place, 1u);
        deposit_on_nodes(i, place, 2u);
        deposit_on_nodes(i, place, 3u);
    }
    if (with_heat) {
        deposit_on_nodes(i, place, 4u);
    }
}
