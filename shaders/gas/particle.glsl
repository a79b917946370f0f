// SPDX-License-Identifier: MIT
// The place of a particle among the nodes: the eight corners of its cell and their weights. Vectors
// have the order z, y, x. docs/sims/gas.md.
#ifndef VKS_GAS_PARTICLE_GLSL
#define VKS_GAS_PARTICLE_GLSL

#include "gas/node.glsl"

struct Place {
    uvec3 lower, upper; // nodes along z, y, x
    vec3 share;         // of the upper ones
};

Place place_of(uvec3 position)
{
    uvec3 sides = uvec3(constants.depth, constants.height, constants.width);
    uvec3 all_sides = sides;
    Place place;
    if (slab_side > 0u) {
        all_sides[slab_axis()] = slab_side;
    }
    for (uint axis = 0u; axis < 3u; axis++) {
        uint high, low;
        umulExtended(position[axis], all_sides[axis], high, low);
        if (slab_side > 0u && axis == slab_axis()) {
            high = row_here(high);
        }
        precise float share = float(low >> 8) * 5.9604644775390625e-8f;
        bool moves = sides[axis] > 1u;
        place.lower[axis] = high;
        place.upper[axis] = vks_after(high, sides[axis]);
        place.share[axis] = moves ? share : 0.0f;
    }
    return place;
}

// Corners 0 to 7 are 4 a + 2 b + c, with a, b and c 1 for the upper node along z, y, x. Corners
// beyond an inert axis are skipped; in passes by tiles they are compile-time constants.
bool is_left_out(uint corner)
{
#ifdef GAS_TILED
    bvec3 inert = bvec3(tile_z == 1u, tile_y == 1u, tile_x == 1u);
#else
    bvec3 inert = bvec3(constants.depth == 1u, constants.height == 1u, constants.width == 1u);
#endif
    return ((corner & 4u) != 0u && inert.x) || ((corner & 2u) != 0u && inert.y) ||
           ((corner & 1u) != 0u && inert.z);
}

uint corner_node(Place place, uint corner)
{
    uvec3 at = uvec3((corner & 1u) != 0u ? place.upper.z : place.lower.z,
                     (corner & 2u) != 0u ? place.upper.y : place.lower.y,
                     (corner & 4u) != 0u ? place.upper.x : place.lower.x);
    return vks_index(at, grid_size());
}

float corner_weight(Place place, uint corner)
{
    precise vec3 rest = vec3(1.0f) - place.share;
    precise float weight = ((corner & 4u) != 0u ? place.share.x : rest.x) *
                           ((corner & 2u) != 0u ? place.share.y : rest.y);
    weight = weight * ((corner & 1u) != 0u ? place.share.z : rest.z);
    return vks_flush(weight);
}

uint nearest_corner(Place place)
{
    return (place.share.x >= 0.5f ? 4u : 0u) | (place.share.y >= 0.5f ? 2u : 0u) |
           (place.share.z >= 0.5f ? 1u : 0u);
}

// The position after a step with a velocity.
uvec3 advected(uvec3 position, vec3 velocity, float lambda)
{
    precise vec3 lengths =
        vec3(constants.per_side_z, constants.per_side_y, constants.per_side_x) * lambda;
    lengths = flush(lengths);
    uvec3 offset = uvec3(vks_displacement(velocity.x, lengths.x),
                      vks_displacement(velocity.y, lengths.y),
                      vks_displacement(velocity.z, lengths.z));
    return position + uvec3(constants.depth > 1u ? offset.x : 0u,
                            constants.height > 1u ? offset.y : 0u,
                            constants.width > 1u ? offset.z : 0u);
}
#endif
