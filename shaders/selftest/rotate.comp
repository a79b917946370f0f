// SPDX-License-Identifier: MIT
// A workgroup hands its values around through shared memory: a barrier that does not hold changes
// all later values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

struct rotate_params {
    uint rounds;
};
VKS_CONSTANTS(rotate_params);

layout(std430, set = 0, binding = 0) buffer values
{
    uint words[];
};

shared uint passed[256];

void main()
{
    uint own = gl_LocalInvocationID.x;
    uint value = words[vks_item()];
    for (uint round = 0u; round < constants.rounds; round++) {
        passed[own] = value;
        barrier();
        value = value * 3u + passed[(own + 1u + round * 37u) % 256u];
        barrier();
    }
    words[vks_item()] = value;
}
