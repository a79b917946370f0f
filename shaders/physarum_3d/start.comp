// SPDX-License-Identifier: MIT
// Places the agents: docs/sims/physarum-3d.md, "Initial conditions".
#version 460
#extension GL_GOOGLE_include_directive : require
#include "physarum_3d/place.glsl"

VKS_FIELD(0, writeonly, z, uint, zs);
VKS_FIELD(1, writeonly, y, uint, ys);
VKS_FIELD(2, writeonly, x, uint, xs);
VKS_FIELD(3, writeonly, dz, float, dzs);
VKS_FIELD(4, writeonly, dy, float, dys);
VKS_FIELD(5, writeonly, dx, float, dxs);

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    uvec3 place = first_of_cell(vks_random(constants.seed, i, 0u, 0u).xyz);
    uvec4 q = vks_random(constants.seed, i, 0u, 1u);
    // Uniform on the sphere: the height along an axis is uniform.
    precise float dz = float(q.y >> 8) * 1.1920928955078125e-7f - 1.0f;
    precise float square = 1.0f - dz * dz;
    precise float radius = vks_sqrt(max(square, 0.0f));
    vec2 sc = vks_sincos(q.x);
    precise float dy = radius * sc.x;
    precise float dx = radius * sc.y;
    VKS_AT(zs, i) = place.x;
    VKS_AT(ys, i) = place.y;
    VKS_AT(xs, i) = place.z;
    VKS_AT(dzs, i) = dz;
    VKS_AT(dys, i) = dy;
    VKS_AT(dxs, i) = dx;
}
