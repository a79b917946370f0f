// SPDX-License-Identifier: MIT
// Copies consecutive pictures to their places on a sheet, which already has its background and
// captions. An invocation moves several pixels of a line, so that computing its place costs little.
// docs/sheets.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "sheet/params.h"

VKS_CONSTANTS(sheet_params);

layout(std430, set = 0, binding = 0) readonly buffer cells
{
    uint pictures[];
};
layout(std430, set = 0, binding = 1) writeonly buffer picture
{
    uint pixels[];
};

void main()
{
    // All tiles are in one sequence, folded at the device's limit along x: many pictures may have
    // more lines than the limit along y.
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint across = (constants.cell_width + SHEET_TILE_WIDTH - 1u) / SHEET_TILE_WIDTH;
    uint line = tile / across * SHEET_TILE_HEIGHT + gl_LocalInvocationID.y; // of all pictures
    if (line >= constants.cell_height * constants.count) {
        return;
    }
    uint cell = line / constants.cell_height;
    uint row = line - cell * constants.cell_height;
    uint column = cell % constants.columns;
    uint to_y = constants.top + cell / constants.columns * constants.down + row;
    uint to = to_y * constants.width + constants.left + column * constants.across;
    uint from = line * constants.cell_width;
    uint x = tile % across * SHEET_TILE_WIDTH + gl_LocalInvocationID.x;
    for (uint i = 0u; i < SHEET_RUN && x < constants.cell_width; i++) {
        pixels[to + x] = pictures[from + x];
        x += gl_WorkGroupSize.x;
    }
}
