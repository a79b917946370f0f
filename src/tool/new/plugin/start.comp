// Random cells in a square in the middle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "params.h"

VKS_CONSTANTS(start_params);

VKS_FIELD(0, writeonly, life, float, values);

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint i = vks_index(cell, size);
    uvec2 edge = (size.xy - min(size.xy, uvec2(constants.side))) / 2u;
    bool inside = all(greaterThanEqual(cell.xy, edge)) && all(lessThan(cell.xy, size.xy - edge));
    bool alive = inside && vks_random(constants.seed, i, 0u, 0u).x < constants.below;
    VKS_AT(values, i) = alive ? constants.alive : 0.0f;
}
