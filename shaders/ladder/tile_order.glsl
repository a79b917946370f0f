// SPDX-License-Identifier: MIT
// The order of tiles: which one a workgroup takes.
#ifndef VKS_LADDER_TILE_ORDER_GLSL
#define VKS_LADDER_TILE_ORDER_GLSL

// 1: along rows. 2: diagonally. Others: down that many rows, then to the next column of tiles.
layout(constant_id = 2) const uint order = 1u;

// Divisions are slow, so there are none for the plain order.
uvec2 tile_place()
{
    uvec2 n = gl_NumWorkGroups.xy, id = gl_WorkGroupID.xy;
    if (order == 1u) {
        return id;
    } else if (order == 2u) {
        return uvec2((id.x + id.y) % n.x, id.y);
    }
    uint number = id.y * n.x + id.x, first = number / (order * n.x) * order;
    uint high = min(order, n.y - first), within = number - first * n.x;
    return uvec2(within / high, first + within % high);
}

#endif
