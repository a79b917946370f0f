// SPDX-License-Identifier: MIT
// The sum of three cells in a row, the first half of a sum over a square of 3 x 3.
#ifndef VKS_PHYSARUM_ROW_GLSL
#define VKS_PHYSARUM_ROW_GLSL
#include "physarum/field.glsl"

// Defined by who includes this: D of a cell.
float deposited(uint line, uint column, bool spilled);

struct row {
    float centre; // D of the cell itself
    float sum;    // of D over the row, from left to right
};

row read_row(int y, uint left, uint x, uint right, bool spilled)
{
    bool outside = y < 0 || y >= int(constants.height);
    if (outside && boundary == PHYSARUM_ZERO) {
        return row(0.0f, 0.0f);
    }
    uint line = wrap_once(y, constants.height);
    precise float centre = deposited(line, x, spilled);
    if (constants.radius == 0u) {
        return row(centre, centre);
    }
    precise float first = deposited(line, left, spilled);
    precise float last = deposited(line, right, spilled);
    if (boundary == PHYSARUM_ZERO) {
        first = x == 0u ? 0.0f : first;
        last = x + 1u == constants.width ? 0.0f : last;
    }
    precise float sum = first + centre;
    sum = sum + last;
    return row(centre, sum);
}
#endif
