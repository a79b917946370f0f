// SPDX-License-Identifier: MIT
// Energy of the nodes in the gas's own gravity, and the correction of velocities, which lag half a
// step behind positions. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/reduce_energies.glsl"

layout(constant_id = 1) const bool are_momenta = false; // of a grid; else velocities

VKS_FIELD(1, readonly, density, float, densities);
VKS_FIELD(2, readonly, motion_z, float, motions_z);
VKS_FIELD(3, readonly, motion_y, float, motions_y);
VKS_FIELD(4, readonly, motion_x, float, motions_x);
VKS_FIELD(5, readonly, potential, float, potentials);
#include "gas/potential_gradient.glsl"

void main()
{
    uint node = vks_item();
    precise float weight = 0.0f;
    precise float work = 0.0f;
    precise float square_g = 0.0f;
    uvec3 cell = vks_cell_at(node, grid_size());
    if (node < node_count() && is_own(cell)) {
        float r = VKS_AT(densities, node);
        vec3 g = acceleration_at(cell);
        precise vec3 parts =
            vec3(VKS_AT(motions_z, node), VKS_AT(motions_y, node), VKS_AT(motions_x, node)) * g;
        work = parts.x + parts.y;
        work = work + parts.z;
        if (!are_momenta) {
            work = vks_flush(work);
            work = work * r;
        }
        work = vks_flush(work);
        weight = 0.5f * potential_at(cell);
        weight = vks_flush(weight);
        weight = weight * r;
        weight = vks_flush(weight);
        square_g = vks_flush(square(g));
        square_g = square_g * r;
        square_g = vks_flush(square_g);
    }
    reduce(SUM_POTENTIAL, weight, node_bits());
    reduce(SUM_WORK, work, node_bits());
    reduce(SUM_ACCELERATION, square_g, node_bits());
}
