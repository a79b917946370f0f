// SPDX-License-Identifier: MIT
// Shared by the field passes: wrapping, and the end of the arithmetic.
#ifndef VKS_PHYSARUM_FIELD_GLSL
#define VKS_PHYSARUM_FIELD_GLSL
#include "lib/exact.glsl"
#include "physarum/params.h"

layout(constant_id = 2) const uint boundary = PHYSARUM_PERIODIC;
layout(constant_id = 4) const bool bytes = true; // counts are bytes, not words

VKS_CONSTANTS(physarum_params);
VKS_CLOCK;

VKS_FIELD(3, readonly, spill_marks, uvec2, marks); // of a block of cells

// Wraps a coordinate that is outside by at most the max radius, 31.
uint wrap(int at, uint side)
{
    return (uint(at) + 64u * side) % side;
}

// Wraps a coordinate that is outside by at most one.
uint wrap_once(int at, uint side)
{
    return at < 0 ? side - 1u : uint(at) >= side ? 0u : uint(at);
}

// T of the next step from D and the sum of the square around it.
float diffused(float d, float sum)
{
    precise float mean = sum * constants.inverse_area;
    precise float kept = constants.sharp * d;
    precise float blurred = constants.blurred * mean;
    precise float t = kept + blurred;
    t = constants.keep * t;
    return vks_flush(t);
}

// Spilled counts of a block of cells: whether its cells and their neighbours have any in this step,
// and whether they had in the step before, which are in the other buffer and no longer needed.
struct spilling {
    bool now, before;
};

spilling spilling_of(uint block)
{
    if (!bytes) {
        return spilling(false, false);
    }
    uvec2 steps = VKS_AT(marks, block); // the last even and odd step in which there were any
    uint step = first_step + step_in_batch;
    bool odd = (step & 1u) == 1u;
    return spilling((odd ? steps.y : steps.x) == step, (odd ? steps.x : steps.y) == step - 1u);
}
#endif
