// SPDX-License-Identifier: MIT
// Random places outside walls: docs/sims/physarum.md, "Walls".
#ifndef VKS_PHYSARUM_PLACE_GLSL
#define VKS_PHYSARUM_PLACE_GLSL
#include "physarum/walls.glsl"

VKS_FIELD(13, readonly, open_cell, uvec2, open_cells); // a position in the first cell that is open

// A random place for agent `number` in this step, in an open cell if `walled`.
uvec2 random_place(bool walled, uint number, uint step, out uint heading)
{
    const uint attempts = 64u;
    uvec2 place = uvec2(0u);
    bool found = false;
    for (uint k = 0u; k < attempts && !found; k++) {
        uvec4 r = vks_random(constants.seed, number, step, 16u + k);
        place = uvec2(r.x - (r.x * constants.side) / constants.side,
                      r.y - (r.y * constants.width) / constants.width);
        heading = r.z;
        found = !walled || !is_wall(vks_high(place.x, constants.side),
                                    vks_high(place.y, constants.width));
    }
    if (!found) {
        place = VKS_AT(open_cells, 0u);
        heading = vks_random(constants.seed, number, step, 16u).z;
    }
    return place;
}
#endif
