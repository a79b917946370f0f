// SPDX-License-Identifier: MIT
// Particles: density, velocity and heat of the nodes from the deposits, which are cleared.
// TILE_AMOUNTS: includes the sums of tiles. GAS_RANKS: and those of the rank before.
// docs/sims/gas.md.
#include "gas/node_sums.glsl"

layout(std430, set = 0, binding = 5) readonly buffer clockwork
{
    uint clock_words[];
};
VKS_FIELD(6, writeonly, density, float, densities);
VKS_FIELD(7, writeonly, velocity_z, float, velocities_z);
VKS_FIELD(8, writeonly, velocity_y, float, velocities_y);
VKS_FIELD(9, writeonly, velocity_x, float, velocities_x);
VKS_FIELD(10, writeonly, node_heat, float, node_heats);
#ifdef GAS_RANKS
VKS_FIELD(12, readonly, below_sums, uvec2, sums_below); // of the first own row, amount by amount
#endif

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
    add_all(here, node, sums);
#else
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    add_own(node, sums);
#endif
#ifdef GAS_RANKS
    uint first = slab_begin * row_nodes();
    if (node - first < row_nodes()) {
        for (uint k = 0u; k < GAS_AMOUNTS; k++) {
            sums[k] = vks_fixed_add(sums[k], VKS_AT(sums_below, k * row_nodes() + node - first));
        }
    }
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
