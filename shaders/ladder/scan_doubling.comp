// SPDX-License-Identifier: MIT
// Exclusive prefix sums: in pass k every lane adds the word 2^k places before its own, so that
// after log2(n) passes each word is the sum of all before it. It is short and parallel, but every
// pass moves the whole vector, and it takes n log2(n) additions instead of n.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/scan.h"

VKS_CONSTANTS(scan_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer sums
{
    uint from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer doubled
{
    uint to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.count) {
        uint sum = 0u;
        if (item >= constants.shift) {
            sum = LOAD(from, item - constants.shift);
        }
        if (item >= constants.shift + constants.reach) {
            sum += LOAD(from, item - constants.shift - constants.reach);
        }
        STORE(to, item, sum);
    }
}
