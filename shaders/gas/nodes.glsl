// SPDX-License-Identifier: MIT
// Particles: density, velocity and heat of the nodes from the deposits, which are cleared.
// TILE_AMOUNTS: includes the sums of tiles. docs/sims/gas.md.
#include "gas/node.glsl"
#include "lib/fixed.glsl"
#ifdef TILE_AMOUNTS
#include "gas/gather.glsl"
#endif

VKS_FIELD(0, , sum_mass, uvec2, sums_mass);
VKS_FIELD(1, , sum_momentum_z, uvec2, sums_momentum_z);
VKS_FIELD(2, , sum_momentum_y, uvec2, sums_momentum_y);
VKS_FIELD(3, , sum_momentum_x, uvec2, sums_momentum_x);
VKS_FIELD(4, , sum_heat, uvec2, sums_heat);
layout(std430, set = 0, binding = 5) readonly buffer clockwork
{
    uint clock_words[];
};
VKS_FIELD(6, writeonly, density, float, densities);
VKS_FIELD(7, writeonly, velocity_z, float, velocities_z);
VKS_FIELD(8, writeonly, velocity_y, float, velocities_y);
VKS_FIELD(9, writeonly, velocity_x, float, velocities_x);
VKS_FIELD(10, writeonly, node_heat, float, node_heats);

// Adds and clears the deposits on a node. Most nodes have none even if their tile is marked.
void add_own(uint node, inout uvec2 sums[GAS_AMOUNTS])
{
    uvec2 own[GAS_AMOUNTS] =
        uvec2[GAS_AMOUNTS](VKS_AT(sums_mass, node), VKS_AT(sums_momentum_z, node),
                           VKS_AT(sums_momentum_y, node), VKS_AT(sums_momentum_x, node),
                           VKS_AT(sums_heat, node));
    uvec2 any_bits = uvec2(0u);
    for (uint k = 0u; k < GAS_AMOUNTS; k++) {
        sums[k] = vks_fixed_add(sums[k], own[k]);
        any_bits |= own[k];
    }
    if (any_bits != uvec2(0u)) {
        VKS_AT(sums_mass, node) = uvec2(0u);
        VKS_AT(sums_momentum_z, node) = uvec2(0u);
        VKS_AT(sums_momentum_y, node) = uvec2(0u);
        VKS_AT(sums_momentum_x, node) = uvec2(0u);
        VKS_AT(sums_heat, node) = uvec2(0u);
    }
}

void main()
{
    uvec2 sums[GAS_AMOUNTS] =
        uvec2[GAS_AMOUNTS](uvec2(0u), uvec2(0u), uvec2(0u), uvec2(0u), uvec2(0u));
#ifdef TILE_AMOUNTS
    TileNode here = tile_node_at(gl_LocalInvocationID.x);
    if (!here.inside) {
        return;
    }
    uint node = vks_index(here.cell, grid_size());
    if (is_marked(here.number)) {
        add_own(node, sums);
    }
    add_tiles(here, sums);
#else
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    add_own(node, sums);
#endif
    float mass_unit = vks_power_of_two(-int(clock_words[CLOCK_MASS_UNIT]));
    float energy_unit = vks_power_of_two(-int(clock_words[CLOCK_ENERGY_UNIT]));
    float momentum_unit = vks_power_of_two(-int(clock_words[CLOCK_MOMENTUM_UNIT]));
    uvec2 units = sums[0];
    float mass = vks_from_fixed(units, mass_unit);
    precise float density = mass * constants.per_h3;
    density = vks_flush(density);
    precise vec3 velocity = vec3(0.0f);
    precise float heat = 0.0f;
    if ((units.y != 0u || units.x >= 256u) && mass > 0.0f && density > 0.0f) {
        velocity =
            vec3(vks_from_fixed(sums[1], momentum_unit), vks_from_fixed(sums[2], momentum_unit),
                 vks_from_fixed(sums[3], momentum_unit));
        velocity = velocity * vks_reciprocal(mass);
        heat = vks_from_fixed(sums[4], energy_unit) * constants.per_h3;
    } else {
        density = 0.0f;
    }
    velocity = flush(velocity);
    VKS_AT(densities, node) = density;
    VKS_AT(velocities_z, node) = velocity.x;
    VKS_AT(velocities_y, node) = velocity.y;
    VKS_AT(velocities_x, node) = velocity.z;
    VKS_AT(node_heats, node) = vks_flush(heat);
}
