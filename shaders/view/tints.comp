// SPDX-License-Identifier: MIT
// The quantity of each point as a code, TINT_ZERO + log2 of its square in units of 2^-8 (0: none),
// and the sums over all points that have one. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "lib/fold.glsl"
#include "view/params.h"

layout(constant_id = 0) const bool vector = false;

VKS_CONSTANTS(tints_params);

VKS_FIELD(0, readonly, quantity_z, float, zs);
VKS_FIELD(1, readonly, quantity_y, float, ys);
VKS_FIELD(2, readonly, quantity_x, float, xs);
VKS_FIELD(3, writeonly, point_tint, uint, codes);
layout(std430, set = 0, binding = 4) buffer view_tint_sums
{
    uvec2 sums[];
};

shared uvec4 folded[256]; // points, the sum of their codes and, of two words, that of the squares

uvec4 add(uvec4 a, uvec4 b)
{
    return uvec4(a.xy + b.xy, vks_fixed_add(a.zw, b.zw));
}

// log2 of a number of at least 2^-60.
float log2_of(float a)
{
    return vks_log2(min(a, 1152921504606846976.0f));
}

uint code_of(uint i)
{
    float x = abs(VKS_AT(xs, i));
    precise float size = x;
    if (vector) {
        float y = VKS_AT(ys, i);
        float z = VKS_AT(zs, i);
        size = x * x + y * y + z * z;
    }
    if (!(size >= VKS_TINY)) {
        return 0u;
    }
    precise float units = log2_of(size) * (vector ? 256.0f : 512.0f);
    return uint(int(floor(units)) + TINT_ZERO);
}

void main()
{
    uint t = gl_LocalInvocationIndex;
    uint first = (vks_item() - t) * TINTS_PER_ITEM + t;
    uvec4 sum = uvec4(0u);
    for (uint k = 0u; k < TINTS_PER_ITEM; k++) {
        uint i = first + 256u * k;
        if (i < constants.count) {
            uint code = code_of(i);
            VKS_AT(codes, i) = code;
            sum = add(sum, uvec4(min(code, 1u), code, code * code, 0u));
        }
    }
    folded[t] = sum;
    VKS_FOLD(folded, add);
    sum = folded[0];
    if (t == 0u && sum.x > 0u) {
        VKS_FIXED_ATOMIC_ADD(sums[TINT_COUNT], uvec2(sum.x, 0u));
        VKS_FIXED_ATOMIC_ADD(sums[TINT_SUM], uvec2(sum.y, 0u));
        VKS_FIXED_ATOMIC_ADD(sums[TINT_SQUARES], sum.zw);
    }
}
