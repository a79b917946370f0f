// SPDX-License-Identifier: MIT
// Exclusive prefix sums of 512 words per workgroup by Blelloch's tree: sums of pairs, of pairs of
// pairs and so on up to the root, then down again, where each node gives its children the sum of
// all before them. 2 n additions instead of n log2(n), but twice as many rounds. One word of
// padding per 32 avoids bank conflicts at distances that are powers of two.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/scan.h"

#define PLACE(index) ((index) + ((index) >> 5))
VKS_CONSTANTS(scan_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer words
{
    uint from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer starts
{
    uint to[];
};
layout(std430, set = 0, binding = 2) writeonly buffer totals
{
    uint total[];
};

shared uint tree[PLACE(512)];
void main()
{
    uint lane = gl_LocalInvocationID.x, first = 2u * (vks_item() - lane);
    for (uint i = lane; i < 512u; i += 256u) {
        SHARED_STORE(tree, PLACE(i), first + i < constants.count ? LOAD(from, first + i) : 0u);
    }
    for (uint apart = 1u; apart < 512u; apart *= 2u) { // up
        uint right = 2u * apart * (lane + 1u) - 1u, left = right - apart;
        BARRIER();
        if (right < 512u) {
            uint sum = SHARED_LOAD(tree, PLACE(left)) + SHARED_LOAD(tree, PLACE(right));
            SHARED_STORE(tree, PLACE(right), sum);
        }
    }
    if (lane == 0u && first < constants.count) { // has made the root
        STORE(total, first / 512u, SHARED_LOAD(tree, PLACE(511u)));
        SHARED_STORE(tree, PLACE(511u), 0u);
    }
    for (uint apart = 256u; apart > 0u; apart /= 2u) { // down
        uint right = 2u * apart * (lane + 1u) - 1u, left = right - apart;
        BARRIER();
        if (right < 512u) {
            uint before = SHARED_LOAD(tree, PLACE(right)), sum = SHARED_LOAD(tree, PLACE(left));
            SHARED_STORE(tree, PLACE(left), before);
            SHARED_STORE(tree, PLACE(right), before + sum);
        }
    }
    BARRIER();
    for (uint i = lane; i < 512u && first + i < constants.count; i += 256u) {
        STORE(to, first + i, SHARED_LOAD(tree, PLACE(i)));
    }
}
