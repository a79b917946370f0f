// A step: the neighbours that are alive decide whether a cell stays alive, and whether one begins
// to live. A cell that does not stay alive fades, one step at a time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "params.h"

VKS_CONSTANTS(step_params);

VKS_FIELD(0, readonly, life, float, values);
VKS_FIELD(1, writeonly, life_next, float, values_next);

// 1 for a cell that is alive, 0 for others.
uint alive(uint x, uint y, uvec3 size)
{
    return VKS_AT(values, vks_index(uvec3(x, y, 0u), size)) == constants.alive ? 1u : 0u;
}

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    // Edges meet.
    uint left = vks_before(cell.x, size.x), right = vks_after(cell.x, size.x);
    uint above = vks_before(cell.y, size.y), below = vks_after(cell.y, size.y);
    uint count = alive(left, above, size) + alive(cell.x, above, size) +
                 alive(right, above, size) + alive(left, cell.y, size) +
                 alive(right, cell.y, size) + alive(left, below, size) +
                 alive(cell.x, below, size) + alive(right, below, size);
    uint i = vks_index(cell, size);
    float value = VKS_AT(values, i);
    bool begins = (constants.begins >> count & 1u) != 0u;
    bool stays = (constants.stays >> count & 1u) != 0u;
    precise float fades = max(value - 1.0f, 0.0f);
    bool lives = value == constants.alive ? stays : value == 0.0f && begins;
    VKS_AT(values_next, i) = lives ? constants.alive : fades;
}
