// SPDX-License-Identifier: MIT
// The corners of a particle's cell, numbered from one of them. If that one differs between
// neighbouring invocations, their atomics go to different nodes even if their particles are in one
// cell.
#ifndef VKS_GAS_CORNERS_GLSL
#define VKS_GAS_CORNERS_GLSL

#include "gas/tile.glsl"

struct Corners {
    uint number; // of the first corner
    uint slot;   // of the first corner among the nodes of the tile
    uvec3 steps; // to the other corners along z, y, x; they wrap
    vec3 own, other; // weights along z, y, x of the first corner and of those across
};

// `which` is any number: the first corner is that corner, without the inert axes.
Corners corners_from(Place place, uint corner_slot, uint which)
{
    bvec3 upper = bvec3((which & 4u) != 0u && tile_z > 1u, (which & 2u) != 0u && tile_y > 1u,
                        (which & 1u) != 0u && tile_x > 1u);
    precise vec3 rest = vec3(1.0f) - place.share;
    Corners corners;
    corners.number = (upper.x ? 4u : 0u) | (upper.y ? 2u : 0u) | (upper.z ? 1u : 0u);
    corners.slot = corner_slot + corner_step(corners.number);
    corners.steps = uvec3(upper.x ? 0u - tile_plane : tile_plane,
                          upper.y ? 0u - tile_width : tile_width, upper.z ? 0u - 1u : 1u);
    corners.own = vec3(upper.x ? place.share.x : rest.x, upper.y ? place.share.y : rest.y,
                       upper.z ? place.share.z : rest.z);
    corners.other = vec3(upper.x ? rest.x : place.share.x, upper.y ? rest.y : place.share.y,
                         upper.z ? rest.z : place.share.z);
    return corners;
}

// Of the corner that is across these axes from the first: 4 z, 2 y, 1 x.
uint slot_across(Corners corners, uint axes)
{
    return corners.slot + ((axes & 4u) != 0u ? corners.steps.x : 0u) +
           ((axes & 2u) != 0u ? corners.steps.y : 0u) + ((axes & 1u) != 0u ? corners.steps.z : 0u);
}

float weight_across(Corners corners, uint axes)
{
    precise float weight = ((axes & 4u) != 0u ? corners.other.x : corners.own.x) *
                           ((axes & 2u) != 0u ? corners.other.y : corners.own.y);
    weight = weight * ((axes & 1u) != 0u ? corners.other.z : corners.own.z);
    return vks_flush(weight);
}
#endif
