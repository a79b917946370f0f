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

shared uvec2 counts[256]; // points, and the sum of their codes
shared uvec2 squares[256];

uvec2 add(uvec2 a, uvec2 b)
{
    return a + b;
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
    uint i = vks_item();
    uint t = gl_LocalInvocationIndex;
    uint code = 0u;
    if (i < constants.count) {
        code = code_of(i);
        VKS_AT(codes, i) = code;
    }
    counts[t] = uvec2(code > 0u ? 1u : 0u, code);
    squares[t] = uvec2(code * code, 0u);
    VKS_FOLD(counts, add);
    VKS_FOLD(squares, vks_fixed_add);
    if (t == 0u && counts[0].x > 0u) {
        VKS_FIXED_ATOMIC_ADD(sums[TINT_COUNT], uvec2(counts[0].x, 0u));
        VKS_FIXED_ATOMIC_ADD(sums[TINT_SUM], uvec2(counts[0].y, 0u));
        VKS_FIXED_ATOMIC_ADD(sums[TINT_SQUARES], squares[0]);
    }
}
