// SPDX-License-Identifier: MIT
// Particles: what was deposited becomes density, velocity and heat of the nodes; the sums are cleared.
// With GAS_TILED tiles have sums, too. docs/sims/gas.md.
#ifdef GAS_TILED
#include "gas/tile.glsl"
#else
#include "gas/node.glsl"
#include "lib/fixed.glsl"
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

#ifdef GAS_TILED
VKS_FIELD(11, readonly, tile_sums, uvec2, sums_tile);

// The tile that a coordinate's cell is in and its place there; of a tile's first node also those that
// the tile before has.
struct Touch {
    uint tile, at;
    uint tile_before, at_before;
    bool both;
};

Touch touch_of(uint at, uint side, uint tile, uint tiles)
{
    Touch touch;
    touch.tile = at / tile;
    touch.at = at - touch.tile * tile;
    touch.both = touch.at == 0u && side > 1u;
    touch.tile_before = vks_before(touch.tile, tiles);
    touch.at_before = touch.tile == 0u ? side - (tiles - 1u) * tile : tile;
    return touch;
}

// Adds up what the tiles around a node have for it.
void add_tiles(uint node, inout uvec2 sums[GAS_AMOUNTS])
{
    uvec3 cell = vks_cell_at(node, grid_size());
    Touch z = touch_of(cell.z, constants.depth, tile_z, constants.tiles_z);
    Touch y = touch_of(cell.y, constants.height, tile_y, constants.tiles_y);
    Touch x = touch_of(cell.x, constants.width, tile_x, constants.tiles_x);
    for (uint i = 0u; i < 8u; i++) {
        bool by_z = (i & 4u) != 0u;
        bool by_y = (i & 2u) != 0u;
        bool by_x = (i & 1u) != 0u;
        if ((by_z && !z.both) || (by_y && !y.both) || (by_x && !x.both)) {
            continue;
        }
        uint tile = (by_z ? z.tile_before : z.tile) * constants.tiles_y;
        tile = (tile + (by_y ? y.tile_before : y.tile)) * constants.tiles_x;
        tile = tile + (by_x ? x.tile_before : x.tile);
        uint local = (by_z ? z.at_before : z.at) * tile_plane +
                     (by_y ? y.at_before : y.at) * tile_width + (by_x ? x.at_before : x.at);
        for (uint k = 0u; k < GAS_AMOUNTS; k++) {
            sums[k] = vks_fixed_add(
                sums[k], VKS_AT(sums_tile, (tile * GAS_AMOUNTS + k) * tile_nodes + local));
        }
    }
}
#endif

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    float mass_unit = vks_power_of_two(-int(clock_words[CLOCK_MASS_UNIT]));
    float energy_unit = vks_power_of_two(-int(clock_words[CLOCK_ENERGY_UNIT]));
    float momentum_unit = vks_power_of_two(-int(clock_words[CLOCK_MOMENTUM_UNIT]));
    uvec2 sums[GAS_AMOUNTS] =
        uvec2[GAS_AMOUNTS](VKS_AT(sums_mass, node), VKS_AT(sums_momentum_z, node),
                           VKS_AT(sums_momentum_y, node), VKS_AT(sums_momentum_x, node),
                           VKS_AT(sums_heat, node));
#ifdef GAS_TILED
    add_tiles(node, sums);
#endif
    uvec2 units = sums[0];
    float mass = vks_from_fixed(units, mass_unit);
    precise float density = mass * constants.per_h3;
    density = vks_flush(density);
    precise vec3 velocity = vec3(0.0f);
    precise float heat = 0.0f;
    if ((units.y != 0u || units.x >= 256u) && mass > 0.0f && density > 0.0f) {
        velocity = vec3(vks_from_fixed(sums[1], momentum_unit),
                        vks_from_fixed(sums[2], momentum_unit),
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
    VKS_AT(sums_mass, node) = uvec2(0u);
    VKS_AT(sums_momentum_z, node) = uvec2(0u);
    VKS_AT(sums_momentum_y, node) = uvec2(0u);
    VKS_AT(sums_momentum_x, node) = uvec2(0u);
    VKS_AT(sums_heat, node) = uvec2(0u);
}
