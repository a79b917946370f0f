// SPDX-License-Identifier: MIT
// Moves a field of a twin toward the other's, to 2^-shift of its distance.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "core/distance.h"

layout(constant_id = 2) const bool wraps = false; // integers, the shorter way around
layout(constant_id = 3) const bool reals = false; // floats; neither: words without a distance

VKS_CONSTANTS(distance_params);

VKS_FIELD(0, readonly, own, uvec4, fours);
VKS_FIELD(1, , other, uvec4, other_fours);

// Differences are truncated toward 0.
uint contract_integer(uint a, uint b)
{
    uint d = b - a;
    return d < 0x80000000u ? a + (d >> constants.shift) : a - ((0u - d) >> constants.shift);
}

float contract_real(float a, float b)
{
    precise float d = b - a;
    precise float nearer = d * constants.scale;
    nearer = a + nearer;
    return vks_flush(nearer);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.items) {
        return;
    }
    uint a = VKS_AT(fours, i >> 2)[i & 3u], b = VKS_AT(other_fours, i >> 2)[i & 3u];
    if (wraps) {
        a = contract_integer(a, b);
    } else if (reals) {
        a = floatBitsToUint(contract_real(uintBitsToFloat(a), uintBitsToFloat(b)));
    }
    VKS_AT(other_fours, i >> 2)[i & 3u] = a;
}
