// SPDX-License-Identifier: MIT
// The displayed field as it is, one float32 per cell, for outputs that hold fields.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/params.h"

VKS_FIELD(0, readonly, field, uint, cells);
VKS_FIELD(1, writeonly, copies, float, results);

VKS_CONSTANTS(cells_params);

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        VKS_AT(results, i) = VKS_CELL(cells, i);
    }
}
