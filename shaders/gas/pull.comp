// SPDX-License-Identifier: MIT
// Acceleration from the potential by central differences, and the largest |g|^2. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "lib/fold.glsl"

VKS_FIELD(0, readonly, potential, float, potentials);
VKS_FIELD(1, writeonly, pull_z, float, pulls_z);
VKS_FIELD(2, writeonly, pull_y, float, pulls_y);
VKS_FIELD(3, writeonly, pull_x, float, pulls_x);
layout(std430, set = 0, binding = 4) buffer limits
{
    uint maxima[];
};
#include "gas/fall.glsl"

shared uint folded[256];

void main()
{
    uint t = gl_LocalInvocationIndex;
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    uint max_bits = 0u;
    if (vks_inside(cell, size)) {
        uint node = vks_index(cell, size);
        vec3 g = fall_at(cell);
        VKS_AT(pulls_z, node) = g.x;
        VKS_AT(pulls_y, node) = g.y;
        VKS_AT(pulls_x, node) = g.z;
        max_bits = floatBitsToUint(vks_flush(square(g)));
    }
    folded[t] = max_bits;
    VKS_FOLD(folded, max);
    if (t == 0u) {
        atomicMax(maxima[LIMIT_PULL], folded[0]);
    }
}
