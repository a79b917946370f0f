// SPDX-License-Identifier: MIT
// Marks in a row of a log that a pass has run at a step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"

struct mark_params {
    uint row, columns;
};
VKS_CONSTANTS(mark_params);
VKS_CLOCK;

layout(std430, set = 0, binding = 0) buffer marks
{
    uint entries[];
};

void main()
{
    uint step = first_step + step_in_batch;
    if (vks_item() == 0u && step < constants.columns) {
        entries[constants.row * constants.columns + step] += 1u;
    }
}
