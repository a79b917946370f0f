// SPDX-License-Identifier: MIT
// Reduces a volume to the displayed plane: along each line of sight one cell, or the sum or max
// from the first to the last. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/params.h"

layout(constant_id = 2) const bool greatest = false;

VKS_CONSTANTS(plane_params);

VKS_FIELD(0, readonly, volume, uint, cells);
VKS_FIELD(1, writeonly, plane, float, results);

float joined(float value, float next)
{
    precise float sum = value + next;
    return greatest ? (next > value ? next : value) : sum;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x >= constants.width || y >= constants.height) {
        return;
    }
    uint at = constants.first + y * constants.down + x * constants.across;
    uint along = constants.along;
    float value = VKS_CELL(cells, at);
    uint k = 1u;
    // Four at a time, so that their reads overlap.
    for (; k + 4u <= constants.count; k += 4u) {
        vec4 next = vec4(VKS_CELL(cells, at + along), VKS_CELL(cells, at + 2u * along),
                         VKS_CELL(cells, at + 3u * along), VKS_CELL(cells, at + 4u * along));
        at += 4u * along;
        value = joined(joined(joined(joined(value, next.x), next.y), next.z), next.w);
    }
    for (; k < constants.count; k++) {
        at += along;
        value = joined(value, VKS_CELL(cells, at));
    }
    precise float result = value * constants.factor;
    VKS_AT(results, y * constants.width + x) = vks_flush(result);
}
