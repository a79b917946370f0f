// SPDX-License-Identifier: MIT
// Places of agents. Vectors of three are in the order z, y, x.
#ifndef VKS_PHYSARUM_3D_PLACE_GLSL
#define VKS_PHYSARUM_3D_PLACE_GLSL
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum_3d/params.h"

VKS_CONSTANTS(physarum_3d_agents);

uvec3 grid_sides()
{
    return uvec3(constants.depth, constants.height, constants.width);
}

// The cell of a place.
uvec3 cell_of(uvec3 place)
{
    return uvec3(vks_high(place.x, constants.depth), vks_high(place.y, constants.height),
                 vks_high(place.z, constants.width));
}

// The first place in the cell of `place`, up to rounding.
uvec3 first_of_cell(uvec3 place)
{
    return place - (place * grid_sides()) / grid_sides();
}

#endif
