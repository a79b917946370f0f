// SPDX-License-Identifier: MIT
// The next `own` from itself, its neighbour in `other`, and the step: any item read too early, too
// late or from the wrong buffer affects all later values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

layout(constant_id = 2) const uint factor = 1u;

struct mix_params {
    uint count;
};
VKS_CONSTANTS(mix_params);
VKS_CLOCK;

layout(std430, set = 0, binding = 0) readonly buffer own
{
    uint owned[];
};
layout(std430, set = 0, binding = 1) readonly buffer other
{
    uint others[];
};
layout(std430, set = 0, binding = 2) writeonly buffer own_next
{
    uint made[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        uint near = others[(i + 1u) % constants.count];
        made[i] = owned[i] * factor + (near ^ (near >> 7)) + first_step + step_in_batch + i;
    }
}
