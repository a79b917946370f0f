// SPDX-License-Identifier: MIT
// The sums of rows above and below four cells of an invocation's columns. Who includes this defines
// SUMMED, the type of `sums`: a float, or a vec4 for four columns; and COLUMNS_OF_LANE.
#ifndef VKS_PHYSARUM_COLUMN_WINDOW_GLSL
#define VKS_PHYSARUM_COLUMN_WINDOW_GLSL

const uint ROWS = 4u; // of an invocation

uint column, top; // its first cell

SUMMED value_at(uint n)
{
    int at = int(top + n) - int(constants.radius);
    bool outside = at < 0 || at >= int(constants.height);
    SUMMED sum = SUMMED(0.0f);
    if (!outside || boundary == PHYSARUM_PERIODIC) {
        uint line = plane * constants.height + (outside ? wrap(at, constants.height) : uint(at));
        sum = VKS_AT(sums, (line * constants.width + column) / COLUMNS_OF_LANE);
    }
    return sum;
}

#include "physarum/window_sums.glsl"

// The sums around the invocation's rows, of which those beyond the seam do not read each other.
SUMMED[4] column_sums()
{
    int seam = int(SEAM), first = int(top) - int(constants.radius);
    if (!seamed || seam <= first || seam >= first + int(ROWS + 2u * constants.radius)) {
        return window_sums();
    }
    SUMMED four[4];
    for (uint k = 0u; k < ROWS; k++) {
        bool after = int(top + k) >= seam;
        precise SUMMED sum = SUMMED(0.0f);
        for (uint n = k; n <= k + 2u * constants.radius; n++) {
            bool own = (first + int(n) >= seam) == after;
            sum = sum + (own ? value_at(n) : SUMMED(0.0f));
        }
        four[k] = sum;
    }
    return four;
}

// Sets the first cell of the invocation, whose columns are COLUMNS_OF_LANE. False: there is none.
bool enter_columns()
{
    column = COLUMNS_OF_LANE * gl_GlobalInvocationID.x;
    top = enter_plane(gl_GlobalInvocationID.y, (constants.height + ROWS - 1u) / ROWS) * ROWS;
    return column < constants.width && top < constants.height && plane < planes;
}
#endif
