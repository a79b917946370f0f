// SPDX-License-Identifier: MIT
// D of a workgroup's cells and of those beside them, in shared memory: four cells per lane of a
// line, for their sums over the rows of squares.
#ifndef VKS_PHYSARUM_ROW_WINDOW_GLSL
#define VKS_PHYSARUM_ROW_WINDOW_GLSL

const uint LANES = 64u, LINES = 4u; // of a workgroup
const uint CELLS_OF_LANE = 4u;
const uint MAX_VALUES = CELLS_OF_LANE * LANES + 2u * 32u;
const uint LINE = MAX_VALUES + MAX_VALUES / 32u;

shared float values[LINES * LINE];

// Where a value is: the lanes of a subgroup, four values apart, use different banks.
uint place_of(uint value)
{
    return gl_LocalInvocationID.y * LINE + value + value / 32u;
}

uint first_value; // of the invocation's sums

float value_at(uint n)
{
    return values[place_of(first_value + n)];
}

#define SUMMED float
#include "physarum/window_sums.glsl"
#endif
