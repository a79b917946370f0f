// SPDX-License-Identifier: MIT
// Measures the mean density of the grid at the start: first the max, then the sum in units that
// depend on it, then the mean in the clockwork. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "gas/unit.glsl"
#include "lib/fixed.glsl"
#include "lib/fold.glsl"

#define MEASURE_MAX 0
#define MEASURE_SUM 1

layout(constant_id = 0) const uint part = MEASURE_MAX;

VKS_FIELD(0, readonly, density, float, densities);
layout(std430, set = 0, binding = 1) buffer measured
{
    uvec2 sum;
    uint highest; // bits of a float that is not negative
};

shared uvec2 folded[256];

uvec2 combined(uvec2 a, uvec2 b)
{
    return part == MEASURE_MAX ? max(a, b) : vks_fixed_add(a, b);
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint nodes = constants.width * constants.height * constants.depth;
    uint node = vks_item();
    float r = node < nodes && is_own_row(node / row_nodes()) ? VKS_AT(densities, node) : 0.0f;
    if (part == MEASURE_MAX) {
        folded[t] = uvec2(r > 0.0f ? floatBitsToUint(r) : 0u, 0u);
    } else {
        int exponent = exponent_of(uintBitsToFloat(highest));
        folded[t] = vks_fixed(r, vks_power_of_two(min(29 - exponent, 126)));
    }
    VKS_FOLD(folded, combined);
    if (t == 0u) {
        if (part == MEASURE_MAX) {
            atomicMax(highest, folded[0].x);
        } else {
            VKS_FIXED_ATOMIC_ADD(sum, folded[0]);
        }
    }
}
