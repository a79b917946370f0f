// SPDX-License-Identifier: MIT
// Initial conditions on the grid. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/start.glsl"
#include "gas/slab.glsl"

VKS_FIELD(1, writeonly, density, float, densities);
VKS_FIELD(2, writeonly, momentum_z, float, momenta_z);
VKS_FIELD(3, writeonly, momentum_y, float, momenta_y);
VKS_FIELD(4, writeonly, momentum_x, float, momenta_x);
VKS_FIELD(5, writeonly, energy, float, energies);
VKS_FIELD(6, writeonly, internal, float, internals);

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, constants.depth);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint node = vks_index(cell, size);
    uvec3 all = cell; // of the whole box
    if (slab_side > 0u) {
        uint axis = constants.side_z > 0.0f ? 2u : 1u;
        all[axis] = row_of_all(cell[axis]);
    }
    Gas gas = gas_at(all.zyx * uvec3(constants.node_z, constants.node_y, constants.node_x));
    precise vec3 momentum = gas.velocity * gas.density;
    momentum = flush(momentum);
    precise float heat = gas.density * gas.heat;
    heat = vks_flush(heat);
    precise float half_density = 0.5f * gas.density;
    half_density = vks_flush(half_density);
    precise float motion = half_density * square(gas.velocity);
    precise float energy = heat + motion;
    VKS_AT(densities, node) = gas.density;
    VKS_AT(momenta_z, node) = momentum.x;
    VKS_AT(momenta_y, node) = momentum.y;
    VKS_AT(momenta_x, node) = momentum.z;
    VKS_AT(energies, node) = vks_flush(energy);
    VKS_AT(internals, node) = heat;
}
