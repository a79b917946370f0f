// SPDX-License-Identifier: MIT
// The number of agents of each species, for tables.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, readonly, species, uint, species_words);
VKS_FIELD(1, , populations, uint, counts);

layout(constant_id = 0) const bool clears = false; // sets them to 0 instead
layout(constant_id = 1) const uint kinds = 1u;     // species

shared uint counted[PHYSARUM_MAX_SPECIES];

void main()
{
    uint lane = gl_LocalInvocationID.x, i = vks_item();
    if (clears) {
        if (lane < kinds) {
            VKS_AT(counts, lane) = 0u;
        }
        return;
    }
    if (lane < kinds) {
        counted[lane] = 0u;
    }
    barrier();
    if (i < constants.agents) {
        atomicAdd(counted[VKS_AT(species_words, i) & 255u], 1u);
    }
    barrier();
    if (lane < kinds && counted[lane] > 0u) {
        atomicAdd(VKS_AT(counts, lane), counted[lane]);
    }
}
