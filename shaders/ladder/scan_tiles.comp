// SPDX-License-Identifier: MIT
// Exclusive prefix sums of 256 words per workgroup, by doubling in shared memory: two accesses to
// memory per word instead of two per pass. The sums of the groups are scanned in the same way, and
// added to the groups' words (ladder/scan_add). Every lane still works in every round.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/scan.h"

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

shared uint tile[2 * 256]; // each round reads one half and writes the other

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint item = vks_item();
    uint word = item < constants.count ? LOAD(from, item) : 0u;
    uint sum = word;
    uint half_at = 0u;
    SHARED_STORE(tile, lane, sum);
    BARRIER();
    for (uint reach = 1u; reach < 256u; reach *= 2u) {
        if (lane >= reach) {
            sum += SHARED_LOAD(tile, half_at + lane - reach);
        }
        half_at = 256u - half_at;
        SHARED_STORE(tile, half_at + lane, sum);
        BARRIER();
    }
    if (item < constants.count) {
        STORE(to, item, sum - word);
        if (lane == 255u || item + 1u == constants.count) {
            STORE(total, item / 256u, sum);
        }
    }
}
