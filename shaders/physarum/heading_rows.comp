// SPDX-License-Identifier: MIT
// Smooths the sums of a picture of headings along the rows.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/headings.glsl"

VKS_FIELD(0, readonly, heading_sums, uint, sums);
VKS_FIELD(1, writeonly, heading_rows, float, rows);

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    uint w = constants.width;
    uint h = constants.height;
    if (x >= w || y >= h) {
        return;
    }
    uint cells = w * h;
    vec3 sum = vec3(0.0f); // agents, cosines, sines
    for (uint i = 0u; i < PHYSARUM_HEADING_TAPS; i++) {
        uint cell = y * w + (x + heading_back(w) + i) % w;
        precise vec3 next =
            vec3(float(VKS_AT(sums, cell)), float(int(VKS_AT(sums, cells + cell))),
                 float(int(VKS_AT(sums, 2u * cells + cell))));
        next = sum + heading_weight(i) * next;
        sum = next;
    }
    VKS_AT(rows, y * w + x) = sum.x;
    VKS_AT(rows, cells + y * w + x) = sum.y;
    VKS_AT(rows, 2u * cells + y * w + x) = sum.z;
}
