// SPDX-License-Identifier: MIT
// Makes unit vectors of directions from outside. Those of vksim itself, whose length is 1 up to
// rounding, keep their bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "physarum_3d/place.glsl"

VKS_FIELD(0, , dz, float, dzs);
VKS_FIELD(1, , dy, float, dys);
VKS_FIELD(2, , dx, float, dxs);
layout(std430, set = 0, binding = 3) buffer status
{
    uint word;
};

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    precise vec3 d = vec3(VKS_AT(dzs, i), VKS_AT(dys, i), VKS_AT(dxs, i));
    precise float square = (d.x * d.x + d.y * d.y) + d.z * d.z;
    precise float off = abs(square - 1.0f);
    if (off <= PHYSARUM_3D_UNIT) {
        return;
    }
    if (square < VKS_TINY) { // the square of 2^-30
        atomicMax(word, 1u);
        return;
    }
    precise float per_length = vks_reciprocal(vks_sqrt(square));
    d = d * per_length;
    square = (d.x * d.x + d.y * d.y) + d.z * d.z;
    precise float scale = 1.5f - 0.5f * square;
    d = d * scale;
    VKS_AT(dzs, i) = vks_flush(d.x);
    VKS_AT(dys, i) = vks_flush(d.y);
    VKS_AT(dxs, i) = vks_flush(d.z);
}
